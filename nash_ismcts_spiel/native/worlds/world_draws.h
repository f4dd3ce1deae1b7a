// Draws of worlds that a player cannot tell apart: what a search begins its simulations from.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_WORLD_DRAWS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_WORLD_DRAWS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../common/random.h"
#include "graph.h"

namespace nash_ismcts {

// Draws a world of an information set, each hidden piece by its prior.
int32_t draw_world(Graph& graph, int32_t set, Random& random);

// The state that a history leads to.
std::unique_ptr<GameState> state_after(const Game& game, const History& history);

// Worlds of one information set as histories: piece by piece, or, where much is hidden, by random
// walks that take turns (exchange.cc). They begin in worlds that were offered, if there are any.
class WorldDraws {
 public:
  explicit WorldDraws(uint64_t seed) : random_(seed) {}

  // A world of the set, which is to be the same each time. Throws OutOfTime.
  History next(Graph& graph, int32_t set);

 private:
  static constexpr size_t kWalks = 8;
  static constexpr int32_t kStepsBefore = 8;  // of a walk that begins where no world was offered

  Random random_;
  std::vector<Walk> walks_;
  size_t turn_ = 0;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_WORLD_DRAWS_H_
