// A search at many decision points of a game: what a bot with these settings and this seed answers
// there. Logs that begin alike share what was thought up to where they part.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_FOREST_EVERYWHERE_H_
#define NASH_ISMCTS_SPIEL_NATIVE_FOREST_EVERYWHERE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "forest.h"
#include "view_forest.h"

namespace nash_ismcts {

// Where a policy is asked for.
struct Asked {
  std::vector<int32_t> log;  // decision points on the way, the last of which is the own one
  int32_t place;             // the information set, or the view
  int32_t player;
  int64_t first_action;

  bool operator<(const Asked& other) const {
    return std::tie(log, place) < std::tie(other.log, other.place);
  }
};

inline std::vector<Asked> every_set(const TableArena& arena, int32_t longest_log) {
  std::vector<Asked> asked;
  const InformationSetTable& sets = arena.graph().information_sets;
  for (int32_t set = 0; set < sets.size(); ++set) {
    asked.push_back({arena.log(set, longest_log), set, sets.player[set], sets.first_action[set]});
  }
  return asked;
}

inline std::vector<Asked> some_views(const ViewArena& arena, const ViewModels& models,
                                     const std::vector<int32_t>& views) {
  std::vector<Asked> asked;
  for (const int32_t view : views) {
    asked.push_back(
        {likeliest_log(arena, models, view), view, arena.player(view), arena.first_action(view)});
  }
  return asked;
}

// Thinks in a forest that is afterwards as it was before.
template <typename Think>
void in_branch(const SoftForest& forest, const Think& think) {
  SoftForest branch(forest);
  think(branch);
}

template <typename Think>
void in_branch(ViewForest& forest, const Think& think) {
  forest.remember();
  think(forest);
  forest.undo();
}

template <typename AnyForest>
class Everywhere {
 public:
  // `policy` has one entry per action of the game; `report` is told now and then how many places
  // are done, and may throw.
  Everywhere(std::vector<Asked> asked, int64_t visits, double* policy,
             std::function<void(int64_t)> report)
      : asked_(std::move(asked)), visits_(visits), policy_(policy), report_(std::move(report)) {
    std::sort(asked_.begin(), asked_.end());
  }

  void run(AnyForest& forest) { walk(forest, 0, asked_.size(), 0); }

 private:
  // All logs from `first` to `end` have their first `depth` decision points in common, which
  // `before` has thought about.
  void walk(AnyForest& before, size_t first, size_t end, size_t depth) {
    for (; first < end && asked_[first].log.size() == depth; ++first, ++done_) {
      before.policy(asked_[first].place, policy_ + asked_[first].first_action);
    }
    while (first < end) {
      const int32_t point = asked_[first].log[depth];
      size_t next = first;
      while (next < end && asked_[next].log[depth] == point) ++next;
      in_branch(before, [&](AnyForest& forest) {
        forest.think(point, asked_[first].player, visits_, [this] {
          report_(done_);
          return false;
        });
        walk(forest, first, next, depth + 1);
      });
      first = next;
    }
  }

  std::vector<Asked> asked_;
  int64_t visits_;
  double* policy_;
  std::function<void(int64_t)> report_;
  int64_t done_ = 0;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_FOREST_EVERYWHERE_H_
