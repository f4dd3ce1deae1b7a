// What Python holds between two calls that is numbered by the rows of one graph: rows, games, sums.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_HELD_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_HELD_H_

#include "../play/games.h"
#include "../search/rows.h"
#include "shared.h"

namespace nash_ismcts {

struct PyRows : Rows, OfOneGraph {
  PyRows() : OfOneGraph("these rows are", "these rows are being used by another thread") {}
};

struct PyGames : Games, OfOneGraph {
  explicit PyGames(const PlaySettings& settings)
      : Games(settings),
        OfOneGraph("these games are", "these games are being played by another thread") {}
};

struct PyTargetSums : TargetSums, OfOneGraph {
  PyTargetSums() : OfOneGraph("these sums are", "these sums are being used by another thread") {}
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_HELD_H_
