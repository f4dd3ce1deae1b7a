#include "hidden.h"

#include <algorithm>
#include <utility>

#include "playout.h"

namespace nash_ismcts {

namespace {

constexpr double kSmallGame = 1e5;        // worlds up to which pieces are known exactly
constexpr int64_t kAllSearches = 200000;  // steps of long searches in one information set

}  // namespace

// Whether the game is small enough to know exactly which pieces are alive.
bool HiddenHistories::exact() {
  if (graph_.enumerated_) return true;
  if (exact_ == kMissing) exact_ = estimated_worlds(*graph_.game_, 20) <= kSmallGame;
  return exact_ == 1;
}

int32_t HiddenHistories::first(int32_t set) {
  if (listed(set)) return resolve_exactly(set, kRoot);
  return resolve(set, kRoot, {kMissing, kMissing, knowledge(set).example});
}

void HiddenHistories::ask(int32_t set) {
  if (exact() || !asked_.insert(set).second) return;
  const auto found = knowledge_.find(set);
  if (found == knowledge_.end()) return;
  Knowledge& known = *found->second;
  known.steps = kAllSearches;
  const bool was_listed = known.listed == 1;
  known.listed = kMissing;
  if (!known.failed && listed(set) == was_listed) return;
  known.tries.clear();
  graph_.information_sets.hidden[set] = kUnresolved;
}

int32_t HiddenHistories::branch(int32_t sample, int32_t branch) {
  SampleTable& samples = graph_.samples;
  const int64_t position = samples.first_branch[sample] + branch;
  if (samples.target[position] != kUnresolved) return samples.target[position];
  const int32_t set = samples.information_set[sample];
  const int32_t partial = samples.world[sample], edge = samples.edge[position];
  if (sample >= static_cast<int32_t>(origins_.size()) || !origins_[sample].example) {
    const int32_t target = resolve_exactly(set, graph_.child(partial, edge));
    samples.target[position] = target;
    return target;
  }
  const Place place = place_of(sample, branch);
  Origin below{sample, branch, origins_[sample].example};
  if (place.piece != below.example->events[place.depth]) {
    Proof proof = prove(place, *below.example);
    if (!proof.example) return bury(sample, branch, proof.fate);
    below.example = std::move(proof.example);
  }
  const int32_t target = resolve(set, graph_.child(partial, edge), std::move(below));
  samples.target[position] = target;
  return target;
}

HiddenHistories::Place HiddenHistories::place_of(int32_t sample, int32_t branch) const {
  const SampleTable& samples = graph_.samples;
  const int32_t world = samples.world[sample];
  const int64_t edge =
      graph_.worlds.first_edge[world] + samples.edge[samples.first_branch[sample] + branch];
  return {samples.information_set[sample], world, graph_.worlds.depth[world],
          graph_.worlds.edge_action[edge]};
}

// Takes a branch out of its node.
int32_t HiddenHistories::bury(int32_t sample, int32_t branch, Fate fate) {
  SampleTable& samples = graph_.samples;
  remember(place_of(sample, branch), fate);
  if (fate == Fate::kFailed) knowledge(samples.information_set[sample]).failed = true;
  samples.target[samples.first_branch[sample] + branch] = kDead;
  graph_.buried.push_back(sample);
  return kDead;
}

HiddenHistories::Knowledge& HiddenHistories::knowledge(int32_t set) {
  std::unique_ptr<Knowledge>& known = knowledge_[set];
  if (!known) {
    const auto& sets = graph_.information_sets;
    const Tracker tracker(*graph_.game_, graph_.views_, sets.player[set], sets.view[set]);
    known = std::make_unique<Knowledge>(tracker, earlier(set));
    known->example = example_of(sets.first_world[set], sets.player[set]);
    if (asked_.count(set) > 0) known->steps = kAllSearches;
  }
  return *known;
}

// A world as an example for an information set of `player`.
std::shared_ptr<const Example> HiddenHistories::example_of(int32_t world, int32_t player) const {
  auto example = std::make_shared<Example>();
  example->events = graph_.history(world);
  example->movers.resize(example->events.size());
  while (world != kRoot) {
    world = graph_.worlds.parent[world];
    const int32_t mover = graph_.worlds.player[world];
    example->movers[graph_.worlds.depth[world]] =
        mover == player ? kOwnEvent : static_cast<int8_t>(mover);
  }
  return example;
}

// The latest earlier decision of the same player about which something is known.
const HiddenHistories::Knowledge* HiddenHistories::earlier(int32_t set) const {
  int32_t view = graph_.views_.parent(graph_.information_sets.view[set]);
  for (; view != kNoView; view = graph_.views_.parent(view)) {
    const int32_t decision = graph_.set_of_view(view);
    if (decision == kMissing) continue;
    const auto found = knowledge_.find(decision);
    if (found != knowledge_.end()) return found->second.get();
  }
  return nullptr;
}

// Follows what is certain from a partial world to the next SAMPLE node or complete world.
int32_t HiddenHistories::resolve(int32_t set, int32_t world, Origin origin) {
  const Knowledge& known = knowledge(set);
  const WorldTable& worlds = graph_.worlds;
  while (worlds.information_set[world] != set) {
    const int32_t edge = graph_.edge_of(world, origin.example->events.at(worlds.depth[world]));
    if (worlds.player[world] != known.tracker.player()) {
      candidates(known, world, edges_);
      // The example shows that its own piece is alive, whatever was thought of it before.
      const auto at = std::lower_bound(edges_.begin(), edges_.end(), edge);
      if (at == edges_.end() || *at != edge) edges_.insert(at, edge);
      if (edges_.size() > 1) {
        origins_.resize(graph_.samples.size());
        origins_.push_back(std::move(origin));
        return ~graph_.add_sample(set, world, edges_);
      }
    }
    world = graph_.child(world, edge);
  }
  if (origin.parent != kMissing) remember(place_of(origin.parent, origin.branch), Fate::kAlive);
  return world;
}

// The edges of a partial world that are not known to be dead.
void HiddenHistories::candidates(const Knowledge& known, int32_t world,
                                 std::vector<int32_t>& edges) const {
  edges.clear();
  const WorldTable& worlds = graph_.worlds;
  const bool decides = decided(known, worlds.depth[world]);
  const int64_t first = worlds.first_edge[world];
  for (int32_t edge = 0; edge < worlds.edge_count[world]; ++edge) {
    const int32_t child = worlds.edge_child[first + edge];
    if (child != kMissing) {
      const int64_t view = static_cast<int64_t>(child) * graph_.num_players;
      const int32_t seen = worlds.view[view + known.tracker.player()];
      if (known.tracker.progress_of(seen) == kContradiction) continue;
    }
    if (ruled_out(known.tracker, first + edge)) continue;
    const Action piece = worlds.edge_action[first + edge];
    if (decides || !failed(known, worlds.depth[world], piece)) edges.push_back(edge);
  }
}

}  // namespace nash_ismcts
