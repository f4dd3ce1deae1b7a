// Mirror descent over the views of a merged game (worlds/merged_game.h): all players learn at once,
// by sweeps of the whole game.
//
// A sweep carries the probability of each node down the game and expected utilities back up. Values
// of actions at a view are means over its nodes by these probabilities: beliefs of what is played.
// Then all views step, optimistically (the last change of the values is expected again):
//
//   logits := (logits + eta (2 q - q of the sweep before)) / (1 + eta alpha),   pi ~ exp(logits),
//
// which at a fixed point is pi ~ exp(q / alpha), soft ties round uniform play. Views may forget,
// and then nothing proves convergence; the mean of all pi is the result, and is measured.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_EXACT_MERGED_SWEEPS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_EXACT_MERGED_SWEEPS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "../worlds/merged_game.h"

namespace nash_ismcts {

// Letters: N nodes, V views, A actions of all views, n players.
class MergedSweeps {
 public:
  // All that a sweep depends on. [A] each
  struct State {
    std::vector<double> logits;  // of pi, 0 for the likeliest action of a view
    std::vector<double> values;  // of the mover, of the sweep before
    std::vector<double> sums;    // of all pi, weighted
  };

  explicit MergedSweeps(std::shared_ptr<const MergedGame> game)
      : game_(std::move(game)),
        policy_(game_->actions.size()),
        fresh_(game_->actions.size()),
        belief_(game_->views.size()),
        utility_(game_->mover.size() * game_->num_players) {
    const std::vector<double> nothing(game_->actions.size(), 0.0);
    restore({nothing, nothing, nothing});
  }

  const MergedGame& game() const { return *game_; }
  const State& state() const { return state_; }

  void restore(State state) {
    const size_t count = game_->actions.size();
    if (state.logits.size() != count || state.values.size() != count ||
        state.sums.size() != count) {
      throw std::invalid_argument("arrays of another game");
    }
    state_ = std::move(state);
    for (size_t view = 0; view < belief_.size(); ++view) set_policy(view);
  }

  // One sweep: eta is `step` per utility unit, alpha `temperature` in utility units, and pi of
  // before the sweep counts `weight` in the mean.
  void sweep(double step, double temperature, double weight) {
    for (size_t at = 0; at < policy_.size(); ++at) state_.sums[at] += weight * policy_[at];
    evaluate(policy_.data());
    for (size_t view = 0; view < belief_.size(); ++view) {
      if (belief_[view] > 0.0) learn(view, step, temperature);
      set_policy(view);
    }
  }

  // The mean of all pi, uniform before the first sweep.
  std::vector<double> average_policy() const { return game_->proportional(state_.sums); }

  // Utility of the mover after each action of each view if all play `policy`, 0 at views that are
  // never reached. [A]
  std::vector<double> action_values(const double* policy) {
    evaluate(policy);
    for (size_t view = 0; view < belief_.size(); ++view) {
      const double total = belief_[view] > 0.0 ? belief_[view] : 1.0;
      for (int64_t at = game_->first_action[view]; at < game_->first_action[view + 1]; ++at) {
        fresh_[at] /= total;
      }
    }
    return fresh_;
  }

 private:
  static constexpr double kLeastLogit = -60.0;  // from where an action can still come back

  // Probabilities of views, and their actions' values times these.
  void evaluate(const double* policy) {
    std::fill(belief_.begin(), belief_.end(), 0.0);
    std::fill(fresh_.begin(), fresh_.end(), 0.0);
    game_->fill_reach(policy, reach_);
    for (int64_t node = 0; node < game_->num_nodes(); ++node) {
      if (game_->view[node] >= 0) belief_[game_->view[node]] += reach_[node];
    }
    if (game_->num_players == 2) {
      back_up(policy, std::integral_constant<int32_t, 2>());
    } else {
      back_up(policy, game_->num_players);
    }
  }

  // Two players, known when this is compiled, take less time.
  template <typename Players>
  void back_up(const double* policy, Players players) {
    for (int64_t node = game_->num_nodes() - 1; node >= 0; --node) back_up(node, policy, players);
  }

  template <typename Players>
  void back_up(int64_t node, const double* policy, Players players) {
    double* const here = utility_.data() + node * players;
    if (game_->terminal[node] >= 0) {
      std::copy_n(game_->returns.data() + int64_t{game_->terminal[node]} * players, players, here);
      return;
    }
    std::fill_n(here, players, 0.0);
    const double* const chances = game_->chances_at(node, policy);
    const int32_t view = game_->view[node];
    const int64_t first = game_->first_edge[node];
    double* const values = view < 0 ? nullptr : fresh_.data() + game_->first_action[view];
    for (int64_t edge = first; edge < game_->first_edge[node + 1]; ++edge) {
      const double* const after = utility_.data() + int64_t{game_->child[edge]} * players;
      for (int32_t player = 0; player < players; ++player) {
        here[player] += chances[edge - first] * after[player];
      }
      if (values != nullptr) values[edge - first] += reach_[node] * after[game_->mover[node]];
    }
  }

  void learn(size_t view, double step, double temperature) {
    const int64_t first = game_->first_action[view], end = game_->first_action[view + 1];
    double* const logits = state_.logits.data();
    for (int64_t at = first; at < end; ++at) {
      const double value = fresh_[at] / belief_[view];
      logits[at] += step * (2.0 * value - state_.values[at]);
      logits[at] /= 1.0 + step * temperature;
      state_.values[at] = value;
    }
    const double largest = *std::max_element(logits + first, logits + end);
    for (int64_t at = first; at < end; ++at) {
      logits[at] = std::max(logits[at] - largest, kLeastLogit);
    }
  }

  void set_policy(size_t view) {
    const int64_t first = game_->first_action[view], end = game_->first_action[view + 1];
    double total = 0.0;
    for (int64_t at = first; at < end; ++at) total += policy_[at] = std::exp(state_.logits[at]);
    for (int64_t at = first; at < end; ++at) policy_[at] /= total;
  }

  const std::shared_ptr<const MergedGame> game_;
  State state_;
  std::vector<double> policy_;   // pi [A]
  std::vector<double> fresh_;    // values of the present sweep, times `belief_` [A]
  std::vector<double> belief_;   // probability of each view [V]
  std::vector<double> reach_;    // and of each node [N]
  std::vector<double> utility_;  // expected [N, n]
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_EXACT_MERGED_SWEEPS_H_
