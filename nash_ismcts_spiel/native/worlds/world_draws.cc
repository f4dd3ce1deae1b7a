#include "world_draws.h"

namespace nash_ismcts {

int32_t draw_world(Graph& graph, int32_t set, Random& random) {
  std::vector<double> weights;
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
    target = graph.branch(sample, branch);
    if (target == kDead) {
      while (drawn.back() != graph.dead_sample()) drawn.pop_back();
      target = ~drawn.back();
      drawn.pop_back();
    }
  }
  return target;
}

std::unique_ptr<GameState> state_after(const Game& game, const History& history) {
  std::unique_ptr<GameState> state = game.initial_state();
  for (const Action event : history) state->apply(event);
  return state;
}

History WorldDraws::next(Graph& graph, int32_t set) {
  if (!graph.by_exchange(set)) return graph.history(draw_world(graph, set, random_));
  if (walks_.size() < kWalks) {
    walks_.emplace_back(random_.next());
    const int32_t before = graph.offered(set).empty() ? kStepsBefore : 0;
    for (int32_t step = 0; step < before; ++step) graph.exchanged_history(set, walks_.back());
    return graph.exchanged_history(set, walks_.back());
  }
  return graph.exchanged_history(set, walks_[turn_++ % kWalks]);
}

}  // namespace nash_ismcts
