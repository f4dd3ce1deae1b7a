// Exact answers about a tabular policy of an enumerated game: expected utilities and reach of every
// world, beliefs, the best response of a player, and what deviating from the policy gains.
//
// A policy is one probability per sequence (see compiled_graph.h): the probability of its last
// action at that action's information set; entries of empty sequences are not used. All players
// follow the policy unless said otherwise. Utilities are in the game's units, for the player in
// question.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_EXACT_EXACT_H_
#define NASH_ISMCTS_SPIEL_NATIVE_EXACT_EXACT_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiled_graph.h"

namespace nash_ismcts {

// One number per sequence of all players.
using SequenceTable = std::vector<double>;

// A policy as one probability per action of each information set. [A]
inline std::vector<double> by_action(const CompiledGraph& graph, const SequenceTable& policy) {
  std::vector<double> found(graph.num_actions());
  for (int64_t action = 0; action < graph.num_actions(); ++action) {
    found[action] = policy[graph.action_sequence[action]];
  }
  return found;
}

// Extends the reach of the sequences that a player starts with to all that follow them.
inline void extend_own_reach(const PlayerTree& tree, const SequenceTable& policy,
                             SequenceTable* reach) {
  double* const own = reach->data();
  for (const Decision& decision : tree.decisions) {
    const double before = own[decision.parent_sequence];
    const int32_t end = decision.first_sequence + decision.action_count;
    for (int32_t sequence = decision.first_sequence; sequence < end; ++sequence) {
      own[sequence] = before * policy[sequence];
    }
  }
}

// How likely a player is to play each of its sequences if only its own moves count.
inline void fill_own_reach(const PlayerTree& tree, const SequenceTable& policy,
                           SequenceTable* reach) {
  (*reach)[tree.empty_sequence] = 1.0;
  extend_own_reach(tree, policy, reach);
}

inline SequenceTable own_reach(const CompiledGraph& graph, const SequenceTable& policy) {
  SequenceTable reach(graph.num_sequences);
  for (const PlayerTree& tree : graph.trees) fill_own_reach(tree, policy, &reach);
  return reach;
}

// What a player earns where each own sequence ends the game, weighted by chance and by the others'
// reach (its own left out): the counterfactual payoff, before any further own move.
inline void fill_payoffs(const PlayerTree& tree, const SequenceTable& reach,
                         SequenceTable* values) {
  const int64_t others = static_cast<int64_t>(
      tree.payoff.empty() ? 0 : tree.other_sequences.size() / tree.payoff.size());
  const double* const weight = reach.data();
  const int32_t* const sequences = tree.other_sequences.data();
  for (int32_t own = tree.empty_sequence; own < tree.end_sequence; ++own) {
    const int64_t first = tree.payoff_start[own - tree.empty_sequence];
    const int64_t end = tree.payoff_start[own - tree.empty_sequence + 1];
    double total = 0.0;
    if (others == 1) {  // two players: the case that has to be fast
      for (int64_t row = first; row < end; ++row) {
        total += tree.payoff[row] * weight[sequences[row]];
      }
    } else {
      for (int64_t row = first; row < end; ++row) {
        double product = tree.payoff[row];
        for (int64_t k = 0; k < others; ++k) product *= weight[sequences[row * others + k]];
        total += product;
      }
    }
    (*values)[own] = total;
  }
}

// A player's best answer to the others' policies.
struct BestResponse {
  double value;
  // Index of the chosen action; kMissing at other players' sets. The first of equally good actions,
  // so the first action where the others never go. [I]
  std::vector<int32_t> actions;
};

// `values` holds the player's payoffs per own sequence and is changed.
inline BestResponse best_response(const CompiledGraph& graph, int32_t player,
                                  SequenceTable* values) {
  const PlayerTree& tree = graph.trees[player];
  BestResponse response{0.0, std::vector<int32_t>(graph.num_information_sets(), kMissing)};
  for (auto decision = tree.decisions.rbegin(); decision != tree.decisions.rend(); ++decision) {
    const double* const first = &(*values)[decision->first_sequence];
    const double* const best = std::max_element(first, first + decision->action_count);
    response.actions[decision->information_set] = static_cast<int32_t>(best - first);
    (*values)[decision->parent_sequence] += *best;
  }
  response.value = (*values)[tree.empty_sequence];
  return response;
}

inline BestResponse best_response(const CompiledGraph& graph, const SequenceTable& policy,
                                  int32_t player) {
  SequenceTable values(graph.num_sequences);
  fill_payoffs(graph.trees[player], own_reach(graph, policy), &values);
  return best_response(graph, player, &values);
}

// Root values, one per player.
struct Deviations {
  std::vector<double> best_response_values;
  std::vector<double> on_policy_values;
};

inline Deviations deviations(const CompiledGraph& graph, const SequenceTable& policy) {
  const SequenceTable reach = own_reach(graph, policy);
  SequenceTable values(graph.num_sequences);
  Deviations result;
  for (int32_t player = 0; player < graph.num_players; ++player) {
    const PlayerTree& tree = graph.trees[player];
    fill_payoffs(tree, reach, &values);
    double on_policy = 0.0;
    for (int32_t own = tree.empty_sequence; own < tree.end_sequence; ++own) {
      on_policy += reach[own] * values[own];
    }
    result.on_policy_values.push_back(on_policy);
    result.best_response_values.push_back(best_response(graph, player, &values).value);
  }
  return result;
}

inline double edge_probability(const CompiledGraph& graph, const SequenceTable& policy,
                               int64_t edge) {
  const int32_t sequence = graph.edge_sequence[edge];
  return sequence == kMissing ? graph.edge_probability[edge] : policy[sequence];
}

// Expected utility of each player at each world; `values` has W * n entries.
inline void fill_expected_utilities(const CompiledGraph& graph, const SequenceTable& policy,
                                    double* values) {
  const int64_t players = graph.num_players;
  for (int64_t world = graph.num_worlds() - 1; world >= 0; --world) {
    double* const here = values + world * players;
    if (graph.kind[world] == kTerminal) {
      std::copy_n(&graph.utilities[graph.utility_row[world] * players], players, here);
      continue;
    }
    std::fill_n(here, players, 0.0);
    for (int64_t edge = graph.first_edge[world]; edge < graph.first_edge[world + 1]; ++edge) {
      const double probability = edge_probability(graph, policy, edge);
      const double* const child = values + (edge + 1) * players;
      for (int64_t player = 0; player < players; ++player) {
        here[player] += probability * child[player];
      }
    }
  }
}

// How a world is reached if `player` plays towards it: by chance and the *other* players. A move
// that another player's policy never makes is a tremble: it counts as made uniformly at random, and
// worlds with more trembles are infinitely less likely than worlds with fewer. Both outputs have W
// entries. The actual probability is `weight` where there are no trembles, and 0 elsewhere.
inline void fill_reach(const CompiledGraph& graph, const SequenceTable& policy, int32_t player,
                       double* weight, int64_t* trembles) {
  weight[0] = 1.0;
  trembles[0] = 0;
  for (int64_t world = 0; world < graph.num_worlds(); ++world) {
    const bool decision = graph.kind[world] == kDecision;
    const bool own = decision && graph.player[world] == player;
    const int64_t first = graph.first_edge[world], end = graph.first_edge[world + 1];
    for (int64_t edge = first; edge < end; ++edge) {
      const double probability = own ? 1.0 : edge_probability(graph, policy, edge);
      const bool tremble = decision && probability == 0.0;
      weight[edge + 1] =
          weight[world] * (tremble ? 1.0 / static_cast<double>(end - first) : probability);
      trembles[edge + 1] = trembles[world] + (tremble ? 1 : 0);
    }
  }
}

// What the player to move believes: the probability of a decision world given its information set,
// 0 for other worlds. Where the others never go, the limit of ever rarer trembles: only worlds with
// the fewest trembles count. `beliefs` has W entries.
inline void fill_beliefs(const CompiledGraph& graph, const SequenceTable& policy, double* beliefs) {
  const int64_t worlds = graph.num_worlds(), sets = graph.num_information_sets();
  std::vector<double> weight(worlds), total(sets, 0.0);
  std::vector<int64_t> trembles(worlds), fewest(sets, worlds);
  std::fill_n(beliefs, worlds, 0.0);
  for (int32_t player = 0; player < graph.num_players; ++player) {
    fill_reach(graph, policy, player, weight.data(), trembles.data());
    const auto set_of = [&](int64_t world) {
      const bool moves = graph.kind[world] == kDecision && graph.player[world] == player;
      return moves ? graph.information_set[world] : kMissing;
    };
    for (int64_t world = 0; world < worlds; ++world) {
      const int32_t set = set_of(world);
      if (set != kMissing) fewest[set] = std::min(fewest[set], trembles[world]);
    }
    for (int64_t world = 0; world < worlds; ++world) {
      const int32_t set = set_of(world);
      if (set == kMissing || trembles[world] != fewest[set]) continue;
      beliefs[world] = weight[world];
      total[set] += weight[world];
    }
  }
  for (int64_t world = 0; world < worlds; ++world) {
    if (beliefs[world] > 0.0) beliefs[world] /= total[graph.information_set[world]];
  }
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_EXACT_EXACT_H_
