// The tables of a game graph: worlds, information sets and SAMPLE nodes as flat columns.
//
// Rows are only ever appended; numbers are row indices and stay valid for the life of the graph.
// Utilities are in the game's units, one column per player. Letters in shapes: W worlds, E edges,
// T terminal worlds, I information sets, A actions of all information sets, S SAMPLE nodes,
// B branches of all SAMPLE nodes, n players.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_TABLES_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_TABLES_H_

#include <cstdint>
#include <limits>
#include <vector>

namespace nash_ismcts {

// Kinds of worlds.
constexpr int32_t kTerminal = 0;
constexpr int32_t kChance = 1;
constexpr int32_t kDecision = 2;

constexpr int32_t kRoot = 0;      // the world at the start
constexpr int32_t kMissing = -1;  // no such row, or not made yet
constexpr int32_t kUnresolved = std::numeric_limits<int32_t>::min();  // nobody has asked for it yet
constexpr int32_t kDead = kUnresolved + 1;  // a branch below which there is no world

// Full histories of the game.
struct WorldTable {
  std::vector<int32_t> kind;             // kTerminal, kChance or kDecision [W]
  std::vector<int32_t> player;           // who moves; -1 unless kDecision [W]
  std::vector<int32_t> information_set;  // of the player who moves; -1 unless kDecision [W]
  std::vector<int32_t> parent;           // the world one event earlier; -1 at the start [W]
  std::vector<int64_t> last_action;      // the event that led here; -1 at the start [W]
  std::vector<int32_t> depth;            // number of events so far [W]
  std::vector<int32_t> first_edge;       // where the world's edges begin [W]
  std::vector<int32_t> edge_count;       // number of moves or chance outcomes [W]
  std::vector<int32_t> utility_row;      // row of `utilities`; -1 unless kTerminal [W]
  std::vector<int32_t> view;             // what each player knows, see views.h [W * n]
  std::vector<int32_t> unseen;           // see Graph::unseen; kUnresolved until asked for [W * n]
  std::vector<int32_t> edge_child;       // world after the edge; kMissing until stepped to [E]
  std::vector<int64_t> edge_action;      // pyspiel's number of the move or outcome [E]
  // Of a chance outcome. For moves 0, or the number of whole actions behind a sub-action. [E]
  std::vector<double> edge_probability;
  std::vector<double> utilities;  // what each player gets [T * n]
  // Logarithm of the probability of the history if all players move uniformly. [W]
  std::vector<double> log_prior;

  int64_t size() const { return static_cast<int64_t>(kind.size()); }
  int64_t num_edges() const { return static_cast<int64_t>(edge_child.size()); }
};

// What a player knows when it is to move.
struct InformationSetTable {
  std::vector<int32_t> player;         // whose information set it is [I]
  std::vector<int32_t> view;           // what that player knows [I]
  std::vector<int32_t> first_world;    // the world in which the set was first met [I]
  std::vector<int32_t> first_action;   // where its actions begin [I]
  std::vector<int32_t> action_count;   // number of legal actions, in pyspiel's order [I]
  std::vector<int32_t> hidden;         // what is drawn first: world w as w, SAMPLE node s as ~s [I]
  std::vector<int32_t> within_action;  // 1 where some sub-actions of an action are chosen [I]
  std::vector<int64_t> action;         // pyspiel's number of a legal action [A]
  // The information set that follows the action whatever is hidden; kMissing if that depends on
  // the hidden state or another player moves; kUnresolved until asked for. [A]
  std::vector<int32_t> own_next;

  int64_t size() const { return static_cast<int64_t>(player.size()); }
  int64_t num_actions() const { return static_cast<int64_t>(action.size()); }
};

// Forks in the hidden history: the prefix tree of the worlds of an information set. A node stands
// at a partial world; each branch is a value of the next hidden piece (a chance outcome or another
// player's move). In a graph that grows a branch may turn out to be dead when it is asked for.
struct SampleTable {
  std::vector<int32_t> information_set;  // whose hidden state is drawn [S]
  std::vector<int32_t> world;            // the partial world in which the next piece is hidden [S]
  std::vector<int32_t> first_branch;     // where the node's branches begin [S]
  std::vector<int32_t> branch_count;     // number of values that are offered, at least 2 [S]
  std::vector<int32_t> edge;             // the piece, as an edge of the partial world [B]
  // What is below the branch: a complete world w as w, a further SAMPLE node s as ~s, kDead, or
  // kUnresolved until asked for. [B]
  std::vector<int32_t> target;
  // Logarithm of the prior probability of all worlds below the branch (log_prior), where the worlds
  // of the information set were listed; not a number where they were not. [B]
  std::vector<double> log_mass;

  int64_t size() const { return static_cast<int64_t>(information_set.size()); }
  int64_t num_branches() const { return static_cast<int64_t>(edge.size()); }
};

// All that compiled code reads of a graph; `Graph` (graph.h) makes it grow.
struct GraphTables {
  int32_t num_players = 0;
  WorldTable worlds;
  InformationSetTable information_sets;
  SampleTable samples;
  std::vector<int32_t> buried;  // SAMPLE nodes in which a branch has died, in that order
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_TABLES_H_
