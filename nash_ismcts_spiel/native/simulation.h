// One simulation, as search/simulation.py, in a form that can wait.
//
// The reference recurses; here the recursion is a stack of frames, so that a simulation can stop
// where a row of the graph or of the models is missing, be left alone while others run, and go on
// once the row is there. A stage either completes or asks for what it misses without having changed
// anything, so it can simply be run again.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SIMULATION_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SIMULATION_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "act_node.h"
#include "config.h"
#include "draw.h"
#include "graph.h"
#include "rows.h"
#include "sample_node.h"
#include "trees.h"

namespace nash_ismcts {

// What a simulation waits for: the GameGraph method, or the row, and its arguments.
enum class Wanted : int32_t { kNothing, kChild, kHidden, kBranch, kOwnNext, kUnseen, kSetRow,
                              kSampleRow };

struct Request {
  Wanted wanted = Wanted::kNothing;
  int32_t row = 0;
  int32_t index = 0;
};

// What all simulations of a search share.
struct SearchContext {
  const GraphView& graph;
  const Rows& rows;
  const SearchConfig& config;
  const BitGenerator& generator;
  Forest& forest;
  ChoiceBuffers& buffers;
  SampleBuffers& sample_buffers;
  int64_t& simulations;
};

// A way down that has been taken and waits for its result.
enum class FrameKind : uint8_t { kAct, kSample, kChance, kOpponent, kMirror, kSpawned };
struct Frame {
  FrameKind kind;
  bool flag = false;      // kAct: mixed; kOpponent: a tree was spawned
  NodeId node = kNone;
  int32_t index = kNone;  // the slot taken; kSpawned: the tree to return to
  Interval adjustment{};  // kSample
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

  // Runs on until the simulation is over (kNothing) or something is missing.
  Request run(SearchContext& context);

  // The action chosen at the root, once the simulation is over.
  int32_t action() const { return action_; }

 private:
  enum class Stage : uint8_t { kStart, kVisit, kAct, kAfterAction, kSample, kBelowBranch, kOppose,
                               kEdge, kBackUp, kOver };

  Request start(SearchContext& context);
  Request visit(SearchContext& context);
  void act(SearchContext& context);
  Request after_action(SearchContext& context);
  void sample(SearchContext& context);
  Request below_branch(SearchContext& context);
  Request oppose(SearchContext& context);
  Request edge(SearchContext& context);
  void back_up(SearchContext& context);
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
  Stage stage_ = Stage::kStart;
  int32_t depth_ = 0;
  int32_t action_ = kNone;
  Interval result_{};
  std::vector<Frame> frames_;
  std::vector<double> mixing_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SIMULATION_H_
