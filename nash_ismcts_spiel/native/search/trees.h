// Trees, as search/trees.py: each belongs to one player and is rooted at what that player knows.
//
// All nodes of a forest share one numbering. What every node has (its value and its kind) stands in
// arrays by node; the rest in one array per kind. A slot is a way down from a node: an action, a
// piece of the hidden state, a chance outcome. A slot has a value once it has been visited.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_TREES_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_TREES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../common/flat_map.h"
#include "interval.h"

namespace nash_ismcts {

using NodeId = int32_t;
using TreeId = int32_t;
constexpr int32_t kNone = -1;

enum class NodeKind : uint8_t { kAct, kSample, kPool, kTerminal, kChance, kOpponent, kMirror };

struct Slot {
  NodeId child = kNone;
  int32_t visits = 0;
};

// An action of an ACT node, with what was chosen so far (Choices of search/act_node.py).
struct ActionSlot {
  NodeId child = kNone;
  int32_t visits = 0;        // N
  int32_t pure_visits = 0;   // PN, not normalised
  int32_t in_flight = 0;     // simulations that chose it and wait for a row
  double mixing_sum = 0.0;   // n_mixed MIX
  double exploration = 0.0;  // prior of the PUCT term
  Interval modelled{};       // Q(a) by the models alone, where ActNode::modelled says so
};

struct ActNode {
  int32_t information_set;
  int32_t player;
  bool expanded = false;
  bool modelled = false;     // whether the models tell hidden pieces apart
  int32_t first_action = 0;  // the information set's first row in the graph
  int32_t first_slot = 0;
  int32_t count = 0;
  int32_t visits = 0;  // sum N
  int32_t in_flight = 0;
  int32_t pure_count = 0;
  int32_t mixed_count = 0;
};

struct SampleNode {
  int32_t sample;
  int32_t action;
  int32_t player;
  int32_t first_branch;  // the SAMPLE node's first row in the graph
  int64_t first_value;   // of its Vc for the own action; ~a: Vc(I)[a] for all pieces
  int32_t first_slot;
  int32_t count;
  int32_t visits = 0;
  double low_sum = 0.0;
  double high_sum = 0.0;
};

// Draws the whole hidden state at once, from a pool (pools.h).
struct PoolNode {
  int32_t information_set;
  int32_t action;
  int32_t player;
  int64_t value;  // where Vc(I)[a] stands in the rows
  int32_t first_slot = 0;
  int32_t count = 0;  // slots that have a world
  int32_t room = 0;   // slots in all
  int32_t visits = 0;
  double low_sum = 0.0;
  double high_sum = 0.0;
};

// Where chance or another player moves in a world.
struct WorldNode {
  int32_t world;
  int32_t player;
  int32_t information_set;  // of the mover, kNone for chance
  int32_t first_slot;
  int32_t count;
  TreeId spawned = kNone;  // the mover's tree, once known
  int32_t asked = 0;       // how often its mover was asked for an action
};

class Forest {
 public:
  NodeKind kind(NodeId node) const { return kinds_[node]; }
  const Interval& q(NodeId node) const { return values_[node]; }
  void set_q(NodeId node, const Interval& value) { values_[node] = value; }

  ActNode& act(NodeId node) { return acts_[rows_[node]]; }
  SampleNode& sample(NodeId node) { return samples_[rows_[node]]; }
  PoolNode& pool(NodeId node) { return pools_[rows_[node]]; }
  WorldNode& world(NodeId node) { return worlds_[rows_[node]]; }
  NodeId mirrored(NodeId node) const { return rows_[node]; }  // the ACT node that it shows
  NodeId root(TreeId tree) const { return roots_[tree]; }
  ActionSlot* action_slots(const ActNode& node) { return action_slots_.data() + node.first_slot; }
  template <typename Node>
  Slot* slots(const Node& node) {
    return slots_.data() + node.first_slot;
  }

  int64_t num_nodes() const { return static_cast<int64_t>(kinds_.size()); }
  int64_t num_trees() const { return by_root_.size(); }

  NodeId add_act(int32_t information_set, int32_t player) {
    ActNode node{};
    node.information_set = information_set;
    node.player = player;
    return add(NodeKind::kAct, acts_, node);
  }
  NodeId add_sample(SampleNode node) {
    node.first_slot = add_slots(node.count);
    return add(NodeKind::kSample, samples_, node);
  }
  NodeId add_pool(PoolNode node) {
    node.room = node.count;
    node.first_slot = add_slots(node.room);
    return add(NodeKind::kPool, pools_, node);
  }
  NodeId add_terminal(double utility) {
    return add_row(NodeKind::kTerminal, kNone, point(utility));
  }
  NodeId add_world(WorldNode node) {
    node.first_slot = add_slots(node.count);
    const bool chance = node.information_set == kNone;
    return add(chance ? NodeKind::kChance : NodeKind::kOpponent, worlds_, node);
  }

  // Makes room for `count` worlds of a pool.
  void grow_pool(NodeId id, int32_t count) {
    PoolNode& node = pool(id);
    if (count > node.room) {
      const int32_t room = std::max(count, 2 * node.room), first = add_slots(room);
      std::copy_n(slots_.begin() + node.first_slot, node.count, slots_.begin() + first);
      node.first_slot = first;
      node.room = room;
    }
    node.count = count;
  }

  // The information sets whose pools its nodes draw from.
  std::vector<int32_t> pooled_sets() const {
    std::vector<int32_t> sets;
    for (const PoolNode& node : pools_) sets.push_back(node.information_set);
    return sets;
  }

  NodeId add_mirror(NodeId act) { return add_row(NodeKind::kMirror, act, {}); }

  // Gives an ACT node its action slots.
  void add_action_slots(NodeId node, int32_t count) {
    acts_[rows_[node]].first_slot = static_cast<int32_t>(action_slots_.size());
    acts_[rows_[node]].count = count;
    action_slots_.resize(action_slots_.size() + count);
  }

  // The ACT node of an information set in a tree, kNone if the tree has not been there.
  NodeId find_act_node(TreeId tree, int32_t information_set) const {
    return act_nodes_.find(in_tree(tree, information_set));
  }

  // The ACT node of an information set in a tree, new if the tree has not been there.
  NodeId act_node(TreeId tree, int32_t information_set, int32_t player) {
    const NodeId found = act_nodes_.find(in_tree(tree, information_set));
    if (found != kNone) return found;
    const NodeId node = add_act(information_set, player);
    act_nodes_.insert(in_tree(tree, information_set), node);
    return node;
  }

  // A tree with nothing but its root, found by nobody.
  TreeId add_tree(int32_t information_set, int32_t player) {
    const TreeId tree = static_cast<TreeId>(roots_.size());
    const NodeId root = add_act(information_set, player);
    roots_.push_back(root);
    act_nodes_.insert(in_tree(tree, information_set), root);
    return tree;
  }

  // The tree rooted at an information set, new if there is none.
  TreeId tree_at(int32_t information_set, int32_t player) {
    const TreeId found = by_root_.find(static_cast<uint64_t>(information_set));
    if (found != kNone) return found;
    const TreeId tree = add_tree(information_set, player);
    by_root_.insert(static_cast<uint64_t>(information_set), tree);
    return tree;
  }

  // Drops everything but the memory it was in.
  void clear() {
    kinds_.clear();
    rows_.clear();
    values_.clear();
    acts_.clear();
    samples_.clear();
    pools_.clear();
    worlds_.clear();
    action_slots_.clear();
    slots_.clear();
    roots_.clear();
    act_nodes_.clear();
    by_root_.clear();
  }

  // What a search from `information_set` can use of this forest; see Forest.keep in
  // search/trees.py.
  Forest kept(int32_t information_set, int32_t earlier_root) const;

 private:
  NodeId add_row(NodeKind kind, int32_t row, const Interval& value) {
    kinds_.push_back(kind);
    rows_.push_back(row);
    values_.push_back(value);
    return static_cast<NodeId>(kinds_.size()) - 1;
  }
  template <typename Node>
  NodeId add(NodeKind kind, std::vector<Node>& rows, const Node& node) {
    rows.push_back(node);
    return add_row(kind, static_cast<int32_t>(rows.size()) - 1, {});
  }
  int32_t add_slots(int32_t count) {
    const int32_t first = static_cast<int32_t>(slots_.size());
    slots_.resize(slots_.size() + count);
    return first;
  }
  static uint64_t in_tree(TreeId tree, int32_t information_set) {
    return static_cast<uint64_t>(tree) << 32 | static_cast<uint32_t>(information_set);
  }

  friend class ForestCopy;

  std::vector<NodeKind> kinds_;
  std::vector<int32_t> rows_;  // in the array of the kind; of a mirror, the ACT node
  std::vector<Interval> values_;
  std::vector<ActNode> acts_;
  std::vector<SampleNode> samples_;
  std::vector<PoolNode> pools_;
  std::vector<WorldNode> worlds_;
  std::vector<ActionSlot> action_slots_;
  std::vector<Slot> slots_;
  std::vector<NodeId> roots_;  // of the trees
  FlatMap act_nodes_;          // by tree and information set
  FlatMap by_root_;            // trees that are found by their root information set
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_TREES_H_
