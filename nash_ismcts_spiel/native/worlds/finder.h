// Finding one world that agrees with what a player knows, from that knowledge alone.
//
// First one history is gone on with, and a few events are taken back where none fits
// (backtracking.h). Then many are gone on with at random, for longer where these explain more of
// the log (explorer.h). Effort is bounded. Deals that come to light late are not found so: where a
// game has them, somebody who knows it offers worlds (Graph::offer).

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_FINDER_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_FINDER_H_

#include <chrono>

#include "../common/random.h"
#include "game.h"
#include "tracker.h"

namespace nash_ismcts {

// The history of a world that explains the whole log of `tracker`. The search begins after `start`,
// a world of an earlier information set of the same player (or nothing), and from nothing if that
// fails. Throws NoWorldFound when its effort is spent, OutOfTime at the deadline.
History find_world(const Game& game, const Tracker& tracker, const History& start, Random& random,
                   std::chrono::steady_clock::time_point deadline);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_FINDER_H_
