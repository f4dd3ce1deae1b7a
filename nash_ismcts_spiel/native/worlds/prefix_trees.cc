#include "prefix_trees.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../common/grouped.h"
#include "../common/log_sum.h"

namespace nash_ismcts {

namespace {

using Path = std::vector<int32_t>;  // the worlds on the way to a world, the start first

Path path_to(const GraphTables& graph, int32_t world) {
  Path path;
  for (; world != kMissing; world = graph.worlds.parent[world]) path.push_back(world);
  std::reverse(path.begin(), path.end());
  return path;
}

class Resolver {
 public:
  explicit Resolver(GraphTables& graph) : worlds_(graph.worlds), samples_(graph.samples) {}

  // The target for sorted paths [begin, end) of one information set that agree up to `depth`, and
  // the logarithm of their probability.
  int32_t resolve(int32_t information_set, const std::vector<Path>& paths, size_t begin, size_t end,
                  size_t depth, double& log_mass) {
    if (end - begin == 1) {
      log_mass = worlds_.log_prior[paths[begin].back()];
      return paths[begin].back();
    }
    // Sorted paths agree wherever the first and the last do.
    while (paths[begin][depth + 1] == paths[end - 1][depth + 1]) ++depth;
    const int32_t sample = next_row(samples_.size());
    const int32_t world = paths[begin][depth];
    std::vector<size_t> starts{begin};
    for (size_t path = begin + 1; path < end; ++path) {
      if (paths[path][depth + 1] != paths[path - 1][depth + 1]) starts.push_back(path);
    }
    const size_t first = samples_.edge.size();
    samples_.information_set.push_back(information_set);
    samples_.world.push_back(world);
    samples_.first_branch.push_back(next_row(first));
    samples_.branch_count.push_back(static_cast<int32_t>(starts.size()));
    samples_.edge.resize(first + starts.size());
    samples_.target.resize(first + starts.size());
    samples_.log_mass.resize(first + starts.size());
    starts.push_back(end);
    for (size_t branch = 0; branch + 1 < starts.size(); ++branch) {
      samples_.edge[first + branch] = edge_to(world, paths[starts[branch]][depth + 1]);
      double below;
      const int32_t target =
          resolve(information_set, paths, starts[branch], starts[branch + 1], depth + 1, below);
      samples_.target[first + branch] = target;
      samples_.log_mass[first + branch] = below;
      log_mass = branch == 0 ? below : log_sum(log_mass, below);
    }
    return ~sample;
  }

 private:
  int32_t edge_to(int32_t world, int32_t child) const {
    const int32_t first = worlds_.first_edge[world];
    int32_t edge = 0;
    while (worlds_.edge_child[first + edge] != child) ++edge;
    return edge;
  }

  const WorldTable& worlds_;
  SampleTable& samples_;
};

// The information set in which a player goes on with an action that it has begun, kMissing if that
// action is whole.
int32_t continued_action(const GraphTables& graph, int32_t set, int32_t action) {
  const int32_t world = graph.information_sets.first_world[set];
  const int32_t after = graph.worlds.edge_child[graph.worlds.first_edge[world] + action];
  const int32_t following = graph.worlds.information_set[after];
  return following != kMissing && graph.information_sets.within_action[following] == 1 ? following
                                                                                       : kMissing;
}

// The information set that follows an action in all of `worlds`, if they agree on one.
int32_t own_next(const GraphTables& graph, const std::vector<int32_t>& worlds, int32_t action,
                 int32_t player) {
  int32_t following = kMissing;
  for (const int32_t world : worlds) {
    const int32_t after = graph.worlds.edge_child[graph.worlds.first_edge[world] + action];
    const int32_t reached = graph.worlds.information_set[after];
    if (graph.worlds.player[after] != player) return kMissing;
    if (following != kMissing && following != reached) return kMissing;
    following = reached;
  }
  return following;
}

// The world after `events` (pyspiel's numbers, latest first), kMissing if one cannot happen.
int32_t follow(const GraphTables& graph, int32_t world, const std::vector<int64_t>& events) {
  for (auto event = events.rbegin(); event != events.rend() && world != kMissing; ++event) {
    const int64_t first = graph.worlds.first_edge[world];
    int32_t reached = kMissing;
    for (int32_t edge = 0; edge < graph.worlds.edge_count[world]; ++edge) {
      if (graph.worlds.edge_action[first + edge] == *event) {
        reached = graph.worlds.edge_child[first + edge];
      }
    }
    world = reached;
  }
  return world;
}

// Whether the mover at `world` would be in the same set after another last action of `player`.
bool is_unseen(const GraphTables& graph, int32_t world, int32_t player) {
  std::vector<int64_t> events;  // latest first
  int32_t acted = world;
  do {
    if (acted == kRoot) return false;
    events.push_back(graph.worlds.last_action[acted]);
    acted = graph.worlds.parent[acted];
  } while (graph.worlds.player[acted] != player);
  const int64_t own = events.back();
  const int64_t first = graph.worlds.first_edge[acted];
  for (int32_t edge = 0; edge < graph.worlds.edge_count[acted]; ++edge) {
    if (graph.worlds.edge_action[first + edge] == own) continue;
    events.back() = graph.worlds.edge_action[first + edge];
    const int32_t reached = follow(graph, acted, events);
    if (reached != kMissing &&
        graph.worlds.information_set[reached] == graph.worlds.information_set[world]) {
      return true;
    }
  }
  return false;
}

void resolve_unseen(GraphTables& graph) {
  WorldTable& worlds = graph.worlds;
  worlds.unseen.assign(worlds.size() * graph.num_players, 0);
  for (int32_t world = 0; world < worlds.size(); ++world) {
    if (worlds.kind[world] != kDecision) continue;
    for (int32_t player = 0; player < graph.num_players; ++player) {
      if (worlds.player[world] == player) continue;
      worlds.unseen[static_cast<int64_t>(world) * graph.num_players + player] =
          is_unseen(graph, world, player);
    }
  }
}

}  // namespace

void resolve_prefix_trees(GraphTables& graph, int32_t own_next_limit) {
  InformationSetTable& sets = graph.information_sets;
  std::vector<std::vector<int32_t>> members(sets.size());
  for (int64_t world = 0; world < graph.worlds.size(); ++world) {
    const int32_t set = graph.worlds.information_set[world];
    if (set != kMissing) members[set].push_back(static_cast<int32_t>(world));
  }
  resolve_unseen(graph);
  sets.own_next.assign(sets.num_actions(), kMissing);
  Resolver resolver(graph);
  std::vector<Path> paths;
  for (int32_t set = 0; set < sets.size(); ++set) {
    paths.clear();
    for (const int32_t world : members[set]) paths.push_back(path_to(graph, world));
    std::sort(paths.begin(), paths.end());
    double log_mass;
    sets.hidden[set] = resolver.resolve(set, paths, 0, paths.size(), 0, log_mass);
    const bool few = static_cast<int64_t>(members[set].size()) <= own_next_limit;
    for (int32_t action = 0; action < sets.action_count[set]; ++action) {
      int32_t& following = sets.own_next[sets.first_action[set] + action];
      following = continued_action(graph, set, action);
      if (following == kMissing && few) {
        following = own_next(graph, members[set], action, sets.player[set]);
      }
    }
  }
}

}  // namespace nash_ismcts
