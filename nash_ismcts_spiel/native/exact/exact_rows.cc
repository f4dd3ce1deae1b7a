#include "exact_rows.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace nash_ismcts {

namespace {

// How worlds are reached without one player's own moves; see fill_reach.
struct PlayerReach {
  std::vector<double> weight;     // [W]
  std::vector<int64_t> trembles;  // [W]
};

// Rows for all information sets and SAMPLE nodes, from a policy and from what worlds are worth.
class RowFiller {
 public:
  RowFiller(const GraphTables& graph, const double* policy, Rows& rows)
      : graph_(graph), policy_(policy), rows_(rows), first_mean_(graph.samples.size() + 1) {
    rows_.fit(graph_);
    for (int64_t sample = 0; sample < graph.samples.size(); ++sample) {
      const int32_t set = graph.samples.information_set[sample];
      first_mean_[sample + 1] = first_mean_[sample] + graph.information_sets.action_count[set];
      rows_.fit_sample_values(graph, static_cast<int32_t>(sample));  // in the order of the nodes
    }
    mean_.resize(first_mean_.back());
  }

  // H by Bayes' rule.
  void set_beliefs(const std::vector<PlayerReach>& reaches) {
    std::vector<int64_t> trembles(graph_.samples.size());  // fewest below each SAMPLE node
    std::vector<double> weight(graph_.samples.size());     // of what is reached with those
    // A SAMPLE node has a smaller number than those below it.
    for (int64_t sample = graph_.samples.size() - 1; sample >= 0; --sample) {
      const int32_t set = graph_.samples.information_set[sample];
      const PlayerReach& reach = reaches[graph_.information_sets.player[set]];
      const int32_t count = graph_.samples.branch_count[sample];
      const int32_t* targets = graph_.samples.target.data() + graph_.samples.first_branch[sample];
      double* beliefs = rows_.beliefs.data() + graph_.samples.first_branch[sample];
      const auto trembles_below = [&](int32_t target) {
        return target < 0 ? trembles[~target] : reach.trembles[target];
      };
      int64_t fewest = std::numeric_limits<int64_t>::max();
      for (int32_t b = 0; b < count; ++b) fewest = std::min(fewest, trembles_below(targets[b]));
      double total = 0.0;
      for (int32_t b = 0; b < count; ++b) {
        const int32_t target = targets[b];
        beliefs[b] = 0.0;
        if (trembles_below(target) == fewest) {
          beliefs[b] = target < 0 ? weight[~target] : reach.weight[target];
        }
        total += beliefs[b];
      }
      for (int32_t b = 0; b < count; ++b) beliefs[b] /= total;
      trembles[sample] = fewest;
      weight[sample] = total;
    }
  }

  // Vc, and V as its mean under the policy, from the value of each world to each player [W * n].
  void set_values(const double* world_values) {
    values_ = world_values;
    for (int64_t sample = graph_.samples.size() - 1; sample >= 0; --sample) {
      fill_sample(static_cast<int32_t>(sample));
    }
    for (int32_t set = 0; set < graph_.information_sets.size(); ++set) fill_set(set);
  }

  // What a world is worth to a player who forgets it at its next move: V of the information sets
  // where that is, or the utility if there is none, expected over all that happens before.
  void set_forgetful_world_values() {
    const auto& worlds = graph_.worlds;
    const int32_t players = graph_.num_players;
    rows_.world_values.resize(worlds.size() * players);
    for (int64_t world = worlds.size() - 1; world >= 0; --world) {  // children before parents
      double* values = rows_.world_values.data() + world * players;
      const int32_t set = worlds.information_set[world];
      for (int32_t player = 0; player < players; ++player) {
        if (worlds.kind[world] == kTerminal) {
          values[player] = worlds.utilities[worlds.utility_row[world] * players + player];
        } else {
          values[player] =
              worlds.player[world] == player ? rows_.value[set] : mean_after(world, player);
        }
      }
    }
  }

 private:
  double mean_after(int64_t world, int32_t player) const {
    const auto& worlds = graph_.worlds;
    const int32_t first = worlds.first_edge[world];
    const double* weights =
        worlds.kind[world] == kChance
            ? worlds.edge_probability.data() + first
            : policy_ + graph_.information_sets.first_action[worlds.information_set[world]];
    double mean = 0.0;
    for (int32_t edge = 0; edge < worlds.edge_count[world]; ++edge) {
      const int64_t child = worlds.edge_child[first + edge];
      mean += weights[edge] * rows_.world_values[child * graph_.num_players + player];
    }
    return mean;
  }

  // Mean value after an own action over the worlds below a target.
  double value_below(int32_t target, int32_t action, int32_t player) const {
    if (target < 0) return mean_[first_mean_[~target] + action];
    const int32_t child = graph_.worlds.edge_child[graph_.worlds.first_edge[target] + action];
    return values_[static_cast<int64_t>(child) * graph_.num_players + player];
  }

  void fill_sample(int32_t sample) {
    const int32_t set = graph_.samples.information_set[sample];
    const int32_t player = graph_.information_sets.player[set];
    const int32_t actions = graph_.information_sets.action_count[set];
    const int32_t count = graph_.samples.branch_count[sample];
    const int32_t* targets = graph_.samples.target.data() + graph_.samples.first_branch[sample];
    const double* beliefs = rows_.beliefs.data() + graph_.samples.first_branch[sample];
    double* values = rows_.sample_values.data() + rows_.sample_first[sample];
    for (int32_t a = 0; a < actions; ++a) {
      double mean = 0.0;
      for (int32_t b = 0; b < count; ++b) {
        values[a * count + b] = value_below(targets[b], a, player);
        mean += beliefs[b] * values[a * count + b];
      }
      mean_[first_mean_[sample] + a] = mean;
    }
    rows_.has_sample[sample] = 1;
  }

  void fill_set(int32_t set) {
    const int32_t player = graph_.information_sets.player[set];
    const int32_t first = graph_.information_sets.first_action[set];
    double value = 0.0;
    for (int32_t a = 0; a < graph_.information_sets.action_count[set]; ++a) {
      rows_.policy[first + a] = policy_[first + a];
      rows_.child_values[first + a] = value_below(graph_.information_sets.hidden[set], a, player);
      value += rows_.policy[first + a] * rows_.child_values[first + a];
    }
    rows_.value[set] = value;
    rows_.has_information_set[set] = 1;
    rows_.has_policy[set] = 1;
  }

  const GraphTables& graph_;
  const double* policy_;
  const double* values_ = nullptr;  // of worlds, by world and player [W * n]
  Rows& rows_;
  std::vector<int64_t> first_mean_;  // [S + 1]
  std::vector<double> mean_;         // mean value after each own action, per SAMPLE node
};

}  // namespace

void fill_exact_rows(const GraphTables& graph, const CompiledGraph& compiled, const double* policy,
                     const SequenceTable& by_sequence, bool forgetful, Rows& rows) {
  const int64_t worlds = compiled.num_worlds();
  std::vector<PlayerReach> reaches(compiled.num_players);
  for (int32_t player = 0; player < compiled.num_players; ++player) {
    reaches[player] = {std::vector<double>(worlds), std::vector<int64_t>(worlds)};
    fill_reach(compiled, by_sequence, player, reaches[player].weight.data(),
               reaches[player].trembles.data());
  }
  std::vector<double> utilities(worlds * compiled.num_players);
  fill_expected_utilities(compiled, by_sequence, utilities.data());
  RowFiller filler(graph, policy, rows);
  filler.set_beliefs(reaches);
  filler.set_values(utilities.data());
  if (forgetful) {
    filler.set_forgetful_world_values();
    filler.set_values(rows.world_values.data());
  } else {
    rows.world_values = std::move(utilities);
  }
}

void fill_lookahead_rows(const GraphTables& graph, const double* policy, const double* value,
                         const double* beliefs, Rows& rows) {
  RowFiller filler(graph, policy, rows);
  std::copy_n(beliefs, graph.samples.num_branches(), rows.beliefs.begin());
  std::copy_n(value, graph.information_sets.size(), rows.value.begin());
  filler.set_forgetful_world_values();
  filler.set_values(rows.world_values.data());
}

}  // namespace nash_ismcts
