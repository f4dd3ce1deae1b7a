// A small random generator for what the engine draws apart from the search's own numpy generator:
// rollouts and the search for worlds. SplitMix64, seeded from a seed and a hash of what a player
// knows, so that what is drawn is a function of these alone.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_COMMON_RANDOM_H_
#define NASH_ISMCTS_SPIEL_NATIVE_COMMON_RANDOM_H_

#include <cstdint>

#include "hash.h"

namespace nash_ismcts {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  Random(uint64_t seed, uint64_t stream) : state_(hash_combine(hash_mix(seed + 1), stream)) {}

  uint64_t next() { return hash_mix(state_ += 0x9e3779b97f4a7c15ULL); }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Uniform in 0 to count - 1.
  int64_t below(int64_t count) {
    return static_cast<int64_t>(uniform() * static_cast<double>(count));
  }

  // An index, as likely as a distribution says.
  int32_t index(const double* distribution, int32_t count) {
    double left = uniform();
    for (int32_t index = 0; index + 1 < count; ++index) {
      left -= distribution[index];
      if (left < 0.0) return index;
    }
    return count - 1;
  }

 private:
  uint64_t state_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_COMMON_RANDOM_H_
