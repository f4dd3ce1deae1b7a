// How likely hidden pieces are before anything is known of how the players act.

#include <cstdint>

#include "graph.h"

namespace nash_ismcts {

void Graph::prior_weights(int32_t sample, double* weights) const {
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
