#include "completion.h"

#include <algorithm>
#include <utility>

#include "graph.h"

namespace nash_ismcts {

namespace {

constexpr int64_t kClockSteps = 64;  // between two looks at the clock

}  // namespace

Completion CompletionSearch::run(const GameState& state, int32_t progress, int32_t place) {
  reached_ = progress;
  if (visit(state.clone(), progress, place)) {
    std::reverse(found_.events.begin(), found_.events.end());
    std::reverse(found_.movers.begin(), found_.movers.end());
    return Completion::kFound;
  }
  return steps_ < limit_ ? Completion::kNone : Completion::kUnknown;
}

// One step of the search.
void CompletionSearch::pay() {
  if (++steps_ % kClockSteps == 0 && deadline_ != Clock::time_point::max() &&
      Clock::now() >= deadline_) {
    throw OutOfTime();
  }
}

// Goes on from a state; true if a world was found, whose events are then in found_, last one first.
bool CompletionSearch::visit(std::unique_ptr<GameState> state, int32_t progress, int32_t place) {
  if (tracker_.complete(*state, progress)) return true;
  const int32_t mover = state->player();
  if (mover == kTerminalPlayer) return false;
  if (mover == tracker_.player()) {
    const Action own = tracker_.own_action(progress);
    if (own == kNoAction) return false;
    return enter(std::move(state), own, progress, place);
  }
  const auto length = static_cast<int32_t>(like_.events.size());
  while (place < length && like_.movers[place] == kOwnEvent) ++place;
  std::vector<Choice> choices;
  list_choices(*state, place, choices);
  for (size_t at = 0; at < choices.size() && steps_ < limit_; ++at) {
    const bool last = at + 1 == choices.size();
    const int32_t next = choices[at].rank == place ? place + 1 : place;
    if (enter(last ? std::move(state) : state->clone(), choices[at].event, progress, next)) {
      return true;
    }
  }
  return false;
}

// The same after an event.
bool CompletionSearch::enter(std::unique_ptr<GameState> state, Action event, int32_t progress,
                             int32_t place) {
  pay();
  const int32_t mover = state->player();
  const bool own = mover == tracker_.player();
  state->apply(event);
  progress = tracker_.after(*state, own, event, progress);
  if (progress == kContradiction) return false;
  reached_ = std::max(reached_, progress);
  if (!visit(std::move(state), progress, place)) return false;
  found_.events.push_back(event);
  found_.movers.push_back(own ? kOwnEvent : static_cast<int8_t>(mover));
  return true;
}

// What can happen: first what happens in `like_` from `place` on, in that order.
void CompletionSearch::list_choices(const GameState& state, int32_t place,
                                    std::vector<Choice>& choices) {
  const int32_t mover = state.player();
  const bool chance = mover == kChancePlayer;
  state.events(mover, events_, probabilities_);
  const auto length = static_cast<int32_t>(like_.events.size());
  choices.reserve(events_.size());
  for (const Action event : events_) {
    int32_t rank = place;
    while (rank < length && (like_.events[rank] != event || like_.movers[rank] == kOwnEvent ||
                             (like_.movers[rank] == kChancePlayer) != chance)) {
      ++rank;
    }
    choices.push_back({rank, event});
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Choice& one, const Choice& other) { return one.rank < other.rank; });
}

size_t CompletionRecord::level(int64_t hidden_events) {
  size_t level = 0;
  for (; hidden_events > 1 && level < 15; hidden_events /= 2) ++level;
  return level;
}

void CompletionRecord::note(int64_t hidden_events, Completion result) {
  int32_t& used = used_[level(hidden_events)];
  used = result == Completion::kUnknown ? used + 1 : std::max(used - 1, kCredit - kMostCredit);
}

}  // namespace nash_ismcts
