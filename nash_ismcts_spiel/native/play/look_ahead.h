// Makes the worlds soon after some information sets, and the first SAMPLE nodes of those that are
// met: who evaluates their rows all at once need not wait for one after another.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_PLAY_LOOK_AHEAD_H_
#define NASH_ISMCTS_SPIEL_NATIVE_PLAY_LOOK_AHEAD_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../worlds/graph.h"

namespace nash_ismcts {

// Goes on from the first world of each information set over `moves` events, breadth first, until
// `most_worlds` worlds were met.
inline void look_ahead(Graph& graph, const std::vector<int32_t>& sets, int32_t moves,
                       size_t most_worlds) {
  std::vector<std::pair<int32_t, int32_t>> met;  // worlds, and how many events after a set
  for (const int32_t set : sets) met.emplace_back(graph.information_sets.first_world[set], 0);
  for (size_t next = 0; next < met.size(); ++next) {
    const auto [world, depth] = met[next];
    const int32_t set = graph.worlds.information_set[world];
    if (graph.worlds.kind[world] == kDecision) graph.hidden(set);
    if (depth == moves) continue;
    for (int32_t edge = 0; edge < graph.worlds.edge_count[world]; ++edge) {
      if (met.size() >= most_worlds) break;
      met.emplace_back(graph.child(world, edge), depth + 1);
    }
  }
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_PLAY_LOOK_AHEAD_H_
