#include "row_source.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>

namespace nash_ismcts {

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
  return state_after(graph.game(), graph.exchanged_history(set, walk));
}

}  // namespace nash_ismcts
