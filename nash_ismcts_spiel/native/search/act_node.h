// ACT nodes, as search/act_node.py: choice by PUCT on intervals, pure or mixed, and the value that
// follows from the choices. From the point of view of the player who acts, in utility units.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ACT_NODE_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ACT_NODE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../common/draw.h"
#include "../worlds/tables.h"
#include "config.h"
#include "dispersion.h"
#include "rows.h"
#include "trees.h"

namespace nash_ismcts {

// Q(a): the child's interval, or that of the models where the action was never tried.
inline Interval child_value(Forest& forest, const Rows& rows, const ActNode& node, int32_t action) {
  const ActionSlot& slot = forest.action_slots(node)[action];
  if (slot.visits > 0) return forest.q(slot.child);
  return node.modelled ? slot.modelled : point(rows.child_values[node.first_action + action]);
}

// The prior of the PUCT term: P with temperature, then mixed with uniform noise.
inline void set_exploration_prior(ActionSlot* slots, int32_t count, const double* policy,
                                  const SearchConfig& config) {
  for (int32_t a = 0; a < count; ++a) slots[a].exploration = policy[a];
  if (config.prior_temperature != 1.0) {
    // Relative to the largest, so that a low temperature does not underflow all of them.
    const double largest = *std::max_element(policy, policy + count);
    double total = 0.0;
    for (int32_t a = 0; a < count; ++a) {
      slots[a].exploration = std::pow(policy[a] / largest, 1.0 / config.prior_temperature);
      total += slots[a].exploration;
    }
    for (int32_t a = 0; a < count; ++a) slots[a].exploration /= total;
  }
  if (config.prior_noise > 0.0) {
    const double uniform = config.prior_noise / count;
    for (int32_t a = 0; a < count; ++a) {
      slots[a].exploration = (1.0 - config.prior_noise) * slots[a].exploration + uniform;
    }
  }
}

// Takes the models of the information set, which must be there.
inline void expand(Forest& forest, NodeId id, const GraphTables& graph, const Rows& rows,
                   const SearchConfig& config) {
  const int32_t information_set = forest.act(id).information_set;
  const int32_t count = graph.information_sets.action_count[information_set];
  forest.add_action_slots(id, count);
  ActNode& node = forest.act(id);
  node.expanded = true;
  node.first_action = graph.information_sets.first_action[information_set];
  set_exploration_prior(forest.action_slots(node), count, rows.policy.data() + node.first_action,
                        config);
  forest.set_q(id, point(rows.value[information_set]));
}

// What is added to Q(a): the prior term of PUCT, or UCB1's (infinite where N(a) = 0). Simulations
// that wait for a row count as visits.
class Bonus {
 public:
  Bonus(const ActNode& node, const SearchConfig& config) : config_(config) {
    const double total = static_cast<double>(node.visits + node.in_flight);
    if (config.selection == Selection::kUcb) {
      weight_ = config.ucb_exploration * config.value_scale;
      log_total_ = std::log(total);
    } else {
      weight_ = config.c_puct * config.value_scale * std::sqrt(total);
    }
  }
  double operator()(const ActionSlot& slot) const {
    const int32_t visits = slot.visits + slot.in_flight;
    if (config_.selection == Selection::kUcb) {
      if (visits == 0) return std::numeric_limits<double>::infinity();
      return weight_ * std::sqrt(log_total_ / visits);
    }
    if (config_.puct_denominator == PuctDenominator::kOnePlus) {
      return weight_ * slot.exploration / (1 + visits);
    }
    return weight_ * slot.exploration / std::max(config_.puct_floor, static_cast<double>(visits));
  }

 private:
  const SearchConfig& config_;
  double weight_;
  double log_total_ = 0.0;
};

// A loss of one value scale for every simulation that went this way and waits for a row.
inline double virtual_loss(const ActionSlot& slot, const SearchConfig& config) {
  if (slot.in_flight == 0) return 0.0;
  return config.value_scale * slot.in_flight / (slot.visits + slot.in_flight);
}

struct Choice {
  int32_t action;
  bool mixed;
};

// The raw prior restricted to the tied actions; uniform if it gives them nothing.
inline void set_mixing_distribution(int32_t count, const uint8_t* tied, const double* prior,
                                    bool uniform_prior, double* mixing) {
  double total = 0.0;
  int32_t num_tied = 0;
  for (int32_t a = 0; a < count; ++a) {
    mixing[a] = !tied[a] ? 0.0 : uniform_prior ? 1.0 / count : prior[a];
    total += mixing[a];
    num_tied += tied[a];
  }
  for (int32_t a = 0; a < count; ++a) {
    mixing[a] = total > 0.0 ? mixing[a] / total : tied[a] ? 1.0 / num_tied : 0.0;
  }
}

// Memory that all choices of a search share.
struct ChoiceBuffers {
  std::vector<double> lows, highs, mixing;
  std::vector<uint8_t> tied, valued;

  void fit(int32_t count) {
    if (static_cast<int32_t>(lows.size()) >= count) return;
    lows.resize(count);
    highs.resize(count);
    mixing.resize(count);
    tied.resize(count);
    valued.resize(count);
  }
};

// An action; if the choice is mixed, buffers.mixing is the distribution it was drawn from.
inline Choice choose(Forest& forest, const ActNode& node, const Rows& rows,
                     const SearchConfig& config, const BitGenerator& generator,
                     ChoiceBuffers& buffers) {
  const int32_t count = node.count;
  buffers.fit(count);
  double* lows = buffers.lows.data();
  double* highs = buffers.highs.data();
  uint8_t* tied = buffers.tied.data();
  const ActionSlot* slots = forest.action_slots(node);
  const Bonus bonus(node, config);
  int32_t best = 0;
  for (int32_t a = 0; a < count; ++a) {
    const Interval value = child_value(forest, rows, node, a);
    const double loss = virtual_loss(slots[a], config);
    const double extra = bonus(slots[a]);
    lows[a] = value.low + extra - loss;
    highs[a] = value.high + extra - loss;
    if (lows[a] > lows[best]) best = a;
  }
  int32_t num_tied = 0;
  for (int32_t a = 0; a < count; ++a) {
    tied[a] = a == best || highs[a] >= lows[best];
    num_tied += tied[a];
  }
  if (num_tied == 1) return {best, false};
  double* mixing = buffers.mixing.data();
  set_mixing_distribution(count, tied, rows.policy.data() + node.first_action,
                          config.selection == Selection::kUcb, mixing);
  return {draw(generator, count, [mixing](int32_t a) { return mixing[a]; }), true};
}

// Adds a choice; `mixing` is the distribution it was drawn from, null if it was pure.
inline void record(ActNode& node, ActionSlot* slots, int32_t action, const double* mixing) {
  ++slots[action].visits;
  ++node.visits;
  if (mixing == nullptr) {
    ++node.pure_count;
    ++slots[action].pure_visits;
  } else {
    ++node.mixed_count;
    for (int32_t a = 0; a < node.count; ++a) slots[a].mixing_sum += mixing[a];
  }
}

// Q(n) of an own node: children and choices come from one tree.
inline Interval act_value(Forest& forest, const Rows& rows, const ActNode& node) {
  double low = 0.0, high = 0.0, total = 0.0;
  for (int32_t a = 0; a < node.count; ++a) {
    const ActionSlot& slot = forest.action_slots(node)[a];
    const Interval value = child_value(forest, rows, node, a);
    const double weight = slot.mixing_sum + slot.pure_visits;
    low += weight * value.low;
    high += weight * value.high;
    total += weight;
  }
  return {low / total, high / total};
}

// Q(n) of an opponent's node. The children's values, from the tree we are in, are in `buffers`
// where `buffers.valued`; choices come from the tree that was spawned for the opponent (none beyond
// spawn_depth), P counts as `prior_visits` mixed visits, and the opponent's policy may be dispersed
// like beliefs by `radius`.
inline Interval act_value(int32_t count, ChoiceBuffers& buffers,
                          const ActionSlot* choices_in_spawned_tree, const double* prior,
                          double prior_visits, double radius) {
  double* lows = buffers.lows.data();
  double* highs = buffers.highs.data();
  double* weights = buffers.mixing.data();
  double low = 0.0, high = 0.0, total = 0.0;
  int32_t valued = 0;
  for (int32_t a = 0; a < count; ++a) {
    if (!buffers.valued[a]) continue;
    double weight = 0.0;
    if (choices_in_spawned_tree != nullptr) {
      weight = choices_in_spawned_tree[a].mixing_sum + choices_in_spawned_tree[a].pure_visits;
    }
    if (prior_visits > 0.0) weight += prior_visits * prior[a];
    low += weight * lows[a];
    high += weight * highs[a];
    total += weight;
    weights[valued] = weight;
    lows[valued] = lows[a];
    highs[valued] = highs[a];
    ++valued;
  }
  if (total == 0.0) {
    // The opponent has answered by P here, and its tree has chosen other actions since: all that is
    // known of these counts alike.
    for (int32_t index = 0; index < valued; ++index) {
      weights[index] = 1.0;
      low += lows[index];
      high += highs[index];
      total += 1.0;
    }
  }
  if (radius == 0.0) return {low / total, high / total};
  for (int32_t index = 0; index < valued; ++index) weights[index] /= total;
  return {extreme_expectation<false>(weights, valued, lows, radius),
          extreme_expectation<true>(weights, valued, highs, radius)};
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ACT_NODE_H_
