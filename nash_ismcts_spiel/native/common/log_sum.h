// Sums of numbers that are given by their logarithms.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_COMMON_LOG_SUM_H_
#define NASH_ISMCTS_SPIEL_NATIVE_COMMON_LOG_SUM_H_

#include <algorithm>
#include <cmath>
#include <limits>

namespace nash_ismcts {

constexpr double kLogZero = -std::numeric_limits<double>::infinity();

// log(e^one + e^other).
inline double log_sum(double one, double other) {
  const double larger = std::max(one, other);
  return larger == kLogZero ? larger : larger + std::log1p(std::exp(std::min(one, other) - larger));
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_COMMON_LOG_SUM_H_
