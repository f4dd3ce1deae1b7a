// A search at every information set of an enumerated game: what a bot with these settings and this
// seed answers there. Logs that begin alike share what was thought up to where they part.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_FOREST_EVERYWHERE_H_
#define NASH_ISMCTS_SPIEL_NATIVE_FOREST_EVERYWHERE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "forest.h"

namespace nash_ismcts {

class EverySearch {
 public:
  // `report` is told after each decision point how many information sets are done.
  EverySearch(const TableArena& arena, int64_t visits, int32_t longest_log, double* policy,
              std::function<void(int64_t)> report)
      : arena_(arena), visits_(visits), policy_(policy), report_(std::move(report)) {
    for (int32_t set = 0; set < arena.graph().information_sets.size(); ++set) {
      logs_.emplace_back(arena.log(set, longest_log), set);
    }
    std::sort(logs_.begin(), logs_.end());
  }

  void run(const SoftForest& start) { walk(start, 0, logs_.size(), 0); }

 private:
  // All logs from `first` to `end` have their first `depth` decision points in common, which
  // `before` has thought about.
  void walk(const SoftForest& before, size_t first, size_t end, size_t depth) {
    while (first < end && logs_[first].first.size() == depth) {
      const int32_t set = logs_[first++].second;
      before.policy(set, policy_ + arena_.graph().information_sets.first_action[set]);
      ++done_;
    }
    while (first < end) {
      const int32_t view = logs_[first].first[depth];
      size_t next = first;
      while (next < end && logs_[next].first[depth] == view) ++next;
      SoftForest forest(before);
      const int32_t player = arena_.graph().information_sets.player[logs_[first].second];
      forest.think(view, player, visits_, [] { return false; });
      report_(done_);
      walk(forest, first, next, depth + 1);
      first = next;
    }
  }

  const TableArena& arena_;
  int64_t visits_;
  double* policy_;
  std::function<void(int64_t)> report_;
  int64_t done_ = 0;
  std::vector<std::pair<std::vector<int32_t>, int32_t>> logs_;  // decision points and their set
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_FOREST_EVERYWHERE_H_
