// Changes of examples in games in which some events make sets (PieceSets in game.h): an exchange is
// followed by putting every set in order again.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_SETS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_SETS_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "../common/random.h"
#include "example.h"
#include "game.h"

namespace nash_ismcts {

// Puts the events of each set in ascending order.
inline void arrange(const PieceSets* sets, History& events) {
  if (sets == nullptr) return;
  for (size_t set = 0; set < sets->begin.size(); ++set) {
    const auto size = static_cast<int32_t>(events.size());
    std::sort(events.begin() + std::min(sets->begin[set], size),
              events.begin() + std::min(sets->end[set], size));
  }
}

// How likely each of `above` cards is the lowest one of a random set of `wanted` of them, lowest
// first: C(above - 1 - m, wanted - 1) / C(above, wanted) for the m-th, counted from 0. [above + 1 -
// wanted]
std::vector<double> lowest_of_set(int64_t above, int64_t wanted);

// How likely each card of the deck comes next at a place of a set, by card, after the events before
// it; `elsewhere` are cards that are in other sets. Cards that cannot come have no entry.
std::vector<std::pair<Action, double>> next_of_set(const PieceSets& sets, const History& before,
                                                   const std::vector<Action>& elsewhere);

// The cards of an example that are in sets which a player knows.
std::vector<Action> known_cards(const PieceSets& sets, const History& events, int32_t player);

// Proposals for a world with another event at a place of a set, and all earlier events of an
// example. All that is smaller has to leave the set, and as many others come in from later sets or
// from the rest of the deck.
class SetProposals {
 public:
  SetProposals(const PieceSets& sets, const Example& example, int32_t player, int32_t place,
               Action piece);

  // Up to `limit` proposals, which differ by which events are exchanged.
  std::vector<History> draw(int32_t limit, Random& random) const;

 private:
  Action any_of_larger(Random& random) const;
  bool is_loose(Action value) const;

  const PieceSets& sets_;
  const Example& example_;
  int32_t place_;
  Action piece_;
  bool comes_in_ = true;         // the piece is not in the set yet
  bool impossible_ = false;      // the player knows better
  std::vector<Action> smaller_;  // events of the set that have to leave it
  std::vector<Action> larger_;   // events of the set that may stay
  std::vector<Action> outside_;  // larger events that may come in, loose ones first
  int64_t loose_ = 0;            // of those outside
};

// Proposals for a world with a piece at a place: of sets if it is in one, else as in example.h.
std::vector<History> piece_proposals(const PieceSets* sets, const Example& example, int32_t player,
                                     int32_t place, Action piece, int32_t limit, Random& random);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_SETS_H_
