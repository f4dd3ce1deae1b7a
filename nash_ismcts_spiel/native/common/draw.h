// The one way in which a search uses chance, as search/draw.py: a uniform number against cumulated
// weights. The numbers come from the bit generator of a numpy.random.Generator.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_COMMON_DRAW_H_
#define NASH_ISMCTS_SPIEL_NATIVE_COMMON_DRAW_H_

#include <cstdint>

namespace nash_ismcts {

// numpy's bitgen_t (numpy/random/bitgen.h), whose layout is part of numpy's stable C interface.
struct BitGenerator {
  void* state;
  uint64_t (*next_uint64)(void*);
  uint32_t (*next_uint32)(void*);
  double (*next_double)(void*);
  uint64_t (*next_raw)(void*);

  double uniform() const { return next_double(state); }
};

// The first index at which the sum of positive weights(index) exceeds `remaining`, or the last one.
template <typename Weights>
int32_t index_beyond(double remaining, int32_t count, const Weights& weights) {
  int32_t last = 0;
  for (int32_t index = 0; index < count; ++index) {
    if (weights(index) > 0.0) {
      last = index;
      remaining -= weights(index);
      if (remaining < 0.0) break;
    }
  }
  return last;
}

// An index with probability in proportion to weights(index), which need not add up to 1.
template <typename Generator, typename Weights>
int32_t draw(Generator& generator, int32_t count, const Weights& weights) {
  double total = 0.0;
  for (int32_t index = 0; index < count; ++index) total += weights(index);
  return index_beyond(generator.uniform() * total, count, weights);
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_COMMON_DRAW_H_
