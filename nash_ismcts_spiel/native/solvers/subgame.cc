// Builds subgames: a walk from the worlds of a public state to its leaves (see subgame.h).

#include "subgame.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace nash_ismcts {
namespace {

// A world on the way through a subgame.
struct Step {
  int32_t world;
  std::array<int32_t, kTwo> last;  // own sequences so far, numbered per player from 0
  double chance;                   // over that of all worlds in which the subgame starts
};

struct Payoff {
  std::array<int32_t, kTwo> last;
  double amount;  // utility of player 0 times chance
};

class Builder {
 public:
  Builder(std::shared_ptr<const PublicGame> game, int32_t root, int32_t depth, bool stop_at_chance)
      : game_(std::move(game)),
        graph_(*game_->graph),
        deepest_(int64_t{game_->depth[root]} + depth),
        stop_at_chance_(stop_at_chance) {
    subgame_.game = game_;
    subgame_.root = root;
  }

  Subgame build() {
    start();
    for (size_t next = 0; next < steps_.size(); ++next) {
      const Step step = steps_[next];  // a copy: the vector grows
      const int32_t kind = graph_.kind[step.world];
      if (kind == kTerminal) add_payoff(step);
      if (kind == kChance) add_outcomes(step);
      if (kind == kDecision) {
        if (is_leaf(game_->state[step.world])) {
          add_to_leaf(step);
        } else {
          add_moves(step);
        }
      }
    }
    number();
    return std::move(subgame_);
  }

 private:
  void start() {
    const int32_t root = subgame_.root;
    const double total = game_->chance_total[root];
    for (int64_t row = game_->worlds.first[root]; row < game_->worlds.first[root + 1]; ++row) {
      const int32_t world = game_->worlds.members[row];
      steps_.push_back(
          {world,
           {game_->slot[int64_t{world} * kTwo], game_->slot[int64_t{world} * kTwo + 1]},
           total > 0.0 ? game_->chance[world] / total : 0.0});
    }
    counts_ = {game_->width, game_->width};
  }

  bool is_leaf(int32_t state) const {
    if (state == subgame_.root) return false;
    return game_->depth[state] >= deepest_ || (stop_at_chance_ && game_->after_chance[state] != 0);
  }

  void add_payoff(const Step& step) {
    const double utility = graph_.utilities[int64_t{graph_.utility_row[step.world]} * kTwo];
    if (utility * step.chance != 0.0) payoffs_.push_back({step.last, utility * step.chance});
  }

  void add_outcomes(const Step& step) {
    const int64_t first = graph_.first_edge[step.world], end = graph_.first_edge[step.world + 1];
    for (int64_t edge = first; edge < end; ++edge) {
      steps_.push_back(
          {static_cast<int32_t>(edge + 1), step.last, step.chance * graph_.edge_probability[edge]});
    }
  }

  void add_moves(const Step& step) {
    const int32_t player = graph_.player[step.world], set = graph_.information_set[step.world];
    const int64_t first = graph_.first_edge[step.world], end = graph_.first_edge[step.world + 1];
    const auto count = static_cast<int32_t>(end - first);
    const auto found = first_sequence_.try_emplace(set, counts_[player]);
    if (found.second) {
      subgame_.trees[player].decisions.push_back({counts_[player], count, step.last[player], set});
      counts_[player] += count;
    }
    for (int64_t edge = first; edge < end; ++edge) {
      Step after{static_cast<int32_t>(edge + 1), step.last, step.chance};
      after.last[player] = found.first->second + static_cast<int32_t>(edge - first);
      steps_.push_back(after);
    }
  }

  void add_to_leaf(const Step& step) {
    const int32_t state = game_->state[step.world];
    const auto found = leaf_of_state_.try_emplace(state, subgame_.leaves.size());
    if (found.second) {
      const double total = game_->chance_total[subgame_.root];
      const double weight = total > 0.0 ? game_->chance_total[state] / total : 0.0;
      subgame_.leaves.push_back({state, weight, {}});
    }
    Leaf& leaf = subgame_.leaves[found.first->second];
    for (int32_t player = 0; player < kTwo; ++player) {
      const int32_t slot = game_->slot[int64_t{step.world} * kTwo + player];
      std::vector<LeafSlot>& slots = leaf.slots[player];
      const auto known = std::find_if(slots.begin(), slots.end(),
                                      [&](const LeafSlot& other) { return other.slot == slot; });
      if (known == slots.end()) {
        slots.push_back({slot, step.last[player], game_->masses(state, player)[slot]});
      } else if (known->sequence != step.last[player]) {
        throw std::invalid_argument("public state " + std::to_string(state) +
                                    " has a slot that different own actions lead to");
      }
    }
  }

  // Gives both players' sequences one numbering and groups payoffs by own sequence.
  void number() {
    const std::array<int32_t, kTwo> offset = {0, counts_[0]};
    subgame_.num_sequences = counts_[0] + counts_[1];
    for (int32_t player = 0; player < kTwo; ++player) {
      PlayerTree& tree = subgame_.trees[player];
      tree.empty_sequence = offset[player];
      tree.end_sequence = offset[player] + counts_[player];
      for (Decision& decision : tree.decisions) {
        decision.first_sequence += offset[player];
        decision.parent_sequence += offset[player];
        for (int32_t action = 0; action < decision.action_count; ++action) {
          subgame_.actions.push_back(graph_.first_action[decision.information_set] + action);
          subgame_.sequences.push_back(decision.first_sequence + action);
        }
      }
      group_payoffs(player, offset);
      for (Leaf& leaf : subgame_.leaves) {
        for (LeafSlot& slot : leaf.slots[player]) slot.sequence += offset[player];
      }
    }
  }

  void group_payoffs(int32_t player, const std::array<int32_t, kTwo>& offset) {
    PlayerTree& tree = subgame_.trees[player];
    tree.payoff_start.assign(counts_[player] + 1, 0);
    for (const Payoff& payoff : payoffs_) ++tree.payoff_start[payoff.last[player] + 1];
    std::partial_sum(tree.payoff_start.begin(), tree.payoff_start.end(), tree.payoff_start.begin());
    tree.payoff.resize(payoffs_.size());
    tree.other_sequences.resize(payoffs_.size());
    std::vector<int64_t> next(tree.payoff_start.begin(), tree.payoff_start.end() - 1);
    for (const Payoff& payoff : payoffs_) {
      const int64_t row = next[payoff.last[player]]++;
      tree.payoff[row] = player == 0 ? payoff.amount : -payoff.amount;
      tree.other_sequences[row] = payoff.last[1 - player] + offset[1 - player];
    }
  }

  const std::shared_ptr<const PublicGame> game_;
  const CompiledGraph& graph_;
  const int64_t deepest_;
  const bool stop_at_chance_;
  Subgame subgame_;
  std::vector<Step> steps_;
  std::vector<Payoff> payoffs_;
  std::array<int32_t, kTwo> counts_;                     // sequences of each player so far
  std::unordered_map<int32_t, int32_t> first_sequence_;  // of each information set
  std::unordered_map<int32_t, size_t> leaf_of_state_;
};

}  // namespace

Subgame make_subgame(std::shared_ptr<const PublicGame> game, int32_t root, int32_t depth,
                     bool stop_at_chance) {
  return Builder(std::move(game), root, depth, stop_at_chance).build();
}

}  // namespace nash_ismcts
