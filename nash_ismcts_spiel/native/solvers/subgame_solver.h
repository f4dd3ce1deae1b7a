// Solves a subgame from given beliefs by CFR (cfr.h) or by fictitious play, one player's update at
// a time; values of the leaves come from outside, afresh for each update (CFR-D, Burch et al. 2014;
// Brown et al. 2020).
//
// The value of a slot is what the player expects who has seen it, counted against the opponent's
// belief: the sum, over the opponent's slots, of the chance of meeting that slot, times the
// opponent's reach of it (scaled so that the opponent's belief adds up to one), times the utility.
// If both players' slots are independent by chance, that is the plain expected utility.
//
// Policies per iteration. CFR plays its current policy, which leaf beliefs follow; the average of
// these policies converges. Fictitious play answers the average so far by a best response and adds
// it; here the policy of an iteration is that average, which leaf beliefs follow too.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SOLVERS_SUBGAME_SOLVER_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SOLVERS_SUBGAME_SOLVER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "../exact/cfr.h"
#include "../exact/exact.h"
#include "subgame.h"

namespace nash_ismcts {

enum class SubgameMethod { kCfr, kCfrPlus, kLinearCfr, kFictitiousPlay };

class SubgameSolver {
 public:
  // `beliefs` are player 0's, then player 1's, one per slot. [2 * width]
  SubgameSolver(std::shared_ptr<const Subgame> subgame, SubgameMethod method, const double* beliefs)
      : subgame_(std::move(subgame)),
        fictitious_(method == SubgameMethod::kFictitiousPlay),
        variant_(method == SubgameMethod::kCfr       ? CfrVariant::kCfr
                 : method == SubgameMethod::kCfrPlus ? CfrVariant::kCfrPlus
                                                     : CfrVariant::kLinearCfr),
        policy_(subgame_->num_sequences),
        reach_(subgame_->num_sequences),
        values_(subgame_->num_sequences),
        regrets_(subgame_->num_sequences),
        policy_sums_(subgame_->num_sequences) {
    const int32_t width = subgame_->game->width;
    for (int32_t player = 0; player < kTwo; ++player) {
      const PlayerTree& tree = subgame_->trees[player];
      const double* const mass = subgame_->game->masses(subgame_->root, player);
      for (int32_t slot = 0; slot < width; ++slot) {
        const double belief = beliefs[player * width + slot];
        reach_[tree.empty_sequence + slot] = mass[slot] > 0.0 ? belief / mass[slot] : 0.0;
      }
      for (const Decision& decision : tree.decisions) match(decision, regrets_, &policy_);
      extend_own_reach(tree, policy_, &reach_);
      if (fictitious_) add_to_sums(tree, reach_, 1.0);  // the first average is the uniform policy
      value_sums_[player].assign(width, 0.0);
    }
  }

  const Subgame& subgame() const { return *subgame_; }
  int64_t num_leaves() const { return static_cast<int64_t>(subgame_->leaves.size()); }

  // Both players' beliefs at each leaf if this iteration's policies are followed. A player who
  // never goes there is believed to be there by chance alone. `rows` has leaves * 2 * width
  // entries.
  void fill_leaf_beliefs(double* rows) const {
    const int32_t width = subgame_->game->width;
    for (const Leaf& leaf : subgame_->leaves) {
      for (int32_t player = 0; player < kTwo; ++player, rows += width) {
        std::fill_n(rows, width, 0.0);
        const double total = leaf_reach(leaf, player);
        for (const LeafSlot& slot : leaf.slots[player]) {
          rows[slot.slot] = total > 0.0 ? slot.mass * reach_[slot.sequence] / total : slot.mass;
        }
      }
    }
  }

  // The update of a player; player 0 comes first and begins an iteration. `leaf_values` are that
  // player's values at each leaf. [leaves * width]
  void update(int32_t player, const double* leaf_values) {
    const PlayerTree& tree = subgame_->trees[player];
    if (player == 0) ++iterations_;
    fill_payoffs(tree, reach_, &values_);
    add_leaf_values(player, leaf_values);
    if (fictitious_) {
      answer_average(tree);
    } else {
      update_regrets(tree, variant_, iterations_, &values_, &regrets_, &policy_);
      add_to_sums(tree, reach_, averaging_weight(variant_, iterations_));
    }
    add_to_values(player);
    extend_own_reach(tree, policy_, &reach_);
  }

  // One iteration of a subgame without leaves.
  void iterate() {
    for (int32_t player = 0; player < kTwo; ++player) update(player, nullptr);
  }

  int64_t iterations() const { return iterations_; }
  const SequenceTable& current_policy() const { return policy_; }

  SequenceTable average_policy() const {
    SequenceTable average(subgame_->num_sequences);
    for (const PlayerTree& tree : subgame_->trees) {
      for (const Decision& decision : tree.decisions) match(decision, policy_sums_, &average);
    }
    return average;
  }

  // Values of a player's slots at the root, averaged over iterations as policies are; 0 before the
  // first iteration and for slots that chance never deals. `values` has width entries.
  void fill_root_values(int32_t player, double* values) const {
    const double* const mass = subgame_->game->masses(subgame_->root, player);
    for (int32_t slot = 0; slot < subgame_->game->width; ++slot) {
      const bool known = mass[slot] > 0.0 && value_weights_[player] > 0.0;
      values[slot] =
          known ? value_sums_[player][slot] / (mass[slot] * value_weights_[player]) : 0.0;
    }
  }

 private:
  // How likely a player is to go to a leaf, its own moves and the masses of its slots counted.
  double leaf_reach(const Leaf& leaf, int32_t player) const {
    double total = 0.0;
    for (const LeafSlot& slot : leaf.slots[player]) total += slot.mass * reach_[slot.sequence];
    return total;
  }

  void add_leaf_values(int32_t player, const double* values) {
    for (const Leaf& leaf : subgame_->leaves) {
      const double weight = leaf.weight * leaf_reach(leaf, 1 - player);
      for (const LeafSlot& slot : leaf.slots[player]) {
        values_[slot.sequence] += weight * slot.mass * values[slot.slot];
      }
      values += subgame_->game->width;
    }
  }

  // A best response, its part in the average, and the new average.
  void answer_average(const PlayerTree& tree) {
    SequenceTable& response = regrets_;  // not needed for anything else here
    for (auto decision = tree.decisions.rbegin(); decision != tree.decisions.rend(); ++decision) {
      const auto first = values_.begin() + decision->first_sequence;
      const auto best = std::max_element(first, first + decision->action_count);
      const auto begin = response.begin() + decision->first_sequence;
      std::fill_n(begin, decision->action_count, 0.0);
      *(begin + (best - first)) = 1.0;
      values_[decision->parent_sequence] += *best;
    }
    response_reach_ = reach_;
    extend_own_reach(tree, response, &response_reach_);
    add_to_sums(tree, response_reach_, static_cast<double>(iterations_ + 1));
    for (const Decision& decision : tree.decisions) match(decision, policy_sums_, &policy_);
  }

  void add_to_sums(const PlayerTree& tree, const SequenceTable& reach, double weight) {
    for (int32_t sequence = tree.empty_sequence; sequence < tree.end_sequence; ++sequence) {
      policy_sums_[sequence] += weight * reach[sequence];
    }
  }

  void add_to_values(int32_t player) {
    const double weight = averaging_weight(variant_, iterations_);
    const int32_t first = subgame_->trees[player].empty_sequence;
    value_weights_[player] += weight;
    for (int32_t slot = 0; slot < subgame_->game->width; ++slot) {
      value_sums_[player][slot] += weight * values_[first + slot];
    }
  }

  const std::shared_ptr<const Subgame> subgame_;
  const bool fictitious_;
  const CfrVariant variant_;
  int64_t iterations_ = 0;
  SequenceTable policy_;       // of this iteration
  SequenceTable reach_;        // own reach under it
  SequenceTable values_;       // counterfactual values of the player whose turn it is
  SequenceTable regrets_;      // cumulative
  SequenceTable policy_sums_;  // cumulative, weighted
  SequenceTable response_reach_;
  std::array<std::vector<double>, kTwo> value_sums_;
  std::array<double, kTwo> value_weights_ = {0.0, 0.0};
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SOLVERS_SUBGAME_SOLVER_H_
