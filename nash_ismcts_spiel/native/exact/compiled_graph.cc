// Brings an enumerated graph into sequence form (see compiled_graph.h). The graph's numbers are
// right by construction; what the game itself said is checked.

#include "compiled_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace nash_ismcts {
namespace {

constexpr double kProbabilityTolerance = 1e-6;

void require(bool condition, int64_t world, const char* problem) {
  if (!condition) {
    throw std::invalid_argument("the graph's world " + std::to_string(world) + " " + problem);
  }
}

void check_chance(const GraphTables& graph, int64_t world) {
  const int64_t first = graph.worlds.first_edge[world];
  double total = 0.0;
  for (int64_t edge = first; edge < first + graph.worlds.edge_count[world]; ++edge) {
    const double probability = graph.worlds.edge_probability[edge];
    require(probability >= 0.0, world, "has an outcome of negative or NaN probability");
    total += probability;
  }
  require(std::abs(total - 1.0) <= kProbabilityTolerance, world,
          "has chance probabilities that do not add up to 1");
}

void check_terminal(const GraphTables& graph, int64_t world) {
  const int64_t first = int64_t{graph.worlds.utility_row[world]} * graph.num_players;
  for (int32_t player = 0; player < graph.num_players; ++player) {
    require(std::isfinite(graph.worlds.utilities[first + player]), world,
            "has a utility that is not finite");
  }
}

// Enumeration makes worlds in breadth-first order, unless somebody stepped elsewhere before it.
void check_edges(const WorldTable& worlds, int64_t world) {
  const int64_t first = worlds.first_edge[world];
  for (int64_t edge = first; edge < first + worlds.edge_count[world]; ++edge) {
    require(worlds.edge_child[edge] != kMissing, world,
            "has moves that nobody has made yet: the graph is not enumerated");
    require(worlds.edge_child[edge] == edge + 1, world,
            "is not in breadth-first order: the graph grew before it was enumerated");
  }
}

void check_worlds(const GraphTables& graph) {
  for (int64_t world = 0; world < graph.worlds.size(); ++world) {
    check_edges(graph.worlds, world);
    if (graph.worlds.kind[world] == kTerminal) check_terminal(graph, world);
    if (graph.worlds.kind[world] == kChance) check_chance(graph, world);
    if (graph.worlds.kind[world] == kDecision) {
      require(graph.worlds.edge_count[world] > 0, world, "has a player to move but no actions");
    }
  }
}

void copy_tables(const GraphTables& graph, CompiledGraph* compiled) {
  compiled->num_players = graph.num_players;
  compiled->kind = graph.worlds.kind;
  compiled->player = graph.worlds.player;
  compiled->information_set = graph.worlds.information_set;
  compiled->first_edge = graph.worlds.first_edge;
  compiled->first_edge.push_back(static_cast<int32_t>(graph.worlds.num_edges()));
  compiled->utility_row = graph.worlds.utility_row;
  compiled->utilities = graph.worlds.utilities;
  compiled->edge_probability = graph.worlds.edge_probability;
  compiled->set_player = graph.information_sets.player;
  compiled->first_action = graph.information_sets.first_action;
  compiled->first_action.push_back(static_cast<int32_t>(graph.information_sets.num_actions()));
}

// What leads to a place: each player's last own action (kMissing: none yet).
struct Paths {
  std::vector<int32_t> last_action;        // positions of actions. [W * n]
  std::vector<double> chance;              // probability of the chance outcomes. [W]
  std::vector<int32_t> action_before_set;  // last own action before the information set. [I]
  std::vector<int32_t> own_depth;          // own actions before the information set. [I]
};

// Notes how a decision world is reached by the player to move; all worlds of a set agree on it,
// since a player's view holds its own actions.
void visit_set(const CompiledGraph& compiled, int64_t world,
               const std::vector<int32_t>& set_of_action, Paths* paths) {
  const int32_t set = compiled.information_set[world];
  const int32_t before = paths->last_action[world * compiled.num_players + compiled.player[world]];
  paths->action_before_set[set] = before;
  paths->own_depth[set] = before == kMissing ? 0 : paths->own_depth[set_of_action[before]] + 1;
}

Paths find_paths(const CompiledGraph& compiled) {
  const int64_t players = compiled.num_players;
  const int64_t sets = compiled.num_information_sets();
  std::vector<int32_t> set_of_action(compiled.first_action.back());
  for (int64_t set = 0; set < sets; ++set) {
    std::fill(set_of_action.begin() + compiled.first_action[set],
              set_of_action.begin() + compiled.first_action[set + 1], static_cast<int32_t>(set));
  }
  Paths paths{std::vector<int32_t>(compiled.num_worlds() * players, kMissing),
              std::vector<double>(compiled.num_worlds(), 1.0), std::vector<int32_t>(sets, kMissing),
              std::vector<int32_t>(sets, 0)};
  for (int64_t world = 0; world < compiled.num_worlds(); ++world) {
    const bool decision = compiled.kind[world] == kDecision;
    if (decision) visit_set(compiled, world, set_of_action, &paths);
    const int64_t first = compiled.first_edge[world];
    for (int64_t edge = first; edge < compiled.first_edge[world + 1]; ++edge) {
      const int64_t child = edge + 1;
      std::copy_n(&paths.last_action[world * players], players,
                  &paths.last_action[child * players]);
      paths.chance[child] = paths.chance[world];
      if (decision) {
        paths.last_action[child * players + compiled.player[world]] = static_cast<int32_t>(
            compiled.first_action[compiled.information_set[world]] + edge - first);
      } else {
        paths.chance[child] *= compiled.edge_probability[edge];
      }
    }
  }
  return paths;
}

// Numbers the sequences: by player, then own depth, then the graph's order of information sets.
void number_sequences(const Paths& paths, CompiledGraph* compiled) {
  std::vector<int32_t> order(compiled->num_information_sets());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return paths.own_depth[a] < paths.own_depth[b]; });
  compiled->trees.resize(compiled->num_players);
  compiled->action_sequence.resize(compiled->first_action.back());
  int32_t next = 0;
  for (int32_t player = 0; player < compiled->num_players; ++player) {
    PlayerTree& tree = compiled->trees[player];
    tree.empty_sequence = next++;
    for (const int32_t set : order) {
      if (compiled->set_player[set] != player) continue;
      const int32_t first = compiled->first_action[set];
      const int32_t count = compiled->first_action[set + 1] - first;
      const int32_t before = paths.action_before_set[set];
      const int32_t parent =
          before == kMissing ? tree.empty_sequence : compiled->action_sequence[before];
      tree.decisions.push_back({next, count, parent, set});
      std::iota(&compiled->action_sequence[first], &compiled->action_sequence[first] + count, next);
      next += count;
    }
    tree.end_sequence = next;
  }
  compiled->num_sequences = next;
}

void number_edges(CompiledGraph* compiled) {
  compiled->edge_sequence.assign(compiled->edge_probability.size(), kMissing);
  for (int64_t world = 0; world < compiled->num_worlds(); ++world) {
    if (compiled->kind[world] != kDecision) continue;
    const int32_t first_action = compiled->first_action[compiled->information_set[world]];
    const int32_t first = compiled->first_edge[world];
    for (int32_t edge = first; edge < compiled->first_edge[world + 1]; ++edge) {
      compiled->edge_sequence[edge] = compiled->action_sequence[first_action + edge - first];
    }
  }
}

// Last sequence of `player` on the way to `world`.
int32_t last_sequence(const CompiledGraph& compiled, const Paths& paths, int64_t world,
                      int32_t player) {
  const int32_t action = paths.last_action[world * compiled.num_players + player];
  return action == kMissing ? compiled.trees[player].empty_sequence
                            : compiled.action_sequence[action];
}

// Groups the payoffs of `player` by its own last sequence. Payoffs of 0 are left out.
void collect_payoffs(const Paths& paths, int32_t player, CompiledGraph* compiled) {
  PlayerTree& tree = compiled->trees[player];
  const int32_t players = compiled->num_players;
  const auto payoff_of = [&](int64_t world) {
    return compiled->kind[world] != kTerminal
               ? 0.0
               : paths.chance[world] *
                     compiled->utilities[int64_t{compiled->utility_row[world]} * players + player];
  };
  tree.payoff_start.assign(tree.end_sequence - tree.empty_sequence + 1, 0);
  for (int64_t world = 0; world < compiled->num_worlds(); ++world) {
    if (payoff_of(world) == 0.0) continue;
    ++tree.payoff_start[last_sequence(*compiled, paths, world, player) - tree.empty_sequence + 1];
  }
  std::partial_sum(tree.payoff_start.begin(), tree.payoff_start.end(), tree.payoff_start.begin());
  tree.payoff.resize(tree.payoff_start.back());
  tree.other_sequences.resize(tree.payoff_start.back() * (players - 1));
  std::vector<int64_t> next(tree.payoff_start.begin(), tree.payoff_start.end() - 1);
  for (int64_t world = 0; world < compiled->num_worlds(); ++world) {
    if (payoff_of(world) == 0.0) continue;
    const int64_t row =
        next[last_sequence(*compiled, paths, world, player) - tree.empty_sequence]++;
    tree.payoff[row] = payoff_of(world);
    int64_t column = row * (players - 1);
    for (int32_t other = 0; other < players; ++other) {
      if (other == player) continue;
      tree.other_sequences[column++] = last_sequence(*compiled, paths, world, other);
    }
  }
}

}  // namespace

CompiledGraph compile(const GraphTables& graph) {
  check_worlds(graph);
  CompiledGraph compiled;
  copy_tables(graph, &compiled);
  const Paths paths = find_paths(compiled);
  number_sequences(paths, &compiled);
  number_edges(&compiled);
  for (int32_t player = 0; player < compiled.num_players; ++player) {
    collect_payoffs(paths, player, &compiled);
  }
  return compiled;
}

}  // namespace nash_ismcts
