// Pools of worlds: where the hidden history of an information set is long, a search draws from a
// pool of worlds that grows with the number of draws, all alike, instead of a new world each time
// (particles, as in POMCP). Worlds get into a pool by exchanges of hidden events
// (worlds/exchange.cc); worlds that were offered (`Graph::offer`) come first.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_POOLS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_POOLS_H_

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../worlds/graph.h"

namespace nash_ismcts {

class Pools {
 public:
  // The worlds of an information set from which one is to be drawn next. A world keeps its number.
  const std::vector<int32_t>& next(Graph& graph, int32_t set) {
    Pool& pool = of(graph, set);
    const auto size = static_cast<int64_t>(pool.worlds.size());
    const auto offered = static_cast<int64_t>(graph.offered(set).size());
    const int64_t wanted = std::max(offered, kFirst + pool.draws / kDrawsPerWorld);
    if (size < std::min(wanted, kMost)) grow(graph, set, pool);
    ++pool.draws;
    return pool.worlds;
  }

  // The first world of an information set's pool.
  int32_t first(Graph& graph, int32_t set) {
    Pool& pool = of(graph, set);
    if (pool.worlds.empty()) grow(graph, set, pool);
    return pool.worlds.front();
  }

  void clear() { pools_.clear(); }

  // Drops all pools but those of the given information sets.
  void keep(const std::vector<int32_t>& sets) {
    std::unordered_map<int32_t, Pool> kept;
    for (const int32_t set : sets) {
      const auto found = pools_.find(set);
      if (found != pools_.end()) kept.insert(pools_.extract(found));
    }
    pools_ = std::move(kept);
  }

 private:
  static constexpr int64_t kFirst = 2;
  static constexpr int64_t kDrawsPerWorld = 16;
  static constexpr int64_t kMost = 256;

  struct Pool {
    explicit Pool(uint64_t seed) : walk(seed) {}
    Walk walk;
    std::vector<int32_t> worlds;
    int64_t draws = 0;
  };

  Pool& of(const Graph& graph, int32_t set) {
    return pools_.try_emplace(set, graph.knowledge_hash(set)).first->second;
  }

  static void grow(Graph& graph, int32_t set, Pool& pool) {
    const std::vector<int32_t>& offered = graph.offered(set);
    const size_t size = pool.worlds.size();
    pool.worlds.push_back(size < offered.size() ? offered[size]
                                                : graph.exchanged_world(set, pool.walk));
  }

  std::unordered_map<int32_t, Pool> pools_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_POOLS_H_
