// How likely hidden pieces are before anything is known of how the players act.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "graph.h"

namespace nash_ismcts {

// The logarithm of the probability of an edge of a world, by chance or a uniform whole move. What
// the game lists although it cannot happen counts as hardly possible, to keep the numbers finite.
double Graph::log_chance_of(int32_t world, int64_t edge) const {
  if (worlds.kind[world] == kChance) {
    constexpr double least = std::numeric_limits<double>::min();
    return std::log(std::max(worlds.edge_probability[edge], least));
  }
  const int64_t first = worlds.first_edge[world];
  double total = 0.0;
  for (int64_t at = first; at < first + worlds.edge_count[world]; ++at) total += whole_count(at);
  return std::log(whole_count(edge) / total);
}

void Graph::prior_weights(int32_t sample, double* weights) const {
  const double* mass = samples.log_mass.data() + samples.first_branch[sample];
  const int32_t count = samples.branch_count[sample];
  if (std::isnan(*mass)) return fork_weights(sample, weights);
  const double largest = *std::max_element(mass, mass + count);
  double total = 0.0;
  for (int32_t k = 0; k < count; ++k) total += weights[k] = std::exp(mass[k] - largest);
  for (int32_t k = 0; k < count; ++k) weights[k] /= total;
}

bool Graph::listed(int32_t set) const {
  const int32_t top = information_sets.hidden[set];
  return top >= 0 || (top > kDead && !std::isnan(samples.log_mass[samples.first_branch[~top]]));
}

void Graph::fork_weights(int32_t sample, double* weights) const {
  const int64_t first = samples.first_branch[sample];
  const int32_t world = samples.world[sample], count = samples.branch_count[sample];
  const bool chance = worlds.kind[world] == kChance;
  for (int32_t k = 0; k < count; ++k) {
    const int64_t edge = worlds.first_edge[world] + samples.edge[first + k];
    weights[k] = chance ? worlds.edge_probability[edge] : whole_count(edge);
  }
  double total = 0.0;
  for (int32_t k = 0; k < count; ++k) {
    if (samples.target[first + k] == kDead) weights[k] = 0.0;
    total += weights[k];
  }
  for (int32_t k = 0; k < count; ++k) weights[k] /= total;
}

}  // namespace nash_ismcts
