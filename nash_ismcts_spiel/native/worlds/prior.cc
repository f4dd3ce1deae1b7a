// How likely hidden pieces are before anything is known of how the players act.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graph.h"
#include "sets.h"

namespace nash_ismcts {

void Graph::prior_weights(int32_t sample, double* weights) const {
  const int64_t first = samples.first_branch[sample];
  const int32_t world = samples.world[sample], count = samples.branch_count[sample];
  const bool chance = worlds.kind[world] == kChance;
  const PieceSets* sets = game_->sets();
  if (sets != nullptr && sets->set_at(worlds.depth[world]) != PieceSets::kNone) {
    weigh_set(*sets, sample, weights);
  } else {
    for (int32_t k = 0; k < count; ++k) {
      const int64_t edge = worlds.first_edge[world] + samples.edge[first + k];
      weights[k] = chance ? worlds.edge_probability[edge] : whole_count(edge);
    }
  }
  double total = 0.0;
  for (int32_t k = 0; k < count; ++k) {
    if (samples.target[first + k] == kDead) weights[k] = 0.0;
    total += weights[k];
  }
  for (int32_t k = 0; k < count; ++k) weights[k] /= total;
}

// The cards that the player knows to be elsewhere count neither here nor further up in the set.
void Graph::weigh_set(const PieceSets& sets, int32_t sample, double* weights) const {
  const int32_t set = samples.information_set[sample], world = samples.world[sample];
  const std::vector<Action> known =
      known_cards(sets, history(information_sets.first_world[set]), information_sets.player[set]);
  const auto cards = next_of_set(sets, history(world), known);
  for (int32_t k = 0; k < samples.branch_count[sample]; ++k) {
    const int64_t branch = samples.first_branch[sample] + k;
    const Action piece = worlds.edge_action[worlds.first_edge[world] + samples.edge[branch]];
    const auto found = std::find_if(cards.begin(), cards.end(),
                                    [piece](const auto& card) { return card.first == piece; });
    weights[k] = found == cards.end() ? 0.0 : found->second;
  }
}

}  // namespace nash_ismcts
