// The way down of a simulation, stage by stage; see simulation.h.

#include "simulation.h"

#include <algorithm>

namespace nash_ismcts {

namespace {

Request nothing() { return {}; }

// Asks for an information set's models unless they are there.
Request want_set_row(const SearchContext& context, int32_t information_set) {
  const auto& has = context.rows.has_information_set;
  if (information_set < static_cast<int64_t>(has.size()) && has[information_set]) return nothing();
  return {Wanted::kSetRow, information_set, 0};
}

Request want_sample_row(const SearchContext& context, int32_t sample) {
  const auto& has = context.rows.has_sample;
  if (sample < static_cast<int64_t>(has.size()) && has[sample]) return nothing();
  return {Wanted::kSampleRow, sample, 0};
}

}  // namespace

Request Simulation::run(SearchContext& context) {
  while (stage_ != Stage::kOver) {
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

// One whole simulation begins in tree_: its root is expanded and acts at once.
Request Simulation::start(SearchContext& context) {
  node_ = context.forest.root(tree_);
  const ActNode& root = context.forest.act(node_);
  if (!root.expanded) {
    const Request request = want_set_row(context, root.information_set);
    if (request.wanted != Wanted::kNothing) return request;
    expand(context.forest, node_, context.graph, context.rows, context.config);
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
      const Request request = want_set_row(context, forest.act(node_).information_set);
      if (request.wanted != Wanted::kNothing) return request;
      expand(forest, node_, context.graph, context.rows, context.config);
      break;
    }
    case NodeKind::kSample: stage_ = Stage::kSample; return nothing();
    case NodeKind::kChance: {
      const ChanceNode& node = forest.chance(node_);
      const double* probabilities =
          context.graph.worlds.edge_probability.data + context.graph.worlds.first_edge[node.world];
      const auto weights = [probabilities](int32_t outcome) { return probabilities[outcome]; };
      frames_.push_back({FrameKind::kChance, false, node_,
                         draw(context.generator, node.count, weights), {}});
      stage_ = Stage::kEdge;
      return nothing();
    }
    case NodeKind::kOpponent: stage_ = Stage::kOppose; return nothing();
    case NodeKind::kMirror:
      frames_.push_back({FrameKind::kMirror, false, node_, kNone, {}});
      node_ = forest.mirror(node_).act;
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
    const auto& sets = context.graph.information_sets;
    const int32_t following = sets.own_next[node.first_action + frame.index];
    if (following == kUnresolved) return {Wanted::kOwnNext, node.information_set, frame.index};
    if (following != kMissing) {
      child = context.forest.act_node(tree_, following, node.player);
    } else {
      const int32_t target = sets.hidden[node.information_set];
      if (target == kUnresolved) return {Wanted::kHidden, node.information_set, 0};
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
  const SampleNode& node = context.forest.sample(node_);
  const double* beliefs = context.rows.beliefs.data() + node.first_branch;
  const auto weights = [beliefs](int32_t branch) { return beliefs[branch]; };
  const int32_t branch = draw(context.generator, node.count, weights);
  Interval adjustment{};
  if (context.config.sample_backup == SampleBackup::kLuckAdjusted) {
    adjustment = luck(context.forest, context.rows, node, branch, context.config,
                      context.sample_buffers);
  }
  frames_.push_back({FrameKind::kSample, false, node_, branch, adjustment});
  stage_ = Stage::kBelowBranch;
}

Request Simulation::below_branch(SearchContext& context) {
  const Frame& frame = frames_.back();
  const SampleNode node = context.forest.sample(frame.node);
  NodeId child = context.forest.slots(node)[frame.index].child;
  if (child == kNone) {
    const int32_t target = context.graph.samples.target[node.first_branch + frame.index];
    if (target == kUnresolved) return {Wanted::kBranch, node.sample, frame.index};
    const Request request = target_node(context, target, node.action, node.player, child);
    if (request.wanted != Wanted::kNothing) return request;
    context.forest.slots(node)[frame.index].child = child;
  }
  node_ = child;
  stage_ = Stage::kVisit;
  return nothing();
}

// Another player moves: by a simulation in its own tree, or by P beyond spawn_depth.
Request Simulation::oppose(SearchContext& context) {
  Forest& forest = context.forest;
  const OpponentNode node = forest.opponent(node_);
  const Request request = want_set_row(context, node.information_set);
  if (request.wanted != Wanted::kNothing) return request;
  const int64_t seen = static_cast<int64_t>(node.world) * context.graph.num_players + node.player;
  if (context.config.opponent_dispersion == OpponentDispersion::kUnseen &&
      context.graph.worlds.unseen[seen] == kUnresolved) {
    return {Wanted::kUnseen, node.world, node.player};
  }
  const auto& sets = context.graph.information_sets;
  if (depth_ >= context.config.spawn_depth) {
    const double* policy = context.rows.policy.data() + sets.first_action[node.information_set];
    const auto weights = [policy](int32_t action) { return policy[action]; };
    frames_.push_back({FrameKind::kOpponent, false, node_,
                       draw(context.generator, node.count, weights), {}});
    stage_ = Stage::kEdge;
    return nothing();
  }
  TreeId spawned = node.spawned;
  if (spawned == kNone) {
    const int32_t mover = sets.player[node.information_set];
    spawned = context.config.trees_by_information_set
                  ? forest.tree_at(node.information_set, mover)
                  : forest.add_tree(node.information_set, mover);
    forest.opponent(node_).spawned = spawned;
  }
  frames_.push_back({FrameKind::kOpponent, true, node_, kNone, {}});
  frames_.push_back({FrameKind::kSpawned, false, kNone, tree_, {}});
  tree_ = spawned;
  ++depth_;
  stage_ = Stage::kStart;
  return nothing();
}

// Follows a chance outcome or another player's action.
Request Simulation::edge(SearchContext& context) {
  const Frame& frame = frames_.back();
  Forest& forest = context.forest;
  const bool chance = frame.kind == FrameKind::kChance;
  const int32_t world = chance ? forest.chance(frame.node).world : forest.opponent(frame.node).world;
  const int32_t player =
      chance ? forest.chance(frame.node).player : forest.opponent(frame.node).player;
  const auto slot = [&]() -> Slot& {
    return chance ? forest.slots(forest.chance(frame.node))[frame.index]
                  : forest.slots(forest.opponent(frame.node))[frame.index];
  };
  if (slot().child == kNone) {
    const auto& worlds = context.graph.worlds;
    const int32_t after = worlds.edge_child[worlds.first_edge[world] + frame.index];
    if (after == kMissing) return {Wanted::kChild, world, frame.index};
    const NodeId child = world_node(context, after, player);
    slot().child = child;
  }
  node_ = slot().child;
  stage_ = Stage::kVisit;
  return nothing();
}

Request Simulation::target_node(SearchContext& context, int32_t target, int32_t action,
                                int32_t player, NodeId& made) {
  if (target >= 0) {
    const auto& worlds = context.graph.worlds;
    const int32_t after = worlds.edge_child[worlds.first_edge[target] + action];
    if (after == kMissing) return {Wanted::kChild, target, action};
    made = world_node(context, after, player);
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
  node.first_value = context.rows.sample_first[sample] + static_cast<int64_t>(action) * node.count;
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
      return context.forest.add_chance({world, player, 0, worlds.edge_count[world]});
    default: return decision_node(context, world, player);
  }
}

NodeId Simulation::decision_node(SearchContext& context, int32_t world, int32_t player) {
  const auto& worlds = context.graph.worlds;
  const int32_t mover = worlds.player[world];
  const int32_t information_set = worlds.information_set[world];
  if (mover == player) return context.forest.act_node(tree_, information_set, player);
  if (context.config.one_tree) {
    return context.forest.add_mirror(context.forest.act_node(tree_, information_set, mover));
  }
  OpponentNode node{};
  node.world = world;
  node.player = player;
  node.information_set = information_set;
  node.count = worlds.edge_count[world];
  return context.forest.add_opponent(node);
}

}  // namespace nash_ismcts
