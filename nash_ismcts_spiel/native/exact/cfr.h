// Counterfactual regret minimisation (Zinkevich et al. 2007) and two variants, for any number of
// players, with OpenSpiel's conventions: players update in turn, each against the others' newest
// policies, and the average policy weighs iteration t by the player's own reach times
//   CFR         1,
//   CFR+        t, with regrets floored at 0 after each update (Tammelin 2014),
//   linear CFR  t, with regrets multiplied by t / (t + 1) after each update (Brown, Sandholm 2019).
//
// Regrets are in the game's utility units, for the player who owns the information set. One update
// sweeps the player's payoffs once and its tree twice: up for values and regrets, down for reach.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_EXACT_CFR_H_
#define NASH_ISMCTS_SPIEL_NATIVE_EXACT_CFR_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "../common/proportional.h"
#include "compiled_graph.h"
#include "exact.h"

namespace nash_ismcts {

enum class CfrVariant { kCfr, kCfrPlus, kLinearCfr };

// How much iteration t counts in averages.
inline double averaging_weight(CfrVariant variant, int64_t t) {
  return variant == CfrVariant::kCfr ? 1.0 : static_cast<double>(t);
}

// The policy at a decision: in proportion to regrets that are positive, or to sums.
inline void match(const Decision& decision, const SequenceTable& weights, SequenceTable* policy) {
  make_proportional(weights.data() + decision.first_sequence, decision.action_count,
                    policy->data() + decision.first_sequence);
}

// Iteration t of a player: `values` holds its payoffs per own sequence and ends with the values of
// all own sequences; the regrets grow and the policy follows them.
inline void update_regrets(const PlayerTree& tree, CfrVariant variant, int64_t iteration,
                           SequenceTable* values, SequenceTable* regrets, SequenceTable* policy) {
  const double t = static_cast<double>(iteration);
  const double discount = variant == CfrVariant::kLinearCfr ? t / (t + 1.0) : 1.0;
  const bool floored = variant == CfrVariant::kCfrPlus;
  for (auto decision = tree.decisions.rbegin(); decision != tree.decisions.rend(); ++decision) {
    const int32_t first = decision->first_sequence, end = first + decision->action_count;
    double value = 0.0;
    for (int32_t sequence = first; sequence < end; ++sequence) {
      value += (*policy)[sequence] * (*values)[sequence];
    }
    for (int32_t sequence = first; sequence < end; ++sequence) {
      const double regret = ((*regrets)[sequence] + ((*values)[sequence] - value)) * discount;
      (*regrets)[sequence] = floored && regret < 0.0 ? 0.0 : regret;
    }
    (*values)[decision->parent_sequence] += value;
    match(*decision, *regrets, policy);
  }
}

class CfrSolver {
 public:
  CfrSolver(std::shared_ptr<const CompiledGraph> graph, CfrVariant variant)
      : graph_(std::move(graph)),
        variant_(variant),
        policy_(graph_->num_sequences),
        reach_(graph_->num_sequences),
        values_(graph_->num_sequences),
        regrets_(graph_->num_sequences),
        policy_sums_(graph_->num_sequences) {
    for (const PlayerTree& tree : graph_->trees) {
      for (const Decision& decision : tree.decisions) match(decision, regrets_, &policy_);
      fill_own_reach(tree, policy_, &reach_);
    }
  }

  void iterate() {
    ++iterations_;
    for (const PlayerTree& tree : graph_->trees) {
      fill_payoffs(tree, reach_, &values_);
      update_regrets(tree, variant_, iterations_, &values_, &regrets_, &policy_);
      add_to_average(tree);
      fill_own_reach(tree, policy_, &reach_);
    }
  }

  int64_t iterations() const { return iterations_; }

  // The policy that the next iteration plays. [A]
  std::vector<double> current_policy() const { return by_action(*graph_, policy_); }

  // The average policy, which is what converges; uniform where the player itself never went. [A]
  std::vector<double> average_policy() const {
    SequenceTable average(graph_->num_sequences);
    for (const PlayerTree& tree : graph_->trees) {
      for (const Decision& decision : tree.decisions) match(decision, policy_sums_, &average);
    }
    return by_action(*graph_, average);
  }

 private:
  // Adds the policy that was played, which reach_ still belongs to.
  void add_to_average(const PlayerTree& tree) {
    const double weight = averaging_weight(variant_, iterations_);
    for (int32_t sequence = tree.empty_sequence; sequence < tree.end_sequence; ++sequence) {
      policy_sums_[sequence] += weight * reach_[sequence];
    }
  }

  const std::shared_ptr<const CompiledGraph> graph_;
  const CfrVariant variant_;
  int64_t iterations_ = 0;
  SequenceTable policy_;       // current policy
  SequenceTable reach_;        // own reach under the current policy
  SequenceTable values_;       // counterfactual values of the player whose turn it is
  SequenceTable regrets_;      // cumulative
  SequenceTable policy_sums_;  // cumulative, weighted
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_EXACT_CFR_H_
