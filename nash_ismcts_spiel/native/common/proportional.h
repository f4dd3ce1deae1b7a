// Distributions from weights.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_COMMON_PROPORTIONAL_H_
#define NASH_ISMCTS_SPIEL_NATIVE_COMMON_PROPORTIONAL_H_

#include <cstdint>

namespace nash_ismcts {

// Probabilities in proportion to the positive ones among weights (regret matching, where these are
// regrets), uniform if there are none. `weights` may be `policy`.
inline void make_proportional(const double* weights, int64_t count, double* policy) {
  double total = 0.0;
  for (int64_t k = 0; k < count; ++k) {
    if (weights[k] > 0.0) total += weights[k];
  }
  for (int64_t k = 0; k < count; ++k) {
    const double weight = weights[k] > 0.0 ? weights[k] : 0.0;
    policy[k] = total > 0.0 ? weight / total : 1.0 / static_cast<double>(count);
  }
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_COMMON_PROPORTIONAL_H_
