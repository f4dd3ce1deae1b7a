// The rows of exact models, as models/exact.py: H by Bayes' rule, V and Vc by evaluation of a
// policy, at every information set and SAMPLE node of an enumerated graph whose prefix trees are
// resolved.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_EXACT_EXACT_ROWS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_EXACT_EXACT_ROWS_H_

#include <cstdint>
#include <vector>

#include "../search/rows.h"
#include "../worlds/tables.h"

namespace nash_ismcts {

// How worlds are reached without one player's own moves; see native/exact.py's Reach.
struct PlayerReach {
  const double* weight;     // [W]
  const int64_t* trembles;  // [W]
};

// Fills `rows`. `utilities` are expected utilities by world and player [W * n], `policy` is [A]. If
// `forgetful`, a world is worth to a player what its next information sets are worth; see
// models/exact.py.
void fill_exact_rows(const GraphTables& graph, const double* policy, const double* utilities,
                     const std::vector<PlayerReach>& reaches, bool forgetful, Rows& rows);

// Fills `rows` from models that may be wrong: a policy [A], V of each information set [I] and
// beliefs [B]. Every other value looks ahead to the next V: worlds are valued forgetfully by the
// given V, and the V of the rows is its own expectation one own move later.
void fill_lookahead_rows(const GraphTables& graph, const double* policy, const double* value,
                         const double* beliefs, Rows& rows);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_EXACT_EXACT_ROWS_H_
