// What a player knows and what has been drawn of the rest, as rows of numbers for networks.
//
// An information set is described by the player to move, as one of all players, and by OpenSpiel's
// information state tensor of that player; where a game has none, by what the player observed at
// its last decisions and did there, latest first (all parts of an action, where actions are split:
// a decision then is where an action begins). A SAMPLE node is described by its information set and
// the pieces drawn so far, by slot: the first piece has the first slot, and all that no slot is
// left for share the last one. A piece is known by its number as an
// action or chance outcome. Where a board is given, the information state tensor is put on it
// (board.h), and the board stands for it.
//
// Rows are not kept between batches: the states that they are read from mostly are. Where they are
// not, sets are described in the order in which their worlds were made, so that one state is played
// on from one decision of a game to the next.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_TENSORS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_TENSORS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "board.h"
#include "game.h"
#include "graph.h"

namespace nash_ismcts {

// Own decisions that a history of observations looks back to, the present one included.
constexpr int32_t kRemembered = 4;

class Tensors {
 public:
  // Fixes the sizes. If `observations` is set, a player is described by its present observation
  // alone; if there is a board, by that. Throws std::invalid_argument if the game has no tensors,
  // or none that the board can be read from.
  Tensors(std::shared_ptr<const Game> game, int64_t slots, bool observations = false,
          std::optional<Board> board = std::nullopt);

  int64_t set_inputs() const { return set_inputs_; }
  int64_t sample_inputs() const { return set_inputs_ + slots_ * pieces_; }
  int64_t actions() const { return facts_.actions; }
  int64_t pieces() const { return pieces_; }

  // Whether a graph is one of the same game.
  bool fits(const Graph& graph) const;

  // Rows of information sets. [count, set_inputs]
  void sets(const Graph& graph, const int32_t* sets, int64_t count, float* rows) const;

  // Rows of SAMPLE nodes. [count, sample_inputs]
  void samples(const Graph& graph, const int32_t* samples, int64_t count, float* rows) const;

 private:
  // States that a batch has played, by world.
  using Played = std::unordered_map<int32_t, std::unique_ptr<GameState>>;

  void describe(const Graph& graph, const std::vector<int32_t>& sets, int64_t width,
                float* rows) const;
  void describe_set(const Graph& graph, int32_t set, Played& played, float* row) const;
  void remember(const Graph& graph, int32_t world, int32_t player, float* row) const;
  void add_drawn(const Graph& graph, int32_t sample, float* slots) const;

  std::shared_ptr<const Game> game_;
  TensorFacts facts_;
  TensorKind kind_;     // of the tensors that are read
  int64_t size_;        // of one of them
  int32_t remembered_;  // own decisions that a row of observations looks back to
  std::optional<Board> board_;
  int32_t players_;
  int64_t slots_, pieces_, set_inputs_;
};

// Chance outcomes and moves of others than `player` on the way to a world, latest first.
void events_of_others(const GraphTables& graph, int32_t world, int32_t player, History& events);

// The most pieces that are drawn before a SAMPLE node of the graph.
int64_t most_drawn(const Graph& graph);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_TENSORS_H_
