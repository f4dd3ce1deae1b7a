// SAMPLE nodes, as search/sample_node.py: the three backups of a drawn piece of the hidden state,
// or of a whole one from a pool. All values are for the player whose tree the node is in, in the
// game's utility units.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_SAMPLE_NODE_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_SAMPLE_NODE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../worlds/tables.h"
#include "config.h"
#include "dispersion.h"
#include "rows.h"
#include "trees.h"

namespace nash_ismcts {

// Memory that all SAMPLE nodes of a search share.
struct SampleBuffers {
  std::vector<double> lows, highs, model, alike;

  void fit(int32_t count) {
    if (static_cast<int32_t>(lows.size()) >= count) return;
    lows.resize(count);
    highs.resize(count);
    model.resize(count);
    alike.resize(count);
  }
};

// The children of a SAMPLE node or a pool, read once. A dead branch counts as the first one that is
// not: with beliefs of 0 it then changes nothing.
class SampleValues {
 public:
  SampleValues(Forest& forest, const GraphTables& graph, const Rows& rows, const SampleNode& node,
               SampleBuffers& buffers)
      : beliefs_(rows.beliefs.data() + node.first_branch), count_(node.count) {
    const double* values =
        node.first_value >= 0 ? rows.sample_values.data() + node.first_value : nullptr;
    take_buffers(buffers, values, values ? 0.0 : rows.child_values[~node.first_value]);
    slots_ = forest.slots(node);
    read(&forest, graph.samples.target.data() + node.first_branch);
  }

  // A SAMPLE node under an own action of which no piece was drawn. The models tell pieces apart.
  SampleValues(const GraphTables& graph, const Rows& rows, int32_t sample, int32_t action,
               SampleBuffers& buffers)
      : beliefs_(rows.beliefs.data() + graph.samples.first_branch[sample]),
        count_(graph.samples.branch_count[sample]) {
    const int64_t first = rows.sample_first[sample] + static_cast<int64_t>(action) * count_;
    take_buffers(buffers, rows.sample_values.data() + first, 0.0);
    read(nullptr, graph.samples.target.data() + graph.samples.first_branch[sample]);
  }

  // All worlds of a pool are alike, to the beliefs and to the models.
  SampleValues(Forest& forest, const Rows& rows, const PoolNode& node, SampleBuffers& buffers)
      : count_(node.count) {
    take_buffers(buffers, nullptr, rows.child_values[node.value]);
    std::fill_n(buffers.alike.begin(), count_, 1.0 / count_);
    beliefs_ = buffers.alike.data();
    slots_ = forest.slots(node);
    read(&forest, nullptr);
  }

  double low(int32_t branch) const { return lows_[branch]; }
  double high(int32_t branch) const { return highs_[branch]; }

  // [smallest E[q_low], largest E[q_high]] over the ball round the beliefs.
  Interval dispersed(double radius) const {
    return {extreme_expectation<false>(beliefs_, count_, lows_, radius),
            extreme_expectation<true>(beliefs_, count_, highs_, radius)};
  }

  // The same over the pieces that were drawn, for when the models do not tell pieces apart: then
  // they say nothing about a piece that never was.
  Interval dispersed_drawn(double radius, SampleBuffers& buffers) const {
    int32_t drawn = 0;
    double total = 0.0;
    for (int32_t branch = 0; branch < count_; ++branch) {
      if (slots_[branch].visits == 0 || beliefs_[branch] == 0.0) continue;
      buffers.model[drawn] = beliefs_[branch];
      lows_[drawn] = lows_[branch];
      highs_[drawn] = highs_[branch];
      total += beliefs_[branch];
      ++drawn;
    }
    for (int32_t index = 0; index < drawn; ++index) buffers.model[index] /= total;
    return {extreme_expectation<false>(buffers.model.data(), drawn, lows_, radius),
            extreme_expectation<true>(buffers.model.data(), drawn, highs_, radius)};
  }

  // [min E Vc, max E Vc] + E_{c ~ N}[Q(c) - Vc(c)].
  Interval residual(double radius, int32_t visits) const {
    double low_sum = 0.0, high_sum = 0.0;
    for (int32_t branch = 0; branch < count_; ++branch) {
      if (slots_[branch].visits == 0) continue;
      low_sum += slots_[branch].visits * (lows_[branch] - model_[branch]);
      high_sum += slots_[branch].visits * (highs_[branch] - model_[branch]);
    }
    return {extreme_expectation<false>(beliefs_, count_, model_, radius) + low_sum / visits,
            extreme_expectation<true>(beliefs_, count_, model_, radius) + high_sum / visits};
  }

 private:
  void take_buffers(SampleBuffers& buffers, const double* model_values, double model_value) {
    buffers.fit(count_);
    lows_ = buffers.lows.data();
    highs_ = buffers.highs.data();
    model_ = model_values;
    if (model_ == nullptr) {
      std::fill_n(buffers.model.begin(), count_, model_value);
      model_ = buffers.model.data();
    }
  }

  // Values of the children, by Vc where unvisited. `targets` says which branches are dead; without
  // a forest none was visited.
  void read(const Forest* forest, const int32_t* targets) {
    const auto dead = [targets](int32_t branch) {
      return targets != nullptr && targets[branch] == kDead;
    };
    int32_t alive = kNone;
    bool any_dead = false;
    for (int32_t branch = 0; branch < count_; ++branch) {
      if (dead(branch)) {
        any_dead = true;
        continue;
      }
      const bool visited = forest != nullptr && slots_[branch].visits > 0;
      const Interval value = visited ? forest->q(slots_[branch].child) : point(model_[branch]);
      lows_[branch] = value.low;
      highs_[branch] = value.high;
      if (alive == kNone) alive = branch;
    }
    for (int32_t branch = 0; any_dead && branch < count_; ++branch) {
      if (!dead(branch)) continue;
      lows_[branch] = lows_[alive];
      highs_[branch] = highs_[alive];
    }
  }

  const double* model_;
  const double* beliefs_;
  int32_t count_;
  const Slot* slots_ = nullptr;
  double* lows_;
  double* highs_;
};

// -Phi(h): what takes the luck of drawing `branch` out of a result, before it is backed up.
inline Interval luck(const SampleValues& values, int32_t branch, const SearchConfig& config) {
  const Interval expected = values.dispersed(config.dispersion_radius);
  return {expected.low - values.low(branch), expected.high - values.high(branch)};
}

// Adds a visit of `branch` that came to `result` and updates Q(n). `values` reads the children
// after that; `alike` says that the models do not tell them apart. Returns what goes further up.
template <typename Node, typename Values>
Interval back_up(Forest& forest, NodeId id, Node& node, int32_t branch, const Interval& result,
                 const Interval& adjustment, const SearchConfig& config, SampleBuffers& buffers,
                 bool alike, const Values& values) {
  ++forest.slots(node)[branch].visits;
  ++node.visits;
  if (config.sample_backup == SampleBackup::kLuckAdjusted) {
    const Interval adjusted{result.low + adjustment.low, result.high + adjustment.high};
    node.low_sum += adjusted.low;
    node.high_sum += adjusted.high;
    const double low = node.low_sum / node.visits, high = node.high_sum / node.visits;
    forest.set_q(id, {std::min(low, high), std::max(low, high)});
    return adjusted;
  }
  if (config.sample_backup == SampleBackup::kResidual) {
    forest.set_q(id, values().residual(config.dispersion_radius, node.visits));
  } else if (!alike) {
    forest.set_q(id, values().dispersed(config.dispersion_radius));
  } else {
    forest.set_q(id, values().dispersed_drawn(config.dispersion_radius, buffers));
  }
  return forest.q(id);
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_SAMPLE_NODE_H_
