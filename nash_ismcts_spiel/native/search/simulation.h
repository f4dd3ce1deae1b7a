// One simulation, as search/simulation.py, in a form that can wait.
//
// The reference recurses; here the recursion is a stack of frames, so that a simulation can stop
// where a row of the models is missing, be left alone while others run, and go on once the row is
// there. A stage either completes or asks for what it misses without having changed anything, so
// it can simply be run again.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_SIMULATION_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_SIMULATION_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "../common/draw.h"
#include "../worlds/graph.h"
#include "act_node.h"
#include "config.h"
#include "limits.h"
#include "pools.h"
#include "row_source.h"
#include "rows.h"
#include "sample_node.h"
#include "trees.h"

namespace nash_ismcts {

// What a simulation waits for: a row of the models, or the next turn.
enum class Wanted : int32_t { kNothing, kSetRow, kSampleRow, kTurn };

struct Request {
  Wanted wanted = Wanted::kNothing;
  int32_t row = 0;
};

// What all simulations of a search share.
struct SearchContext {
  Graph& graph;
  Rows& rows;
  RowSource* source;  // makes rows at once, some or all; null if they all come from Python
  const SearchConfig& config;
  const BitGenerator& generator;
  Forest& forest;
  ChoiceBuffers& buffers;
  SampleBuffers& sample_buffers;
  int64_t& simulations;
  const Limits& limits;
  Pools& pools;
};

// A way down that has been taken and waits for its result.
enum class FrameKind : uint8_t { kAct, kSample, kPool, kChance, kOpponent, kMirror, kSpawned };
struct Frame {
  FrameKind kind;
  bool flag = false;  // kAct: mixed; kOpponent: its mover has a tree
  NodeId node = kNone;
  int32_t index = kNone;  // the slot taken; kSpawned: the tree to return to
  Interval adjustment{};  // kSample, kPool
};

struct SimulationBuffers {
  std::vector<Frame> frames;
  std::vector<double> mixing;  // the mixing distributions of the kAct frames that mixed
};

class Simulation {
 public:
  // Begins a simulation in `tree` with the memory of an earlier one.
  Simulation(TreeId tree, SimulationBuffers&& buffers)
      : tree_(tree), frames_(std::move(buffers.frames)), mixing_(std::move(buffers.mixing)) {
    frames_.clear();
    mixing_.clear();
  }

  // Gives its memory to the next one.
  SimulationBuffers release() { return {std::move(frames_), std::move(mixing_)}; }

  // Runs on until the simulation is over (kNothing), something is missing, or its turn is over.
  Request run(SearchContext& context);

  // Gives up a simulation that is under way: it leaves no trace in the choices of its trees.
  void abandon(Forest& forest);

  // The action chosen at the root, once the simulation is over.
  int32_t action() const { return action_; }

 private:
  enum class Stage : uint8_t {
    kStart,
    kVisit,
    kAct,
    kAfterAction,
    kSample,
    kBelowBranch,
    kOppose,
    kEdge,
    kBackUp,
    kOver
  };

  Request start(SearchContext& context);
  Request visit(SearchContext& context);
  void act(SearchContext& context);
  Request after_action(SearchContext& context);
  void sample(SearchContext& context);
  Request below_branch(SearchContext& context);
  void draw_from_pool(SearchContext& context);
  Request oppose(SearchContext& context);
  Request answer_by_choice(SearchContext& context, TreeId spawned);
  void answer_by_prior(SearchContext& context);
  Request edge(SearchContext& context);
  void back_up(SearchContext& context);
  void back_up_sample(SearchContext& context, const Frame& frame);
  void back_up_pool(SearchContext& context, const Frame& frame);
  void back_up_act(SearchContext& context, const Frame& frame);
  void back_up_opponent(SearchContext& context, const Frame& frame);
  void back_up_chance(SearchContext& context, const Frame& frame);

  // The node at a target of the hidden state (see games/tables.py), or what is missing for it.
  Request target_node(SearchContext& context, int32_t target, int32_t action, int32_t player,
                      NodeId& made);
  NodeId world_node(SearchContext& context, int32_t world, int32_t player);
  NodeId decision_node(SearchContext& context, int32_t world, int32_t player);

  TreeId tree_;
  NodeId node_ = kNone;
  int32_t arrival_ = kMissing;  // the world in which an ACT node was come to
  Stage stage_ = Stage::kStart;
  int32_t depth_ = 0;
  int32_t action_ = kNone;
  Interval result_{};
  std::vector<Frame> frames_;
  std::vector<double> mixing_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_SIMULATION_H_
