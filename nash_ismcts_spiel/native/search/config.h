// The settings of a search that compiled code reads. config.py declares them; they arrive here by
// name (`for_each_setting`), so a new setting is a field there and a member with its line here.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_CONFIG_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

namespace nash_ismcts {

enum class SampleBackup { kExpected, kLuckAdjusted, kResidual };
enum class Selection { kPuct, kUcb };
enum class PuctDenominator { kOnePlus, kMax };
enum class Trees { kByInformationSet, kByNode };
enum class Spawning { kAlways, kWhenBehind };
enum class OpponentDispersion { kNone, kUnseen, kAlways };
enum class UnvisitedEvents { kValued, kLeftOut };
enum class RootRule { kVisits, kExpectedVisits, kQuantalStep };

struct SearchConfig {
  double dispersion_radius = 0.2;
  SampleBackup sample_backup = SampleBackup::kExpected;
  Selection selection = Selection::kPuct;
  double c_puct = 1.0;
  double ucb_exploration = 0.7;
  PuctDenominator puct_denominator = PuctDenominator::kOnePlus;
  double puct_floor = 0.5;
  double prior_noise = 0.0;
  double prior_temperature = 1.0;
  Trees trees = Trees::kByInformationSet;
  Spawning spawning = Spawning::kAlways;
  int32_t spawn_depth = 16;
  double opponent_prior_visits = 0.0;
  OpponentDispersion opponent_dispersion = OpponentDispersion::kUnseen;
  UnvisitedEvents unvisited_events = UnvisitedEvents::kValued;
  double lcb_width = 0.1;
  RootRule root_rule = RootRule::kVisits;
  double temperature = 0.1;
  double quantal_share = 1.0;
  double value_scale = 1.0;

  // Of the game rather than of the search.
  bool one_tree = false;  // perfect information with a fixed sum of utilities
  double utility_sum = 0.0;
};

// Calls visit(name, member) for numbers, and visit(name, member, words) for choices, whose words
// are those of config.py in the order of the enumerators.
template <typename Visit>
void for_each_setting(SearchConfig& config, Visit&& visit) {
  using Words = std::vector<std::string>;
  visit("dispersion_radius", config.dispersion_radius);
  visit("sample_backup", config.sample_backup, Words{"expected", "luck_adjusted", "residual"});
  visit("selection", config.selection, Words{"puct", "ucb"});
  visit("c_puct", config.c_puct);
  visit("ucb_exploration", config.ucb_exploration);
  visit("puct_denominator", config.puct_denominator, Words{"one_plus", "max"});
  visit("puct_floor", config.puct_floor);
  visit("prior_noise", config.prior_noise);
  visit("prior_temperature", config.prior_temperature);
  visit("trees", config.trees, Words{"by_information_set", "by_node"});
  visit("spawning", config.spawning, Words{"always", "when_behind"});
  visit("spawn_depth", config.spawn_depth);
  visit("opponent_prior_visits", config.opponent_prior_visits);
  visit("opponent_dispersion", config.opponent_dispersion, Words{"none", "unseen", "always"});
  visit("unvisited_events", config.unvisited_events, Words{"valued", "left_out"});
  visit("lcb_width", config.lcb_width);
  visit("root_rule", config.root_rule, Words{"visits", "expected_visits", "quantal_step"});
  visit("temperature", config.temperature);
  visit("quantal_share", config.quantal_share);
  visit("value_scale", config.value_scale);
  visit("one_tree", config.one_tree);
  visit("utility_sum", config.utility_sum);
}

// Calls visit(name, value, least, most) for numbers that have a range, which is that of config.py.
template <typename Visit>
void for_each_range(const SearchConfig& config, Visit&& visit) {
  constexpr double kMost = 1e9;
  visit("dispersion_radius", config.dispersion_radius, 0.0, 2.0);
  visit("c_puct", config.c_puct, 0.0, kMost);
  visit("ucb_exploration", config.ucb_exploration, 0.0, kMost);
  visit("puct_floor", config.puct_floor, 1e-6, 1.0 - 1e-6);
  visit("prior_noise", config.prior_noise, 0.0, 1.0);
  visit("prior_temperature", config.prior_temperature, 1e-4, kMost);
  visit("spawn_depth", config.spawn_depth, 0.0, kMost);
  visit("opponent_prior_visits", config.opponent_prior_visits, 0.0, kMost);
  visit("lcb_width", config.lcb_width, 0.0, kMost);
  visit("temperature", config.temperature, 1e-6, kMost);
  visit("quantal_share", config.quantal_share, 1e-6, 1.0);
  visit("value_scale", config.value_scale, 1e-100, 1e100);
  visit("utility_sum", config.utility_sum, -1e100, 1e100);
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_CONFIG_H_
