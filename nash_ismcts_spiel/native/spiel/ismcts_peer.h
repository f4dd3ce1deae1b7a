// OpenSpiel's C++ IS-MCTS (algorithms/is_mcts.h) as a peer, in any game that hides something:
// worlds are histories from a resampler of the caller's, in place of `ResampleFromInfostate`.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SPIEL_ISMCTS_PEER_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SPIEL_ISMCTS_PEER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "open_spiel/algorithms/is_mcts.h"
#include "open_spiel/spiel.h"

namespace nash_ismcts {

using History = std::vector<open_spiel::Action>;
using Histories = std::vector<History>;

// How OpenSpiel's bot searches; fields are its arguments.
struct IsmctsSettings {
  double uct_c = 2.0;  // in the game's utility units
  int max_world_samples =
      -1;  // worlds of a search, from which each simulation draws one; -1: all new
  open_spiel::algorithms::ISMCTSFinalPolicyType final_policy =
      open_spiel::algorithms::ISMCTSFinalPolicyType::kNormalizedVisitCount;
  int rollouts = 1;  // random games at a new node
};

class IsmctsPeer {
 public:
  // Draws so many histories that the mover cannot tell from the one it asks about.
  using Draw = std::function<Histories(int count)>;

  IsmctsPeer(const std::string& game, const IsmctsSettings& settings);

  // The probability of each legal action after a history, by `simulations`; or by as many as there
  // is wall time for, if `seconds` is positive, and by two at least. The first one only makes the
  // root. A search starts anew and has random numbers of its own.
  open_spiel::ActionsAndProbs policy(const History& history, const Draw& draw, int seed,
                                     int simulations, double seconds) const;

 private:
  open_spiel::ActionsAndProbs search(const open_spiel::State& state, const Draw& draw, int seed,
                                     int simulations, double seconds) const;
  std::unique_ptr<open_spiel::State> after(const History& history) const;

  std::shared_ptr<const open_spiel::Game> game_;
  IsmctsSettings settings_;
  bool uses_observations_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SPIEL_ISMCTS_PEER_H_
