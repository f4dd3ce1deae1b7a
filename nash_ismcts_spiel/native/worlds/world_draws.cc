#include "world_draws.h"

#include <cmath>
#include <vector>

#include "../common/draw.h"

namespace nash_ismcts {

namespace {

constexpr int32_t kMetropolisSteps = 3;

// A world drawn piece by piece, and the logarithm of how likely it was to be drawn.
int32_t draw_by_pieces(Graph& graph, int32_t set, Random& random, double& log_drawn) {
  std::vector<double> weights;
  log_drawn = 0.0;
  int32_t target = graph.hidden(set);
  while (target < 0) {
    const int32_t sample = ~target;
    weights.resize(graph.samples.branch_count[sample]);
    graph.prior_weights(sample, weights.data());
    const int32_t branch = index_beyond(random.uniform(), static_cast<int32_t>(weights.size()),
                                        [&weights](int32_t k) { return weights[k]; });
    const int32_t below = graph.branch(sample, branch);
    if (below == kDead) continue;
    log_drawn += std::log(weights[branch]);
    target = below;
  }
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
