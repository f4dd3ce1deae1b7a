// Hidden pieces in small games and enumerated graphs, where it is known exactly which are alive.

#include <vector>

#include "hidden.h"

namespace nash_ismcts {

bool HiddenHistories::is_alive(Knowledge& known, int32_t set, int32_t world) {
  const WorldTable& worlds = graph_.worlds;
  if (worlds.information_set[world] == set) return true;
  const int32_t player = known.tracker.player();
  const int64_t view = static_cast<int64_t>(world) * graph_.num_players + player;
  const int32_t progress = known.tracker.progress_of(worlds.view[view]);
  if (worlds.kind[world] == kTerminal || progress == kContradiction) return false;
  const auto found = known.alive.find(world);
  if (found != known.alive.end()) return found->second;
  bool alive = false;
  if (worlds.player[world] == player) {
    const int32_t edge = graph_.edge_of(world, known.tracker.own_action(progress));
    alive = edge != kMissing && is_alive(known, set, graph_.child(world, edge));
  } else {
    for (int32_t edge = 0; edge < worlds.edge_count[world] && !alive; ++edge) {
      alive = is_alive(known, set, graph_.child(world, edge));
    }
  }
  known.alive[world] = alive;
  return alive;
}

int32_t HiddenHistories::resolve_exactly(int32_t set, int32_t world) {
  Knowledge& known = knowledge(set);
  if (graph_.enumerated_ && known.alive.empty()) {
    for (int32_t each : graph_.worlds_of_set_[set]) {
      for (; each != kMissing && known.alive.emplace(each, true).second;) {
        each = graph_.worlds.parent[each];
      }
    }
  }
  const auto alive = [&](int32_t partial) {
    return graph_.enumerated_ ? known.alive.count(partial) > 0 : is_alive(known, set, partial);
  };
  while (graph_.worlds.information_set[world] != set) {
    std::vector<int32_t> edges;
    const int32_t player = graph_.worlds.player[world];
    for (int32_t edge = 0; edge < graph_.worlds.edge_count[world]; ++edge) {
      if (player == known.tracker.player() && !graph_.enumerated_) {
        const int64_t view = static_cast<int64_t>(world) * graph_.num_players + player;
        const int32_t progress = known.tracker.progress_of(graph_.worlds.view[view]);
        edge = graph_.edge_of(world, known.tracker.own_action(progress));
        edges = {edge};
        break;
      }
      if (alive(graph_.child(world, edge))) edges.push_back(edge);
    }
    if (edges.size() > 1) {
      origins_.resize(graph_.samples.size() + 1);
      return ~graph_.add_sample(set, world, edges);
    }
    world = graph_.child(world, edges.front());
  }
  return world;
}

bool HiddenHistories::all_worlds(int32_t set, int32_t limit, std::vector<int32_t>& worlds) {
  const int32_t top = graph_.hidden(set);
  if (top < 0 && !exact()) return false;
  std::vector<int32_t> pending{top};
  while (!pending.empty() && static_cast<int32_t>(worlds.size()) <= limit) {
    const int32_t target = pending.back();
    pending.pop_back();
    if (target >= 0) {
      worlds.push_back(target);
      continue;
    }
    for (int32_t k = graph_.samples.branch_count[~target]; k-- > 0;) {
      pending.push_back(branch(~target, k));
    }
  }
  return pending.empty() && static_cast<int32_t>(worlds.size()) <= limit;
}

}  // namespace nash_ismcts
