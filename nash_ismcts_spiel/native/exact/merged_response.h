// An exact best response, with perfect recall, to a policy that forgets, in a merged game
// (worlds/merged_game.h).
//
// The responder's information sets are walked depth first. Each is a short list of nodes with
// weights: how likely chance and the policy make the node if the responder plays towards it. After
// an own action the weights move on to the responder's next decisions, and what it sees there, the
// node's signal, splits the list into the next information sets. Histories that end in one node
// have been added up, so lists stay short, and everything below strings is integers.
//
// Values are in the game's units, from the responder's point of view, not divided by the weights.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_EXACT_MERGED_RESPONSE_H_
#define NASH_ISMCTS_SPIEL_NATIVE_EXACT_MERGED_RESPONSE_H_

#include <cstdint>
#include <vector>

#include "../worlds/merged_game.h"

namespace nash_ismcts {

struct ResponseLimits {
  int64_t entries = 0;           // of all continuations: 12 bytes each
  int64_t information_sets = 0;  // of the responder
};

class MergedResponse {
 public:
  // `policy` has one probability per action of each view. Throws std::invalid_argument where there
  // are more continuations than the limit.
  MergedResponse(const MergedGame& game, const double* policy, int32_t responder,
                 const ResponseLimits& limits);

  // The value of a best response from the start of the game. Throws std::invalid_argument if the
  // responder has more information sets than the limit.
  double value(const MergeProgress& progress);

  // How many information sets the policy lets the responder reach, once `value` has been called.
  int64_t information_sets() const { return information_sets_; }

 private:
  // A place where the game goes on after an own action, as one number: a decision of the responder
  // (its place), a continuation, or the end.
  using Target = int32_t;

  struct Entry {
    int32_t place;
    double weight;
  };

  void number_decisions();
  void number_continuations();
  void add_continuation(int32_t node, const double* policy);
  Target target_of(int32_t node) const;
  void add(int32_t place, double weight) {
    if (weights_[place] == 0.0) touched_.push_back(place);
    weights_[place] += weight;
  }
  double follow(Target target, double weight);
  double visit_groups(double share);
  double visit(int64_t begin, int64_t end, double share);

  const MergedGame& game_;
  const int32_t responder_;
  const ResponseLimits limits_;

  // The responder's decisions, those with the same signal next to each other.
  std::vector<int32_t> node_of_;       // by place
  std::vector<int32_t> signal_;        // by place
  std::vector<int32_t> place_of_;      // by node; continuations have their number here
  std::vector<int64_t> first_target_;  // by place
  std::vector<Target> targets_;

  // Continuations: from a node of others to the responder's next decisions.
  std::vector<double> end_value_;  // expected utility of games that end before
  std::vector<int64_t> first_entry_;
  std::vector<int32_t> entry_place_;
  std::vector<double> entry_chance_;

  // Of the walk.
  std::vector<double> weights_;  // by place, 0 between two uses
  std::vector<int32_t> touched_;
  std::vector<Entry> stack_;
  int64_t information_sets_ = 0;
  double done_ = 0.0;
  const MergeProgress* progress_ = nullptr;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_EXACT_MERGED_RESPONSE_H_
