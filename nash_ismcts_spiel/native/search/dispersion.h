// Utility belief dispersion, as search/dispersion.py: the extremes of an expectation over all
// beliefs within L1 distance `radius` of h. Utilities are in the game's units.
//
#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_DISPERSION_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_DISPERSION_H_

#include <algorithm>
#include <cstdint>

namespace nash_ismcts {

inline double expectation(const double* beliefs, int32_t count, const double* values) {
  double total = 0.0;
  for (int32_t child = 0; child < count; ++child) total += beliefs[child] * values[child];
  return total;
}

// The next child to give probability away after `previous` (-1 at first), in the order of values
// (ascending or descending) and of numbers among equals; -1 if only the receiver is left.
template <bool kAscending>
int32_t next_giver(int32_t count, const double* values, int32_t receiver, int32_t previous) {
  const auto before = [](double a, double b) { return kAscending ? a < b : a > b; };
  int32_t found = -1;
  for (int32_t child = 0; child < count; ++child) {
    if (child == receiver) continue;
    if (previous >= 0 && (before(values[child], values[previous]) ||
                          (values[child] == values[previous] && child <= previous))) {
      continue;
    }
    if (found < 0 || before(values[child], values[found])) found = child;
  }
  return found;
}

// The smallest (or largest) E[q]: `radius` / 2 of probability moves to the child with the smallest
// (largest) value from the other end, taking no child below zero.
template <bool kLargest>
double extreme_expectation(const double* beliefs, int32_t count, const double* values,
                           double radius) {
  double total = expectation(beliefs, count, values);
  double to_move = radius / 2.0;
  if (to_move == 0.0) return total;
  int32_t receiver = 0;
  for (int32_t child = 1; child < count; ++child) {
    if (kLargest ? values[child] >= values[receiver] : values[child] <= values[receiver]) {
      receiver = child;
    }
  }
  const double best = values[receiver];
  int32_t giver = -1;
  while (to_move > 0.0) {
    giver = next_giver<kLargest>(count, values, receiver, giver);
    if (giver < 0) break;
    const double moved = std::min(beliefs[giver], to_move);
    total += moved * (best - values[giver]);
    to_move -= moved;
  }
  return total;
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_DISPERSION_H_
