// P over the views of a merged game, and what follows from it exactly: one sweep forwards, one
// back. Values are utilities in the game's units. Letters in shapes as in view_arena.h.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_FOREST_VIEW_MODELS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_FOREST_VIEW_MODELS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "view_arena.h"

namespace nash_ismcts {

constexpr double kTremble = 1e-9;  // a move that is never made counts as made this rarely

struct ViewModels {
  std::vector<double> policy;        // P [A]
  std::vector<double> values;        // V, of each player [N, n]
  std::vector<double> reach;         // how likely a node is, whoever moves on the way to it [N]
  std::vector<double> shares;        // of that which comes over an edge, as in `parent` [E]
  std::vector<double> child_values;  // Vc at standard views, of the player who moves [A]
  double regret = 0.0;  // what the best actions gain on P by Vc, along games of P, by player

  ViewModels(const ViewArena& arena, std::vector<double> given) : policy(std::move(given)) {
    spread(arena);
    evaluate(arena);
    value_actions(arena);
  }

 private:
  void spread(const ViewArena& arena) {
    reach.assign(arena.num_nodes(), 0.0);
    shares.assign(arena.child.size(), 0.0);
    reach[0] = 1.0;
    for (const int32_t node : arena.by_length) {
      if (node == 0) continue;
      const int64_t first = arena.first_parent[node], end = arena.first_parent[node + 1];
      for (int64_t at = first; at < end; ++at) {
        shares[at] = reach[arena.parent[at]] * std::max(policy[arena.parent_action[at]], kTremble);
        reach[node] += shares[at];
      }
      for (int64_t at = first; at < end; ++at) shares[at] /= reach[node];
    }
  }

  void evaluate(const ViewArena& arena) {
    const int32_t players = arena.num_players();
    values.assign(int64_t{arena.num_nodes()} * players, 0.0);
    for (size_t at = arena.by_length.size(); at-- > 0;) {
      const int32_t node = arena.by_length[at];
      double* const value = values.data() + int64_t{node} * players;
      if (arena.terminal[node] >= 0) {
        std::copy_n(arena.returns(node), players, value);
        continue;
      }
      const double* const row = policy.data() + arena.first_action(arena.view[node]);
      const int64_t first = arena.first_edge[node];
      for (int64_t edge = first; edge < arena.first_edge[node + 1]; ++edge) {
        const double* const after = values.data() + int64_t{arena.child[edge]} * players;
        for (int32_t player = 0; player < players; ++player) {
          value[player] += row[edge - first] * after[player];
        }
      }
    }
  }

  void value_actions(const ViewArena& arena) {
    const int32_t players = arena.num_players();
    child_values.assign(policy.size(), 0.0);
    std::vector<double> scratch;
    for (int32_t view = 0; view < arena.num_views(); ++view) {
      if (!arena.is_standard(view)) continue;
      const int64_t first = arena.first_action(view), end = arena.first_action(view + 1);
      double total = 0.0;
      const NodeBlock nodes = arena.nodes_of_view(view);
      for (int32_t node = nodes.first; node < nodes.end; ++node) {
        total += reach[node];
        for (int64_t action = first; action < end; ++action) {
          const int64_t after = arena.child[arena.first_edge[node] + action - first];
          child_values[action] += reach[node] * values[after * players + arena.player(view)];
        }
      }
      arena.symmetries().even_out(first, end - first, child_values.data() + first, scratch);
      double mean = 0.0, best = child_values[first];
      for (int64_t action = first; action < end; ++action) {
        mean += policy[action] * child_values[action];
        best = std::max(best, child_values[action]);
        child_values[action] /= total;
      }
      regret += std::max(best - mean, 0.0) / players;
    }
  }
};

// The decision points of the likeliest way to a view, oldest first; the last one is its own look.
inline std::vector<int32_t> likeliest_log(const ViewArena& arena, const ViewModels& models,
                                          int32_t view) {
  const NodeBlock nodes = arena.nodes_of_view(view);
  const auto reach = models.reach.begin();
  auto node =
      static_cast<int32_t>(std::max_element(reach + nodes.first, reach + nodes.end) - reach);
  std::vector<int32_t> points;
  while (true) {
    const int32_t look = arena.look(node, arena.player(view));
    if (points.empty() || points.back() != look) points.push_back(look);
    const auto first = models.shares.begin() + arena.first_parent[node],
               end = models.shares.begin() + arena.first_parent[node + 1];
    if (first == end) break;
    node = arena.parent[std::max_element(first, end) - models.shares.begin()];
  }
  std::reverse(points.begin(), points.end());
  return points;
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_FOREST_VIEW_MODELS_H_
