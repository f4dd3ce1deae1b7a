// Models that compiled code computes itself: rows are made where a search needs them, without
// Python. Any number of threads may use one source, each with a graph and rows of its own. Values
// are utilities of the player who owns the information set, in the game's units.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ROW_SOURCE_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ROW_SOURCE_H_

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "../common/random.h"
#include "../worlds/graph.h"
#include "../worlds/playout.h"
#include "rows.h"

namespace nash_ismcts {

class RowSource {
 public:
  virtual ~RowSource() = default;

  // Whether it makes rows of information sets, too; those of SAMPLE nodes it always makes.
  virtual bool makes_set_rows() const { return true; }

  // P of an information set: uniform unless a source says otherwise.
  virtual void policy_row(Graph& graph, Rows& rows, int32_t set);

  // P, V and Vc of an information set. `arrival` is a world of it that its own player has drawn,
  // from which values may be estimated; kMissing if there is none, and worlds have to be drawn.
  virtual void set_row(Graph& graph, Rows& rows, int32_t set, int32_t arrival);

  // Beliefs at a SAMPLE node: the prior unless a source says otherwise. Vc does not tell pieces
  // apart.
  virtual void sample_row(Graph& graph, Rows& rows, int32_t sample);

 protected:
  // Fills V and Vc[actions] of an information set.
  virtual void values(Graph& graph, int32_t set, int32_t arrival, double& value,
                      double* child_values) = 0;
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
};

// A policy from random play, and beliefs in which others have played by theirs. P is proportional
// to exp(Vc / temperature), where Vc is found as by RolloutRows, with a game after every action in
// each world and without the world of arrival; V is the mean of Vc under P. A hidden move of
// another player is as likely as P of that player makes it, among the moves after which a world is
// left. Rows are functions of the seed and of what their player knows, and are kept from graph to
// graph. Where the game has symmetries, one information set is played out for all its images.
class RolloutPolicyRows : public RolloutRows {
 public:
  // `temperature` is in the game's utility units. With `by_observation` one information set stands
  // for all in which its player sees the same (Graph::same_observation). A symmetry says where each
  // action goes, chance outcomes aside.
  RolloutPolicyRows(int32_t worlds, double temperature, bool by_observation,
                    std::vector<History> symmetries, uint64_t seed);

  void policy_row(Graph& graph, Rows& rows, int32_t set) override;
  void set_row(Graph& graph, Rows& rows, int32_t set, int32_t arrival) override;
  void sample_row(Graph& graph, Rows& rows, int32_t sample) override;

 private:
  using Values = std::vector<double>;

  uint64_t known(const Graph& graph, int32_t set) const;
  const Values& kept_values(Graph& graph, int32_t set);
  Values played_values(Graph& graph, int32_t set, uint64_t asked);
  const Values& keep(uint64_t known, Values child_values);

  double temperature_;
  bool by_observation_;
  std::vector<History> symmetries_;
  std::unordered_map<uint64_t, Values> kept_;  // Vc, by a hash of what is known
};

// Draws a world of an information set, each hidden piece by its prior.
int32_t draw_world(Graph& graph, int32_t set, Random& random);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ROW_SOURCE_H_
