// Finding one world that agrees with what a player knows, from that knowledge alone.
//
// The log is explained event by event: of the events that may come next, the one after which the
// player would be shown what is closest to what it was shown next. Where none fits (in a deal, the
// card that must come next went to somebody else), earlier events are exchanged or replaced, each
// time with all that was done with them since, as long as that brings the player closer to what it
// has seen. Before that, and in turn with it, many histories are gone on with at random
// (explorer.h), for longer where these explain more of the log. First of all, one history is gone
// on with and a few events are taken back where none fits (backtracking.h). Effort is bounded.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_FINDER_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_FINDER_H_

#include <chrono>
#include <string>

#include "../common/random.h"
#include "game.h"
#include "tracker.h"

namespace nash_ismcts {

// The history of a world that explains the whole log of `tracker`. The search begins after `start`,
// a world of an earlier information set of the same player (or nothing), and from nothing if that
// fails. Throws NoWorldFound when its effort is spent, OutOfTime at the deadline.
History find_world(const Game& game, const Tracker& tracker, const History& start, Random& random,
                   std::chrono::steady_clock::time_point deadline);

// How far two texts are from each other: Levenshtein's distance line by line, or of the whole if
// that is less, or for very long differences that of their pairs of characters.
// 0 only if they are equal.
int64_t text_distance(const std::string& one, const std::string& other);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_FINDER_H_
