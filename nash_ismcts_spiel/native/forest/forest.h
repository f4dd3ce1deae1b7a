// Nash-ISMCTS with soft ties: one forest, in which every player's tree on the path learns.
//
// The policy of an information set J is pi(a) ~ P(a) exp(Q(a) / alpha): differences of Q well below
// alpha are ties and broken by P, larger ones are decisive. Q is P's value of the action, corrected
// by the worlds w of J that the forest has seen:
//
//   Q(a) = Vc(J, a) + sum over seen w of H(w | J) [ rho(w) / R * v(wa) - v_P(wa) ]
//   rho(w) = product of pi(K, b) / P(K, b) over the others' earlier moves b on the way to w
//   R = sum over seen w of H(w | J) rho(w) / sum over seen w of H(w | J)
//
// so beliefs follow what is played, and a world that was not seen counts at its value under P. v is
// the value of a world if all play pi, v_P if they play P, both backed up in this forest; utilities
// in the game's units, one per player. Without models of values, first values are returns of random
// games and Q is the mean of v over seen worlds alone, each weighted by H rho.
//
// A search walks the decision points of its player's log (table_arena.h) from the first one on. At
// each it runs n simulations from worlds that its player cannot tell apart, and then freezes what
// was played there: the mean of pi, later simulations weighing more. So it is a function of the
// log, the settings and the seed. `search/forest.py` is the same in Python, to be read.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_FOREST_FOREST_H_
#define NASH_ISMCTS_SPIEL_NATIVE_FOREST_FOREST_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../common/random.h"
#include "met_worlds.h"
#include "table_arena.h"

namespace nash_ismcts {

class SoftForest {
 public:
  SoftForest(std::shared_ptr<const TableArena> arena, std::shared_ptr<const TableModels> models,
             const ForestSettings& settings)
      : met_(arena, std::move(models), settings.first_values != FirstValues::kRollouts),
        settings_(settings),
        players_(arena->num_players()) {}

  int64_t simulations() const { return simulations_; }
  double temperature() const { return temperature_; }  // of the last simulation

  // Runs simulations from a decision point of a player's log, and freezes what is played there.
  // `stop` is asked every now and then; returns how many simulations there were.
  template <typename Stop>
  int64_t think(int32_t view, int32_t player, int64_t visits, const Stop& stop) {
    Random random(settings_.seed, met_.arena().view_hash(view));
    roots_.clear();
    moving_.clear();
    player_ = player;
    int64_t count = 0;
    for (; count < visits && !(count % kStopInterval == 0 && stop()); ++count) {
      if ((count & (count - 1)) == 0) set_temperature(count, visits);
      int32_t world = draw_root(view, player, random);
      if (players_ > 1 && random.uniform() < 0.5) world = chain(world, player, count, random);
      weight_of_mean_ = static_cast<double>(count + 1);
      simulate(met_.slot_of(world), random);
    }
    simulations_ += count;
    few_ = count < kHandful;
    for (const int32_t set : moving_) freeze(met_.set(set));
    return count;
  }

  // What is played at an information set: P where the forest has hardly been.
  void policy(int32_t row, double* policy) const {
    const auto& sets = met_.graph().information_sets;
    const int32_t slot = met_.find_set(row);
    const bool unknown = slot < 0 || (few_ && !met_.set(slot).frozen);
    const double* const found = unknown ? met_.models().policy.data() + sets.first_action[row]
                                        : met_.policy.data() + met_.set(slot).first;
    std::copy_n(found, sets.action_count[row], policy);
  }

  // For each action of a set how much better than P it was found (its value, where first values are
  // returns of random games), and the number of simulations; 0 where the forest has not been.
  void found(int32_t row, double* advantages, int64_t* visits) const {
    const int32_t count = met_.graph().information_sets.action_count[row];
    const int32_t slot = met_.find_set(row);
    std::fill_n(advantages, count, 0.0);
    std::fill_n(visits, count, 0);
    if (slot < 0) return;
    std::copy_n(met_.advantage.data() + met_.set(slot).first, count, advantages);
    std::copy_n(met_.tried.data() + met_.set(slot).first, count, visits);
  }

 private:
  using ValuesAfter = std::vector<const double*>;  // values of worlds that follow

  bool learned() const { return settings_.first_values == FirstValues::kLearned; }
  bool rollouts() const { return settings_.first_values == FirstValues::kRollouts; }
  const WorldTable& worlds() const { return met_.graph().worlds; }

  // Where a clock ends the search, the number of simulations is not known beforehand.
  void set_temperature(int64_t count, int64_t visits) {
    const auto n = static_cast<double>(visits == kUntilStopped ? 2 * count + 2 : visits);
    const auto done = static_cast<double>(simulations_ + count);
    own_share_ = own_share(settings_, done, met_.num_sets());
    const double length = rollouts() ? leash(n, settings_.regret, kUntrainedLeashWeight)
                                     : leash(worth(n, done, met_.num_sets()), settings_.regret);
    temperature_ = settings_.value_scale * length;
  }

  // Where simulations begin: worlds of a view as likely as what is played makes them.
  int32_t draw_root(int32_t view, int32_t player, Random& random) {
    const TableArena& arena = met_.arena();
    auto [at, fresh] = roots_.try_emplace(view);
    std::vector<double>& ends = at->second;
    const int32_t* const rows = arena.worlds_begin(view);
    const auto fill = [&](bool by_play) {
      double total = 0.0;
      ends.clear();
      for (int32_t k = 0; k < arena.world_count(view); ++k) {
        total +=
            met_.belief(rows[k], player) * (by_play ? played_ratio_of_row(rows[k], player) : 1.0);
        ends.push_back(total);
      }
    };
    if (fresh) fill(true);
    if (!(ends.back() > 0.0)) fill(false);  // nothing that is played leads here
    const double point = random.uniform() * ends.back();
    return rows[std::upper_bound(ends.begin(), ends.end() - 1, point) - ends.begin()];
  }

  // What another player would take for possible in a world, and what ours would in that: so hands
  // that our player does not hold, but others reckon with, are thought about too.
  int32_t chain(int32_t world, int32_t player, int64_t count, Random& random) {
    const auto other = static_cast<int32_t>((player + 1 + count % (players_ - 1)) % players_);
    world = draw_root(met_.arena().view(world, other), other, random);
    return draw_root(met_.arena().view(world, player), player, random);
  }

  // One pass from a world to the end of the game, and back.
  void simulate(int32_t slot, Random& random) {
    path_.clear();
    while (worlds().kind[met_.world(slot).row] != kTerminal) {
      path_.push_back(slot);
      int32_t edge;
      if (worlds().kind[met_.world(slot).row] == kChance) {
        edge = draw_outcome(met_.world(slot).row, random);
      } else {
        see(slot, random);
        const MetSet& set = met_.set(met_.world(slot).set);
        edge = choose(set, random);
        ++met_.tried[set.first + edge];
      }
      slot = met_.child(slot, edge);
    }
    for (size_t at = path_.size(); at-- > 0;) {
      const int32_t set = met_.world(path_[at]).set;
      if (set == kMissing) {
        expect_outcomes(path_[at], met_.values);
        if (learned()) expect_outcomes(path_[at], met_.prior_values);
      } else {
        update(set, at == 0);
      }
    }
  }

  int32_t draw_outcome(int32_t row, Random& random) const {
    const double* const chances = worlds().edge_probability.data() + worlds().first_edge[row];
    return random.index(chances, worlds().edge_count[row]);
  }

  int32_t choose(const MetSet& set, Random& random) const {
    if (random.uniform() < kExploration) return static_cast<int32_t>(random.below(set.count));
    return random.index(met_.policy.data() + set.first, set.count);
  }

  // The mover comes to a world: its information set counts it from now on.
  void see(int32_t slot, Random& random) {
    if (met_.world(slot).seen) return;
    met_.see(slot);
    if (!rollouts()) return;
    const int32_t count = met_.set(met_.world(slot).set).count;  // meeting worlds may move sets
    for (int32_t edge = 0; edge < count; ++edge) play_out(met_.child(slot, edge), random);
  }

  // The first value of a world: the mean return of random games from there.
  void play_out(int32_t slot, Random& random) {
    double* const value = met_.value(slot);
    std::fill_n(value, players_, 0.0);
    for (int32_t game = 0; game < kRollouts; ++game) {
      int32_t row = met_.world(slot).row;
      while (worlds().kind[row] != kTerminal) {
        const int32_t edge = worlds().kind[row] == kChance
                                 ? draw_outcome(row, random)
                                 : static_cast<int32_t>(random.below(worlds().edge_count[row]));
        row = worlds().edge_child[worlds().first_edge[row] + edge];
      }
      const double* const found =
          worlds().utilities.data() + int64_t{worlds().utility_row[row]} * players_;
      for (int32_t p = 0; p < players_; ++p) value[p] += found[p] / kRollouts;
    }
  }

  // N, Qbar, pi, and the values of all worlds that a set has seen.
  void update(int32_t slot, bool is_root) {
    MetSet& set = met_.set(slot);
    ++set.updates;
    look_ahead(set, met_.values, after_);
    if (!rollouts()) look_ahead(set, met_.prior_values, prior_after_);
    if (!set.frozen) {
      estimate(set);
      const double step = steps_.at(set.updates);
      double* const mean = met_.advantage.data() + set.first;
      for (int32_t a = 0; a < set.count; ++a) mean[a] += step * (estimate_[a] - mean[a]);
      set_policy(set);
      if (is_root) average(slot);
    }
    back_up(set, met_.policy.data() + set.first, after_, met_.values);
    if (learned()) back_up(set, met_.prior(set), prior_after_, met_.prior_values);
  }

  // Where the values after each action stand, for each world that a set has seen.
  void look_ahead(const MetSet& set, const std::vector<double>& values, ValuesAfter& after) const {
    after.resize(set.seen.size() * set.count);
    auto next = after.begin();
    for (const SeenWorld& world : set.seen) {
      for (int32_t a = 0; a < set.count; ++a) {
        *next++ = met_.value_after(world.slot, world.first_child, a, values);
      }
    }
  }

  // Q of each action, into estimate_.
  void estimate(const MetSet& set) {
    double seen = 0.0, played = 0.0;
    weight_.clear();
    for (const SeenWorld& world : set.seen) {
      weight_.push_back(world.belief * met_.played_ratio(world));
      seen += world.belief;
      played += weight_.back();
    }
    estimate_.assign(set.count, 0.0);
    if (rollouts()) {
      estimate_from_seen(set, played);
    } else {
      estimate_against_prior(set, seen, played);
    }
  }

  // The mean over seen worlds; all alike if none is possible.
  void estimate_from_seen(const MetSet& set, double played) {
    if (!(played > 0.0)) return;
    auto after = after_.begin();
    for (const double weight : weight_) {
      for (double& total : estimate_) total += weight * (*after++)[set.player];
    }
    for (double& total : estimate_) total /= played;
  }

  void estimate_against_prior(const MetSet& set, double seen, double played) {
    const double scale = played > 0.0 ? seen / played : 0.0;  // 1 / R
    prior_estimate_.assign(set.count, 0.0);
    size_t at = 0;
    for (size_t k = 0; k < set.seen.size(); ++k) {
      const double weight = scale * weight_[k], belief = set.seen[k].belief;
      for (int32_t a = 0; a < set.count; ++a, ++at) {
        estimate_[a] += weight * after_[at][set.player];
        prior_estimate_[a] += belief * prior_after_[at][set.player];
      }
    }
    for (int32_t a = 0; a < set.count; ++a) {
      estimate_[a] -= prior_estimate_[a];
      prior_estimate_[a] += (1.0 - seen) * met_.child_values(set)[a];
    }
    add_prior_advantages(set);
  }

  // What P's own values say of the actions: Vc, which gives way to Q_P, and a share of it.
  void add_prior_advantages(const MetSet& set) {
    const double visits = static_cast<double>(set.updates);
    const double blend = settings_.blend * visits / (visits + kBlendVisits);
    double mean = 0.0;
    for (int32_t a = 0; a < set.count; ++a) {
      double& value = prior_estimate_[a];
      value = (1.0 - blend) * met_.child_values(set)[a] + blend * value;
      mean += met_.prior(set)[a] * value;
    }
    const double share = set.player == player_ ? own_share_ : settings_.others_share;
    for (int32_t a = 0; a < set.count; ++a) estimate_[a] += share * (prior_estimate_[a] - mean);
  }

  void set_policy(const MetSet& set) {
    double* const policy = met_.policy.data() + set.first;
    const double* const advantage = met_.advantage.data() + set.first;
    const double largest = *std::max_element(advantage, advantage + set.count);
    double total = 0.0;
    for (int32_t a = 0; a < set.count; ++a) {
      policy[a] = met_.prior(set)[a] * std::exp((advantage[a] - largest) / temperature_);
      total += policy[a];
    }
    for (int32_t a = 0; a < set.count; ++a) policy[a] /= total;
    set_ratios(set);
  }

  void set_ratios(const MetSet& set) {
    for (int32_t a = 0; a < set.count; ++a) {
      const double prior = met_.prior(set)[a];
      met_.ratio[set.first + a] = prior > 0.0 ? met_.policy[set.first + a] / prior : 1.0;
    }
  }

  void average(int32_t slot) {
    MetSet& set = met_.set(slot);
    if (!set.moving) {
      set.moving = true;
      moving_.push_back(slot);
    }
    set.averaged += weight_of_mean_;
    for (int32_t a = 0; a < set.count; ++a) {
      met_.mean[set.first + a] += weight_of_mean_ * met_.policy[set.first + a];
    }
  }

  void freeze(MetSet& set) {
    for (int32_t a = 0; a < set.count; ++a) {
      met_.policy[set.first + a] =
          few_ ? met_.prior(set)[a] : met_.mean[set.first + a] / set.averaged;
    }
    set_ratios(set);
    set.frozen = true;
    set.moving = false;
  }

  void back_up(const MetSet& set, const double* policy, const ValuesAfter& after,
               std::vector<double>& values) const {
    const double* const* next = after.data();
    for (const SeenWorld& world : set.seen) {
      weigh(policy, next, set.count, values.data() + int64_t{world.slot} * players_);
      next += set.count;
    }
  }

  // A weighted sum of values, in a register: one player's, then the next one's.
  void weigh(const double* weights, const double* const* after, int32_t count, double* into) const {
    for (int32_t p = 0; p < players_; ++p) {
      double total = 0.0;
      for (int32_t k = 0; k < count; ++k) total += weights[k] * after[k][p];
      into[p] = total;
    }
  }

  // Chance: outcomes that were never met count at their value under P, or not at all without
  // models.
  void expect_outcomes(int32_t slot, std::vector<double>& values) {
    const MetWorld& world = met_.world(slot);
    const double* const chances = worlds().edge_probability.data() + worlds().first_edge[world.row];
    double* const into = values.data() + int64_t{slot} * players_;
    double met = 0.0;
    after_.clear();
    weight_.clear();
    for (int32_t edge = 0; edge < worlds().edge_count[world.row]; ++edge) {
      if (rollouts() && !met_.has_met(world, edge)) continue;
      after_.push_back(met_.value_after(slot, world.first_child, edge, values));
      weight_.push_back(chances[edge]);
      met += chances[edge];
    }
    weigh(weight_.data(), after_.data(), static_cast<int32_t>(after_.size()), into);
    for (int32_t p = 0; p < players_; ++p) into[p] /= met;
  }

  // rho (met_worlds.h) of a world that may not have been met.
  double played_ratio_of_row(int32_t row, int32_t player) const {
    double ratio = 1.0;
    for (int32_t before = worlds().parent[row]; before != kMissing;
         row = before, before = worlds().parent[row]) {
      if (worlds().kind[before] != kDecision || worlds().player[before] == player) continue;
      const int32_t slot = met_.find_set(worlds().information_set[before]);
      if (slot >= 0) ratio *= met_.ratio[met_.set(slot).first + met_.arena().edge(row)];
    }
    return ratio;
  }

  MetWorlds met_;
  ForestSettings settings_;
  int32_t players_, player_ = 0;  // how many; whose log is walked
  double own_share_ = 1.0;        // of P's own advantages, for that player
  int64_t simulations_ = 0;
  double temperature_ = 0.0;     // alpha
  double weight_of_mean_ = 0.0;  // of the simulation that is under way
  bool few_ = true;              // the last decision point had a handful of simulations
  std::unordered_map<int32_t, std::vector<double>> roots_;  // cumulated weights of a view's worlds
  std::vector<int32_t> moving_, path_;  // sets whose mean is taken; worlds on the way; as slots
  std::vector<double> weight_, estimate_, prior_estimate_;
  ValuesAfter after_, prior_after_;
  LearningSteps steps_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_FOREST_FOREST_H_
