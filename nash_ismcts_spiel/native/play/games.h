// Games that are played without search, many at once, and what may be learned from them.
//
// One player explores: it follows a policy mixed with uniform play. The others follow a policy,
// mixed with uniform play or not, or play uniformly. Games that stand in the same world move
// together: they are split among its events by multinomial draws, so a million games of a small
// game cost no more than the worlds they come to, and in a large game each goes its own way. The
// graph grows with them. A policy that is not known yet is asked for, and the games that need it
// wait.
//
// Only the explorer's decisions give targets (learning/rows.py says which are unbiased): its own
// moves cancel in its beliefs, and the others' count by how much likelier their policy alone was to
// make them. Values are utilities of the explorer in the game's units, bootstrapped: a game counts
// at V of the explorer's next information set, or at its result if there is none; with traces also
// at what came of it later.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_PLAY_GAMES_H_
#define NASH_ISMCTS_SPIEL_NATIVE_PLAY_GAMES_H_

#include <cstdint>
#include <vector>

#include "../common/random.h"
#include "../search/rows.h"
#include "../worlds/graph.h"

namespace nash_ismcts {

struct PlaySettings {
  int32_t explorer = 0;
  double explore = 0.0;         // share of uniform play of the explorer
  double others_explore = 0.0;  // share of uniform play of the others; 1: they need no policy
  double trace = 0.0;           // lambda: how far results count beside V, see Games::values
};

// The games that came to a world.
struct Group {
  int32_t world;
  int32_t parent;  // group, kMissing at the start of the game
  int32_t edge;    // of the parent's world
  int64_t count = 0;
  int64_t pending = 0;    // of these, those that have not moved on
  double likelier = 1.0;  // importance weight: the others' moves so far, policy over behaviour
};

// Sums over games, beside the columns of a graph.
struct TargetSums {
  std::vector<int64_t> visits;         // games at each information set of the explorers [I]
  std::vector<double> action_values;   // values after each action, by weight [A]
  std::vector<double> action_weights;  // [A]
  std::vector<double> branch_weights;  // games by what was hidden in them [B]
  std::vector<int64_t>
      piece_first;  // where a SAMPLE node's values begin, kMissing if it has none [S]
  std::vector<double> piece_values;  // values after each own action and piece, by weight
  std::vector<double> piece_weights;

  void fit(const GraphTables& graph);

  // Takes what the games have shown into `rows`, where the models count for `prior_games` games: V
  // and Vc of information sets, beliefs and Vc of SAMPLE nodes that have rows.
  void blend_into(const GraphTables& graph, double prior_games, Rows& rows) const;
};

class Games {
 public:
  explicit Games(const PlaySettings& settings) : settings_(settings) {}

  // Lets some more games begin.
  void start(int64_t games);

  // Moves all games on until they are over or wait for a policy; adds the information sets where
  // one is missing to `wanted`, each once, in the order of the games and not of their numbers,
  // which depend on who else has made the graph grow. `own` has the explorer's policies, `others`
  // those of the others.
  void advance(Graph& graph, const Rows& own, const Rows& others, Random& random,
               std::vector<int32_t>& wanted);

  // Adds what games that are over tell about V and Vc. `rows` must have V wherever the explorer
  // decided.
  void add_values(const Graph& graph, const Rows& rows, TargetSums& sums) const;

  // Adds what was hidden from the explorer in some groups that stand at its decisions, and what
  // pieces were worth; returns how many pieces these were.
  int64_t add_hidden(Graph& graph, const Rows& rows, const std::vector<int32_t>& groups,
                     TargetSums& sums) const;

  // The groups that stand at the explorer's decisions.
  std::vector<int32_t> decisions(const Graph& graph) const;

  // Writes what each world that games came to is worth to the explorer into `rows.world_values`.
  void put_world_values(const Graph& graph, Rows& rows) const;

  const std::vector<Group>& groups() const { return groups_; }
  int32_t explorer() const { return settings_.explorer; }
  bool decides(const Graph& graph, int32_t world) const;  // whether the explorer moves there
  bool over() const { return moving_.empty(); }

 private:
  bool has_policy(const Rows& rows, int32_t set) const;
  bool behaviour(const Graph& graph, int32_t world, const Rows& own, const Rows& others);
  void split(Graph& graph, int32_t group, Random& random);
  void send(Graph& graph, int32_t group, int32_t edge, int64_t count);
  std::vector<double> values(const Graph& graph, const Rows& rows) const;
  double by_policy(const Graph& graph, const Rows& rows, const Group& group) const;

  PlaySettings settings_;
  std::vector<Group> groups_;
  std::vector<int32_t> group_of_world_;
  std::vector<int32_t> moving_;  // groups with games that have not moved on
  std::vector<int32_t> next_;
  std::vector<double> weights_;   // of the events of a world, as they are played
  std::vector<double> likelier_;  // importance weight of each
  std::vector<double> uniform_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_PLAY_GAMES_H_
