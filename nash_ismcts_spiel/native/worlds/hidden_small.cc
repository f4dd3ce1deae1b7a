// Hidden pieces where all worlds of an information set can be listed: in small games, in enumerated
// graphs, and of small information sets. There it is known exactly which pieces are alive, and how
// likely each is given all that the player saw.

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "../common/log_sum.h"
#include "hidden.h"

namespace nash_ismcts {

namespace {

// Steps after which an information set counts as large: of one that is asked about, of one that is
// asked about after a long history, and of any other with a short history.
constexpr int64_t kAskedSteps = 4096;
constexpr int64_t kAskedLongSteps = 512;
constexpr int64_t kSteps = 64;

}  // namespace

bool HiddenHistories::listed(int32_t set) {
  if (exact()) return true;
  Knowledge& known = knowledge(set);
  if (known.listed == kMissing) {
    const bool asked = asked_.count(set) > 0, is_long = long_history(known);
    int64_t steps = asked ? (is_long ? kAskedLongSteps : kAskedSteps) : (is_long ? 0 : kSteps);
    if (!asked && branches(set) > static_cast<double>(steps)) {
      known.listed = 0;
      return false;
    }
    const std::unique_ptr<GameState> start = graph_.game_->initial_state();
    known.listed = list(known.tracker, *start, known.tracker.start(*start), steps);
  }
  return known.listed == 1;
}

// How many ways there are to go on at the events of others on the way to a world of a set: about as
// many as the steps to list its worlds, had at no cost.
double HiddenHistories::branches(int32_t set) const {
  const WorldTable& worlds = graph_.worlds;
  double product = 1.0;
  for (int32_t at = graph_.information_sets.first_world[set]; at != kRoot; at = worlds.parent[at]) {
    const int32_t before = worlds.parent[at];
    if (worlds.player[before] != graph_.information_sets.player[set]) {
      product *= worlds.edge_count[before];
    }
  }
  return product;
}

// Goes through all events after which a log may still come about; false if `steps` are too few.
bool HiddenHistories::list(const Tracker& tracker, const GameState& state, int32_t progress,
                           int64_t& steps) {
  if (progress == kContradiction || tracker.complete(state, progress)) return true;
  const int32_t mover = state.player();
  if (mover == kTerminalPlayer) return true;
  std::vector<Action> events;
  if (mover == tracker.player()) {
    const Action own = tracker.own_action(progress);
    if (!can_happen(state, own, events_, probabilities_)) return true;
    events = {own};
  } else {
    state.events(mover, events, probabilities_);
  }
  for (const Action event : events) {
    if (--steps < 0) return false;
    graph_.check_deadline();
    const std::unique_ptr<GameState> after = state.clone();
    after->apply(event);
    const bool own = mover == tracker.player();
    if (!list(tracker, *after, tracker.after(*after, own, event, progress), steps)) return false;
  }
  return true;
}

// The logarithm of the prior probability of the worlds of a set below a partial world.
double HiddenHistories::log_mass(Knowledge& known, int32_t set, int32_t world) {
  const WorldTable& worlds = graph_.worlds;
  if (worlds.information_set[world] == set) return worlds.log_prior[world];
  const auto found = known.log_mass.find(world);
  if (found != known.log_mass.end()) return found->second;
  if (graph_.enumerated_) return kLogZero;
  const int32_t player = known.tracker.player();
  const int64_t view = static_cast<int64_t>(world) * graph_.num_players + player;
  const int32_t progress = known.tracker.progress_of(worlds.view[view]);
  double mass = kLogZero;
  if (worlds.kind[world] == kTerminal || progress == kContradiction) return mass;
  if (worlds.player[world] == player) {
    const int32_t edge = graph_.edge_of(world, known.tracker.own_action(progress));
    if (edge != kMissing) mass = log_mass(known, set, graph_.child(world, edge));
  } else {
    for (int32_t edge = 0; edge < worlds.edge_count[world]; ++edge) {
      mass = log_sum(mass, log_mass(known, set, graph_.child(world, edge)));
    }
  }
  known.log_mass[world] = mass;
  return mass;
}

// The same for all partial worlds of a set of an enumerated graph.
void HiddenHistories::add_masses(Knowledge& known, int32_t set) {
  for (const int32_t world : graph_.worlds_of_set_[set]) {
    const double mass = graph_.worlds.log_prior[world];
    for (int32_t at = graph_.worlds.parent[world]; at != kMissing; at = graph_.worlds.parent[at]) {
      const auto [place, first] = known.log_mass.try_emplace(at, mass);
      if (!first) place->second = log_sum(place->second, mass);
    }
  }
}

int32_t HiddenHistories::resolve_exactly(int32_t set, int32_t world) {
  Knowledge& known = knowledge(set);
  if (graph_.enumerated_ && known.log_mass.empty()) add_masses(known, set);
  std::vector<int32_t> edges;
  std::vector<double> masses;
  while (graph_.worlds.information_set[world] != set) {
    edges.clear();
    masses.clear();
    for (int32_t edge = 0; edge < graph_.worlds.edge_count[world]; ++edge) {
      // Of its own moves the player knows which one it made.
      if (!graph_.enumerated_ && !may_follow(known, world, edge)) continue;
      const double mass = log_mass(known, set, graph_.child(world, edge));
      if (mass == kLogZero) continue;
      edges.push_back(edge);
      masses.push_back(mass);
    }
    if (edges.empty()) throw std::logic_error("an information set without worlds");
    if (edges.size() > 1) {
      origins_.resize(graph_.samples.size() + 1);
      const int32_t sample = graph_.add_sample(set, world, edges);
      std::copy(masses.begin(), masses.end(),
                graph_.samples.log_mass.begin() + graph_.samples.first_branch[sample]);
      return ~sample;
    }
    world = graph_.child(world, edges.front());
  }
  return world;
}

// Whether an edge of a partial world is an event of others, or the player's own next action.
bool HiddenHistories::may_follow(const Knowledge& known, int32_t world, int32_t edge) const {
  const WorldTable& worlds = graph_.worlds;
  const int32_t player = known.tracker.player();
  if (worlds.player[world] != player) return true;
  const int64_t view = static_cast<int64_t>(world) * graph_.num_players + player;
  const int32_t progress = known.tracker.progress_of(worlds.view[view]);
  return progress != kContradiction &&
         worlds.edge_action[worlds.first_edge[world] + edge] == known.tracker.own_action(progress);
}

bool HiddenHistories::all_worlds(int32_t set, int32_t limit, std::vector<int32_t>& worlds) {
  const int32_t top = graph_.hidden(set);
  if (top < 0 && !listed(set)) return false;
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
