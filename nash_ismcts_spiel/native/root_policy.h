// The policy at the root, as search/root_policy.py: visit shares of the actions that the confidence
// filter keeps.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_ROOT_POLICY_H_
#define NASH_ISMCTS_SPIEL_NATIVE_ROOT_POLICY_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "act_node.h"

namespace nash_ismcts {

// Writes one probability per action of an expanded and visited root; lcb_width in utility units.
inline void root_policy(Forest& forest, const Rows& rows, const ActNode& node, double lcb_width,
                        double* policy) {
  const ActionSlot* slots = forest.action_slots(node);
  const auto width = [&](int32_t a) {
    return slots[a].visits > 0 ? lcb_width / std::sqrt(static_cast<double>(slots[a].visits))
                               : std::numeric_limits<double>::infinity();
  };
  double largest = -std::numeric_limits<double>::infinity();
  for (int32_t a = 0; a < node.count; ++a) {
    largest = std::max(largest, child_value(forest, rows, node, a).low - width(a));
  }
  int64_t total = 0;
  for (int32_t a = 0; a < node.count; ++a) {
    const bool keep = child_value(forest, rows, node, a).high + width(a) >= largest;
    policy[a] = keep ? slots[a].visits : 0;
    total += keep ? slots[a].visits : 0;
  }
  for (int32_t a = 0; a < node.count; ++a) policy[a] /= static_cast<double>(total);
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_ROOT_POLICY_H_
