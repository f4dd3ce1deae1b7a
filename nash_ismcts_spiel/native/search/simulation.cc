// The way down of a simulation, stage by stage; see simulation.h.

#include "simulation.h"

#include <algorithm>

#include "wanted.h"

namespace nash_ismcts {

Request Simulation::run(SearchContext& context) {
  while (stage_ != Stage::kOver) {
    if (context.limits.turn_is_over(context.graph)) return {Wanted::kTurn, 0};
    context.rows.bury_new(context.graph);
    Request request;
    switch (stage_) {
      case Stage::kStart: request = start(context); break;
      case Stage::kVisit: request = visit(context); break;
      case Stage::kAct: act(context); break;
      case Stage::kAfterAction: request = after_action(context); break;
      case Stage::kSample: sample(context); break;
      case Stage::kBelowBranch: request = below_branch(context); break;
      case Stage::kOppose: request = oppose(context); break;
      case Stage::kEdge: request = edge(context); break;
      case Stage::kBackUp: back_up(context); break;
      case Stage::kOver: break;
    }
    if (request.wanted != Wanted::kNothing) return request;
  }
  return nothing();
}

void Simulation::abandon(Forest& forest) {
  for (const Frame& frame : frames_) {
    if (frame.kind != FrameKind::kAct) continue;
    ActNode& node = forest.act(frame.node);
    --node.in_flight;
    --forest.action_slots(node)[frame.index].in_flight;
  }
  frames_.clear();
}

// One whole simulation begins in tree_: its root is expanded and acts at once.
Request Simulation::start(SearchContext& context) {
  node_ = context.forest.root(tree_);
  const ActNode& root = context.forest.act(node_);
  if (!root.expanded) {
    const int32_t set = root.information_set;
    const bool pooled = context.source != nullptr && context.graph.by_exchange(set);
    const int32_t world = pooled ? context.pools.first(context.graph, set) : kMissing;
    const Request request = want_models(context, set, world);
    if (request.wanted != Wanted::kNothing) return request;
    expand_by_models(context, node_);
  }
  ++context.simulations;
  stage_ = Stage::kAct;
  return nothing();
}

// Goes on through node_.
Request Simulation::visit(SearchContext& context) {
  Forest& forest = context.forest;
  switch (forest.kind(node_)) {
    case NodeKind::kAct: {
      if (forest.act(node_).expanded) {
        stage_ = Stage::kAct;
        return nothing();
      }
      // A simulation that was given up may have left a node behind that nobody has arrived at.
      const int32_t set = forest.act(node_).information_set;
      const bool arrived =
          arrival_ != kMissing && context.graph.worlds.information_set[arrival_] == set;
      const Request request = want_models(context, set, arrived ? arrival_ : kMissing);
      if (request.wanted != Wanted::kNothing) return request;
      expand_by_models(context, node_);
      break;
    }
    case NodeKind::kSample: stage_ = Stage::kSample; return nothing();
    case NodeKind::kPool: draw_from_pool(context); return nothing();
    case NodeKind::kChance: {
      const WorldNode& node = forest.world(node_);
      const double* probabilities = context.graph.worlds.edge_probability.data() +
                                    context.graph.worlds.first_edge[node.world];
      const auto weights = [probabilities](int32_t outcome) { return probabilities[outcome]; };
      frames_.push_back(
          {FrameKind::kChance, false, node_, draw(context.generator, node.count, weights), {}});
      stage_ = Stage::kEdge;
      return nothing();
    }
    case NodeKind::kOpponent: stage_ = Stage::kOppose; return nothing();
    case NodeKind::kMirror:
      frames_.push_back({FrameKind::kMirror, false, node_, kNone, {}});
      node_ = forest.mirrored(node_);
      return nothing();
    case NodeKind::kTerminal: break;
  }
  result_ = forest.q(node_);
  stage_ = Stage::kBackUp;
  return nothing();
}

// The owner chooses by interval PUCT.
void Simulation::act(SearchContext& context) {
  ActNode& node = context.forest.act(node_);
  const Choice choice = choose(context.forest, node, context.rows, context.config,
                               context.generator, context.buffers);
  if (choice.mixed) {
    mixing_.insert(mixing_.end(), context.buffers.mixing.begin(),
                   context.buffers.mixing.begin() + node.count);
  }
  ++node.in_flight;
  ++context.forest.action_slots(node)[choice.action].in_flight;
  frames_.push_back({FrameKind::kAct, choice.mixed, node_, choice.action, {}});
  stage_ = Stage::kAfterAction;
}

// What follows an own action: a SAMPLE chain unless nothing that matters is hidden.
Request Simulation::after_action(SearchContext& context) {
  const Frame& frame = frames_.back();
  const ActNode node = context.forest.act(frame.node);
  NodeId child = context.forest.action_slots(node)[frame.index].child;
  if (child == kNone) {
    const int32_t following = context.graph.own_next(node.information_set, frame.index);
    if (following != kMissing) {
      child = context.forest.act_node(tree_, following, node.player);
      arrival_ = kMissing;
    } else if (context.source != nullptr && context.graph.by_exchange(node.information_set)) {
      child = context.forest.add_pool(
          {node.information_set, frame.index, node.player, node.first_action + frame.index});
    } else {
      const int32_t target = context.graph.hidden(node.information_set);
      const Request request = target_node(context, target, frame.index, node.player, child);
      if (request.wanted != Wanted::kNothing) return request;
    }
    context.forest.action_slots(node)[frame.index].child = child;
  }
  node_ = child;
  stage_ = Stage::kVisit;
  return nothing();
}

// Draws the next hidden piece.
void Simulation::sample(SearchContext& context) {
  const SampleNode node = context.forest.sample(node_);
  const double* beliefs = context.rows.beliefs.data() + node.first_branch;
  const auto weights = [beliefs](int32_t branch) { return beliefs[branch]; };
  const int32_t branch = draw(context.generator, node.count, weights);
  Interval adjustment{};
  if (context.config.sample_backup == SampleBackup::kLuckAdjusted) {
    adjustment = luck(
        SampleValues(context.forest, context.graph, context.rows, node, context.sample_buffers),
        branch, context.config);
  }
  frames_.push_back({FrameKind::kSample, false, node_, branch, adjustment});
  stage_ = Stage::kBelowBranch;
}

Request Simulation::below_branch(SearchContext& context) {
  const Frame& frame = frames_.back();
  const SampleNode node = context.forest.sample(frame.node);
  NodeId child = context.forest.slots(node)[frame.index].child;
  if (child == kNone) {
    const int32_t target = context.graph.branch(node.sample, frame.index);
    if (target == kDead) {  // another one is drawn from the same node
      frames_.pop_back();
      stage_ = Stage::kSample;
      return nothing();
    }
    const Request request = target_node(context, target, node.action, node.player, child);
    if (request.wanted != Wanted::kNothing) return request;
    context.forest.slots(node)[frame.index].child = child;
  }
  node_ = child;
  stage_ = Stage::kVisit;
  return nothing();
}

// Draws all hidden pieces at once: a world of the pool.
void Simulation::draw_from_pool(SearchContext& context) {
  Forest& forest = context.forest;
  const int32_t set = forest.pool(node_).information_set;
  const std::vector<int32_t>& worlds = context.pools.next(context.graph, set);
  const auto drawn =
      static_cast<int32_t>(context.generator.uniform() * static_cast<double>(worlds.size()));
  forest.grow_pool(node_, static_cast<int32_t>(worlds.size()));
  const PoolNode node = forest.pool(node_);
  Interval adjustment{};
  if (context.config.sample_backup == SampleBackup::kLuckAdjusted) {
    adjustment = luck(SampleValues(forest, context.rows, node, context.sample_buffers), drawn,
                      context.config);
  }
  NodeId child = forest.slots(node)[drawn].child;
  if (child == kNone) {
    const int32_t after = context.graph.child(worlds[drawn], node.action);
    child = world_node(context, after, node.player);
    forest.slots(node)[drawn].child = child;
  }
  frames_.push_back({FrameKind::kPool, false, node_, drawn, adjustment});
  node_ = child;
}

// Another player moves: by a simulation in its own tree, by what is known there, or by P.
Request Simulation::oppose(SearchContext& context) {
  Forest& forest = context.forest;
  const WorldNode node = forest.world(node_);
  const Request request = want_policy(context, node.information_set);
  if (request.wanted != Wanted::kNothing) return request;
  if (depth_ >= context.config.spawn_depth) {
    answer_by_prior(context);
    return nothing();
  }
  TreeId spawned = node.spawned;
  if (spawned == kNone) {
    const int32_t mover = context.graph.information_sets.player[node.information_set];
    spawned = context.config.trees == Trees::kByNode ? forest.add_tree(node.information_set, mover)
                                                     : forest.tree_at(node.information_set, mover);
    forest.world(node_).spawned = spawned;
  }
  if (context.config.spawning == Spawning::kWhenBehind) {
    const int32_t visits = forest.act(forest.root(spawned)).visits;
    if (visits > node.asked) return answer_by_choice(context, spawned);
    if (visits == 0 && node.asked == 0) {
      answer_by_prior(context);
      return nothing();
    }
  }
  frames_.push_back({FrameKind::kOpponent, true, node_, kNone, {}});
  frames_.push_back({FrameKind::kSpawned, false, kNone, tree_, {}});
  tree_ = spawned;
  ++depth_;
  stage_ = Stage::kStart;
  return nothing();
}

// The mover's tree has been visited more often than this node has asked: it answers by its rule of
// choice, without a simulation.
Request Simulation::answer_by_choice(SearchContext& context, TreeId spawned) {
  const ActNode& root = context.forest.act(context.forest.root(spawned));
  const Choice choice = choose(context.forest, root, context.rows, context.config,
                               context.generator, context.buffers);
  frames_.push_back({FrameKind::kOpponent, true, node_, choice.action, {}});
  stage_ = Stage::kEdge;
  return nothing();
}

void Simulation::answer_by_prior(SearchContext& context) {
  const WorldNode& node = context.forest.world(node_);
  const double* policy = context.rows.policy.data() +
                         context.graph.information_sets.first_action[node.information_set];
  const auto weights = [policy](int32_t action) { return policy[action]; };
  const int32_t action = draw(context.generator, node.count, weights);
  frames_.push_back({FrameKind::kOpponent, false, node_, action, {}});
  stage_ = Stage::kEdge;
}

// Follows a chance outcome or another player's action.
Request Simulation::edge(SearchContext& context) {
  const Frame& frame = frames_.back();
  Forest& forest = context.forest;
  const WorldNode node = forest.world(frame.node);
  NodeId child = forest.slots(node)[frame.index].child;
  if (child == kNone) {
    child = world_node(context, context.graph.child(node.world, frame.index), node.player);
    forest.slots(node)[frame.index].child = child;
  }
  node_ = child;
  stage_ = Stage::kVisit;
  return nothing();
}

Request Simulation::target_node(SearchContext& context, int32_t target, int32_t action,
                                int32_t player, NodeId& made) {
  if (target >= 0) {
    made = world_node(context, context.graph.child(target, action), player);
    return nothing();
  }
  const int32_t sample = ~target;
  const Request request = want_sample_row(context, sample);
  if (request.wanted != Wanted::kNothing) return request;
  SampleNode node{};
  node.sample = sample;
  node.action = action;
  node.player = player;
  node.first_branch = context.graph.samples.first_branch[sample];
  node.count = context.graph.samples.branch_count[sample];
  const int64_t first_value = context.rows.sample_first[sample];
  if (first_value == Rows::kOneValue) {
    const int32_t set = context.graph.samples.information_set[sample];
    node.first_value = ~int64_t{context.graph.information_sets.first_action[set] + action};
    const Request values = want_set_row(context, set);
    if (values.wanted != Wanted::kNothing) return values;
  } else {
    node.first_value = first_value + static_cast<int64_t>(action) * node.count;
  }
  made = context.forest.add_sample(node);
  return nothing();
}

// A full history, seen by `player`.
NodeId Simulation::world_node(SearchContext& context, int32_t world, int32_t player) {
  const auto& worlds = context.graph.worlds;
  switch (worlds.kind[world]) {
    case kTerminal: {
      const int64_t row = static_cast<int64_t>(worlds.utility_row[world]);
      return context.forest.add_terminal(
          worlds.utilities[row * context.graph.num_players + player]);
    }
    case kChance:
      return context.forest.add_world({world, player, kNone, 0, worlds.edge_count[world]});
    default: return decision_node(context, world, player);
  }
}

NodeId Simulation::decision_node(SearchContext& context, int32_t world, int32_t player) {
  const auto& worlds = context.graph.worlds;
  const int32_t mover = worlds.player[world];
  const int32_t information_set = worlds.information_set[world];
  if (mover == player) {
    arrival_ = world;
    return context.forest.act_node(tree_, information_set, player);
  }
  if (context.config.one_tree) {
    arrival_ = world;
    return context.forest.add_mirror(context.forest.act_node(tree_, information_set, mover));
  }
  return context.forest.add_world({world, player, information_set, 0, worlds.edge_count[world]});
}

}  // namespace nash_ismcts
