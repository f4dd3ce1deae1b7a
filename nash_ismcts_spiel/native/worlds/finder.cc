#include "finder.h"

#include "backtracking.h"
#include "explorer.h"
#include "graph.h"

namespace nash_ismcts {

namespace {

constexpr int64_t kEffort = 48'000'000;  // of random continuations, in events; some seconds
constexpr int64_t kNear = 4;             // a part of it is spent near an earlier world

}  // namespace

History find_world(const Game& game, const Tracker& tracker, const History& start, Random& random,
                   Clock::time_point deadline) {
  History found;
  if (Backtracking(game, tracker, random, deadline).run(start, found)) return found;
  if (!start.empty()) {
    Explorer near(game, tracker, random, deadline);
    near.add(start);
    if (near.run(kEffort / kNear, found)) return found;
  }
  Explorer explorer(game, tracker, random, deadline);
  if (explorer.run(kEffort, found)) return found;
  throw NoWorldFound(
      "found no world of " + game.facts().name + " that agrees with what player " +
      std::to_string(tracker.player()) + " has seen, within a bounded effort of " +
      std::to_string(kEffort) +
      " replayed events; a bot that is asked at every own move of a game has less to explain");
}

}  // namespace nash_ismcts
