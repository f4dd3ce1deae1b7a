#include "games.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "../common/draw.h"

namespace nash_ismcts {

namespace {

// How many of `count` games take an event of some probability. The standard library's distribution
// differs from library to library; this one does not.
int64_t binomial(int64_t count, double probability, Random& random) {
  if (probability >= 1.0) return count;
  int64_t taken = 0;
  for (int64_t game = 0; game < count; ++game) taken += random.uniform() < probability;
  return taken;
}

}  // namespace

void TargetSums::fit(const GraphTables& graph) {
  visits.resize(graph.information_sets.size(), 0);
  action_values.resize(graph.information_sets.num_actions(), 0.0);
  action_weights.resize(graph.information_sets.num_actions(), 0.0);
  branch_weights.resize(graph.samples.num_branches(), 0.0);
  piece_first.resize(graph.samples.size(), kMissing);
}

void TargetSums::blend_into(const GraphTables& graph, double prior_games, Rows& rows) const {
  const auto& sets = graph.information_sets;
  const auto& samples = graph.samples;
  const auto blended = [&](double model, double sum, double weight) {
    const double total = prior_games + weight;
    return weight > 0.0 ? (prior_games * model + sum) / total : model;
  };
  for (size_t set = 0; set < visits.size(); ++set) {
    if (visits[set] == 0 || !rows.has_information_set[set]) continue;
    double mean = 0.0;
    for (int32_t k = 0; k < sets.action_count[set]; ++k) {
      const int64_t action = sets.first_action[set] + k;
      double& value = rows.child_values[action];
      value = blended(value, action_values[action], action_weights[action]);
      mean += rows.policy[action] * value;
    }
    const auto games = static_cast<double>(visits[set]);
    rows.value[set] = blended(rows.value[set], games * mean, games);
  }
  for (size_t sample = 0; sample < piece_first.size(); ++sample) {
    if (piece_first[sample] == kMissing || !rows.has_sample[sample]) continue;
    const int64_t first = samples.first_branch[sample], count = samples.branch_count[sample];
    double total = 0.0;
    for (int64_t branch = first; branch < first + count; ++branch) total += branch_weights[branch];
    for (int64_t branch = first; branch < first + count; ++branch) {
      rows.beliefs[branch] = total > 0.0
                                 ? (prior_games * rows.beliefs[branch] + branch_weights[branch]) /
                                       (prior_games + total)
                                 : rows.beliefs[branch];
    }
    if (rows.sample_first[sample] == Rows::kOneValue) continue;
    const int64_t entries = count * sets.action_count[samples.information_set[sample]];
    for (int64_t entry = 0; entry < entries; ++entry) {
      double& value = rows.sample_values[rows.sample_first[sample] + entry];
      value = blended(value, piece_values[piece_first[sample] + entry],
                      piece_weights[piece_first[sample] + entry]);
    }
  }
}

void Games::start(int64_t games) {
  if (groups_.empty()) {
    groups_.push_back({kRoot, kMissing, kMissing});
    group_of_world_.assign(1, 0);
  }
  if (games == 0) return;
  if (groups_[0].pending == 0) moving_.push_back(0);
  groups_[0].count += games;
  groups_[0].pending += games;
}

void Games::advance(Graph& graph, const Rows& own, const Rows& others, Random& random,
                    std::vector<int32_t>& wanted) {
  std::vector<int32_t> waiting;
  std::unordered_set<int32_t> asked;
  while (!moving_.empty()) {
    next_.clear();
    for (const int32_t group : moving_) {
      const int32_t world = groups_[group].world;
      if (graph.worlds.kind[world] == kTerminal) {
        groups_[group].pending = 0;
      } else if (behaviour(graph, world, own, others)) {
        split(graph, group, random);
      } else {
        waiting.push_back(group);
        const int32_t set = graph.worlds.information_set[world];
        if (asked.insert(set).second) wanted.push_back(set);
      }
    }
    moving_.swap(next_);
  }
  moving_ = std::move(waiting);
}

bool Games::decides(const Graph& graph, int32_t world) const {
  return graph.worlds.kind[world] == kDecision && graph.worlds.player[world] == settings_.explorer;
}

bool Games::has_policy(const Rows& rows, int32_t set) const {
  return set < static_cast<int64_t>(rows.has_policy.size()) && rows.has_policy[set];
}

// How the events of a world are played, into `weights_` and `likelier_`; false if that is not
// known.
bool Games::behaviour(const Graph& graph, int32_t world, const Rows& own, const Rows& others) {
  const auto& worlds = graph.worlds;
  const int32_t count = worlds.edge_count[world];
  weights_.resize(count);
  likelier_.assign(count, 1.0);
  if (worlds.kind[world] == kChance) {
    std::copy_n(worlds.edge_probability.begin() + worlds.first_edge[world], count,
                weights_.begin());
    return true;
  }
  const int32_t set = worlds.information_set[world];
  const bool explores = decides(graph, world);
  const double share = explores ? settings_.explore : settings_.others_explore;
  const Rows& rows = explores ? own : others;
  uniform_.resize(count);
  graph.uniform_policy(set, uniform_.data());
  if (share >= 1.0) {
    weights_ = uniform_;
    return true;
  }
  if (!has_policy(rows, set)) return false;
  const double* policy = rows.policy.data() + graph.information_sets.first_action[set];
  for (int32_t action = 0; action < count; ++action) {
    weights_[action] = (1.0 - share) * policy[action] + share * uniform_[action];
    if (!explores && weights_[action] > 0.0) likelier_[action] = policy[action] / weights_[action];
  }
  return true;
}

// Moves the games of a group on, by `weights_`.
void Games::split(Graph& graph, int32_t group, Random& random) {
  int64_t left = groups_[group].pending;
  groups_[group].pending = 0;
  double total = 0.0;
  for (const double weight : weights_) total += weight;
  if (left == 1) {
    const int32_t chosen = draw(random, static_cast<int32_t>(weights_.size()),
                                [this](int32_t edge) { return weights_[edge]; });
    send(graph, group, chosen, 1);
    return;
  }
  for (size_t edge = 0; edge < weights_.size() && left > 0; ++edge) {
    if (weights_[edge] <= 0.0) continue;
    const int64_t taken = binomial(left, weights_[edge] / total, random);
    total -= weights_[edge];
    left -= taken;
    if (taken > 0) send(graph, group, static_cast<int32_t>(edge), taken);
  }
  if (left > 0) {  // rounding has left nothing for the last events
    for (size_t edge = weights_.size(); edge-- > 0;) {
      if (weights_[edge] <= 0.0) continue;
      send(graph, group, static_cast<int32_t>(edge), left);
      break;
    }
  }
}

void Games::send(Graph& graph, int32_t group, int32_t edge, int64_t count) {
  const int32_t world = graph.child(groups_[group].world, edge);
  if (world >= static_cast<int64_t>(group_of_world_.size())) {
    group_of_world_.resize(graph.worlds.size() + graph.worlds.size() / 2, kMissing);
  }
  int32_t& target = group_of_world_[world];
  if (target == kMissing) {
    target = static_cast<int32_t>(groups_.size());
    groups_.push_back({world, group, edge});
    groups_.back().likelier = groups_[group].likelier * likelier_[edge];
  }
  if (groups_[target].pending == 0) next_.push_back(target);
  groups_[target].count += count;
  groups_[target].pending += count;
}

// What the world of each group is worth: V where the explorer decides, else what came of its games.
// With a trace lambda, V is moved there by lambda towards what came of the games (V-trace with both
// bounds at 1), less so after an own action that P alone would have played less often than it was;
// and less after such moves of others. So V is that of P where P is pure, and where it is mixed
// that of a policy between P and how the explorer plays.
std::vector<double> Games::values(const Graph& graph, const Rows& rows) const {
  std::vector<double> values(groups_.size(), 0.0), weights(groups_.size(), 0.0);
  std::vector<double> later(settings_.trace > 0.0 ? groups_.size() : 0, 0.0);
  const auto& worlds = graph.worlds;
  for (size_t number = groups_.size(); number-- > 0;) {  // children before parents
    const Group& group = groups_[number];
    if (worlds.kind[group.world] == kTerminal) {
      values[number] =
          worlds
              .utilities[worlds.utility_row[group.world] * graph.num_players + settings_.explorer];
    } else if (decides(graph, group.world)) {
      values[number] = rows.value[worlds.information_set[group.world]];
    } else {
      values[number] /= weights[number] > 0.0 ? weights[number] : 1.0;
    }
    if (group.parent == kMissing) continue;
    const Group& parent = groups_[group.parent];
    const double likelier = parent.likelier > 0.0 ? group.likelier / parent.likelier : 0.0;
    const double weight = static_cast<double>(group.count) * likelier;
    values[group.parent] += weight * values[number];
    weights[group.parent] += weight;
    if (later.empty()) continue;
    const double share = static_cast<double>(group.count) / static_cast<double>(parent.count);
    if (decides(graph, parent.world)) {
      const double surprise =
          values[number] + later[number] - rows.value[worlds.information_set[parent.world]];
      later[group.parent] += share * settings_.trace * by_policy(graph, rows, group) * surprise;
    } else {
      later[group.parent] += share * std::min(likelier, 1.0) * later[number];
    }
  }
  for (size_t number = 0; number < later.size(); ++number) values[number] += later[number];
  return values;
}

// How often P alone would have made the explorer's move that leads to a group, over how often it
// was made; 1 at most.
double Games::by_policy(const Graph& graph, const Rows& rows, const Group& group) const {
  const int32_t set = graph.worlds.information_set[groups_[group.parent].world];
  std::vector<double> uniform(graph.information_sets.action_count[set]);
  graph.uniform_policy(set, uniform.data());
  const double policy = rows.policy[graph.information_sets.first_action[set] + group.edge];
  const double played =
      (1.0 - settings_.explore) * policy + settings_.explore * uniform[group.edge];
  return played > 0.0 ? std::min(policy / played, 1.0) : 0.0;
}

void Games::add_values(const Graph& graph, const Rows& rows, TargetSums& sums) const {
  const std::vector<double> worth = values(graph, rows);
  sums.fit(graph);
  for (size_t number = 0; number < groups_.size(); ++number) {
    const Group& group = groups_[number];
    if (decides(graph, group.world)) {
      sums.visits[graph.worlds.information_set[group.world]] += group.count;
    }
    if (group.parent == kMissing || !decides(graph, groups_[group.parent].world)) continue;
    const int32_t set = graph.worlds.information_set[groups_[group.parent].world];
    const int64_t action = graph.information_sets.first_action[set] + group.edge;
    const double weight = static_cast<double>(group.count) * group.likelier;
    sums.action_values[action] += weight * worth[number];
    sums.action_weights[action] += weight;
  }
}

int64_t Games::add_hidden(Graph& graph, const Rows& rows, const std::vector<int32_t>& groups,
                          TargetSums& sums) const {
  const std::vector<double> worth = values(graph, rows);
  std::vector<int32_t> place(groups_.size(), kMissing);  // of each group in `groups`
  std::vector<std::vector<std::pair<int32_t, int32_t>>> paths;
  int64_t pieces = 0;
  for (const int32_t number : groups) {
    place[number] = static_cast<int32_t>(paths.size());
    paths.push_back(graph.path_to(groups_[number].world));
    pieces += static_cast<int64_t>(paths.back().size());
  }
  sums.fit(graph);
  const auto& sets = graph.information_sets;
  for (size_t number = 0; number < groups_.size(); ++number) {
    const Group& group = groups_[number];
    const double weight = static_cast<double>(group.count) * group.likelier;
    if (place[number] != kMissing) {
      for (const auto& [sample, branch] : paths[place[number]]) {
        sums.branch_weights[graph.samples.first_branch[sample] + branch] += weight;
      }
    }
    if (group.parent == kMissing || place[group.parent] == kMissing) continue;
    for (const auto& [sample, branch] : paths[place[group.parent]]) {
      const int64_t branches = graph.samples.branch_count[sample];
      int64_t& first = sums.piece_first[sample];
      if (first == kMissing) {
        first = static_cast<int64_t>(sums.piece_values.size());
        const int32_t actions = sets.action_count[graph.samples.information_set[sample]];
        sums.piece_values.resize(first + branches * actions, 0.0);
        sums.piece_weights.resize(first + branches * actions, 0.0);
      }
      sums.piece_values[first + group.edge * branches + branch] += weight * worth[number];
      sums.piece_weights[first + group.edge * branches + branch] += weight;
    }
  }
  return pieces;
}

std::vector<int32_t> Games::decisions(const Graph& graph) const {
  std::vector<int32_t> found;
  for (size_t number = 0; number < groups_.size(); ++number) {
    if (decides(graph, groups_[number].world)) found.push_back(static_cast<int32_t>(number));
  }
  return found;
}

void Games::put_world_values(const Graph& graph, Rows& rows) const {
  const std::vector<double> worth = values(graph, rows);
  const int64_t players = graph.num_players;
  rows.world_values.resize(graph.worlds.size() * players, std::numeric_limits<double>::quiet_NaN());
  for (size_t number = 0; number < groups_.size(); ++number) {
    rows.world_values[groups_[number].world * players + settings_.explorer] = worth[number];
  }
}

}  // namespace nash_ismcts
