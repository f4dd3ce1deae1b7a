// The bounds of a search besides its visits: time, and the size of the graph.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_LIMITS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_LIMITS_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "../worlds/graph.h"

namespace nash_ismcts {

struct Limits {
  Clock::time_point deadline = Clock::time_point::max();  // when the search has to end
  Clock::time_point turn_end = Clock::time_point::max();  // when the caller wants to be asked again
  int64_t max_worlds = std::numeric_limits<int64_t>::max();

  bool out_of_time() const {
    return deadline != Clock::time_point::max() && Clock::now() >= deadline;
  }
  bool out_of_worlds(const GraphTables& graph) const { return graph.worlds.size() >= max_worlds; }

  // Looked at once per stage of a simulation, so the clock is read only now and then.
  bool turn_is_over(const GraphTables& graph) const {
    if (out_of_worlds(graph)) return true;
    if (turn_end == Clock::time_point::max() && deadline == turn_end) return false;
    if (++looks_ % kLooks != 0) return false;
    return Clock::now() >= std::min(deadline, turn_end);
  }

 private:
  static constexpr int64_t kLooks = 16;
  mutable int64_t looks_ = 0;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_LIMITS_H_
