// Making an event possible that the log asks for: what stands in its way is exchanged for something
// else, and what then stands in the way of an earlier event (a card of a suit that somebody did not
// follow) is exchanged in turn. The plan that can be followed furthest is changed next.

#include <algorithm>
#include "finder_attempt.h"

namespace nash_ismcts {

namespace {

constexpr size_t kBatch = 48;        // exchanges that are tried before another plan is considered
constexpr int64_t kBatchPrice = 12;  // what each batch lowers the score of a plan
constexpr int64_t kFreed = 80;       // what it raises it that a mover lost all it could do
constexpr int32_t kFrozen = 4;       // exchanges that failed before a value is left alone

bool overlap(const std::vector<Action>& some, const std::vector<Action>& others) {
  return std::any_of(some.begin(), some.end(), [&](Action each) {
    return std::find(others.begin(), others.end(), each) != others.end();
  });
}

}  // namespace

int64_t Finder::Plan::score() const {
  return 8 * static_cast<int64_t>(reached) - 4 * static_cast<int64_t>(instead.size()) - changes +
         kFreed * freed - kBatchPrice * static_cast<int64_t>(tried / kBatch);
}

// Changes earlier events so that `wanted` can happen now and the log is explained as before, and
// adds it. At most `replays` histories are tried.
bool Finder::mend(Attempt& attempt, Action wanted, int32_t replays) {
  Mending mending{attempt, attempt.movers, hidden_values(attempt, {}), {}, {}, {}, replays};
  mending.movers.push_back(static_cast<int8_t>(attempt.state->player()));
  Plan first;
  first.events = attempt.events;
  first.events.push_back(wanted);
  mending.known.insert(hash_of(first.events));
  Attempt reached;
  if (follow(mending, first, reached)) return false;
  list_exchanges(mending, first);
  mending.open.push_back(std::move(first));
  const auto worse = [](const Plan& one, const Plan& other) { return one.score() < other.score(); };
  while (!mending.open.empty() && mending.replays > 0 && effort_ > 0) {
    std::pop_heap(mending.open.begin(), mending.open.end(), worse);
    Plan plan = std::move(mending.open.back());
    mending.open.pop_back();
    std::vector<Plan> changed;
    if (change(mending, plan, changed, reached)) {
      attempt = std::move(reached);
      attempt.distance = distance(*attempt.state, attempt.progress);
      return true;
    }
    if (plan.tried < plan.exchanges.size()) changed.push_back(std::move(plan));
    for (Plan& next : changed) {
      mending.open.push_back(std::move(next));
      std::push_heap(mending.open.begin(), mending.open.end(), worse);
    }
  }
  return false;
}

// Tries the next exchanges of a plan; true if one of them is all that was missing.
bool Finder::change(Mending& mending, Plan& plan, std::vector<Plan>& changed, Attempt& reached) {
  const size_t end = std::min(plan.tried + kBatch, plan.exchanges.size());
  while (plan.tried < end) {
    const auto [one, other] = plan.exchanges[plan.tried++];
    if (mending.failures[one] >= kFrozen || mending.failures[other] >= kFrozen) continue;
    for (History& events : exchanged(mending, plan, one, other)) {
      if (!mending.known.insert(hash_of(events)).second) continue;
      if (--mending.replays < 0 || effort_ <= 0) return false;
      Plan next;
      next.events = std::move(events);
      next.changes = plan.changes + 1;
      if (follow(mending, next, reached)) return true;
      const bool failed = next.instead.empty();
      for (const Action value : {one, other}) {
        int32_t& failures = mending.failures[value];
        failures = failed ? failures + 1 : std::numeric_limits<int32_t>::min() / 2;
      }
      if (failed) continue;
      next.freed =
          plan.freed + (next.reached == plan.reached && !overlap(next.instead, plan.instead));
      list_exchanges(mending, next);
      changed.push_back(std::move(next));
    }
  }
  return false;
}

// Follows a plan; true if all of it can happen. If it contradicts the log, or the player itself
// could not do what it did, nothing is noted that could happen instead.
bool Finder::follow(Mending& mending, Plan& plan, Attempt& reached) {
  reached = followed(mending.attempt, plan.events);
  plan.reached = static_cast<int32_t>(reached.events.size());
  plan.instead.clear();
  if (reached.contradicted && reached.events.size() == plan.events.size()) {
    // The event can happen then, so what is shown after it must be made to fit by other means.
    keep_near(reached);
    mending.replays = 0;
  }
  if (reached.contradicted) return false;
  if (reached.events.size() == plan.events.size()) {
    return reached.progress >= mending.attempt.progress;
  }
  if (reached.state->player() != tracker_.player()) events_now(reached, plan.instead);
  return false;
}

// What may be exchanged so that the first event that cannot happen can: itself or what can happen
// instead of it, for anything else.
void Finder::list_exchanges(const Mending& mending, Plan& plan) {
  const Action blocked = plan.events[plan.reached];
  std::vector<Action> instead = plan.instead, others;
  for (const Action value : mending.values) {
    if (value != blocked && std::find(instead.begin(), instead.end(), value) == instead.end()) {
      others.push_back(value);
    }
  }
  shuffle(instead);
  shuffle(others);
  plan.exchanges.reserve((instead.size() + 1) * (others.size() + 1));
  for (const Action each : instead) plan.exchanges.emplace_back(blocked, each);
  for (const Action other : others) plan.exchanges.emplace_back(blocked, other);
  for (const Action other : others) {
    for (const Action each : instead) plan.exchanges.emplace_back(each, other);
  }
}

// The histories in which two values are exchanged in all hidden events since one of them came up
// last by chance; and where the first event that cannot happen is replaced.
std::vector<History> Finder::exchanged(const Mending& mending, const Plan& plan, Action one,
                                       Action other) const {
  const std::vector<int8_t>& movers = mending.movers;
  const Example example{plan.events, movers};
  std::vector<History> found;
  int32_t last_one = 0, last_other = 0;
  for (size_t at = 0; at + 1 < plan.events.size(); ++at) {
    if (movers[at] != kChancePlayer) continue;
    if (plan.events[at] == one) last_one = static_cast<int32_t>(at);
    if (plan.events[at] == other) last_other = static_cast<int32_t>(at);
  }
  for (const int32_t from : {std::min(last_one, last_other), std::max(last_one, last_other)}) {
    History events = relabelled(example, from, one, other);
    events.back() = plan.events.back();
    if (events != plan.events) found.push_back(std::move(events));
  }
  const bool last = plan.reached + 1 == static_cast<int32_t>(plan.events.size());
  if (plan.events[plan.reached] == one && movers[plan.reached] != kOwnEvent && !last) {
    History events = plan.events;
    events[plan.reached] = other;
    found.push_back(std::move(events));
  }
  return found;
}

}  // namespace nash_ismcts
