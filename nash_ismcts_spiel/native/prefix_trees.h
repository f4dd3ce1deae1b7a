// The prefix trees of hidden pieces of a whole enumerated graph, as GameGraph.hidden, .branch and
// .own_next (and .unseen) resolve them one by one; in one pass over the worlds.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_PREFIX_TREES_H_
#define NASH_ISMCTS_SPIEL_NATIVE_PREFIX_TREES_H_

#include <cstdint>
#include <vector>

#include "graph.h"

namespace nash_ismcts {

// Columns for the graph's tables; see games/tables.py.
struct PrefixTrees {
  std::vector<int32_t> hidden;    // [I]
  std::vector<int32_t> own_next;  // [A]
  std::vector<int32_t> unseen;    // [W * n]
  std::vector<int32_t> information_set, world, first_branch, branch_count;  // [S]
  std::vector<int32_t> edge, target;                                        // [B]
};

// `own_next_limit`: sets with more worlds than this have no own_next.
PrefixTrees resolve_prefix_trees(const GraphView& graph, int32_t own_next_limit);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_PREFIX_TREES_H_
