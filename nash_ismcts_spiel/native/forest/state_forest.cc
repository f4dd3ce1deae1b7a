#include "state_forest.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "../common/hash.h"

namespace nash_ismcts {

// Replays a history, for what the players have done on the way.
void StateForest::add_root(Graph& graph) {
  const GameFacts& facts = graph.game().facts();
  remembers_ = facts.has_information_states;
  total_.resize(facts.num_players, 0.0);
  const History history = draws_.next(graph, set_);
  Root root{graph.game().initial_state(), std::vector<uint64_t>(facts.num_players, 0), kNoAction,
            std::vector<double>(facts.num_players, 0.0), 0.0};
  for (const Action event : history) {
    const int32_t player = root.state->player();
    if (player >= 0) {
      root.last = event;
      if (!remembers_) {
        root.logs[player] = hash_combine(root.logs[player], static_cast<uint64_t>(event));
      }
    }
    root.state->apply(event);
  }
  roots_.push_back(std::move(root));
}

// One pass through the trees, out to the end of the game, and back.
void StateForest::simulate(Root& root) {
  const std::unique_ptr<GameState> state = root.state->clone();
  Action last = root.last;
  logs_ = root.logs;
  grown_ = false;
  steps_.clear();
  for (int64_t event = 0; event < kLongest; ++event) {
    const int32_t player = state->player();
    if (player == kTerminalPlayer) break;
    if (player == kChancePlayer) {
      draw_chance(*state);
      continue;
    }
    state->legal_actions(events_);
    int32_t edge = 0;
    if (events_.size() > 1) {
      const ActionTables::Row row = tables_.row(player, last);
      const int32_t node = grown_ ? kMissing : node_of(*state, player, event == 0);
      edge = node == kMissing ? draw_by_tables(*state, row) : choose(nodes_[node], row);
      steps_.push_back({player, node, edge, row, events_[edge]});
    }
    last = events_[edge];
    if (!remembers_ && !grown_) {
      logs_[player] = hash_combine(logs_[player], static_cast<uint64_t>(last));
    }
    state->apply(last);
  }
  back_up(root, state->returns());
}

void StateForest::back_up(Root& root, const std::vector<double>& returns) {
  const auto baseline = [&](int32_t player) {
    const double mean = games_ > 0.0 ? total_[player] / games_ : returns[player];
    return (root.sum[player] + kPriorVisits * mean) / (root.games + kPriorVisits);
  };
  for (const Step& step : steps_) {
    const double value = returns[step.player] - baseline(step.player);
    tables_.add(step.row, step.action, value);
    if (step.node == kMissing) continue;
    ++nodes_[step.node].visits;
    Edge& edge = edges_[nodes_[step.node].first + step.edge];
    ++edge.visits;
    edge.sum += value;
  }
  for (size_t player = 0; player < returns.size(); ++player) {
    root.sum[player] += returns[player];
    total_[player] += returns[player];
  }
  root.games += 1.0;
  games_ += 1.0;
}

void StateForest::draw_chance(GameState& state) {
  state.chance_outcomes(events_, weights_);
  state.apply(events_[random_.index(weights_.data(), static_cast<int32_t>(weights_.size()))]);
}

// The node of the player to move, whose legal actions are in events_; new if need be.
int32_t StateForest::node_of(const GameState& state, int32_t player, bool is_root) {
  if (is_root && root_ != kMissing) {
    logs_[player] = root_log_;
    return root_;
  }
  const uint64_t key = key_of(state, player);
  const int32_t known = node_of_key_.find(key);
  if (known != FlatMap::kAbsent) return known;
  const auto node = static_cast<int32_t>(nodes_.size());
  const auto count = static_cast<int32_t>(events_.size());
  node_of_key_.insert(key, node);
  nodes_.push_back({static_cast<int32_t>(edges_.size()), count, 0, 0});
  edges_.resize(edges_.size() + count, {0, 0.0, 0.0});
  grown_ = !is_root;
  if (is_root) {
    root_ = node;
    root_log_ = logs_[player];
  }
  return node;
}

// What a player knows: its information state, or where the game only has observations, its own
// actions and what it saw when it had a choice; and its legal actions.
uint64_t StateForest::key_of(const GameState& state, int32_t player) {
  const std::string shown = state.shown(player), whole = state.whole_options();
  uint64_t key = hash_combine(logs_[player], static_cast<uint64_t>(player));
  key = hash_bytes(key, shown.data(), shown.size());
  for (const Action action : events_) key = hash_combine(key, static_cast<uint64_t>(action));
  if (!whole.empty()) key = hash_bytes(key, whole.data(), whole.size());
  if (!remembers_) logs_[player] = key;
  return key >> 1;  // not the key that FlatMap takes for none
}

int32_t StateForest::choose(Node& node, const ActionTables::Row& row) {
  Edge* const edges = edges_.data() + node.first;
  const auto visits = static_cast<double>(node.visits);
  if (visits >= kRenewal * static_cast<double>(node.renewed)) {
    for (int32_t a = 0; a < node.count; ++a) edges[a].prior = tables_.mean(row, events_[a]);
    node.renewed = node.visits;
  }
  const double evidence = std::log(std::max(1.0, visits) + 1.0);
  double best = 0.0;
  int32_t chosen = 0;
  int64_t ties = 0;
  for (int32_t a = 0; a < node.count; ++a) {
    const double n = static_cast<double>(edges[a].visits) + kPriorVisits;
    const double value = (edges[a].sum + kPriorVisits * edges[a].prior) / n +
                         kExploration * scale_ * std::sqrt(evidence / n);
    if (ties == 0 || value > best) {
      best = value;
      chosen = a;
      ties = 1;
    } else if (value == best && random_.below(++ties) == 0) {
      chosen = a;
    }
  }
  return chosen;
}

// Whole actions count alike where a legal one is a part of several.
int32_t StateForest::draw_by_tables(const GameState& state, const ActionTables::Row& row) {
  const auto count = static_cast<int32_t>(events_.size());
  state.whole_counts(weights_);
  const bool alike = weights_.empty();
  means_.resize(count);
  for (int32_t a = 0; a < count; ++a) means_[a] = tables_.mean(row, events_[a]);
  const double largest = *std::max_element(means_.begin(), means_.end());
  weights_.resize(count);
  double total = 0.0;
  for (int32_t a = 0; a < count; ++a) {
    const double weight = std::exp((means_[a] - largest) / (kTemperature * scale_));
    weights_[a] = alike ? weight : weights_[a] * weight;
    total += weights_[a];
  }
  double left = random_.uniform() * total;
  for (int32_t a = 0; a + 1 < count; ++a) {
    left -= weights_[a];
    if (left < 0.0) return a;
  }
  return count - 1;
}

void StateForest::found(const History& actions, std::vector<int64_t>& visits,
                        std::vector<double>& values) {
  visits.clear();
  values.clear();
  if (root_ == kMissing) return;
  const std::unique_ptr<GameState> state = roots_.front().state->clone();
  int32_t node = root_, player = state->player();
  logs_ = roots_.front().logs;
  logs_[player] = root_log_;
  for (const Action action : actions) {
    if (!remembers_) logs_[player] = hash_combine(logs_[player], static_cast<uint64_t>(action));
    state->apply(action);
    player = state->player();
    state->legal_actions(events_);
    node = node_of_key_.find(key_of(*state, player));
    if (node == FlatMap::kAbsent) return;
  }
  const double mean = games_ > 0.0 ? total_[player] / games_ : 0.0;
  for (int32_t a = 0; a < nodes_[node].count; ++a) {
    const Edge& edge = edges_[nodes_[node].first + a];
    visits.push_back(edge.visits);
    values.push_back(mean + (edge.sum + kPriorVisits * edge.prior) /
                                (static_cast<double>(edge.visits) + kPriorVisits));
  }
}

}  // namespace nash_ismcts
