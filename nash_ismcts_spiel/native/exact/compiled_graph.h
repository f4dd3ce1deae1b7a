// An enumerated game in the form that exact tools want: its worlds in breadth-first order for tools
// that answer per world, and each player's decisions in sequence form for the rest.
//
// A *sequence* is an own action together with the own actions before it; each player also has the
// empty one. With perfect recall an information set is reached by one own sequence only, so a
// player's information sets form a tree in which an action is followed by information sets. The
// probability of a terminal world is a product of one number per player (how likely that player's
// last sequence is) and chance, whatever the depth of the worlds. Sweeping over players' trees and
// a list of payoffs, instead of over worlds, makes best response and CFR exact and fast.
//
// Sequences of all players share one numbering: player by player, the empty sequence first, then
// information sets by own depth, so that a sweep backwards meets every set after those that follow
// it in play.
// Utilities are in the game's units, for the player named by the surrounding object.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_EXACT_COMPILED_GRAPH_H_
#define NASH_ISMCTS_SPIEL_NATIVE_EXACT_COMPILED_GRAPH_H_

#include <cstdint>
#include <vector>

#include "../worlds/tables.h"

namespace nash_ismcts {

// A player's decision: an information set. Its actions are consecutive sequences.
struct Decision {
  int32_t first_sequence;
  int32_t action_count;
  int32_t parent_sequence;  // the own sequence that leads here
  int32_t information_set;  // the number in the graph
};

// One player's side of the game.
struct PlayerTree {
  int32_t empty_sequence;           // the first of the player's sequences
  int32_t end_sequence;             // one after the last
  std::vector<Decision> decisions;  // earlier own depth first

  // Payoffs of terminal worlds, grouped by the own sequence that leads to them: those of sequence
  // empty_sequence + k lie between payoff_start[k] and payoff_start[k + 1].
  std::vector<int64_t> payoff_start;
  std::vector<double> payoff;            // utility times probability of chance
  std::vector<int32_t> other_sequences;  // last sequences of the n - 1 others, per payoff
};

struct CompiledGraph {
  int32_t num_players;
  int32_t num_sequences;

  // Worlds, as in the graph: in breadth-first order edge e leads to world e + 1.
  std::vector<int32_t> kind;             // [W]
  std::vector<int32_t> player;           // [W]
  std::vector<int32_t> information_set;  // [W]
  std::vector<int32_t> first_edge;       // [W + 1], so the edges of w end at first_edge[w + 1]
  std::vector<int32_t> utility_row;      // [W]
  std::vector<double> utilities;         // [T * n]
  std::vector<int32_t> edge_sequence;    // sequence of a move; kMissing for a chance outcome. [E]
  std::vector<double> edge_probability;  // of a chance outcome. [E]

  // Information sets, as in the graph.
  std::vector<int32_t> set_player;       // [I]
  std::vector<int32_t> first_action;     // [I + 1]
  std::vector<int32_t> action_sequence;  // sequence of each action of each set. [A]

  std::vector<PlayerTree> trees;  // [n]

  int64_t num_worlds() const { return static_cast<int64_t>(kind.size()); }
  int64_t num_information_sets() const { return static_cast<int64_t>(set_player.size()); }
  int64_t num_actions() const { return static_cast<int64_t>(action_sequence.size()); }
};

// Compiles an enumerated graph.
// Throws std::invalid_argument if the graph is not enumerated from its start on, or if what the
// game says makes no sense: probabilities that do not add up to 1, utilities that are not finite,
// or a player to move without actions.
CompiledGraph compile(const GraphTables& graph);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_EXACT_COMPILED_GRAPH_H_
