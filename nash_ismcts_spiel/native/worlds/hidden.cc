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
  return resolve(set, kRoot, {kMissing, kMissing, true, knowledge(set).example});
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
  if (samples.target[position] == kDead) dead_sample_ = sample;
  if (samples.target[position] != kUnresolved) return samples.target[position];
  const int32_t set = samples.information_set[sample];
  const int32_t partial = samples.world[sample], edge = samples.edge[position];
  if (sample >= static_cast<int32_t>(origins_.size()) || !origins_[sample].example) {
    const int32_t target = resolve_exactly(set, graph_.child(partial, edge));
    samples.target[position] = target;
    return target;
  }
  const Place place = place_of(sample, branch);
  const Knowledge& known = knowledge(set);
  Origin below{sample, branch, origins_[sample].proved, origins_[sample].example};
  if (place.piece != below.example->events[place.depth]) {
    if (is_on(kByTrust) && trusted(known, place.depth, place.piece)) {
      count(kByTrust);
      below.proved = false;
      below.example = guessed(place, *below.example);
    } else {
      if (!origins_[sample].proved && !prove_path(sample)) return kDead;
      below.proved = true;
      Proof proof = prove(place, *origins_[sample].example);
      if (!proof.example) return bury(sample, branch, proof.fate);
      below.example = std::move(proof.example);
    }
  }
  const int32_t target = resolve(set, graph_.child(partial, edge), std::move(below));
  if (target != kDead) samples.target[position] = target;
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
  dead_sample_ = sample;
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
  Knowledge& known = knowledge(set);
  const WorldTable& worlds = graph_.worlds;
  const int32_t player = known.tracker.player();
  while (worlds.information_set[world] != set) {
    const int64_t view = static_cast<int64_t>(world) * graph_.num_players + player;
    const int32_t progress = known.tracker.progress_of(worlds.view[view]);
    if (worlds.kind[world] == kTerminal || progress == kContradiction) {
      return dead_end(set, origin);
    }
    if (worlds.player[world] == player) {
      const int32_t edge = graph_.edge_of(world, known.tracker.own_action(progress));
      if (edge == kMissing) return dead_end(set, origin);
      world = graph_.child(world, edge);
      continue;
    }
    candidates(known, world, edges_);
    const int32_t depth = worlds.depth[world];
    const bool in_example = depth < static_cast<int32_t>(origin.example->events.size());
    if (in_example && origin.proved) {
      // The example shows that its own piece is alive, whatever was thought of it before.
      const int32_t edge = graph_.edge_of(world, origin.example->events[depth]);
      const auto at = std::lower_bound(edges_.begin(), edges_.end(), edge);
      if (at == edges_.end() || *at != edge) edges_.insert(at, edge);
    }
    if (edges_.empty() || !in_example) return dead_end(set, origin);
    if (edges_.size() == 1) {
      const Action piece = worlds.edge_action[worlds.first_edge[world] + edges_.front()];
      if (piece != origin.example->events[depth]) return dead_end(set, origin);
      world = graph_.child(world, edges_.front());
      continue;
    }
    origins_.resize(graph_.samples.size());
    origins_.push_back(std::move(origin));
    return ~graph_.add_sample(set, world, edges_);
  }
  found_world(set, world, origin.parent);
  if (origin.parent != kMissing) remember(place_of(origin.parent, origin.branch), Fate::kAlive);
  return world;
}

// A world was found below a SAMPLE node: an example for all nodes on the way that have none.
void HiddenHistories::found_world(int32_t set, int32_t world, int32_t sample) {
  if (sample == kMissing || origins_[sample].proved) return;
  const auto example = example_of(world, graph_.information_sets.player[set]);
  while (sample != kMissing && !origins_[sample].proved) {
    Origin& origin = origins_[sample];
    origin.proved = true;
    origin.example = example;
    if (origin.parent != kMissing) remember(place_of(origin.parent, origin.branch), Fate::kAlive);
    sample = origin.parent;
  }
}

// Pieces taken on trust have led nowhere: proves them in turn until one fails, which is to blame.
int32_t HiddenHistories::dead_end(int32_t set, const Origin& origin) {
  const int32_t sample = origin.parent;
  if (!prove_path(sample)) return kDead;
  const Place place = place_of(sample, origin.branch);
  const auto& known = origins_[sample].example;
  Proof proof =
      place.piece == known->events[place.depth] ? Proof{known, Fate::kAlive} : prove(place, *known);
  if (!proof.example) return bury(sample, origin.branch, proof.fate);
  const int32_t edge = graph_.edge_of(place.world, place.piece);
  return resolve(set, graph_.child(place.world, edge),
                 {sample, origin.branch, true, std::move(proof.example)});
}

// Whether an example has all events before a SAMPLE node and goes on with a piece that it offers.
bool HiddenHistories::goes_through(const Example& example, int32_t sample) const {
  const SampleTable& samples = graph_.samples;
  const int32_t world = samples.world[sample];
  const History here = graph_.history(world);
  if (example.events.size() <= here.size() ||
      !std::equal(here.begin(), here.end(), example.events.begin())) {
    return false;
  }
  const auto first = samples.edge.begin() + samples.first_branch[sample];
  const auto last = first + samples.branch_count[sample];
  const auto found = std::find(first, last, graph_.edge_of(world, example.events[here.size()]));
  return found != last && samples.target[found - samples.edge.begin()] != kDead;
}

// Proves the pieces that lead to a SAMPLE node; false if one of them is dead.
bool HiddenHistories::prove_path(int32_t sample) {
  std::vector<int32_t> path;
  for (; !origins_[sample].proved; sample = origins_[sample].parent) path.push_back(sample);
  for (auto next = path.rbegin(); next != path.rend(); ++next) {
    Origin& origin = origins_[*next];
    const Place place = place_of(origin.parent, origin.branch);
    const auto& above = origins_[origin.parent].example;
    Proof proof = place.piece == above->events[place.depth] ? Proof{above, Fate::kAlive}
                                                            : prove(place, *above);
    if (!proof.example) {
      bury(origin.parent, origin.branch, proof.fate);
      return false;
    }
    if (!goes_through(*proof.example, *next)) {
      // The piece is alive, but what seemed to follow it is not: the branch leads elsewhere, and
      // this node is left behind.
      const Origin above_it{origin.parent, origin.branch, true, std::move(proof.example)};
      const int32_t parent = above_it.parent;
      const int64_t position = graph_.samples.first_branch[parent] + above_it.branch;
      const int32_t after = graph_.child(place.world, graph_.edge_of(place.world, place.piece));
      const int32_t target = resolve(place.set, after, above_it);
      graph_.samples.target[position] = target;
      dead_sample_ = parent;
      return false;
    }
    origin.proved = true;
    origin.example = std::move(proof.example);
  }
  return true;
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
