// Further worlds of an information set by exchanging hidden events: a Markov chain over its worlds.
//
// A step exchanges two values in all hidden events, or puts another value in the place of one, and is
// taken if the player would have seen the same (Metropolis: and in proportion to the probabilities
// of chance). What the others did counts alike. Compare hidden.h: there pieces are drawn one by one.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "hidden.h"

namespace nash_ismcts {

namespace {

constexpr int32_t kLongHistory = 10;  // hidden events from which on exchanges are faster than proofs
constexpr int32_t kAccepted = 2;      // steps between two worlds that are used
constexpr int32_t kTried = 8;

}  // namespace

bool HiddenHistories::by_exchange(int32_t set) {
  if (exact() || graph_.game_->facts().perfect_information) return false;
  const Example& example = *knowledge(set).example;
  return std::count_if(example.movers.begin(), example.movers.end(),
                       [](int8_t mover) { return mover != kOwnEvent; }) >= kLongHistory;
}

// Takes some steps; returns how many led somewhere.
int32_t HiddenHistories::walk_on(int32_t set, Walk& walk) {
  const Knowledge& known = knowledge(set);
  if (!walk.example) {
    walk.example = known.example;
    walk.log_probability = replayed(known.tracker, walk.example->events);
  }
  int32_t accepted = 0;
  for (int32_t tried = 0; tried < kTried && accepted < kAccepted; ++tried) {
    graph_.check_deadline();
    accepted += exchange_step(known.tracker, walk);
  }
  return accepted;
}

int32_t HiddenHistories::exchanged_world(int32_t set, Walk& walk) {
  const Walk before = walk;
  walk_on(set, walk);
  const int32_t world = graph_.follow(walk.example->events);
  if (graph_.worlds.information_set[world] == set) return world;
  // The last look was the same, but an earlier one was not.
  walk.example = before.example ? before.example : knowledge(set).example;
  walk.log_probability = replayed(knowledge(set).tracker, walk.example->events);
  return graph_.follow(walk.example->events);
}

std::unique_ptr<GameState> HiddenHistories::exchanged_state(int32_t set, Walk& walk) {
  const Knowledge& known = knowledge(set);
  walk_on(set, walk);
  if (!explains_all(known.tracker, walk.example->events)) walk.example = known.example;
  std::unique_ptr<GameState> state = graph_.game_->initial_state();
  for (const Action event : walk.example->events) state->apply(event);
  return state;
}

// Whether a history that can happen explains the log from its beginning.
bool HiddenHistories::explains_all(const Tracker& tracker, const History& events) {
  const std::unique_ptr<GameState> state = graph_.game_->initial_state();
  int32_t progress = tracker.start(*state);
  for (const Action event : events) {
    if (progress == kContradiction) return false;
    const bool own = state->player() == tracker.player();
    state->apply(event);
    progress = tracker.after(*state, own, event, progress);
  }
  return progress != kContradiction && tracker.complete(*state, progress);
}

bool HiddenHistories::exchange_step(const Tracker& tracker, Walk& walk) {
  const Example& example = *walk.example;
  const auto count = static_cast<int64_t>(example.events.size());
  const auto place = static_cast<int32_t>(walk.random.below(count));
  const auto other = static_cast<int32_t>(walk.random.below(count));
  if (example.movers[place] == kOwnEvent || example.movers[other] == kOwnEvent) return false;
  Action value = example.events[other];
  if (place == other || (value == example.events[place])) {
    // Another value altogether, of those that could have come there.
    const std::unique_ptr<GameState> state = graph_.game_->initial_state();
    for (int32_t at = 0; at < place; ++at) state->apply(example.events[at]);
    if (state->player() == kChancePlayer) {
      state->chance_outcomes(events_, probabilities_);
    } else {
      state->legal_actions(events_);
    }
    value = events_[walk.random.below(static_cast<int64_t>(events_.size()))];
    if (value == example.events[place]) return false;
  }
  auto changed = std::make_shared<Example>();
  changed->events = relabelled(example, 0, example.events[place], value);
  const double log_probability = replayed(tracker, changed->events);
  if (!std::isfinite(log_probability)) return false;
  if (std::log(walk.random.uniform()) > log_probability - walk.log_probability) return false;
  changed->movers = example.movers;
  walk.example = std::move(changed);
  walk.log_probability = log_probability;
  return true;
}

// The logarithm of the probability of the chance events of a history; minus infinity if it cannot
// happen or the player would see something else at its end. Where a game has information states,
// which remember, the looks before are left to the caller.
double HiddenHistories::replayed(const Tracker& tracker, const History& events) {
  const double impossible = -std::numeric_limits<double>::infinity();
  const bool remembers = graph_.game_->facts().has_information_states;
  const std::unique_ptr<GameState> state = graph_.game_->initial_state();
  int32_t progress = remembers ? 0 : tracker.start(*state);
  double log_probability = 0.0;
  for (const Action event : events) {
    const int32_t mover = state->player();
    if (mover == kTerminalPlayer || progress == kContradiction) return impossible;
    if (!can_happen(*state, event, events_, probabilities_)) return impossible;
    if (mover == kChancePlayer) {
      const auto at = std::find(events_.begin(), events_.end(), event) - events_.begin();
      log_probability += std::log(probabilities_[at]);
    }
    state->apply(event);
    if (!remembers) progress = tracker.after(*state, mover == tracker.player(), event, progress);
  }
  if (state->player() != tracker.player()) return impossible;
  if (!remembers) return tracker.complete(*state, progress) ? log_probability : impossible;
  return decision_text(*state, tracker.player()) == tracker.last_shown() ? log_probability
                                                                         : impossible;
}

}  // namespace nash_ismcts
