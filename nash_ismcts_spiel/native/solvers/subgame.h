// Depth-limited subgames of an enumerated two-player game, in sequence form.
//
// A *public state* is what everybody knows (games/public.py); each world of it has a *slot* per
// player, which stands for what that player has seen. A subgame starts in all worlds of one public
// state. Players know their slots, and an own slot counts as the first own sequence. Where the
// subgame is cut off stand *leaves*, public states whose values come from elsewhere.
//
// Probabilities. A player's part in reaching a world depends on its slot only. The *mass* of a slot
// is the share of chance in it: the chance probability of the slot's worlds, over that of all
// worlds of the public state. A player's *belief* about a slot is its own reach times mass,
// normalised to one; both players' beliefs and chance give the probability of each world by Bayes'
// rule. Utilities are in the game's units, for the player named by the surrounding object.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SOLVERS_SUBGAME_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SOLVERS_SUBGAME_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "../common/grouped.h"
#include "../exact/compiled_graph.h"

namespace nash_ismcts {

constexpr int32_t kTwo = 2;  // players

// An enumerated game with its public states.
struct PublicGame {
  std::shared_ptr<const CompiledGraph> graph;
  int32_t num_states;
  int32_t width;                      // slots of a player in a public state, at most
  std::vector<int32_t> state;         // of each decision world, kMissing for other worlds. [W]
  std::vector<int32_t> slot;          // of each player at each decision world. [W * 2]
  std::vector<int32_t> parent;        // the public state before, kMissing at the start. [S]
  std::vector<int32_t> depth;         // public states before it. [S]
  std::vector<uint8_t> after_chance;  // chance moved since the public state before. [S]
  Grouped worlds{{}, 0};              // by public state
  std::vector<double> chance;         // probability of chance's moves towards each world. [W]
  std::vector<double> chance_total;   // the same, over the worlds of a public state. [S]
  std::vector<double> mass;           // of each slot. [S * 2 * width]

  const double* masses(int32_t state, int32_t player) const {
    return &mass[(int64_t{state} * kTwo + player) * width];
  }
};

// Checks the numbers and works out the rest. `state` has W entries and `slot` W * 2.
// Throws std::invalid_argument if they contradict the graph or each other, or if the public states
// do not form a tree.
PublicGame make_public_game(std::shared_ptr<const CompiledGraph> graph, std::vector<int32_t> state,
                            std::vector<int32_t> slot);

// What a player may have seen at a leaf.
struct LeafSlot {
  int32_t slot;
  int32_t sequence;  // the own sequence that leads there
  double mass;
};

struct Leaf {
  int32_t state;
  double weight;  // chance of its worlds, over that of the worlds in which the subgame starts
  std::array<std::vector<LeafSlot>, kTwo> slots;
};

struct Subgame {
  std::shared_ptr<const PublicGame> game;
  int32_t root;  // public state
  int32_t num_sequences;
  // The first `width` sequences of a player are its slots at the root.
  std::array<PlayerTree, kTwo> trees;
  std::vector<Leaf> leaves;
  std::vector<int32_t> actions;    // of the graph, in the order of `sequences`
  std::vector<int32_t> sequences;  // whose last action is `actions`
};

// The subgame from a public state on. Public states that lie `depth` further are leaves and, with
// `stop_at_chance`, so are those that chance has led to.
Subgame make_subgame(std::shared_ptr<const PublicGame> game, int32_t root, int32_t depth,
                     bool stop_at_chance);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SOLVERS_SUBGAME_H_
