// The settings of a search that compiled code needs, as config.py's SearchConfig.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_CONFIG_H_
#define NASH_ISMCTS_SPIEL_NATIVE_CONFIG_H_

#include <cstdint>

namespace nash_ismcts {

enum class OpponentDispersion { kNone, kUnseen, kAlways };
enum class SampleBackup { kExpected, kLuckAdjusted, kResidual };

enum class RootRule { kVisits, kExpectedVisits, kCertainGain };

struct SearchConfig {
  double dispersion_radius = 0.2;
  SampleBackup sample_backup = SampleBackup::kExpected;
  bool luck_ends_coupled = true;
  bool ucb = false;
  double c_puct = 1.0;
  double ucb_exploration = 0.7;
  bool denominator_one_plus = true;
  double puct_floor = 0.5;
  double prior_noise = 0.0;
  double prior_temperature = 1.0;
  bool trees_by_information_set = true;
  double opponent_prior_visits = 0.0;
  OpponentDispersion opponent_dispersion = OpponentDispersion::kUnseen;
  int32_t spawn_depth = 16;
  bool unvisited_events_valued = true;
  double lcb_width = 0.1;
  RootRule root_rule = RootRule::kVisits;
  double value_scale = 1.0;

  // Of the game rather than of the search.
  bool one_tree = false;      // perfect information with a fixed sum of utilities
  double utility_sum = 0.0;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_CONFIG_H_
