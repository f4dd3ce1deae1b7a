// A search at many views of a merged game: what a bot with these settings and this seed answers
// there. Logs that begin alike share what was thought up to where they part.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_FOREST_EVERY_VIEW_H_
#define NASH_ISMCTS_SPIEL_NATIVE_FOREST_EVERY_VIEW_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "view_forest.h"

namespace nash_ismcts {

class EveryView {
 public:
  // `policy` has one entry per action of all views; `report` is asked now and then whether to go
  // on, with how many views are done, and may throw.
  EveryView(const ViewArena& arena, const ViewModels& models, const std::vector<int32_t>& views,
            int64_t visits, double* policy, std::function<void(int64_t)> report)
      : arena_(arena), visits_(visits), policy_(policy), report_(std::move(report)) {
    for (const int32_t view : views) logs_.emplace_back(likeliest_log(arena, models, view), view);
    std::sort(logs_.begin(), logs_.end());
  }

  void run(ViewForest& forest) { walk(forest, 0, logs_.size(), 0); }

 private:
  // All logs from `first` to `end` have their first `depth` decision points in common, which
  // the forest has thought about.
  void walk(ViewForest& forest, size_t first, size_t end, size_t depth) {
    for (; first < end && logs_[first].first.size() == depth; ++first, ++done_) {
      const int32_t view = logs_[first].second;
      forest.policy(view, policy_ + arena_.first_action(view));
    }
    while (first < end) {
      const int32_t look = logs_[first].first[depth];
      size_t next = first;
      while (next < end && logs_[next].first[depth] == look) ++next;
      forest.remember();
      forest.think(look, arena_.player(logs_[first].second), visits_, [this] {
        report_(done_);
        return false;
      });
      walk(forest, first, next, depth + 1);
      forest.undo();
      first = next;
    }
  }

  const ViewArena& arena_;
  int64_t visits_;
  double* policy_;
  std::function<void(int64_t)> report_;
  int64_t done_ = 0;
  std::vector<std::pair<std::vector<int32_t>, int32_t>> logs_;  // decision points and their view
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_FOREST_EVERY_VIEW_H_
