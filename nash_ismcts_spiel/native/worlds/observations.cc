// Information sets whose players see the same at present (graph.h).

#include <string>
#include <utility>
#include <vector>

#include "../common/hash.h"
#include "graph.h"

namespace nash_ismcts {

std::string Graph::observation_text(int32_t set) const {
  const int32_t player = information_sets.player[set];
  // With the length of what was seen no set stands for one that follows it.
  std::string text = std::to_string(player) + " " +
                     std::to_string(views_.depth(information_sets.view[set])) + "\n" +
                     state(information_sets.first_world[set])->observation(player);
  const int32_t first = information_sets.first_action[set];
  const auto actions = information_sets.action.begin() + first;
  add_legal_actions(text, {actions, actions + information_sets.action_count[set]});
  return text;
}

int32_t Graph::same_observation(int32_t set) {
  if (set >= static_cast<int32_t>(same_.size())) {
    same_.resize(information_sets.size(), kUnresolved);
  }
  if (same_[set] == kUnresolved) {
    same_[set] = set_of_observation_.try_emplace(observation_text(set), set).first->second;
  }
  return same_[set];
}

uint64_t Graph::observation_hash(int32_t set) const {
  const std::string text = observation_text(set);
  return hash_bytes(0, text.data(), text.size());
}

}  // namespace nash_ismcts
