#include "backtracking.h"

#include <algorithm>
#include <utility>

#include "graph.h"

namespace nash_ismcts {

namespace {

constexpr size_t kMemory = 48;   // events that can be taken back
constexpr int64_t kVain = 2048;  // events that are tried before more of the log must be explained

}  // namespace

bool Backtracking::run(const History& start, History& found) {
  if (!follow(start)) return false;
  int32_t most = places_.back().progress;
  for (int64_t before = steps_; steps_ - before < kVain;) {
    if (tracker_.complete(*places_.back().state, places_.back().progress)) {
      found = events_;
      return true;
    }
    if (!forward() && !backward()) return false;
    if (places_.back().progress > most) {
      most = places_.back().progress;
      before = steps_;
    }
  }
  return false;
}

// Begins after as much of a history as agrees with the log; false if the log cannot be explained.
bool Backtracking::follow(const History& start) {
  std::unique_ptr<GameState> state = game_.initial_state();
  int32_t progress = tracker_.start(*state);
  if (progress == kContradiction) return false;
  std::vector<Action> possible;
  for (const Action event : start) {
    if (tracker_.complete(*state, progress)) break;
    if (!can_happen(*state, event, possible, probabilities_)) break;
    std::unique_ptr<GameState> after = state->clone();
    const bool own = state->player() == tracker_.player();
    after->apply(event);
    const int32_t next = tracker_.after(*after, own, event, progress);
    if (next == kContradiction) break;
    events_.push_back(event);
    state = std::move(after);
    progress = next;
  }
  places_.push_back(place(std::move(state), progress));
  return true;
}

// Adds the first of the events that are left which agrees with the log; false if none does.
bool Backtracking::forward() {
  Place& here = places_.back();
  const bool own = here.state->player() == tracker_.player();
  while (!here.left.empty()) {
    check_time();
    const Action event = here.left.back();
    here.left.pop_back();
    std::unique_ptr<GameState> after = here.state->clone();
    after->apply(event);
    const int32_t progress = tracker_.after(*after, own, event, here.progress);
    if (progress == kContradiction) continue;
    events_.push_back(event);
    places_.push_back(place(std::move(after), progress));
    if (places_.size() > kMemory) places_.pop_front();
    return true;
  }
  return false;
}

// Takes the last event back; false if it is too long ago.
bool Backtracking::backward() {
  if (places_.size() < 2) return false;
  places_.pop_back();
  events_.pop_back();
  return true;
}

// A state with the events that can follow it, in a random order.
Backtracking::Place Backtracking::place(std::unique_ptr<GameState> state, int32_t progress) {
  Place made{std::move(state), progress, {}};
  const int32_t mover = made.state->player();
  if (mover == tracker_.player()) {
    const Action own = tracker_.own_action(progress);
    if (own != kNoAction && can_happen(*made.state, own, made.left, probabilities_)) {
      made.left.assign(1, own);
    } else {
      made.left.clear();
    }
    return made;
  }
  made.state->events(mover, made.left, probabilities_);
  for (auto left = static_cast<int64_t>(made.left.size()); left > 1; --left) {
    std::swap(made.left[left - 1], made.left[random_.below(left)]);
  }
  return made;
}

void Backtracking::check_time() {
  if (++steps_ % 64 == 0 && deadline_ != Clock::time_point::max() && Clock::now() >= deadline_) {
    throw OutOfTime();
  }
}

}  // namespace nash_ismcts
