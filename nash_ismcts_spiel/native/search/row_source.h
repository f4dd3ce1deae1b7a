// Models that compiled code computes itself: rows are made where a search needs them, without
// Python. Values are utilities of the player who owns the information set, in the game's units.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ROW_SOURCE_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ROW_SOURCE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "../common/random.h"
#include "../worlds/graph.h"
#include "../worlds/playout.h"
#include "../worlds/world_draws.h"
#include "rows.h"

namespace nash_ismcts {

class RowSource {
 public:
  virtual ~RowSource() = default;

  // Whether it makes rows of information sets, too; those of SAMPLE nodes it always makes.
  virtual bool makes_set_rows() const { return true; }

  // P of an information set: uniform.
  void policy_row(Graph& graph, Rows& rows, int32_t set);

  // P, V and Vc of an information set. `arrival` is a world of it that its own player has drawn,
  // from which values may be estimated; kMissing if there is none, and worlds have to be drawn.
  void set_row(Graph& graph, Rows& rows, int32_t set, int32_t arrival);

  // Beliefs at a SAMPLE node: the prior. Vc does not tell pieces apart.
  void sample_row(Graph& graph, Rows& rows, int32_t sample);

 protected:
  // Fills V and Vc[actions] of an information set.
  virtual void values(Graph& graph, int32_t set, int32_t arrival, double& value,
                      double* child_values) = 0;

 private:
  std::vector<double> child_values_;
};

// Models that know nothing: V and Vc are one given value.
class UniformRows : public RowSource {
 public:
  explicit UniformRows(double value) : value_(value) {}

 protected:
  void values(Graph& graph, int32_t set, int32_t arrival, double& value,
              double* child_values) override;

 private:
  double value_;
};

// Beliefs alone, beside models that come from elsewhere.
class PriorBeliefs : public RowSource {
 public:
  bool makes_set_rows() const override { return false; }

 protected:
  void values(Graph& graph, int32_t set, int32_t arrival, double& value,
              double* child_values) override;
};

// Values by random play. Of each information set some worlds are drawn, each hidden piece by its
// prior, and in each of them a game is played to its end after some of the own actions: after all
// of them, or after `most_games` drawn at random where there are more. Vc of an action is the mean
// of its games, V the mean over the whole actions that were played, and the Vc of those that were
// not. Where a player comes to an information set in its own tree, the world in which it does so is
// the first one: it was drawn from the player's own beliefs. A simulated player's tree must not
// know in which world it was asked, so at its root all worlds are drawn, the first one from its
// pool if it has one.
class RolloutRows : public RowSource {
 public:
  RolloutRows(int32_t worlds, int32_t most_games, uint64_t seed)
      : worlds_(worlds), most_games_(most_games), seed_(seed) {}

 protected:
  void values(Graph& graph, int32_t set, int32_t arrival, double& value,
              double* child_values) override;

 private:
  std::unique_ptr<GameState> drawn_state(Graph& graph, int32_t set, Random& random);

  int32_t worlds_;
  int32_t most_games_;
  uint64_t seed_;
  Playout playout_;
  std::vector<int32_t> order_, games_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ROW_SOURCE_H_
