#include "finder.h"

#include "backtracking.h"
#include "explorer.h"
#include "graph.h"

namespace nash_ismcts {

namespace {

constexpr int64_t kEffort = 24'000'000;  // of random continuations, in events; a second or two
constexpr int64_t kNear = 8;             // the part of it that is spent near an earlier world
constexpr int64_t kRuns = 3;             // that begin with nothing

}  // namespace

History find_world(const Game& game, const Tracker& tracker, const History& start, Random& random,
                   Clock::time_point deadline) {
  History found;
  const auto straight = [&](const History& from) {
    return Backtracking(game, tracker, random, deadline).run(from, found);
  };
  const auto explore = [&](const History& from, int64_t effort) {
    Explorer explorer(game, tracker, random, deadline);
    explorer.add(from);
    return explorer.run(effort, found);
  };
  if (straight(start)) return found;
  if (!start.empty() && (straight({}) || explore(start, kEffort / kNear))) return found;
  for (int64_t run = 0; run < kRuns; ++run) {
    if (explore({}, kEffort)) return found;
  }
  throw NoWorldFound(
      "found no world of " + game.facts().name + " that agrees with what player " +
      std::to_string(tracker.player()) + " has seen, within a bounded effort of " +
      std::to_string(kRuns * kEffort) +
      " replayed events; a bot that is asked at every own move of a game has less to explain");
}

}  // namespace nash_ismcts
