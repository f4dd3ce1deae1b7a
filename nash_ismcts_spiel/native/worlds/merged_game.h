// A game with its histories merged: those that have the same future, and in which every player's
// policy is asked the same question, are one node.
//
// A policy is asked by a key that may forget: what a player is shown of the present (its
// observation), or its information state. Histories are one node if they have the same length, the
// same player to move, the same printed state and the same key of every player. So a policy that
// depends on keys alone, chance and the utilities are functions of nodes, and there are far fewer
// nodes than histories: phantom tic-tac-toe has ten billion histories and some 400,000 nodes.
//
// That a printed state and the observations determine the future is a property of the game. Where
// two histories meet, their legal actions, chances, utilities and next nodes are compared, all of
// them in small games and a part in large ones; a difference is refused.
//
// Who answers the policy may remember all that it was shown. At a decision a node therefore has a
// signal: what the mover sees there that it could not see at its own decision before. With
// information states a player looks at its own decisions; without, after every event, and what it
// saw since its last decision is part of the signal (as in views.h).

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_MERGED_GAME_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_MERGED_GAME_H_

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../common/proportional.h"
#include "game.h"

namespace nash_ismcts {

// By what a policy is asked.
enum class PolicyKey : int32_t { kObservation, kInformationState };

// What one player's policy is asked by: all nodes at which it has the same key and, as a player
// knows these too, the same legal actions.
struct MergedView {
  int32_t player = 0;
  std::string key;
  int32_t first_node = 0;  // of its nodes
  int32_t last_node = 0;   // the same one if there is no other
};

// A player also sees something where another one is to move. Its *look* at a node is its key, for
// the mover together with its view: nodes with one look are those that it cannot tell apart.
//
// Letters: N nodes, E edges, T terminal nodes, V views, A actions of all views, n players.
struct MergedGame {
  int32_t num_players = 0;
  int32_t num_looks = 0;

  // Nodes, shortest histories first: children come after their parents.
  std::vector<int32_t> mover;        // a player, kChancePlayer or kTerminalPlayer [N]
  std::vector<int32_t> view;         // of the mover, -1 if no player is to move [N]
  std::vector<int32_t> signal;       // of the mover, the same [N]
  std::vector<int32_t> look;         // what each player sees there, -1 where none moves [N, n]
  std::vector<int32_t> terminal;     // row of `returns`, -1 if the game goes on [N]
  std::vector<int64_t> first_edge;   // [N + 1]
  std::vector<int32_t> parent;       // on the first history that was found [N]
  std::vector<Action> parent_event;  // and its last event [N]
  std::vector<int32_t> last_parent;  // on the last one, in which events came in another order [N]
  std::vector<Action> last_event;    // [N]

  // Edges in the order of legal actions or of chance outcomes.
  std::vector<int32_t> child;  // [E]
  std::vector<double> chance;  // probability of a chance outcome, else 0 [E]

  std::unordered_map<int32_t, std::vector<Action>> outcomes;  // of the edges of chance nodes

  std::vector<double> returns;  // [T, n]

  std::vector<MergedView> views;      // [V]
  std::vector<int64_t> first_action;  // [V + 1]
  std::vector<Action> actions;        // legal ones, in OpenSpiel's order [A]

  int64_t num_nodes() const { return static_cast<int64_t>(mover.size()); }

  // The actions or outcomes of a node's edges, in their order.
  std::pair<const Action*, const Action*> events(int32_t node) const {
    if (view[node] < 0) {
      const auto found = outcomes.find(node);
      if (found == outcomes.end()) return {nullptr, nullptr};
      return {found->second.data(), found->second.data() + found->second.size()};
    }
    return {actions.data() + first_action[view[node]],
            actions.data() + first_action[view[node] + 1]};
  }

  // What a node's edges are chosen by: chance, or a policy at the mover's view.
  const double* chances_at(int64_t node, const double* policy) const {
    return view[node] < 0 ? chance.data() + first_edge[node] : policy + first_action[view[node]];
  }

  // A policy in proportion to weights of actions, uniform at views that have none.
  std::vector<double> proportional(std::vector<double> weights) const {
    for (size_t at = 0; at < views.size(); ++at) {
      double* const first = weights.data() + first_action[at];
      make_proportional(first, first_action[at + 1] - first_action[at], first);
    }
    return weights;
  }

  // The first history that was found of a node, and the last.
  History first_history(int32_t node) const { return history(node, parent, parent_event); }
  History last_history(int32_t node) const { return history(node, last_parent, last_event); }

  // How many terminal histories the game has; a double, since there may be very many.
  double terminal_histories() const;

  // How likely a policy, one probability per action of a view, comes to each node. [N]
  void fill_reach(const double* policy, std::vector<double>& reach) const;

  // Expected utility of each player if all follow a policy, one probability per action of a view.
  std::vector<double> expected_utilities(const double* policy) const;

 private:
  static History history(int32_t node, const std::vector<int32_t>& parents,
                         const std::vector<Action>& events);
};

// Told now and then how much is done, from 0 to 1; may throw to stop.
using MergeProgress = std::function<void(double)>;

struct MergeLimits {
  int64_t nodes = 0;                  // refuse a game with more
  int64_t compared_in_full = 20'000;  // meetings of histories that are compared; then one in 32
};

// Walks the whole game. Throws std::invalid_argument where the game is too large, where histories
// with one printed state and the same keys do not have one future, or where information states tell
// a player more than its observations along the way.
MergedGame merge_histories(const Game& game, PolicyKey key, const MergeLimits& limits,
                           const MergeProgress& progress);

// Plays random games and looks for a player that was shown the same at all its decisions and is yet
// told different things by its information state. What to say about it, empty if none was found.
std::string untold_information(const Game& game, int32_t games);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_MERGED_GAME_H_
