// The rows of an evaluator, aligned with the columns of its graph: P and Vc beside the actions of
// the information sets, beliefs beside the branches of the SAMPLE nodes. Values are utilities of the
// player who owns the information set, in the game's units.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_ROWS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graph.h"

namespace nash_ismcts {

class Rows {
 public:
  // Makes room for everything that the graph has by now.
  void fit(const GraphView& graph) {
    const int64_t sets = graph.information_sets.size();
    const int64_t actions = graph.information_sets.num_actions();
    const int64_t samples = graph.samples.size();
    if (static_cast<int64_t>(has_information_set.size()) < sets) {
      has_information_set.resize(sets, 0);
      value.resize(sets, 0.0);
      policy.resize(actions, 0.0);
      child_values.resize(actions, 0.0);
    }
    while (static_cast<int64_t>(has_sample.size()) < samples) {
      const int64_t sample = static_cast<int64_t>(has_sample.size());
      const int64_t branches = graph.samples.branch_count[sample];
      const int64_t own = graph.information_sets.action_count[graph.samples.information_set[sample]];
      has_sample.push_back(0);
      sample_first.push_back(static_cast<int64_t>(sample_values.size()));
      sample_values.resize(sample_values.size() + branches * own, 0.0);
    }
    beliefs.resize(std::max<size_t>(beliefs.size(), graph.samples.num_branches()), 0.0);
  }

  std::vector<uint8_t> has_information_set;  // [I]
  std::vector<double> value;                 // V [I]
  std::vector<double> policy;                // P [A]
  std::vector<double> child_values;          // Vc [A]
  std::vector<uint8_t> has_sample;           // [S]
  std::vector<double> beliefs;               // h [B]
  std::vector<int64_t> sample_first;         // where a SAMPLE node's values begin [S]
  std::vector<double> sample_values;         // Vc, for each own action one per branch
  std::vector<double> world_values;          // by world and player, empty if not valued [W * n]
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_ROWS_H_
