#include "row_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace nash_ismcts {

namespace {

constexpr size_t kMostKept = 1 << 18;  // rows that are kept from graph to graph
constexpr double kUnforeseen = 0.02;   // share of uniform moves in beliefs: P may be wrong
constexpr int32_t kMetropolisSteps = 3;

}  // namespace

void RowSource::policy_row(Graph& graph, Rows& rows, int32_t set) {
  rows.fit(graph);
  const int32_t first = graph.information_sets.first_action[set];
  graph.uniform_policy(set, rows.policy.data() + first);
  rows.has_policy[set] = 1;
}

void RowSource::set_row(Graph& graph, Rows& rows, int32_t set, int32_t arrival) {
  policy_row(graph, rows, set);
  const int32_t first = graph.information_sets.first_action[set];
  double value;
  std::vector<double> child_values(graph.information_sets.action_count[set]);
  values(graph, set, arrival, value, child_values.data());
  rows.value[set] = value;
  std::copy(child_values.begin(), child_values.end(), rows.child_values.begin() + first);
  rows.has_information_set[set] = 1;
}

void RowSource::sample_row(Graph& graph, Rows& rows, int32_t sample) {
  rows.fit(graph);
  graph.prior_weights(sample, rows.beliefs.data() + graph.samples.first_branch[sample]);
  rows.has_sample[sample] = 1;
}

void UniformRows::values(Graph& graph, int32_t set, int32_t, double& value, double* child_values) {
  value = value_;
  std::fill_n(child_values, graph.information_sets.action_count[set], value_);
}

void PriorBeliefs::values(Graph&, int32_t, int32_t, double&, double*) {
  throw std::logic_error("a source of beliefs has no values");
}

void RolloutRows::values(Graph& graph, int32_t set, int32_t arrival, double& value,
                         double* child_values) {
  const auto& sets = graph.information_sets;
  Random random(seed_, graph.knowledge_hash(set));
  const int32_t count = sets.action_count[set], player = sets.player[set];
  const int32_t played = std::min(count, most_games_);
  std::fill_n(child_values, count, 0.0);
  Playout playout;
  std::vector<int32_t> games(count, 0), order(count);
  for (int32_t world = 0; world < worlds_; ++world) {
    if (world > 0) graph.check_deadline();
    const bool arrived = world == 0 && arrival != kMissing;
    const std::unique_ptr<GameState> state =
        arrived ? graph.state(arrival) : drawn_state(graph, set, random);
    std::iota(order.begin(), order.end(), 0);
    for (int32_t game = 0; game < played; ++game) {
      if (played < count) std::swap(order[game], order[game + random.below(count - game)]);
      const int32_t action = order[game];
      const std::unique_ptr<GameState> after = state->clone();
      after->apply(sets.action[sets.first_action[set] + action]);
      playout.run(*after, random);
      child_values[action] += after->returns()[player];
      ++games[action];
    }
  }
  double total = 0.0, tried = 0.0;
  for (int32_t action = 0; action < count; ++action) {
    if (games[action] == 0) continue;
    child_values[action] /= games[action];
    const double alike = graph.whole_count(set, action);
    total += alike * child_values[action];
    tried += alike;
  }
  value = total / tried;
  for (int32_t action = 0; action < count; ++action) {
    if (games[action] == 0) child_values[action] = value;
  }
}

// A state of a world of an information set, by exchanges where that is faster.
std::unique_ptr<GameState> RolloutRows::drawn_state(Graph& graph, int32_t set, Random& random) {
  if (!graph.by_exchange(set)) return graph.state(draw_world(graph, set, random));
  Walk walk(random.next());
  return graph.exchanged_state(set, walk);
}

RolloutPolicyRows::RolloutPolicyRows(int32_t worlds, double temperature, bool by_observation,
                                     std::vector<History> symmetries, uint64_t seed)
    : RolloutRows(worlds, std::numeric_limits<int32_t>::max(), seed),
      temperature_(temperature),
      by_observation_(by_observation),
      symmetries_(std::move(symmetries)) {}

void RolloutPolicyRows::policy_row(Graph& graph, Rows& rows, int32_t set) {
  set_row(graph, rows, set, kMissing);
}

// Where a search arrived says nothing here: who asks next may have arrived elsewhere.
void RolloutPolicyRows::set_row(Graph& graph, Rows& rows, int32_t set, int32_t) {
  const std::vector<double>& values = kept_values(graph, set);
  rows.fit(graph);
  const int32_t first = graph.information_sets.first_action[set];
  const double largest = *std::max_element(values.begin(), values.end());
  double total = 0.0, mean = 0.0;
  for (size_t action = 0; action < values.size(); ++action) {
    const double weight = graph.whole_count(set, static_cast<int32_t>(action)) *
                          std::exp((values[action] - largest) / temperature_);
    rows.policy[first + action] = weight;
    rows.child_values[first + action] = values[action];
    total += weight;
    mean += weight * values[action];
  }
  for (size_t action = 0; action < values.size(); ++action) rows.policy[first + action] /= total;
  rows.value[set] = mean / total;
  rows.has_policy[set] = rows.has_information_set[set] = 1;
}

uint64_t RolloutPolicyRows::known(const Graph& graph, int32_t set) const {
  return by_observation_ ? graph.observation_hash(set) : graph.knowledge_hash(set);
}

const RolloutPolicyRows::Values& RolloutPolicyRows::kept_values(Graph& graph, int32_t set) {
  const uint64_t asked = known(graph, set);
  const auto found = kept_.find(asked);
  if (found != kept_.end()) return found->second;
  return keep(asked, played_values(graph, set, asked));
}

// Worlds are drawn in a graph of their own: that of the search does not tell which rows were kept.
RolloutPolicyRows::Values RolloutPolicyRows::played_values(Graph& graph, int32_t set,
                                                           uint64_t asked) {
  Graph apart(graph.shared_game());
  apart.set_deadline(graph.deadline());
  const History history = graph.history(graph.information_sets.first_world[set]);
  const auto at = [&apart](const History& events) {
    return apart.worlds.information_set[apart.follow(events)];
  };
  // Of all images the one with the smallest hash is played out.
  const History* turn = nullptr;
  int32_t image = at(history);
  uint64_t smallest = asked;
  for (const History& symmetry : symmetries_) {
    History turned = history;
    for (Action& event : turned) event = symmetry.at(event);
    const int32_t other = at(turned);
    const uint64_t hash = known(apart, other);
    if (hash >= smallest) continue;
    turn = &symmetry;
    image = other;
    smallest = hash;
  }
  const auto found = kept_.find(smallest);
  Values there;
  if (found != kept_.end()) {
    there = found->second;
  } else {
    there.resize(apart.information_sets.action_count[image]);
    double value;
    values(apart, image, kMissing, value, there.data());
    if (turn != nullptr) keep(smallest, there);
  }
  if (turn == nullptr) return there;
  const auto& here = graph.information_sets;
  const auto first =
      apart.information_sets.action.begin() + apart.information_sets.first_action[image];
  Values turned_back(there.size());
  for (size_t action = 0; action < there.size(); ++action) {
    const Action goes_to = turn->at(here.action[here.first_action[set] + action]);
    turned_back[action] = there.at(std::find(first, first + there.size(), goes_to) - first);
  }
  return turned_back;
}

const RolloutPolicyRows::Values& RolloutPolicyRows::keep(uint64_t known, Values child_values) {
  if (kept_.size() >= kMostKept) kept_.clear();
  return kept_.insert_or_assign(known, std::move(child_values)).first->second;
}

void RolloutPolicyRows::sample_row(Graph& graph, Rows& rows, int32_t sample) {
  const int32_t world = graph.samples.world[sample];
  if (graph.worlds.kind[world] == kChance) {
    RowSource::sample_row(graph, rows, sample);
    return;
  }
  int32_t set = graph.worlds.information_set[world];
  if (by_observation_) set = graph.same_observation(set);
  rows.fit(graph);
  if (!rows.has_policy[set]) policy_row(graph, rows, set);
  const int64_t first = graph.samples.first_branch[sample];
  const int32_t first_action = graph.information_sets.first_action[set];
  const double least = kUnforeseen / graph.information_sets.action_count[set];
  double total = 0.0;
  for (int64_t branch = first; branch < first + graph.samples.branch_count[sample]; ++branch) {
    const bool dead = graph.samples.target[branch] == kDead;
    const double policy = rows.policy[first_action + graph.samples.edge[branch]];
    rows.beliefs[branch] = dead ? 0.0 : (1.0 - kUnforeseen) * policy + least;
    total += rows.beliefs[branch];
  }
  for (int64_t branch = first; branch < first + graph.samples.branch_count[sample]; ++branch) {
    rows.beliefs[branch] /= total;
  }
  rows.has_sample[sample] = 1;
}

namespace {

// A world drawn piece by piece, and the logarithm of how likely it was to be drawn.
int32_t draw_by_pieces(Graph& graph, int32_t set, Random& random, double& log_drawn) {
  std::vector<double> weights, logs;
  std::vector<int32_t> drawn;  // SAMPLE nodes on the way
  int32_t target = graph.hidden(set);
  while (target < 0) {
    const int32_t sample = ~target;
    weights.resize(graph.samples.branch_count[sample]);
    graph.prior_weights(sample, weights.data());
    double remaining = random.uniform();
    int32_t branch = 0;
    for (int32_t k = 0; k < static_cast<int32_t>(weights.size()); ++k) {
      if (weights[k] <= 0.0) continue;
      branch = k;
      remaining -= weights[k];
      if (remaining < 0.0) break;
    }
    drawn.push_back(sample);
    logs.push_back(std::log(weights[branch]));
    target = graph.branch(sample, branch);
    if (target == kDead) {
      while (drawn.back() != graph.dead_sample()) drawn.pop_back();
      target = ~drawn.back();
      drawn.pop_back();
      logs.resize(drawn.size());
    }
  }
  log_drawn = std::accumulate(logs.begin(), logs.end(), 0.0);
  return target;
}

}  // namespace

// Where worlds were listed, pieces are drawn as they should be; elsewhere by their own chances
// alone, and what follows them is made up for by Metropolis.
int32_t draw_world(Graph& graph, int32_t set, Random& random) {
  double log_drawn;
  int32_t world = draw_by_pieces(graph, set, random, log_drawn);
  if (graph.listed(set)) return world;
  double log_weight = graph.worlds.log_prior[world] - log_drawn;
  for (int32_t step = 0; step < kMetropolisSteps; ++step) {
    const int32_t other = draw_by_pieces(graph, set, random, log_drawn);
    const double other_weight = graph.worlds.log_prior[other] - log_drawn;
    if (std::log(random.uniform()) > other_weight - log_weight) continue;
    world = other;
    log_weight = other_weight;
  }
  return world;
}

}  // namespace nash_ismcts
