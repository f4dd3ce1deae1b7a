// Checks an enumerated graph and brings it into sequence form (see compiled_graph.h).

#include "compiled_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace nash_ismcts {
namespace {

constexpr double kProbabilityTolerance = 1e-6;

void require(bool condition, const char* table, int64_t row, const char* problem) {
  if (!condition) {
    throw std::invalid_argument(std::string("the graph's ") + table + " " + std::to_string(row) +
                                " " + problem);
  }
}

// Every action position must belong to exactly one set: sets follow each other without gaps.
void check_information_sets(const GraphView& graph) {
  const InformationSetColumns& sets = graph.information_sets;
  int64_t next_action = 0;
  for (int64_t set = 0; set < sets.size(); ++set) {
    require(sets.player[set] >= 0 && sets.player[set] < graph.num_players, "information set", set,
            "belongs to no player of the game");
    require(sets.action_count[set] > 0, "information set", set, "has no actions");
    require(sets.first_action[set] == next_action, "information set", set,
            "does not begin where the one before it ends");
    next_action += sets.action_count[set];
    require(next_action <= sets.num_actions(), "information set", set, "has too many actions");
  }
  require(next_action == sets.num_actions(), "actions end at", next_action, "instead of the end");
}

void check_decision(const GraphView& graph, int64_t world) {
  const WorldColumns& worlds = graph.worlds;
  const InformationSetColumns& sets = graph.information_sets;
  const int64_t set = worlds.information_set[world];
  require(set >= 0 && set < sets.size(), "world", world, "has no information set");
  require(worlds.player[world] == sets.player[set], "world", world,
          "and its information set belong to different players");
  require(worlds.edge_count[world] == sets.action_count[set], "world", world,
          "and its information set have different numbers of actions");
  const int64_t* moves = worlds.edge_action.data + worlds.first_edge[world];
  require(std::equal(moves, moves + worlds.edge_count[world],
                     sets.action.data + sets.first_action[set]),
          "world", world, "and its information set have different actions");
}

void check_chance(const GraphView& graph, int64_t world) {
  const double* probability = graph.worlds.edge_probability.data + graph.worlds.first_edge[world];
  double total = 0.0;
  for (int32_t edge = 0; edge < graph.worlds.edge_count[world]; ++edge) {
    require(probability[edge] >= 0.0, "world", world,
            "has an outcome of negative or NaN probability");
    total += probability[edge];
  }
  require(std::abs(total - 1.0) <= kProbabilityTolerance, "world", world,
          "has chance probabilities that do not add up to 1");
}

void check_terminal(const GraphView& graph, int64_t world) {
  const int64_t row = graph.worlds.utility_row[world];
  const int64_t rows = graph.worlds.utilities.size / graph.num_players;
  require(graph.worlds.edge_count[world] == 0, "world", world, "is terminal but has moves");
  require(row >= 0 && row < rows, "world", world, "is terminal but has no utilities");
  for (int32_t player = 0; player < graph.num_players; ++player) {
    require(std::isfinite(graph.worlds.utilities[row * graph.num_players + player]), "world", world,
            "has a utility that is not finite");
  }
}

void check_worlds(const GraphView& graph) {
  const WorldColumns& worlds = graph.worlds;
  if (worlds.size() == 0) throw std::invalid_argument("the graph has no worlds");
  int64_t next_edge = 0;
  for (int64_t world = 0; world < worlds.size(); ++world) {
    const int64_t count = worlds.edge_count[world];
    require(worlds.first_edge[world] == next_edge && count >= 0 &&
                next_edge + count <= worlds.num_edges(),
            "world", world, "does not have its edges where the world before it ends");
    for (int64_t edge = next_edge; edge < next_edge + count; ++edge) {
      require(worlds.edge_child[edge] != kMissing, "world", world,
              "has moves that nobody has made yet: the graph is not enumerated");
      require(worlds.edge_child[edge] == edge + 1 && edge + 1 > world && edge + 1 < worlds.size(),
              "world", world, "is not in breadth-first order");
    }
    next_edge += count;
    const int32_t kind = worlds.kind[world];
    require(kind == kTerminal || kind == kChance || kind == kDecision, "world", world,
            "is neither terminal nor a chance or decision world");
    if (kind == kTerminal) check_terminal(graph, world);
    if (kind == kChance) check_chance(graph, world);
    if (kind == kDecision) check_decision(graph, world);
  }
  require(next_edge == worlds.num_edges() && next_edge + 1 == worlds.size(), "edges end at",
          next_edge, "but every world except the first needs one");
}

template <typename T>
std::vector<T> copy(const Column<T>& column) {
  return std::vector<T>(column.data, column.data + column.size);
}

void copy_tables(const GraphView& graph, CompiledGraph* compiled) {
  compiled->num_players = graph.num_players;
  compiled->kind = copy(graph.worlds.kind);
  compiled->player = copy(graph.worlds.player);
  compiled->information_set = copy(graph.worlds.information_set);
  compiled->first_edge = copy(graph.worlds.first_edge);
  compiled->first_edge.push_back(static_cast<int32_t>(graph.worlds.num_edges()));
  compiled->utility_row = copy(graph.worlds.utility_row);
  compiled->utilities = copy(graph.worlds.utilities);
  compiled->edge_probability = copy(graph.worlds.edge_probability);
  compiled->set_player = copy(graph.information_sets.player);
  compiled->first_action = copy(graph.information_sets.first_action);
  compiled->first_action.push_back(static_cast<int32_t>(graph.information_sets.num_actions()));
}

// What leads to a place: each player's last own action (kMissing: none yet).
struct Paths {
  std::vector<int32_t> last_action;         // positions of actions. [W * n]
  std::vector<double> chance;               // probability of the chance outcomes. [W]
  std::vector<int32_t> action_before_set;   // last own action before the information set. [I]
  std::vector<int32_t> own_depth;           // own actions before the information set. [I]
};

constexpr int32_t kUnseen = -2;

// Notes how a decision world is reached by the player to move; all worlds of a set must agree.
void visit_set(const CompiledGraph& compiled, int64_t world,
               const std::vector<int32_t>& set_of_action, Paths* paths) {
  const int32_t set = compiled.information_set[world];
  const int32_t before = paths->last_action[world * compiled.num_players + compiled.player[world]];
  if (paths->action_before_set[set] == kUnseen) {
    paths->action_before_set[set] = before;
    paths->own_depth[set] =
        before == kMissing ? 0 : paths->own_depth[set_of_action[before]] + 1;
  }
  require(paths->action_before_set[set] == before, "information set", set,
          "is reached by different own actions: the player forgets (imperfect recall)");
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
              std::vector<double>(compiled.num_worlds(), 1.0), std::vector<int32_t>(sets, kUnseen),
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
  for (int64_t set = 0; set < sets; ++set) {
    require(paths.action_before_set[set] != kUnseen, "information set", set, "has no world");
  }
  return paths;
}

// Numbers the sequences: by player, then own depth, then the graph's order of information sets.
void number_sequences(const Paths& paths, CompiledGraph* compiled) {
  std::vector<int32_t> order(compiled->num_information_sets());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return paths.own_depth[a] < paths.own_depth[b];
  });
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

CompiledGraph compile(const GraphView& graph) {
  check_information_sets(graph);
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
