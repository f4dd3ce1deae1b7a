// A merged game (worlds/merged_game.h) as a search over views (view_forest.h) walks it.
//
// Nodes are numbered anew: those of one view side by side, as they are always read together, views
// that are met earlier first, and the ends of games last. Where the game has symmetries
// (view_symmetries.h) there are standard views alone: a node is turned to one, and looks that are
// images of each other are one. Letters in shapes: N nodes, E edges, L looks, A actions of all
// views, n players.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_FOREST_VIEW_ARENA_H_
#define NASH_ISMCTS_SPIEL_NATIVE_FOREST_VIEW_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../common/grouped.h"
#include "../worlds/merged_game.h"
#include "view_symmetries.h"

namespace nash_ismcts {

// All nodes of a view.
struct NodeBlock {
  int32_t first;
  int32_t end;
};

// Nodes of a look, in ascending order.
struct NodeRange {
  const int32_t* first;
  const int32_t* last;
  const int32_t* begin() const { return first; }
  const int32_t* end() const { return last; }
};

class ViewArena {
 public:
  // Throws std::invalid_argument if chance moves in the game. Symmetries are sought among the
  // candidates.
  ViewArena(std::shared_ptr<const MergedGame> merged,
            const std::vector<ViewSymmetries::Cells>& candidates)
      : merged_(std::move(merged)),
        symmetries_(*merged_, candidates),
        players_(merged_->num_players) {
    const std::vector<int32_t> order = sorted();
    std::vector<int32_t> number(merged_->mover.size(), -1);
    for (size_t node = 0; node < order.size(); ++node) {
      number[order[node]] = static_cast<int32_t>(node);
    }
    for (const int32_t old : order) {
      const int64_t first = merged_->first_edge[old], end = merged_->first_edge[old + 1];
      view.push_back(merged_->view[old]);
      terminal.push_back(merged_->terminal[old]);
      first_edge.push_back(static_cast<int64_t>(child.size()));
      for (int64_t edge = first; edge < end; ++edge) {
        child.push_back(number[symmetries_.node[merged_->child[edge]]]);
      }
      for (int32_t player = 0; player < players_; ++player) {
        const int32_t look = merged_->look[int64_t{old} * players_ + player];
        look_.push_back(look < 0 ? look : symmetries_.look[look]);
      }
    }
    first_edge.push_back(static_cast<int64_t>(child.size()));
    zero_sum_ = players_ == 2;
    for (size_t at = 0; zero_sum_ && at < merged_->returns.size(); at += 2) {
      zero_sum_ = merged_->returns[at] == -merged_->returns[at + 1];
    }
    list_parents();
    list_looks();
    by_length = number;
    by_length.erase(std::remove(by_length.begin(), by_length.end(), -1), by_length.end());
  }

  const MergedGame& game() const { return *merged_; }
  const ViewSymmetries& symmetries() const { return symmetries_; }
  int32_t num_players() const { return players_; }
  // Two players, one of whom wins what the other loses.
  bool is_zero_sum() const { return zero_sum_; }
  int32_t num_nodes() const { return static_cast<int32_t>(view.size()); }
  int32_t num_views() const { return static_cast<int32_t>(merged_->views.size()); }
  int32_t num_looks() const { return merged_->num_looks; }

  int32_t player(int32_t view) const { return merged_->views[view].player; }
  int64_t first_action(int32_t view) const { return merged_->first_action[view]; }
  int32_t action_count(int32_t view) const {
    return static_cast<int32_t>(first_action(view + 1) - first_action(view));
  }
  const double* returns(int32_t node) const {
    return merged_->returns.data() + int64_t{terminal[node]} * players_;
  }

  // What a player sees where somebody is to move.
  int32_t look(int32_t node, int32_t player) const {
    return look_[int64_t{node} * players_ + player];
  }
  int32_t look_of_view(int32_t view) const { return look_of_view_[view]; }
  bool is_standard(int32_t view) const { return symmetries_.view[view] == view; }
  NodeRange nodes_of_look(int32_t look) const {
    const int32_t* const nodes = nodes_.members.data();
    return {nodes + nodes_.first[look], nodes + nodes_.first[look + 1]};
  }
  NodeBlock nodes_of_view(int32_t view) const {  // which must be standard
    const NodeRange nodes = nodes_of_look(look_of_view_[view]);
    return {*nodes.begin(), nodes.end()[-1] + 1};
  }

  std::vector<int32_t> view;           // of the mover, -1 at the end of a game [N]
  std::vector<int32_t> terminal;       // row of the game's returns, -1 if the game goes on [N]
  std::vector<int64_t> first_edge;     // [N + 1]
  std::vector<int32_t> child;          // [E]
  std::vector<int64_t> first_parent;   // of the edges that lead to a node, in the next two [N + 1]
  std::vector<int32_t> parent;         // [E]
  std::vector<int32_t> parent_action;  // number among the actions of all views [E]
  std::vector<int32_t> by_length;      // all nodes, shorter histories first [N]

 private:
  // By views, in the order in which nodes of the merged game, shorter histories first, meet them.
  std::vector<int32_t> sorted() const {
    std::vector<int32_t> order;
    std::vector<int32_t> met(num_views(), -1);
    for (int32_t node = 0; node < merged_->num_nodes(); ++node) {
      if (merged_->mover[node] == kChancePlayer) {
        throw std::invalid_argument("a search over views needs a game without chance");
      }
      if (symmetries_.node[node] != node) continue;
      order.push_back(node);
      if (merged_->view[node] >= 0 && met[merged_->view[node]] < 0) met[merged_->view[node]] = node;
    }
    const auto place = [&](int32_t node) {
      return merged_->view[node] < 0 ? std::numeric_limits<int32_t>::max()
                                     : met[merged_->view[node]];
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t left, int32_t right) { return place(left) < place(right); });
    return order;
  }

  void list_parents() {
    first_parent.assign(view.size() + 1, 0);
    for (const int32_t after : child) ++first_parent[after + 1];
    std::partial_sum(first_parent.begin(), first_parent.end(), first_parent.begin());
    parent.resize(child.size());
    parent_action.resize(child.size());
    std::vector<int64_t> next(first_parent.begin(), first_parent.end() - 1);
    for (int32_t node = 0; node < num_nodes(); ++node) {
      for (int64_t edge = first_edge[node]; edge < first_edge[node + 1]; ++edge) {
        const int64_t place = next[child[edge]]++;
        parent[place] = node;
        parent_action[place] =
            static_cast<int32_t>(first_action(view[node]) + edge - first_edge[node]);
      }
    }
  }

  void list_looks() {
    look_of_view_.assign(num_views(), -1);
    for (int32_t node = 0; node < num_nodes(); ++node) {
      if (view[node] >= 0) look_of_view_[view[node]] = look(node, player(view[node]));
    }
    nodes_ = Grouped(look_, num_looks());
    for (int32_t& entry : nodes_.members) entry /= players_;
  }

  std::shared_ptr<const MergedGame> merged_;
  ViewSymmetries symmetries_;
  int32_t players_;
  bool zero_sum_;
  std::vector<int32_t> look_;          // [N, n]
  std::vector<int32_t> look_of_view_;  // of the mover
  Grouped nodes_{{}, 0};               // by look
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_FOREST_VIEW_ARENA_H_
