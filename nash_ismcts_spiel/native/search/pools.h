// Pools of worlds: where the hidden history of an information set is long, a search draws from a
// pool of worlds that grows with the number of draws, all alike, instead of a new world each time
// (particles, as in POMCP). Worlds get into a pool by exchanges of hidden events
// (worlds/exchange.cc).

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_POOLS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_POOLS_H_

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../worlds/graph.h"

namespace nash_ismcts {

// SAMPLE nodes and branches from the top of a chain to a world.
using Path = std::vector<std::pair<int32_t, int32_t>>;

class Pools {
 public:
  // The ways to the worlds from which one is to be drawn next; null where pieces are to be drawn one
  // by one.
  const std::vector<Path>* next(Graph& graph, int32_t set) {
    if (!graph.by_exchange(set)) return nullptr;
    Pool& pool = pools_.try_emplace(set, graph.knowledge_hash(set)).first->second;
    if (static_cast<int64_t>(pool.paths.size()) < kFirst + pool.draws / kDrawsPerWorld) {
      grow(graph, set, pool);
    }
    if (pool.paths.empty()) return nullptr;
    ++pool.draws;
    return &pool.paths;
  }

  void clear() { pools_.clear(); }

 private:
  static constexpr int64_t kFirst = 2;
  static constexpr int64_t kDrawsPerWorld = 16;

  struct Pool {
    explicit Pool(uint64_t seed) : walk(seed) {}
    Walk walk;
    std::vector<Path> paths;
    int64_t draws = 0;
  };

  static void grow(Graph& graph, int32_t set, Pool& pool) {
    const int32_t world = graph.exchanged_world(set, pool.walk);
    Path path = graph.path_to(world);
    int32_t target = graph.hidden(set);
    for (const auto& [sample, branch] : path) {
      target = graph.samples.target[graph.samples.first_branch[sample] + branch];
    }
    if (target == world) pool.paths.push_back(std::move(path));  // else a node does not offer it
  }

  std::unordered_map<int32_t, Pool> pools_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_POOLS_H_
