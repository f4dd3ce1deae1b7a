// The rows of an evaluator, aligned with the columns of its graph: P and Vc beside the actions of
// the information sets, beliefs beside the branches of the SAMPLE nodes. Values are utilities of
// the player who owns the information set, in the game's units.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ROWS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../worlds/tables.h"

namespace nash_ismcts {

class Rows {
 public:
  // Makes room for everything that the graph has by now.
  void fit(const GraphTables& graph) {
    const int64_t sets = graph.information_sets.size();
    const int64_t actions = graph.information_sets.num_actions();
    const int64_t samples = graph.samples.size();
    if (static_cast<int64_t>(has_information_set.size()) < sets) {
      has_information_set.resize(sets, 0);
      has_policy.resize(sets, 0);
      value.resize(sets, 0.0);
      policy.resize(actions, 0.0);
      child_values.resize(actions, 0.0);
    }
    if (static_cast<int64_t>(has_sample.size()) < samples) {
      has_sample.resize(samples, 0);
      sample_first.resize(samples, kOneValue);
      beliefs.resize(graph.samples.num_branches(), 0.0);
    }
  }

  // Makes room for a value per own action and branch of a SAMPLE node; returns where it begins.
  int64_t fit_sample_values(const GraphTables& graph, int32_t sample) {
    if (sample_first[sample] == kOneValue) {
      const int32_t set = graph.samples.information_set[sample];
      const int64_t branches = graph.samples.branch_count[sample];
      sample_first[sample] = static_cast<int64_t>(sample_values.size());
      sample_values.resize(sample_values.size() +
                           branches * graph.information_sets.action_count[set]);
    }
    return sample_first[sample];
  }

  // Takes the dead branches of a SAMPLE node out of its beliefs. If nothing is left, all that
  // may still be alive are alike.
  void bury(const GraphTables& graph, int32_t sample) {
    const int64_t first = graph.samples.first_branch[sample];
    const int32_t count = graph.samples.branch_count[sample];
    double total = 0.0;
    int32_t alive = 0, dead = 0;
    for (int64_t branch = first; branch < first + count; ++branch) {
      if (graph.samples.target[branch] == kDead) {
        beliefs[branch] = 0.0;
        ++dead;
      } else {
        total += beliefs[branch];
        ++alive;
      }
    }
    if (dead == 0) return;
    if (alive == 0) throw std::logic_error("all branches of a SAMPLE node are dead");
    for (int64_t branch = first; branch < first + count; ++branch) {
      if (graph.samples.target[branch] == kDead) continue;
      beliefs[branch] = total > 0.0 ? beliefs[branch] / total : 1.0 / alive;
    }
  }

  // The same for all nodes where a branch has died since the last call.
  void bury_new(const GraphTables& graph) {
    for (; buried_ < graph.buried.size(); ++buried_) {
      const int32_t sample = graph.buried[buried_];
      if (sample < static_cast<int64_t>(has_sample.size()) && has_sample[sample]) {
        bury(graph, sample);
      }
    }
  }

  static constexpr int64_t kOneValue = -1;  // Vc does not tell pieces apart: it is Vc(I)[a]

  std::vector<uint8_t> has_information_set;  // P, V and Vc [I]
  std::vector<uint8_t> has_policy;           // P at least [I]
  std::vector<double> value;                 // V [I]
  std::vector<double> policy;                // P [A]
  std::vector<double> child_values;          // Vc [A]
  std::vector<uint8_t> has_sample;           // [S]
  std::vector<double> beliefs;               // h [B]
  std::vector<int64_t> sample_first;         // where a SAMPLE node's values begin, or kOneValue [S]
  std::vector<double> sample_values;         // Vc, for each own action one per branch
  std::vector<double> world_values;          // by world and player, empty if not valued [W * n]

 private:
  size_t buried_ = 0;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_ROWS_H_
