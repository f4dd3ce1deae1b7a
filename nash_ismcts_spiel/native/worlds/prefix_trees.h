// The prefix trees of hidden pieces of a whole enumerated graph, as Graph::hidden, branch and
// own_next (and unseen) resolve them one by one; in one pass over the worlds.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_PREFIX_TREES_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_PREFIX_TREES_H_

#include <cstdint>

#include "tables.h"

namespace nash_ismcts {

// Fills `hidden`, `own_next`, `unseen` and all SAMPLE nodes of an enumerated graph that has no
// SAMPLE node yet. Sets with more than `own_next_limit` worlds have no own_next.
void resolve_prefix_trees(GraphTables& graph, int32_t own_next_limit);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_PREFIX_TREES_H_
