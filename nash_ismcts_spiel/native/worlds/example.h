// Examples: complete worlds of an information set, and how to change one into another.
//
// Most hidden pieces can be exchanged: what one player was dealt another one could have been dealt
// instead, with all that was done with it since. An exchange is only a proposal; whether the player
// would have seen the same has to be checked by replaying it.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_EXAMPLE_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_EXAMPLE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "../common/random.h"
#include "game.h"

namespace nash_ismcts {

constexpr int8_t kOwnEvent = -2;  // mover of an event that is the player's own action

// A complete world as a history.
struct Example {
  History events;
  std::vector<int8_t> movers;  // who made each event: kChancePlayer, a player, or kOwnEvent
};

// A random walk over the worlds of an information set (exchange.cc).
struct Walk {
  explicit Walk(uint64_t seed) : random(seed) {}
  Random random;
  std::shared_ptr<const Example> example;  // where it stands, null before the first step
  std::vector<double> log_prior;           // of each event, by chance or a uniform move
};

// Exchanges two values in all hidden events from `from` on.
inline History relabelled(const Example& example, int32_t from, Action one, Action other) {
  History events = example.events;
  for (size_t at = from; at < events.size(); ++at) {
    if (example.movers[at] == kOwnEvent) continue;
    if (events[at] == one) {
      events[at] = other;
    } else if (events[at] == other) {
      events[at] = one;
    }
  }
  return events;
}

// Where a value comes up in the hidden events after `place`, made by chance or not as there.
inline int32_t later_place(const Example& example, int32_t place, Action value) {
  const bool chance = example.movers[place] == kChancePlayer;
  for (size_t at = place + 1; at < example.events.size(); ++at) {
    if (example.events[at] == value && example.movers[at] != kOwnEvent &&
        (example.movers[at] == kChancePlayer) == chance) {
      return static_cast<int32_t>(at);
    }
  }
  return -1;
}

// Proposals for a world that has `piece` at `place` and all earlier events of an example, the
// likeliest first, up to `limit` of them.
inline std::vector<History> proposals(const Example& example, int32_t place, Action piece,
                                      int32_t limit, Random& random) {
  std::vector<History> proposed;
  if (example.movers[place] != kChancePlayer) limit += 2;
  const auto propose = [&](History events) {
    if (static_cast<int32_t>(proposed.size()) < limit &&
        std::find(proposed.begin(), proposed.end(), events) == proposed.end()) {
      proposed.push_back(std::move(events));
    }
  };
  const Action displaced = example.events[place];
  const int32_t later = later_place(example, place, piece);
  const auto with = [&](std::vector<std::pair<int32_t, Action>> changes) {
    History events = example.events;
    for (const auto& [at, value] : changes) events[at] = value;
    return events;
  };
  History exchanged = relabelled(example, place, displaced, piece);
  propose(std::move(exchanged));
  if (later >= 0) {
    propose(with({{place, piece}, {later, displaced}}));
  }
  propose(with({{place, piece}}));
  if (example.movers[place] != kChancePlayer) {
    // Histories of one information set may differ in length: a move that came to nothing, and was
    // made again, the player does not see.
    History longer = example.events;
    longer.insert(longer.begin() + place, piece);
    propose(std::move(longer));
    if (place + 1 < static_cast<int32_t>(example.events.size())) {
      History shorter = with({{place, piece}});
      shorter.erase(shorter.begin() + place + 1);
      propose(std::move(shorter));
    }
  }
  // The displaced value goes somewhere else, and what was there takes the place that is left.
  const int32_t count = static_cast<int32_t>(example.events.size()) - place - 1;
  for (int32_t tries = 0; count > 0 && tries < 2 * limit; ++tries) {
    const int32_t other = place + 1 + static_cast<int32_t>(random.below(count));
    if (example.movers[other] == kOwnEvent || other == later ||
        (example.movers[other] == kChancePlayer) != (example.movers[place] == kChancePlayer)) {
      continue;
    }
    if (later >= 0) {
      propose(with({{place, piece}, {other, displaced}, {later, example.events[other]}}));
    } else {
      propose(with({{place, piece}, {other, displaced}}));
    }
  }
  return proposed;
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_EXAMPLE_H_
