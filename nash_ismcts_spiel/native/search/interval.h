// Utility intervals, as search/interval.py: what a node is believed to be worth, in the game's
// utility units, to the player whose tree the node is in.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_INTERVAL_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_INTERVAL_H_

namespace nash_ismcts {

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

inline Interval point(double value) { return {value, value}; }

// The other player's utility in a two-player game whose utilities add up to `utility_sum`.
inline Interval mirrored(const Interval& interval, double utility_sum) {
  return {utility_sum - interval.high, utility_sum - interval.low};
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_INTERVAL_H_
