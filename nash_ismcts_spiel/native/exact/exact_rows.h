// The rows of exact models, as models/exact.py: H by Bayes' rule, V and Vc by evaluation of a
// policy, at every information set and SAMPLE node of an enumerated graph whose prefix trees are
// resolved.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_EXACT_EXACT_ROWS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_EXACT_EXACT_ROWS_H_

#include "../search/rows.h"
#include "../worlds/tables.h"
#include "compiled_graph.h"
#include "exact.h"

namespace nash_ismcts {

// Fills `rows` with the exact models of a policy, given by action [A] and by sequence. If
// `forgetful`, a world is worth to a player what its next information sets are worth; see
// models/exact.py.
void fill_exact_rows(const GraphTables& graph, const CompiledGraph& compiled, const double* policy,
                     const SequenceTable& by_sequence, bool forgetful, Rows& rows);

// Fills `rows` from models that may be wrong: a policy [A], V of each information set [I] and
// beliefs [B]. Every other value looks ahead to the next V: worlds are valued forgetfully by the
// given V, and the V of the rows is its own expectation one own move later.
void fill_lookahead_rows(const GraphTables& graph, const double* policy, const double* value,
                         const double* beliefs, Rows& rows);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_EXACT_EXACT_ROWS_H_
