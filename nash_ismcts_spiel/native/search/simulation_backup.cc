// The way up of a simulation: each frame's node takes the result of what was below it.

#include <algorithm>
#include <cmath>

#include "simulation.h"

namespace nash_ismcts {

namespace {

// What each event at a world node is worth to the tree's owner, into `context.buffers`: what the
// tree found, or what the models say where the event was never simulated and they value worlds.
template <typename WorldNode>
void gather_event_values(SearchContext& context, const WorldNode& node) {
  ChoiceBuffers& buffers = context.buffers;
  buffers.fit(node.count);
  const std::vector<double>& models = context.rows.world_values;
  const bool by_models = context.config.unvisited_events == UnvisitedEvents::kValued;
  const auto& worlds = context.graph.worlds;
  const int32_t* children = worlds.edge_child.data() + worlds.first_edge[node.world];
  const Slot* slots = context.forest.slots(node);
  for (int32_t event = 0; event < node.count; ++event) {
    const bool visited = slots[event].visits > 0;
    const int64_t row = children[event] * int64_t{context.graph.num_players} + node.player;
    const bool known = by_models && children[event] != kMissing &&
                       row < static_cast<int64_t>(models.size()) && !std::isnan(models[row]);
    buffers.valued[event] = visited || known;
    if (visited) {
      const Interval value = context.forest.q(slots[event].child);
      buffers.lows[event] = value.low;
      buffers.highs[event] = value.high;
    } else if (known) {
      buffers.lows[event] = buffers.highs[event] = models[row];
    }
  }
}

}  // namespace

void Simulation::back_up(SearchContext& context) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  switch (frame.kind) {
    case FrameKind::kAct: back_up_act(context, frame); return;
    case FrameKind::kSample: back_up_sample(context, frame); return;
    case FrameKind::kPool: back_up_pool(context, frame); return;
    case FrameKind::kChance: back_up_chance(context, frame); return;
    case FrameKind::kOpponent: back_up_opponent(context, frame); return;
    case FrameKind::kMirror: {
      const NodeId act = context.forest.mirrored(frame.node);
      context.forest.set_q(frame.node, mirrored(context.forest.q(act), context.config.utility_sum));
      result_ = context.forest.q(frame.node);
      return;
    }
    case FrameKind::kSpawned: return;  // never on top here: back_up_act takes it off
  }
}

void Simulation::back_up_sample(SearchContext& context, const Frame& frame) {
  SampleNode& node = context.forest.sample(frame.node);
  const auto values = [&] {
    return SampleValues(context.forest, context.graph, context.rows, node, context.sample_buffers);
  };
  result_ =
      nash_ismcts::back_up(context.forest, frame.node, node, frame.index, result_, frame.adjustment,
                           context.config, context.sample_buffers, node.first_value < 0, values);
}

void Simulation::back_up_pool(SearchContext& context, const Frame& frame) {
  PoolNode& node = context.forest.pool(frame.node);
  const auto values = [&] {
    return SampleValues(context.forest, context.rows, node, context.sample_buffers);
  };
  result_ =
      nash_ismcts::back_up(context.forest, frame.node, node, frame.index, result_, frame.adjustment,
                           context.config, context.sample_buffers, true, values);
}

void Simulation::back_up_act(SearchContext& context, const Frame& frame) {
  ActNode& node = context.forest.act(frame.node);
  ActionSlot* slots = context.forest.action_slots(node);
  const double* mixing = nullptr;
  if (frame.flag) mixing = mixing_.data() + mixing_.size() - node.count;
  --node.in_flight;
  --slots[frame.index].in_flight;
  record(node, slots, frame.index, mixing);
  if (frame.flag) mixing_.resize(mixing_.size() - node.count);
  context.forest.set_q(frame.node, act_value(context.forest, context.rows, node));
  result_ = context.forest.q(frame.node);
  if (frames_.empty()) {
    action_ = frame.index;
    stage_ = Stage::kOver;
  } else if (frames_.back().kind == FrameKind::kSpawned) {
    // A simulated player has acted: only its action goes back to the tree that spawned it.
    tree_ = frames_.back().index;
    frames_.pop_back();
    --depth_;
    frames_.back().index = frame.index;
    stage_ = Stage::kEdge;
  }
}

void Simulation::back_up_opponent(SearchContext& context, const Frame& frame) {
  Forest& forest = context.forest;
  ++forest.world(frame.node).asked;
  const WorldNode& node = forest.world(frame.node);
  ++forest.slots(node)[frame.index].visits;
  const double* prior = context.rows.policy.data() +
                        context.graph.information_sets.first_action[node.information_set];
  const ActionSlot* choices = nullptr;
  double prior_visits = 1.0;  // nobody has chosen yet: P alone
  if (frame.flag) {
    choices = forest.action_slots(forest.act(forest.root(node.spawned)));
    prior_visits = context.config.opponent_prior_visits;
  }
  gather_event_values(context, node);
  // A single value cannot be dispersed, and what the mover has seen need not be found out for it.
  const bool several = std::count(context.buffers.valued.begin(),
                                  context.buffers.valued.begin() + node.count, 1) > 1;
  const OpponentDispersion mode = context.config.opponent_dispersion;
  const bool dispersed =
      several && context.config.dispersion_radius > 0.0 &&
      (mode == OpponentDispersion::kAlways ||
       (mode == OpponentDispersion::kUnseen && context.graph.unseen(node.world, node.player)));
  const double radius = dispersed ? context.config.dispersion_radius : 0.0;
  forest.set_q(frame.node,
               act_value(node.count, context.buffers, choices, prior, prior_visits, radius));
  result_ = forest.q(frame.node);
}

void Simulation::back_up_chance(SearchContext& context, const Frame& frame) {
  Forest& forest = context.forest;
  const WorldNode& node = forest.world(frame.node);
  ++forest.slots(node)[frame.index].visits;
  const double* probabilities =
      context.graph.worlds.edge_probability.data() + context.graph.worlds.first_edge[node.world];
  double low = 0.0, high = 0.0, total = 0.0;
  gather_event_values(context, node);
  for (int32_t outcome = 0; outcome < node.count; ++outcome) {
    if (!context.buffers.valued[outcome]) continue;
    low += probabilities[outcome] * context.buffers.lows[outcome];
    high += probabilities[outcome] * context.buffers.highs[outcome];
    total += probabilities[outcome];
  }
  forest.set_q(frame.node, {low / total, high / total});
  result_ = forest.q(frame.node);
}

}  // namespace nash_ismcts
