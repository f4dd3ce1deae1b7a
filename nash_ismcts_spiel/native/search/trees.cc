// Copies the part of a forest that is still of use, which also gives the rest of its memory back.

#include "trees.h"

#include <utility>

namespace nash_ismcts {

class ForestCopy {
 public:
  ForestCopy(const Forest& from, Forest& to)
      : from_(from), to_(to), node_(from.kinds_.size(), kNone), tree_(from.roots_.size(), kNone) {}

  // Copies the tree that has `root` (a node of the source) as its root.
  void copy_rooted(NodeId root, int32_t information_set) {
    const TreeId tree = new_tree(root);
    to_.by_root_.insert(static_cast<uint64_t>(information_set), tree);
    copy_pending();
  }

 private:
  TreeId new_tree(NodeId root) {
    const TreeId tree = static_cast<TreeId>(to_.roots_.size());
    to_.roots_.push_back(kNone);
    const NodeId copied = copy_node(root, tree);
    to_.roots_[tree] = copied;
    return tree;
  }

  void copy_pending() {
    while (!pending_.empty()) {
      const auto [node, tree] = pending_.back();
      pending_.pop_back();
      copy_below(node, tree);
    }
  }

  // The copy of a node, whose ways down still lead to nodes of the source until copy_below.
  NodeId copy_node(NodeId node, TreeId tree) {
    if (node_[node] != kNone) return node_[node];
    const int32_t row = from_.rows_[node];
    NodeId copied = kNone;
    switch (from_.kinds_[node]) {
      case NodeKind::kAct: copied = copy_act(from_.acts_[row], tree); break;
      case NodeKind::kSample: copied = to_.add_sample(from_.samples_[row]); break;
      case NodeKind::kPool: copied = to_.add_pool(from_.pools_[row]); break;
      case NodeKind::kTerminal: copied = to_.add_terminal(from_.values_[node].low); break;
      case NodeKind::kChance:
      case NodeKind::kOpponent: copied = to_.add_world(from_.worlds_[row]); break;
      case NodeKind::kMirror: copied = to_.add_mirror(row); break;
    }
    to_.values_[copied] = from_.values_[node];
    node_[node] = copied;
    pending_.emplace_back(node, tree);
    return copied;
  }

  NodeId copy_act(const ActNode& act, TreeId tree) {
    const NodeId copied = to_.add_act(act.information_set, act.player);
    const int32_t first_slot = static_cast<int32_t>(to_.action_slots_.size());
    to_.action_slots_.insert(to_.action_slots_.end(), from_.action_slots_.begin() + act.first_slot,
                             from_.action_slots_.begin() + act.first_slot + act.count);
    to_.act(copied) = act;
    to_.act(copied).first_slot = first_slot;
    to_.act_nodes_.insert(Forest::in_tree(tree, act.information_set), copied);
    return copied;
  }

  void copy_below(NodeId node, TreeId tree) {
    const NodeId copied = node_[node];
    const int32_t row = from_.rows_[node];
    switch (from_.kinds_[node]) {
      case NodeKind::kAct: {
        const int32_t first = to_.act(copied).first_slot;
        for (int32_t slot = first; slot < first + to_.act(copied).count; ++slot) {
          const NodeId child = to_.action_slots_[slot].child;
          if (child != kNone) to_.action_slots_[slot].child = copy_node(child, tree);
        }
        break;
      }
      case NodeKind::kSample:
        copy_slots(from_.samples_[row], to_.sample(copied).first_slot, tree);
        break;
      case NodeKind::kPool: copy_slots(from_.pools_[row], to_.pool(copied).first_slot, tree); break;
      case NodeKind::kChance:
      case NodeKind::kOpponent:
        copy_slots(from_.worlds_[row], to_.world(copied).first_slot, tree);
        if (from_.kinds_[node] == NodeKind::kOpponent) copy_spawned(from_.worlds_[row], copied);
        break;
      case NodeKind::kMirror: {
        const NodeId act = copy_node(row, tree);
        to_.rows_[copied] = act;
        break;
      }
      case NodeKind::kTerminal: break;
    }
  }

  template <typename Node>
  void copy_slots(const Node& node, int32_t first_copied, TreeId tree) {
    for (int32_t index = 0; index < node.count; ++index) {
      Slot slot = from_.slots_[node.first_slot + index];
      if (slot.child != kNone) slot.child = copy_node(slot.child, tree);
      to_.slots_[first_copied + index] = slot;
    }
  }

  // The mover's tree: its own to the node, or shared by all nodes with that information set.
  void copy_spawned(const WorldNode& opponent, NodeId copied) {
    const uint64_t information_set = static_cast<uint64_t>(opponent.information_set);
    const TreeId shared = from_.by_root_.find(information_set);
    const TreeId spawned = opponent.spawned != kNone ? opponent.spawned : shared;
    if (spawned == kNone) return;
    if (tree_[spawned] == kNone) {
      tree_[spawned] = new_tree(from_.roots_[spawned]);
      if (shared == spawned) to_.by_root_.insert(information_set, tree_[spawned]);
    }
    to_.world(copied).spawned = tree_[spawned];
  }

  const Forest& from_;
  Forest& to_;
  std::vector<NodeId> node_;  // copies of the source's nodes
  std::vector<TreeId> tree_;  // copies of the source's trees
  std::vector<std::pair<NodeId, TreeId>> pending_;
};

Forest Forest::kept(int32_t information_set, int32_t earlier_root) const {
  NodeId best = kNone;
  const auto visits = [this](NodeId node) { return acts_[rows_[node]].visits; };
  const TreeId spawned = by_root_.find(static_cast<uint64_t>(information_set));
  if (spawned != kNone) best = roots_[spawned];
  const TreeId earlier = by_root_.find(static_cast<uint64_t>(earlier_root));
  if (earlier != kNone) {
    const NodeId below = act_nodes_.find(in_tree(earlier, information_set));
    if (below != kNone && (best == kNone || visits(below) > visits(best))) best = below;
  }
  Forest copy;
  if (best != kNone) ForestCopy(*this, copy).copy_rooted(best, information_set);
  return copy;
}

}  // namespace nash_ismcts
