// CFR+ over the views of a merged game (worlds/merged_game.h): a floor for policies that forget.
//
// Nodes stand for all their histories, so an iteration costs as much as there are nodes. Views may
// forget, and then CFR+ has no proof of convergence; what it finds is measured like any other
// policy. Players update in turn; iteration t weighs t in the average. A view that can be reached
// in several ways by its own player weighs by the sum of them.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_EXACT_MERGED_CFR_H_
#define NASH_ISMCTS_SPIEL_NATIVE_EXACT_MERGED_CFR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "../worlds/merged_game.h"

namespace nash_ismcts {

class MergedCfr {
 public:
  explicit MergedCfr(std::shared_ptr<const MergedGame> game)
      : game_(std::move(game)),
        regret_(game_->actions.size(), 0.0),
        average_(game_->actions.size(), 0.0),
        policy_(game_->actions.size()),
        own_(game_->mover.size()),
        others_(game_->mover.size()),
        value_(game_->mover.size()) {
    policy_ = game_->proportional(regret_);
  }

  int64_t iterations() const { return iterations_; }

  void iterate() {
    ++iterations_;
    for (int32_t player = 0; player < game_->num_players; ++player) {
      reach(player);
      add_to_average(player);
      evaluate(player);
      add_regrets(player);
      policy_ = game_->proportional(regret_);
    }
  }

  // The average policy, uniform at views that were never reached.
  std::vector<double> average_policy() const { return game_->proportional(average_); }

 private:
  // Probabilities of a player's own moves, and of all others', added up over histories.
  void reach(int32_t player) {
    std::fill(own_.begin(), own_.end(), 0.0);
    std::fill(others_.begin(), others_.end(), 0.0);
    own_[0] = others_[0] = 1.0;
    for (int64_t node = 0; node < game_->num_nodes(); ++node) {
      const double* const chances = game_->chances_at(node, policy_.data());
      const bool moves = game_->mover[node] == player;
      const int64_t first = game_->first_edge[node];
      for (int64_t edge = first; edge < game_->first_edge[node + 1]; ++edge) {
        const double chance = chances[edge - first];
        own_[game_->child[edge]] += moves ? own_[node] * chance : own_[node];
        others_[game_->child[edge]] += moves ? others_[node] : others_[node] * chance;
      }
    }
  }

  void add_to_average(int32_t player) {
    for (int64_t node = 0; node < game_->num_nodes(); ++node) {
      if (game_->mover[node] != player) continue;
      const int64_t first = game_->first_action[game_->view[node]];
      const double weight = static_cast<double>(iterations_) * own_[node];
      const int64_t count = game_->first_edge[node + 1] - game_->first_edge[node];
      for (int64_t action = first; action < first + count; ++action) {
        average_[action] += weight * policy_[action];
      }
    }
  }

  // The player's expected utility at each node.
  void evaluate(int32_t player) {
    for (int64_t node = game_->num_nodes() - 1; node >= 0; --node) {
      if (game_->terminal[node] >= 0) {
        value_[node] = game_->returns[int64_t{game_->terminal[node]} * game_->num_players + player];
        continue;
      }
      const double* const chances = game_->chances_at(node, policy_.data());
      const int64_t first = game_->first_edge[node];
      double total = 0.0;
      for (int64_t edge = first; edge < game_->first_edge[node + 1]; ++edge) {
        total += chances[edge - first] * value_[game_->child[edge]];
      }
      value_[node] = total;
    }
  }

  void add_regrets(int32_t player) {
    for (int64_t node = 0; node < game_->num_nodes(); ++node) {
      if (game_->mover[node] != player) continue;
      const int64_t first = game_->first_edge[node];
      double* const regrets = regret_.data() + game_->first_action[game_->view[node]];
      for (int64_t edge = first; edge < game_->first_edge[node + 1]; ++edge) {
        regrets[edge - first] += others_[node] * (value_[game_->child[edge]] - value_[node]);
      }
    }
    for (double& regret : regret_) regret = std::max(regret, 0.0);
  }

  const std::shared_ptr<const MergedGame> game_;
  std::vector<double> regret_, average_, policy_;  // by action of a view
  std::vector<double> own_, others_, value_;       // by node
  int64_t iterations_ = 0;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_EXACT_MERGED_CFR_H_
