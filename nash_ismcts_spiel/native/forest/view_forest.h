// The search with soft ties over the views of a merged game: forest.h where histories merge.
//
// A node has several parents, and the model's values and beliefs are exact under P at every node.
// So a view counts all its nodes w from the first visit on:
//
//   Q(a) = sum over w of r(w) v(wa) / sum over w of r(w)
//   r(w) = sum over parents x of r(x) pi(xw)
//
// r is how likely a node is by what is played, by P where nobody has been. It multiplies the moves
// of all players, the own ones too: a view forgets in which order its player's own moves came. The
// temperature is bounded below, since without perfect recall soft ties need not settle at lower
// ones. What was visited often is updated at some visits only.
//
// A view has no log. A search walks the decision points of the likeliest way to it, as P makes
// it: what its player saw there each time somebody moved (its *looks*). So what is played is a
// function of the view, P, the settings and the seed. Where the game has symmetries and P respects
// them, all views here are standard ones (view_symmetries.h). `search/view_forest.py` is the same
// in Python.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_FOREST_VIEW_FOREST_H_
#define NASH_ISMCTS_SPIEL_NATIVE_FOREST_VIEW_FOREST_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../common/random.h"
#include "../common/with_count.h"
#include "settings.h"
#include "view_arena.h"
#include "view_models.h"

namespace nash_ismcts {

constexpr double kLeastTemperature = 0.1;  // in value scales

class ViewForest {
 public:
  ViewForest(std::shared_ptr<const ViewArena> arena, std::shared_ptr<const ViewModels> models,
             const ForestSettings& settings)
      : arena_(std::move(arena)),
        models_(std::move(models)),
        settings_(settings),
        players_(arena_->num_players()),
        values_(columns_of(*arena_, *models_)),
        reach_(models_->reach),
        policy_(models_->policy),
        value_(policy_.size(), 0.0),
        tried_(policy_.size(), 0.0),
        mean_(policy_.size(), 0.0),
        views_(arena_->num_views()),
        root_reach_(arena_->num_nodes(), 1.0),
        found_at_(arena_->num_nodes(), 0) {}

  int64_t simulations() const { return simulations_; }
  double temperature() const { return temperature_; }  // of the last simulation

  // Runs simulations from a decision point of a player's log, and freezes what is played there.
  // `stop` is asked every now and then; returns how many simulations there were.
  template <typename Stop>
  int64_t think(int32_t look, int32_t player, int64_t visits, const Stop& stop) {
    Random random(settings_.seed, static_cast<uint64_t>(look));
    ++points_;
    roots_.clear();
    moving_.clear();
    int64_t count = 0;
    for (; count < visits && !(count % kStopInterval == 0 && stop()); ++count) {
      if ((count & (count - 1)) == 0) set_temperature(count, visits);
      int32_t node = draw_root(look, random);
      if (players_ > 1 && random.uniform() < 0.5) node = chain(node, player, count, random);
      weight_of_mean_ = static_cast<double>(count + 1);
      simulate(node, random);
    }
    simulations_ += count;
    few_ = count < kHandful;
    for (const int32_t view : moving_) freeze(view);
    return count;
  }

  // What is played at a view: P where the forest has hardly been.
  void policy(int32_t view, double* policy) const {
    const bool unknown = few_ && !views_[view].frozen;
    const std::vector<double>& found = unknown ? models_->policy : policy_;
    std::copy_n(found.begin() + arena_->first_action(view), arena_->action_count(view), policy);
  }

  // For each action how much better than P it was found, and the number of simulations.
  void found(int32_t view, double* advantages, int64_t* visits) const {
    const int64_t first = arena_->first_action(view);
    double base = 0.0;
    for (int32_t a = 0; a < arena_->action_count(view); ++a) {
      base += models_->policy[first + a] * models_->child_values[first + a];
    }
    const bool known = views_[view].visits > 0;
    for (int32_t a = 0; a < arena_->action_count(view); ++a) {
      advantages[a] = known ? value_[first + a] - base : 0.0;
      visits[a] = static_cast<int64_t>(tried_[first + a]);
    }
  }

  // Remembers the forest as it is; `undo` goes back to what was remembered last.
  void remember() {
    marks_.push_back({kept_views_.size(), simulations_, few_});
    ++period_;
  }

  void undo() {
    const Mark mark = marks_.back();
    marks_.pop_back();
    for (; kept_views_.size() > mark.views; kept_views_.pop_back()) restore();
    simulations_ = mark.simulations;
    few_ = mark.few;
    ++period_;
  }

 private:
  struct View {
    int64_t visits = 0;     // N
    double averaged = 0.0;  // sum of weights of the mean
    bool frozen = false;    // what is played here is settled
    int32_t weighed = 0;    // the last decision point at which it was a root's
    int64_t kept = 0;       // the period in which it was last kept
  };
  using Column = std::vector<double>;
  struct Mark {
    size_t views;
    int64_t simulations;
    bool few;
  };

  // V of all nodes for each player; for the first one alone if the other has the opposite.
  static std::vector<Column> columns_of(const ViewArena& arena, const ViewModels& models) {
    const int32_t players = arena.num_players();
    std::vector<Column> columns(arena.is_zero_sum() ? 1 : players, Column(arena.num_nodes()));
    for (size_t player = 0; player < columns.size(); ++player) {
      for (int32_t node = 0; node < arena.num_nodes(); ++node) {
        columns[player][node] = models.values[int64_t{node} * players + player];
      }
    }
    return columns;
  }
  size_t column_of(int32_t player) const { return values_.size() == 1 ? 0 : player; }
  double sign_of(int32_t player) const { return column_of(player) < size_t(player) ? -1.0 : 1.0; }

  // Where a clock ends the search, the number of simulations is not known beforehand.
  void set_temperature(int64_t count, int64_t visits) {
    const int64_t expected = visits == kUntilStopped ? 2 * count + 2 : visits;
    const double length = leash(static_cast<double>(expected), settings_.regret);
    temperature_ = settings_.value_scale * std::max(length, kLeastTemperature);
  }

  // Where simulations begin: nodes of a look as likely as what is played makes them.
  int32_t draw_root(int32_t look, Random& random) {
    const NodeRange nodes = arena_->nodes_of_look(look);
    auto [at, fresh] = roots_.try_emplace(look);
    std::vector<double>& ends = at->second;
    if (fresh) {
      double total = 0.0;
      for (const int32_t node : nodes) ends.push_back(total += root_reach(node));
    }
    const double point = random.uniform() * ends.back();
    return nodes.first[std::upper_bound(ends.begin(), ends.end() - 1, point) - ends.begin()];
  }

  // r by all ways from the start of the game, kept while a decision point lasts.
  double root_reach(int32_t node) {
    if (node == 0 || found_at_[node] == points_) return root_reach_[node];
    double total = 0.0;
    for (int64_t at = arena_->first_parent[node]; at < arena_->first_parent[node + 1]; ++at) {
      total += root_reach(arena_->parent[at]) * chance_of(arena_->parent_action[at]);
    }
    found_at_[node] = points_;
    return root_reach_[node] = total;
  }
  double chance_of(int32_t action) const { return std::max(policy_[action], kTremble); }

  // What another player would take for possible at a node, and what ours would in that.
  int32_t chain(int32_t node, int32_t player, int64_t count, Random& random) {
    const auto other = static_cast<int32_t>((player + 1 + count % (players_ - 1)) % players_);
    node = draw_root(arena_->look(node, other), random);
    return draw_root(arena_->look(node, player), random);
  }

  // One pass from a node to the end of the game, and back.
  void simulate(int32_t node, Random& random) {
    path_.clear();
    while (arena_->terminal[node] < 0) {
      const int32_t view = arena_->view[node];
      keep(view);
      ++views_[view].visits;
      if (is_due(view)) path_.empty() ? weigh_root(view) : weigh(view);
      path_.push_back(view);
      const int32_t action = choose(view, random);
      tried_[arena_->first_action(view) + action] += 1.0;
      node = arena_->child[arena_->first_edge[node] + action];
    }
    for (size_t at = path_.size(); at-- > 0;) {
      if (is_due(path_[at])) update(path_[at]);
    }
    if (!views_[path_[0]].frozen) average(path_[0]);
  }

  bool is_due(int32_t view) const {
    const int64_t visits = views_[view].visits;
    return visits % visits_an_update(visits) == 0;
  }

  // r of all nodes of a view where a simulation begins, once at a decision point.
  void weigh_root(int32_t view) {
    if (views_[view].weighed == points_) return;
    views_[view].weighed = points_;
    const NodeBlock nodes = arena_->nodes_of_view(view);
    for (int32_t node = nodes.first; node < nodes.end; ++node) reach_[node] = root_reach(node);
  }

  // r of all nodes of a view by those of their parents.
  void weigh(int32_t view) {
    const NodeBlock nodes = arena_->nodes_of_view(view);
    int64_t at = arena_->first_parent[nodes.first];
    for (int32_t node = nodes.first; node < nodes.end; ++node) {
      double total = 0.0;
      for (const int64_t end = arena_->first_parent[node + 1]; at < end; ++at) {
        total += reach_[arena_->parent[at]] * chance_of(arena_->parent_action[at]);
      }
      reach_[node] = total;
    }
  }

  int32_t choose(int32_t view, Random& random) const {
    const int32_t count = arena_->action_count(view);
    if (random.uniform() < kExploration) return static_cast<int32_t>(random.below(count));
    return random.index(policy_.data() + arena_->first_action(view), count);
  }

  // Qbar, pi, and the values of all nodes of a view.
  void update(int32_t view) {
    const size_t own = column_of(arena_->player(view));
    look_ahead(view, values_[own]);
    if (!views_[view].frozen) {
      estimate(view);
      const double step = step_at(views_[view].visits);
      double* const mean = value_.data() + arena_->first_action(view);
      for (size_t a = 0; a < estimate_.size(); ++a) mean[a] += step * (estimate_[a] - mean[a]);
      set_policy(view);
    }
    back_up(view, values_[own]);
    for (size_t other = 0; other < values_.size(); ++other) {
      if (other == own) continue;
      look_ahead(view, values_[other]);
      back_up(view, values_[other]);
    }
  }

  // What steps of N^-kLearningPower at the visits since the last update come to.
  double step_at(int64_t visits) {
    const double kept = 1.0 - steps_.at(visits);
    double left = 1.0;
    for (int64_t visit = 0; visit < visits_an_update(visits); ++visit) left *= kept;
    return 1.0 - left;
  }

  // Values after each action at each node of a view, into after_.
  void look_ahead(int32_t view, const Column& values) {
    const NodeBlock nodes = arena_->nodes_of_view(view);
    const int64_t first = arena_->first_edge[nodes.first];
    after_.resize(arena_->first_edge[nodes.end] - first);
    for (size_t at = 0; at < after_.size(); ++at) after_[at] = values[arena_->child[first + at]];
  }

  // Q of each action, into estimate_.
  void estimate(int32_t view) {
    const NodeBlock nodes = arena_->nodes_of_view(view);
    const int32_t count = arena_->action_count(view);
    const double* const reach = reach_.data();
    double played = 0.0;
    for (int32_t node = nodes.first; node < nodes.end; ++node) played += reach[node];
    estimate_.assign(count, 0.0);
    const auto add = [&, after = after_.data()](auto actions) mutable {
      double* __restrict const sums = estimate_.data();
      for (int32_t node = nodes.first; node < nodes.end; ++node, after += actions) {
        for (int32_t a = 0; a < actions; ++a) sums[a] += reach[node] * after[a];
      }
    };
    with_count(count, add);
    for (double& value : estimate_) value /= played * sign_of(arena_->player(view));
    arena_->symmetries().even_out(arena_->first_action(view), count, estimate_.data(), scratch_);
  }

  void set_policy(int32_t view) {
    const int64_t first = arena_->first_action(view), end = arena_->first_action(view + 1);
    const double largest = *std::max_element(value_.begin() + first, value_.begin() + end);
    double total = 0.0;
    for (int64_t a = first; a < end; ++a) {
      policy_[a] = models_->policy[a] * std::exp((value_[a] - largest) / temperature_);
      total += policy_[a];
    }
    for (int64_t a = first; a < end; ++a) policy_[a] /= total;
  }

  void average(int32_t view) {
    View& state = views_[view];
    if (!(state.averaged > 0.0)) moving_.push_back(view);
    state.averaged += weight_of_mean_;
    for (int64_t a = arena_->first_action(view); a < arena_->first_action(view + 1); ++a) {
      mean_[a] += weight_of_mean_ * policy_[a];
    }
  }

  void freeze(int32_t view) {
    View& state = views_[view];
    const int64_t first = arena_->first_action(view), end = arena_->first_action(view + 1);
    for (int64_t a = first; a < end; ++a) {
      policy_[a] = few_ ? models_->policy[a] : mean_[a] / state.averaged;
      mean_[a] = 0.0;
    }
    state.averaged = 0.0;
    state.frozen = true;
  }

  // Values of all nodes of a view by those in after_.
  void back_up(int32_t view, Column& values) {
    const NodeBlock nodes = arena_->nodes_of_view(view);
    const double* const row = policy_.data() + arena_->first_action(view);
    const auto tell = [&, after = after_.data(), into = values.data()](auto actions) mutable {
      for (int32_t node = nodes.first; node < nodes.end; ++node, after += actions) {
        double total = 0.0;
        for (int32_t a = 0; a < actions; ++a) total += row[a] * after[a];
        into[node] = total;
      }
    };
    with_count(arena_->action_count(view), tell);
  }

  // Before a view changes for the first time since `remember`: what it was, for `undo`.
  void keep(int32_t view) {
    if (marks_.empty() || views_[view].kept == period_) return;
    kept_views_.emplace_back(view, views_[view]);
    views_[view].kept = period_;
    const int64_t first = arena_->first_action(view), end = arena_->first_action(view + 1);
    const auto copy = [this](const Column& column, int64_t from, int64_t to) {
      kept_.insert(kept_.end(), column.begin() + from, column.begin() + to);
    };
    for (const Column* column : {&policy_, &value_, &tried_}) copy(*column, first, end);
    const NodeBlock nodes = arena_->nodes_of_view(view);
    for (const Column& column : values_) copy(column, nodes.first, nodes.end);
    copy(reach_, nodes.first, nodes.end);
  }

  // Undoes what `keep` kept last, from its end to its beginning.
  void restore() {
    const auto& [view, state] = kept_views_.back();
    views_[view] = state;
    const auto take = [this](Column& column, int64_t first, int64_t end) {
      std::copy(kept_.end() - (end - first), kept_.end(), column.begin() + first);
      kept_.resize(kept_.size() - (end - first));
    };
    const NodeBlock nodes = arena_->nodes_of_view(view);
    take(reach_, nodes.first, nodes.end);
    for (size_t at = values_.size(); at-- > 0;) take(values_[at], nodes.first, nodes.end);
    const int64_t first = arena_->first_action(view), end = arena_->first_action(view + 1);
    for (Column* column : {&tried_, &value_, &policy_}) take(*column, first, end);
  }

  std::shared_ptr<const ViewArena> arena_;
  std::shared_ptr<const ViewModels> models_;
  ForestSettings settings_;
  int32_t players_;
  int64_t simulations_ = 0;
  double temperature_ = 0.0;       // alpha
  double weight_of_mean_ = 0.0;    // of the simulation that is under way
  bool few_ = true;                // the last decision point had a handful of simulations
  std::vector<Column> values_;     // v, of the first player alone where that says all [1 or n, N]
  Column reach_;                   // r [N]
  Column policy_, value_, tried_;  // pi, Qbar, visits [A]
  Column mean_;                    // weighted sums of pi [A]
  std::vector<View> views_;
  std::unordered_map<int32_t, std::vector<double>> roots_;  // cumulated weights of a look's nodes
  Column root_reach_;                                       // r at the decision point [N]
  std::vector<int32_t> found_at_;                           // at which decision point [N]
  int32_t points_ = 0;                                      // decision points so far
  std::vector<int32_t> moving_;                             // views whose mean is taken
  std::vector<int32_t> path_;                               // views
  std::vector<double> after_, estimate_, scratch_;
  LearningSteps steps_;
  std::vector<Mark> marks_;
  int64_t period_ = 0;  // since the last `remember` or `undo`
  std::vector<std::pair<int32_t, View>> kept_views_;
  std::vector<double> kept_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_FOREST_VIEW_FOREST_H_
