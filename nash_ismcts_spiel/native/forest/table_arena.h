// An enumerated game as the forest (forest.h) walks it: worlds and their views as rows of tables
// that never change, and the models of P beside them.
//
// A *decision point* is a world in which a player is to move. A *view* is all that one player knows
// there, whoever moves; where it moves itself, its view is its information set. Values are
// utilities in the game's units. Letters in shapes: W worlds, I information sets, A actions of all
// information sets, J views, n players.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_FOREST_TABLE_ARENA_H_
#define NASH_ISMCTS_SPIEL_NATIVE_FOREST_TABLE_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../common/grouped.h"
#include "../worlds/graph.h"

namespace nash_ismcts {

constexpr int32_t kNoPoint = -1;    // the view of a world that is no decision point
constexpr int32_t kLongestLog = 8;  // decision points that a search walks

class TableArena {
 public:
  // Numbers the views of an enumerated graph, which must outlive the arena.
  explicit TableArena(Graph& graph)
      : graph_(&graph), players_(graph.num_players), view_(graph.shown_views()) {
    std::vector<int32_t> number(graph.views().size(), kNoPoint);
    const auto& worlds = graph.worlds;
    edge_.assign(worlds.size(), 0);
    for (int64_t world = 0; world < worlds.size(); ++world) {
      for (int32_t edge = 0; edge < worlds.edge_count[world]; ++edge) {
        edge_[worlds.edge_child[worlds.first_edge[world] + edge]] = edge;
      }
      for (int32_t player = 0; player < players_; ++player) {
        int32_t& view = view_[world * players_ + player];
        if (worlds.kind[world] != kDecision) {
          view = kNoPoint;
          continue;
        }
        int32_t& known = number[view];
        if (known == kNoPoint) {
          known = static_cast<int32_t>(hash_.size());
          hash_.push_back(graph.views().hash(view));
        }
        view = known;
      }
    }
    worlds_ = Grouped(view_, num_views());
    for (int32_t& entry : worlds_.members) entry /= players_;
  }

  const Graph& graph() const { return *graph_; }
  int32_t num_players() const { return players_; }
  int64_t num_worlds() const { return graph_->worlds.size(); }
  int64_t num_views() const { return static_cast<int64_t>(hash_.size()); }

  // What a player knows at a world, kNoPoint where nobody is to move.
  int32_t view(int32_t world, int32_t player) const {
    return view_[int64_t{world} * players_ + player];
  }
  // Of what is known there and by whom; the same in every graph of the game.
  uint64_t view_hash(int32_t view) const { return hash_[view]; }
  const std::vector<int32_t>& views() const { return view_; }  // [W * n]

  // The worlds of a view, in ascending order.
  const int32_t* worlds_begin(int32_t view) const {
    return worlds_.members.data() + worlds_.first[view];
  }
  int32_t world_count(int32_t view) const {
    return static_cast<int32_t>(worlds_.first[view + 1] - worlds_.first[view]);
  }

  // Which edge of its parent leads to a world.
  int32_t edge(int32_t world) const { return edge_[world]; }

  // The decision points of a player's log up to its move at a set, oldest first: what it knew at
  // each moment at which somebody moved. A moment at which it learned nothing new is none. Of a log
  // of more than `longest` points so many of the first are left out that no more are left, half of
  // `longest` at a time: who plays along then seldom has to begin anew. Read from the first world
  // of the set, so that it is a function of what the player knows.
  std::vector<int32_t> log(int32_t set, int32_t longest) const {
    const int32_t player = graph_->information_sets.player[set];
    std::vector<int32_t> points;
    for (int32_t world = graph_->information_sets.first_world[set]; world != kMissing;
         world = graph_->worlds.parent[world]) {
      const int32_t known = view(world, player);
      if (known != kNoPoint && (points.empty() || points.back() != known)) points.push_back(known);
    }
    std::reverse(points.begin(), points.end());
    const auto step = std::max<std::ptrdiff_t>(1, longest / 2);
    const std::ptrdiff_t over = static_cast<std::ptrdiff_t>(points.size()) - longest;
    if (over > 0) points.erase(points.begin(), points.begin() + (over + step - 1) / step * step);
    return points;
  }

 private:
  Graph* graph_;
  int32_t players_;
  std::vector<int32_t> view_;   // [W * n]
  std::vector<uint64_t> hash_;  // [J]
  Grouped worlds_{{}, 0};       // by view
  std::vector<int32_t> edge_;   // [W]
};

// Models of P on an arena.
struct TableModels {
  std::vector<double> policy;        // P [A]
  std::vector<double> child_values;  // Vc, of the player of the set [A]
  std::vector<double> values;        // V, of each player [W * n]
  std::vector<double> beliefs;       // H(world | view of the player) [W * n]
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_FOREST_TABLE_ARENA_H_
