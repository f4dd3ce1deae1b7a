// What else is asked about hidden histories: the way to a world, some world of a view, and whether
// a player has seen an action.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "finder.h"
#include "hidden.h"

namespace nash_ismcts {

namespace {

constexpr int32_t kUnseenTries = 4;  // other actions that are tried in a large game

}  // namespace

std::vector<std::pair<int32_t, int32_t>> HiddenHistories::path_to(int32_t world) {
  const int32_t set = graph_.worlds.information_set[world];
  const auto example = example_of(world, graph_.information_sets.player[set]);
  std::vector<int32_t> way(example->events.size() + 1);
  for (int32_t at = world; at != kMissing; at = graph_.worlds.parent[at]) {
    way[graph_.worlds.depth[at]] = at;
  }
  std::vector<std::pair<int32_t, int32_t>> path;
  SampleTable& samples = graph_.samples;
  for (int32_t target = graph_.hidden(set); target < 0;) {
    const int32_t sample = ~target, partial = samples.world[sample];
    const int32_t depth = graph_.worlds.depth[partial];
    if (depth >= static_cast<int32_t>(example->events.size()) || way[depth] != partial) break;
    const int32_t edge = graph_.edge_of(partial, example->events[depth]);
    const auto first = samples.edge.begin() + samples.first_branch[sample];
    const auto last = first + samples.branch_count[sample];
    const auto found = std::find(first, last, edge);
    if (found == last) break;
    const int32_t branch = static_cast<int32_t>(found - first);
    const int64_t position = samples.first_branch[sample] + branch;
    if (samples.target[position] == kUnresolved) {
      // The world itself is the proof that the piece is alive.
      const int32_t below = listed(set) ? resolve_exactly(set, way[depth + 1])
                                        : resolve(set, way[depth + 1], {sample, branch, example});
      samples.target[position] = below;
    }
    target = samples.target[position];
    if (target == kDead) break;
    path.emplace_back(sample, branch);
  }
  return path;
}

History HiddenHistories::find(int32_t player, int32_t view) {
  const Tracker tracker(*graph_.game_, graph_.views_, player, view);
  History start;
  for (int32_t at = graph_.views_.parent(view); at != kNoView; at = graph_.views_.parent(at)) {
    const int32_t set = graph_.set_of_view(at);
    if (set == kMissing) continue;
    start = graph_.history(graph_.information_sets.first_world[set]);
    break;
  }
  Random random(graph_.views_.hash(view));
  return find_world(*graph_.game_, tracker, start, random, graph_.deadline_);
}

bool HiddenHistories::unseen(int32_t world, int32_t player) {
  if (graph_.game_->facts().perfect_information) return false;
  const WorldTable& worlds = graph_.worlds;
  int32_t acted = world;
  History since;
  do {
    if (acted == kRoot) return false;
    since.push_back(worlds.last_action[acted]);
    acted = worlds.parent[acted];
  } while (worlds.player[acted] != player);
  const Action own = since.back();
  std::reverse(since.begin(), since.end());
  const int32_t mover = worlds.player[world];
  const Tracker tracker(*graph_.game_, graph_.views_, mover,
                        worlds.view[static_cast<int64_t>(world) * graph_.num_players + mover]);
  const int64_t first = worlds.first_edge[acted];
  int32_t tries = exact() ? worlds.edge_count[acted] : kUnseenTries;
  for (int32_t edge = 0; edge < worlds.edge_count[acted] && tries > 0; ++edge) {
    since.front() = worlds.edge_action[first + edge];
    if (since.front() == own) continue;
    --tries;
    const int64_t view = static_cast<int64_t>(acted) * graph_.num_players + mover;
    int32_t progress = tracker.progress_of(worlds.view[view]);
    const std::unique_ptr<GameState> state = graph_.state(acted);
    for (size_t at = 0; at < since.size() && progress != kContradiction; ++at) {
      const bool own_event = state->player() == mover;
      if (at > 0 && !can_happen(*state, since[at], events_, probabilities_)) {
        progress = kContradiction;
        break;
      }
      state->apply(since[at]);
      progress = tracker.after(*state, own_event, since[at], progress);
    }
    if (progress != kContradiction && tracker.complete(*state, progress)) return true;
  }
  return false;
}

}  // namespace nash_ismcts
