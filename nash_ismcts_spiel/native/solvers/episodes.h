// Methods that learn from sampled games of self-play on an enumerated graph, one at a time:
//
//   SmoothUct        Heinrich and Silver, "Smooth UCT Search in Computer Poker" (2015): each player
//                    has a tree of its information sets, and chooses by UCT or by its own average
//                    policy N(a) / N. Always by UCT, it is multiple-tree IS-MCTS.
//   OutcomeSampling  Lisy, Lanctot and Bowling, "Online Monte Carlo Counterfactual Regret
//                    Minimization" (2015), without targeting: outcome-sampling MCCFR whose tree
//                    grows by a node per game.
//
// Beyond the trees everybody plays uniformly. baselines/smooth_uct.py and baselines/oos.py are the
// same on graphs that grow, and draw the same numbers. Values are utilities of the information
// set's player, in the game's units. Tables have one entry per action, in the graph's order.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SOLVERS_EPISODES_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SOLVERS_EPISODES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "../common/draw.h"
#include "../common/proportional.h"
#include "../exact/compiled_graph.h"

namespace nash_ismcts {

// What both share: walking the graph, and averages from sums.
class SampledGames {
 public:
  explicit SampledGames(std::shared_ptr<const CompiledGraph> graph)
      : graph_(std::move(graph)), in_tree_(graph_->num_information_sets(), false) {}

  int64_t iterations() const { return episodes_; }

 protected:
  int32_t actions(int32_t set) const {
    return graph_->first_action[set + 1] - graph_->first_action[set];
  }

  int32_t draw_uniformly(const BitGenerator& generator, int32_t count) const {
    return draw(generator, count, [](int32_t) { return 1.0; });
  }

  int32_t draw_outcome(const BitGenerator& generator, int32_t world) const {
    const int32_t first = graph_->first_edge[world];
    return draw(generator, graph_->first_edge[world + 1] - first,
                [&](int32_t edge) { return graph_->edge_probability[first + edge]; });
  }

  // In breadth-first order edge e leads to world e + 1.
  int32_t child(int32_t world, int32_t edge) const { return graph_->first_edge[world] + edge + 1; }

  double utility(int32_t world, int32_t player) const {
    return graph_->utilities[graph_->utility_row[world] * graph_->num_players + player];
  }

  // Sums made a distribution per information set; uniform where there are none.
  std::vector<double> normalized(std::vector<double> sums) const {
    for (int32_t set = 0; set < graph_->num_information_sets(); ++set) {
      double* const first = sums.data() + graph_->first_action[set];
      make_proportional(first, actions(set), first);
    }
    return sums;
  }

  const std::shared_ptr<const CompiledGraph> graph_;
  std::vector<bool> in_tree_;  // [I]
  int64_t episodes_ = 0;
};

struct SmoothUctSettings {
  double exploration;  // c, weight of UCT's term, in utility units
  double eta;          // how often UCT chooses at first
  double gamma;        // how often at least
  double decay;        // d, how fast that falls with the visits of a node
};

class SmoothUct : public SampledGames {
 public:
  SmoothUct(std::shared_ptr<const CompiledGraph> graph, const SmoothUctSettings& settings)
      : SampledGames(std::move(graph)),
        settings_(settings),
        out_of_tree_(graph_->num_players),
        set_visits_(graph_->num_information_sets()),
        visits_(graph_->num_actions()),
        values_(graph_->num_actions()) {}

  void play(const BitGenerator& generator) {
    ++episodes_;
    path_.clear();
    std::fill(out_of_tree_.begin(), out_of_tree_.end(), false);
    int32_t world = 0;
    while (graph_->kind[world] != kTerminal) {
      const bool chance = graph_->kind[world] == kChance;
      world = child(world, chance ? draw_outcome(generator, world) : choose(generator, world));
    }
    for (const Step& step : path_) update(step, utility(world, graph_->set_player[step.set]));
  }

  std::vector<double> average_policy() const {
    return normalized(std::vector<double>(visits_.begin(), visits_.end()));
  }

 private:
  struct Step {
    int32_t set;
    int32_t action;  // position in per-action tables
  };

  int32_t choose(const BitGenerator& generator, int32_t world) {
    const int32_t set = graph_->information_set[world], player = graph_->player[world];
    if (out_of_tree_[player]) return draw_uniformly(generator, actions(set));
    int32_t action;
    if (in_tree_[set]) {
      action = select(generator, set);
    } else {
      in_tree_[set] = true;
      out_of_tree_[player] = true;
      action = draw_uniformly(generator, actions(set));
    }
    path_.push_back({set, graph_->first_action[set] + action});
    return action;
  }

  int32_t select(const BitGenerator& generator, int32_t set) const {
    const double visits = static_cast<double>(set_visits_[set]);
    const double share =
        std::max(settings_.gamma, settings_.eta / (1.0 + settings_.decay * std::sqrt(visits)));
    if (generator.uniform() < share) return select_by_uct(generator, set);
    const int64_t* const counts = &visits_[graph_->first_action[set]];
    return draw(generator, actions(set),
                [counts](int32_t action) { return static_cast<double>(counts[action]); });
  }

  // An action that was never tried, or else the one with the highest bound, the first of equals.
  int32_t select_by_uct(const BitGenerator& generator, int32_t set) const {
    const int32_t first = graph_->first_action[set], count = actions(set);
    const int64_t* const counts = &visits_[first];
    if (std::find(counts, counts + count, 0) != counts + count) {
      return draw(generator, count, [counts](int32_t a) { return counts[a] == 0 ? 1.0 : 0.0; });
    }
    const double log_visits = std::log(static_cast<double>(set_visits_[set]));
    int32_t best = 0;
    double highest = 0.0;
    for (int32_t action = 0; action < count; ++action) {
      const double bonus = std::sqrt(log_visits / static_cast<double>(counts[action]));
      const double bound = values_[first + action] + settings_.exploration * bonus;
      if (action == 0 || bound > highest) {
        best = action;
        highest = bound;
      }
    }
    return best;
  }

  void update(const Step& step, double utility) {
    ++set_visits_[step.set];
    const int64_t visits = ++visits_[step.action];
    values_[step.action] += (utility - values_[step.action]) / static_cast<double>(visits);
  }

  const SmoothUctSettings settings_;
  std::vector<bool> out_of_tree_;    // in the current game. [n]
  std::vector<int64_t> set_visits_;  // N. [I]
  std::vector<int64_t> visits_;      // N(a). [A]
  std::vector<double> values_;       // mean utility after the action. [A]
  std::vector<Step> path_;
};

class OutcomeSampling : public SampledGames {
 public:
  OutcomeSampling(std::shared_ptr<const CompiledGraph> graph, double exploration)
      : SampledGames(std::move(graph)),
        exploration_(exploration),
        regrets_(graph_->num_actions()),
        policy_sums_(graph_->num_actions()) {}

  // One game; players take turns in learning from one.
  void play(const BitGenerator& generator) {
    const int32_t learner = static_cast<int32_t>(episodes_++ % graph_->num_players);
    path_.clear();
    double others = 1.0, sampled = 1.0;  // reach by chance and others; probability of this game
    bool out_of_tree = false;
    int32_t world = 0;
    while (graph_->kind[world] != kTerminal) {
      int32_t edge;
      if (graph_->kind[world] == kChance) {
        edge = draw_outcome(generator, world);
        const double probability = graph_->edge_probability[graph_->first_edge[world] + edge];
        if (!out_of_tree) step_by(probability, &others, &sampled);
      } else if (out_of_tree) {
        // What follows is as likely for the policy as for the sample, and cancels.
        edge = draw_uniformly(generator, actions(graph_->information_set[world]));
      } else {
        const int32_t set = graph_->information_set[world];
        out_of_tree = !in_tree_[set];
        in_tree_[set] = true;
        edge = choose(generator, set, graph_->player[world] == learner, &others, &sampled);
      }
      world = child(world, edge);
    }
    learn(learner, utility(world, learner) / sampled);
  }

  std::vector<double> average_policy() const { return normalized(policy_sums_); }

 private:
  struct Step {
    int32_t set;         // -1 for a chance event
    int32_t action;      // number of the action
    double probability;  // of the step by the current policy, or by chance
    double others;       // reach by chance and the others, before it
    double sampled;      // probability of having been sampled, before it
  };

  void step_by(double probability, double* others, double* sampled) {
    path_.push_back({-1, 0, probability, *others, *sampled});
    *others *= probability;
    *sampled *= probability;
  }

  int32_t choose(const BitGenerator& generator, int32_t set, bool learns, double* others,
                 double* sampled) {
    match_regrets(set);
    const int32_t count = actions(set);
    const double explore = learns ? exploration_ : 0.0;
    const auto weight = [&](int32_t a) { return explore / count + (1.0 - explore) * policy_[a]; };
    const int32_t action = draw(generator, count, weight);
    path_.push_back({set, action, policy_[action], *others, *sampled});
    if (!learns) *others *= policy_[action];
    *sampled *= weight(action);
    return action;
  }

  // Backwards through the game: regrets where the learner moved, averages where the others did.
  void learn(int32_t learner, double utility_per_sample) {
    double tail = 1.0;  // how likely the current policy goes on as it went
    for (auto step = path_.rbegin(); step != path_.rend(); ++step) {
      const double after = tail;
      tail *= step->probability;
      if (step->set < 0) continue;
      const int32_t first = graph_->first_action[step->set], count = actions(step->set);
      if (graph_->set_player[step->set] == learner) {
        const double weight = utility_per_sample * step->others;
        for (int32_t action = 0; action < count; ++action) {
          const double reached = action == step->action ? after : 0.0;
          regrets_[first + action] += (reached - tail) * weight;
        }
      } else {
        match_regrets(step->set);
        const double weight = step->others / step->sampled;
        for (int32_t action = 0; action < count; ++action) {
          policy_sums_[first + action] += weight * policy_[action];
        }
      }
    }
  }

  void match_regrets(int32_t set) {
    policy_.resize(actions(set));
    make_proportional(regrets_.data() + graph_->first_action[set], actions(set), policy_.data());
  }

  const double exploration_;
  std::vector<double> regrets_;      // [A]
  std::vector<double> policy_sums_;  // [A]
  std::vector<double> policy_;       // of the information set looked at last
  std::vector<Step> path_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SOLVERS_EPISODES_H_
