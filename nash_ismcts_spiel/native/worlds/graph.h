// The game graph: worlds, information sets and hidden pieces of one game.
//
// One graph serves both engines, the exact models and the exact tools. It is enumerated whole
// (small games) or grows where somebody steps (any game). The graph is about the game, never about
// a match: a bot hands it what its player has seen, and the graph finds worlds that agree with it.
// It is used by one thread at a time while it grows.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_GRAPH_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_GRAPH_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "example.h"
#include "game.h"
#include "tables.h"
#include "views.h"

namespace nash_ismcts {

class HiddenHistories;

// A game with more worlds than somebody wants to enumerate.
struct TooManyWorlds : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

using Clock = std::chrono::steady_clock;

// The time that a caller allows has run out while the graph was growing.
struct OutOfTime : std::runtime_error {
  OutOfTime() : std::runtime_error("the time allowed has run out") {}
};

// No world was found that agrees with what a player knows.
struct NoWorldFound : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Information sets with more worlds than this are taken to have no own_next.
constexpr int32_t kOwnNextLimit = 256;

class Graph : public GraphTables {
 public:
  // Holds only the start of the game.
  explicit Graph(std::shared_ptr<const Game> game);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const Game& game() const { return *game_; }
  std::shared_ptr<const Game> shared_game() const { return game_; }
  ViewTable& views() { return views_; }
  const ViewTable& views() const { return views_; }
  bool enumerated() const { return enumerated_; }

  // Makes every world of the game. Throws std::invalid_argument if there are more than `limit`.
  void enumerate(int64_t limit);

  // Resolves `hidden`, `own_next`, `unseen` and all SAMPLE nodes of an enumerated graph.
  void resolve();

  // Until when worlds may be looked for; OutOfTime is thrown then. The graph stays as it should be.
  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }
  Clock::time_point deadline() const { return deadline_; }
  void check_deadline() const {
    if (deadline_ != Clock::time_point::max() && Clock::now() >= deadline_) throw OutOfTime();
  }

  // The world after an edge of `world`, made if nobody has stepped there before.
  int32_t child(int32_t world, int32_t edge);

  // The world that a history leads to. Throws std::invalid_argument if an event cannot happen.
  int32_t follow(const History& history);

  // The events that lead to a world.
  History history(int32_t world) const;

  // A state at a world, the caller's to keep and to change.
  std::unique_ptr<GameState> state(int32_t world) const;

  // The state of a world if it is among those that are kept, null otherwise.
  const GameState* kept_state(int32_t world) const;

  // What `player` has seen and done on the way along a true history, from its own side only. If
  // `to_move` is set, other players' moves of the same turn are filled in until it is to move. The
  // player's hidden pieces there are worth a full effort from now on (hidden.h).
  int32_t view_along(const History& history, int32_t player, bool to_move);

  // The information set of a player that has a view and is to move, kMissing if it is not known.
  int32_t set_of_view(int32_t view) const;

  // The same, found from the view alone if it is not known yet. Throws NoWorldFound.
  int32_t find(int32_t player, int32_t view);

  // The same from a history that somebody thinks leads there; kMissing if it does not, and then the
  // graph stays as it was.
  int32_t offer(int32_t player, int32_t view, const History& history);

  // The worlds of an information set that were offered, each once.
  const std::vector<int32_t>& offered(int32_t set) const;

  // Says that many worlds of an information set will be drawn: its hidden pieces get a full effort
  // from now on, and those that were given up with less are offered again.
  void ask(int32_t information_set);

  // A hash of what the player of an information set knows, the same in every graph of the game.
  uint64_t knowledge_hash(int32_t information_set) const;

  // What is drawn first of the hidden state of an information set: a world, or ~s for a SAMPLE
  // node s. In perfect information, the one world.
  int32_t hidden(int32_t information_set);

  // What is below a branch of a SAMPLE node: a world, ~s for a further SAMPLE node s, or kDead:
  // then no world was found there, and the branch must not be drawn again.
  int32_t branch(int32_t sample, int32_t branch);

  // The SAMPLE nodes and branches that lead to a world in the prefix tree of its mover: what was
  // hidden there. In a large game it ends early where a node does not offer the piece.
  std::vector<std::pair<int32_t, int32_t>> path_to(int32_t world);

  // Whether worlds of an information set are better made by exchanging hidden events than drawn
  // piece by piece: its hidden history is long, and the game is not small.
  bool by_exchange(int32_t information_set);

  // Whether all worlds of an information set were listed (hidden.h): its prior weights are exact.
  bool listed(int32_t information_set) const;

  // The next world on a random walk over the worlds of an information set.
  int32_t exchanged_world(int32_t information_set, Walk& walk);

  // The same as a history, without adding rows to the graph.
  History exchanged_history(int32_t information_set, Walk& walk);

  // What each player would be shown at each decision of an enumerated graph, as a view; kNoView
  // elsewhere. Players look at their own decisions only (views.h), so this is more than their views
  // say: what is known to all is found from it. [W * n]
  std::vector<int32_t> shown_views();

  // The information set that surely follows an own action, or kMissing.
  int32_t own_next(int32_t information_set, int32_t action);

  // Whether the mover at `world` has not seen the last action of `player`: after some other action
  // and the same events since it would be in the same information set. Its move is then no answer
  // to that action, but part of what `player` does not know.
  bool unseen(int32_t world, int32_t player);

  // The number of the edge of a world that is an event, kMissing if it cannot happen.
  int32_t edge_of(int32_t world, Action action) const;

  // The uniform policy of an information set: all whole actions alike, and with them sub-actions in
  // proportion to the whole actions behind them. [actions]
  void uniform_policy(int32_t information_set, double* policy) const;

  // How many whole actions are behind an action of an information set, 1 if it is one itself.
  double whole_count(int32_t information_set, int32_t action) const {
    const int32_t first = worlds.first_edge[information_sets.first_world[information_set]];
    return whole_count(first + action);
  }

  // See GameState::whole_actions.
  std::vector<std::pair<Action, History>> whole_actions(int32_t information_set);

  // How likely each branch of a SAMPLE node is given all that its player has seen, if chance is as
  // the game says and the other players move uniformly (whole moves alike): exact where the worlds
  // of the information set were listed (hidden.h), elsewhere `fork_weights`; normalised.
  void prior_weights(int32_t sample, double* weights) const;

  // The same by the node's own event alone, whatever follows it: chance outcomes by the game's
  // probabilities, other players' whole moves alike, dead branches not at all; normalised.
  void fork_weights(int32_t sample, double* weights) const;

  // Worlds of an information set in an enumerated graph.
  const std::vector<int32_t>& worlds_of(int32_t information_set) const {
    return worlds_of_set_[information_set];
  }

 private:
  friend class HiddenHistories;

  int32_t add_world(const GameState& state, int32_t parent, int64_t position);
  void keep_state(int32_t world, std::unique_ptr<GameState> state);
  void find_views(const GameState& state, int32_t mover, int32_t world, int32_t parent,
                  Action event);
  int32_t view_after(const GameState& state, int32_t view, int32_t player);
  int32_t find_own_next(int32_t set, int32_t action);
  void resolve_rest();
  int32_t information_set_at(int32_t world, int32_t player, int32_t view, bool within_action);
  double whole_count(int64_t edge) const {
    return worlds.edge_probability[edge] > 0.0 ? worlds.edge_probability[edge] : 1.0;
  }
  double log_chance_of(int32_t world, int64_t edge) const;
  int32_t add_sample(int32_t information_set, int32_t world, const std::vector<int32_t>& edges);

  std::shared_ptr<const Game> game_;
  ViewTable views_;
  bool enumerated_ = false;
  bool resolved_ = false;
  Clock::time_point deadline_ = Clock::time_point::max();
  std::vector<std::unique_ptr<GameState>> states_;  // by world, null where none is kept
  std::vector<int32_t> kept_;                       // the worlds that keep their states
  std::vector<int32_t> missing_children_;           // by world, edges without a child
  std::unordered_map<int32_t, std::vector<int32_t>> offered_;
  std::vector<int32_t> set_of_view_;  // by view, kMissing if none
  std::vector<std::vector<int32_t>> worlds_of_set_;
  std::unique_ptr<HiddenHistories> hidden_;
  std::vector<Action> events_;         // of the world that is being added
  std::vector<double> probabilities_;  // of its chance outcomes
  std::vector<int32_t> world_views_;   // of its players
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_GRAPH_H_
