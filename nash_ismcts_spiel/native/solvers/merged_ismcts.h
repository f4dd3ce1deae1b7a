// MO-ISMCTS (Cowling, Powley and Whitehouse 2012) at the views of a merged game: a peer whose
// simulations cost next to nothing.
//
// A search begins at a view. Each simulation draws one of its nodes, as likely as uniform play
// makes it, and every player chooses by UCB1 in a tree of its own, whose nodes are views. A view
// with an action that was never tried takes one of these at random; from there on all play at
// random to the end, and each player's choices are credited with its utility. The trees of a search
// are shared by all worlds and grow together, so each player learns how the others act in this very
// search.
//
// Utilities are in the game's units; `exploration` is UCB1's constant, in the same.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SOLVERS_MERGED_ISMCTS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SOLVERS_MERGED_ISMCTS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "../common/grouped.h"
#include "../common/random.h"
#include "../worlds/merged_game.h"

namespace nash_ismcts {

class MergedIsmcts {
 public:
  MergedIsmcts(std::shared_ptr<const MergedGame> game, double exploration)
      : game_(std::move(game)),
        exploration_(exploration),
        visits_(game_->actions.size(), 0),
        utility_(game_->actions.size(), 0.0),
        nodes_(game_->view, static_cast<int64_t>(game_->views.size())) {
    weigh_nodes();
  }

  // Visit shares of a view's actions after so many simulations, into `policy`.
  void search(int32_t view, int64_t simulations, uint64_t seed, double* policy) {
    Random random(seed, static_cast<uint64_t>(view));
    for (int64_t count = 0; count < simulations; ++count) simulate(draw_node(view, random), random);
    const int64_t first = game_->first_action[view], end = game_->first_action[view + 1];
    for (int64_t action = first; action < end; ++action) {
      policy[action - first] =
          static_cast<double>(visits_[action]) / static_cast<double>(simulations);
    }
    forget();
  }

 private:
  struct Choice {
    int64_t action;  // of its view
    int32_t player;
  };

  // How likely uniform play comes to each node of a view.
  void weigh_nodes() {
    const std::vector<double> nothing(game_->actions.size(), 0.0);
    std::vector<double> reach;
    game_->fill_reach(game_->proportional(nothing).data(), reach);
    for (size_t view = 0; view < game_->views.size(); ++view) {
      double total = 0.0;
      for (int64_t at = nodes_.first[view]; at < nodes_.first[view + 1]; ++at) {
        ends_.push_back(total = reach[nodes_.members[at]] + total);
      }
    }
  }

  int32_t draw_node(int32_t view, Random& random) const {
    const auto first = ends_.begin() + nodes_.first[view],
               end = ends_.begin() + nodes_.first[view + 1];
    const auto found = std::upper_bound(first, end, random.uniform() * *(end - 1));
    return nodes_.members[std::min(found, end - 1) - ends_.begin()];
  }

  void simulate(int32_t node, Random& random) {
    const MergedGame& game = *game_;
    choices_.clear();
    bool in_tree = true;
    while (game.terminal[node] < 0) {
      const int64_t first = game.first_edge[node], count = game.first_edge[node + 1] - first;
      int64_t edge = 0;
      if (game.view[node] < 0) {
        edge = random.index(game.chance.data() + first, static_cast<int32_t>(count));
      } else if (!in_tree) {
        edge = random.below(count);
      } else {
        const int64_t begin = game.first_action[game.view[node]];
        std::tie(edge, in_tree) = choose(begin, count, random);
        choices_.push_back({begin + edge, game.mover[node]});
      }
      node = game.child[first + edge];
    }
    const double* const returns =
        game.returns.data() + int64_t{game.terminal[node]} * game.num_players;
    for (const Choice& choice : choices_) {
      if (visits_[choice.action]++ == 0) touched_.push_back(choice.action);
      utility_[choice.action] += returns[choice.player];
    }
  }

  // The action of a view with the largest upper confidence bound, or one that was never tried,
  // after which the simulation leaves the trees.
  std::pair<int64_t, bool> choose(int64_t begin, int64_t count, Random& random) const {
    int64_t untried = 0, total = 0;
    for (int64_t action = begin; action < begin + count; ++action) {
      untried += visits_[action] == 0;
      total += visits_[action];
    }
    if (untried > 0) {
      int64_t left = random.below(untried);
      for (int64_t action = begin;; ++action) {
        if (visits_[action] == 0 && left-- == 0) return {action - begin, false};
      }
    }
    const double logarithm = std::log(static_cast<double>(total));
    int64_t best = 0;
    double highest = -HUGE_VAL;
    for (int64_t action = begin; action < begin + count; ++action) {
      const auto visits = static_cast<double>(visits_[action]);
      const double bound = utility_[action] / visits + exploration_ * std::sqrt(logarithm / visits);
      if (bound > highest) {
        highest = bound;
        best = action - begin;
      }
    }
    return {best, true};
  }

  void forget() {
    for (const int64_t action : touched_) {
      visits_[action] = 0;
      utility_[action] = 0.0;
    }
    touched_.clear();
  }

  const std::shared_ptr<const MergedGame> game_;
  const double exploration_;
  std::vector<int64_t> visits_;   // by action of a view
  std::vector<double> utility_;   // sum over visits, of the player who chooses
  std::vector<int64_t> touched_;  // actions that were tried in this search
  const Grouped nodes_;           // by view
  std::vector<double> ends_;      // their weights, cumulated within a view
  std::vector<Choice> choices_;   // of the simulation under way
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SOLVERS_MERGED_ISMCTS_H_
