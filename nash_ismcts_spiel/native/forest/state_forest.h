// Nash-ISMCTS where nothing was trained and nothing can be enumerated: one forest on live states.
//
// A simulation clones one of the worlds that its player cannot tell apart and passes through every
// player's tree on the way: a node for each information set, keyed by its player and by what that
// player knows. It adds one node, plays on from there, and backs up at every mover's node. A move
// in the trees is the one with the largest
//
//   q(a) + 2 scale sqrt(ln(max(1, N) + 1) / (n(a) + 2)),   q(a) = (W(a) + 2 q0(a)) / (n(a) + 2)
//
// ties drawn at random; N and n(a) are visits of the node and of the action, W(a) sums of values,
// q0 the mean of the action in tables that forget the hand (action_tables.h). Games are played out
// by pi(a) ~ exp(q0(a) / (.1 scale)). The value of a simulation is its return less a baseline, what
// its world is worth anyway:
//
//   baseline = (sum of the world's returns + 2 * mean of all returns) / (the world's games + 2)
//
// The most visited action is played. Worlds are drawn before simulations 1 to 32, which then take
// turns. Nothing is kept from move to move. `search/state_forest.py` is the same in Python, to be
// read. Values are utilities in the game's units.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_FOREST_STATE_FOREST_H_
#define NASH_ISMCTS_SPIEL_NATIVE_FOREST_STATE_FOREST_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../common/flat_map.h"
#include "../common/random.h"
#include "../worlds/graph.h"
#include "../worlds/world_draws.h"
#include "action_tables.h"

namespace nash_ismcts {

class StateForest {
 public:
  // `scale` is what counts as 1, in the game's units.
  StateForest(int32_t information_set, double scale, uint64_t seed)
      : set_(information_set), scale_(scale), draws_(seed), random_(seed, 1) {}

  // Simulates until there were `visits` simulations or `stop` says so; returns how many there were.
  // A search for worlds that runs out of time (the graph's deadline) ends it too.
  template <typename Stop>
  int64_t run(Graph& graph, int64_t visits, const Stop& stop) {
    int64_t count = 0;
    try {
      for (; count < visits && !stop(); ++count) {
        if (roots_.size() < kWorlds) add_root(graph);
        simulate(roots_[count % roots_.size()]);
      }
    } catch (const OutOfTime&) {
    }
    return count;
  }

  // Visits of each action and its value to the mover, after own actions from the root on; nothing
  // where the forest has not been.
  void found(const History& actions, std::vector<int64_t>& visits, std::vector<double>& values);

 private:
  static constexpr size_t kWorlds = 32;
  static constexpr double kPriorVisits = 2.0, kExploration = 2.0, kTemperature = 0.1;
  static constexpr double kRenewal = 1.5;      // growth of N after which priors are looked up anew
  static constexpr int64_t kLongest = 20'000;  // events after which a game is left

  // A world that was drawn.
  struct Root {
    std::unique_ptr<GameState> state;
    std::vector<uint64_t> logs;  // by player, see `key_of`
    Action last;                 // the last action of a player
    std::vector<double> sum;     // of returns, by player
    double games;
  };

  // An information set, and the actions of its player from `first` on.
  struct Node {
    int32_t first, count;
    int64_t visits, renewed;  // N, now and when q0 was looked up
  };

  struct Edge {
    int64_t visits;
    double sum, prior;  // W, q0
  };

  // A move of a player that had a choice.
  struct Step {
    int32_t player;
    int32_t node, edge;  // kMissing below the trees
    ActionTables::Row row;
    Action action;
  };

  void add_root(Graph& graph);
  void simulate(Root& root);
  void back_up(Root& root, const std::vector<double>& returns);
  void draw_chance(GameState& state);
  int32_t node_of(const GameState& state, int32_t player, bool is_root);
  int32_t choose(Node& node, const ActionTables::Row& row);
  int32_t draw_by_tables(const GameState& state, const ActionTables::Row& row);
  uint64_t key_of(const GameState& state, int32_t player);

  int32_t set_;
  bool remembers_ = true;  // players are shown information states, not observations
  double scale_;
  WorldDraws draws_;
  Random random_;
  ActionTables tables_;
  FlatMap node_of_key_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  int32_t root_ = kMissing;  // a node
  uint64_t root_log_ = 0;    // of its player, there
  std::vector<Root> roots_;
  std::vector<double> total_;  // of all returns, by player
  double games_ = 0.0;

  // Of the simulation under way.
  std::vector<Step> steps_;
  std::vector<uint64_t> logs_;
  bool grown_ = false;  // has added its node
  std::vector<Action> events_;
  std::vector<double> weights_, means_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_FOREST_STATE_FOREST_H_
