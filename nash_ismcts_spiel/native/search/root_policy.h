// The policy at the root, as search/root_policy.py: shares of visits, or of expected visits, of the
// actions that the confidence filter keeps; or P with a step towards the quantal response.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ROOT_POLICY_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ROOT_POLICY_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "act_node.h"

namespace nash_ismcts {

constexpr double kGivenUp = 1e-6;  // least P of an action from which a quantal step begins

// P(a)^(1 - d) exp(d Q(a) / tau), normalised, with the middles of Q's intervals.
inline void quantal_step(Forest& forest, const Rows& rows, const ActNode& node,
                         const SearchConfig& config, double* policy) {
  const double* prior = rows.policy.data() + node.first_action;
  const double share = config.quantal_share;
  const double temperature = config.temperature * config.value_scale;
  double largest = -std::numeric_limits<double>::infinity();
  for (int32_t a = 0; a < node.count; ++a) {
    const Interval value = child_value(forest, rows, node, a);
    policy[a] = (1.0 - share) * std::log(std::max(prior[a], kGivenUp)) +
                share * (0.5 * (value.low + value.high)) / temperature;
    largest = std::max(largest, policy[a]);
  }
  double total = 0.0;
  for (int32_t a = 0; a < node.count; ++a) {
    policy[a] = std::exp(policy[a] - largest);
    total += policy[a];
  }
  for (int32_t a = 0; a < node.count; ++a) policy[a] /= total;
}

// Writes one probability per action of an expanded and visited root.
inline void root_policy(Forest& forest, const Rows& rows, const ActNode& node,
                        const SearchConfig& config, double* policy) {
  if (config.root_rule == RootRule::kQuantalStep) {
    quantal_step(forest, rows, node, config, policy);
    return;
  }
  const ActionSlot* slots = forest.action_slots(node);
  const double lcb_width = config.lcb_width * config.value_scale;
  const auto width = [&](int32_t a) {
    return slots[a].visits > 0 ? lcb_width / std::sqrt(static_cast<double>(slots[a].visits))
                               : std::numeric_limits<double>::infinity();
  };
  double largest = -std::numeric_limits<double>::infinity();
  for (int32_t a = 0; a < node.count; ++a) {
    largest = std::max(largest, child_value(forest, rows, node, a).low - width(a));
  }
  double total = 0.0;
  for (int32_t a = 0; a < node.count; ++a) {
    const bool keep = child_value(forest, rows, node, a).high + width(a) >= largest;
    const double weight = config.root_rule == RootRule::kVisits
                              ? slots[a].visits
                              : slots[a].mixing_sum + slots[a].pure_visits;
    policy[a] = keep ? weight : 0.0;
    total += policy[a];
  }
  for (int32_t a = 0; a < node.count; ++a) policy[a] /= total;
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ROOT_POLICY_H_
