#include "explorer.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "graph.h"

namespace nash_ismcts {

namespace {

constexpr size_t kPool = 24;           // histories that are kept for each progress
constexpr int64_t kPatience = 24;      // tries in vain that take the search one level further down
constexpr int64_t kCloneEffort = 4;    // in events
constexpr int64_t kLookEffort = 16;    // in events
constexpr int64_t kTextEffort = 8;     // characters that cost as much as an event
constexpr int64_t kRecent = 6;         // hidden events that are replaced more often than others
constexpr int64_t kMostEvents = 1024;  // that are tried in one place
constexpr int64_t kSame = 4;           // times that an event was found before it is tried first
constexpr size_t kSlack = 64;          // hidden events that may add nothing to the progress

// The size of a usual look. One of many after every event tells no legal actions.
int64_t look_size(const Tracker& tracker, bool looks_at_all) {
  const std::string& last = tracker.last_shown();
  const size_t shown = looks_at_all ? last.rfind(kLegalActions) : std::string::npos;
  return static_cast<int64_t>(std::min(last.size(), shown));
}

// Exchanges two values in all hidden events from `from` on.
void exchange(History& events, const std::vector<uint8_t>& own, size_t from, Action one,
              Action other) {
  for (size_t at = from; at < events.size(); ++at) {
    if (own[at]) continue;
    if (events[at] == one) {
      events[at] = other;
    } else if (events[at] == other) {
      events[at] = one;
    }
  }
}

}  // namespace

Explorer::Explorer(const Game& game, const Tracker& tracker, Random& random,
                   Clock::time_point deadline)
    : game_(game),
      tracker_(tracker),
      random_(random),
      deadline_(deadline),
      looks_at_all_(!game.facts().has_information_states),
      look_effort_(kLookEffort + look_size(tracker, looks_at_all_) / kTextEffort),
      pools_(tracker.last() + 1),
      fitting_(tracker.last() + 1) {
  add({});
}

void Explorer::add(const History& events) {
  Partial partial = beginning();
  if (partial.progress == kContradiction) return;
  keep(partial);
  for (const Action event : events) {
    if (complete(partial) || !can_happen(*partial.state, event, events_, probabilities_)) return;
    const int32_t before = partial.progress;
    if (!follow(partial, event)) return;
    if (partial.progress > before) keep(partial);
  }
}

bool Explorer::run(int64_t effort, History& found) {
  effort_ = effort;
  while (effort_ > 0 && top_ != kContradiction) {
    const std::vector<Partial>& pool = pools_[level()];
    const Partial& partial = pool[random_.below(static_cast<int64_t>(pool.size()))];
    ++vain_;
    bool done = false;
    if (random_.below(2) == 0) {
      Partial further = partial.copy();
      pay(kCloneEffort);
      done = roll(further);
    } else {
      done = vary(partial);
    }
    if (done) {
      found = found_;
      return true;
    }
  }
  return false;
}

// The level to go on from: the top, or one further down the longer nothing was won.
int32_t Explorer::level() {
  int32_t level = top_;
  const int64_t most = std::min<int64_t>(1 + vain_ / kPatience, top_ + 1);
  int64_t down = std::min(random_.below(most), random_.below(most));
  for (; level > 0 && (down > 0 || pools_[level].empty()); --level) {
    down -= !pools_[level].empty();
  }
  while (pools_[level].empty()) ++level;
  return level;
}

// Adds events that agree with the log for as long as there are any; true if that makes a world.
bool Explorer::roll(Partial& partial) {
  size_t idle = 0;
  while (effort_ > 0 && idle < kSlack) {
    if (complete(partial)) {
      found_ = partial.events;
      return true;
    }
    const int32_t before = partial.progress;
    if (!follow_any(partial, kNoAction)) return false;
    idle = partial.progress > before ? 0 : idle + 1;
    if (partial.progress > before) keep(partial);
  }
  return false;
}

// Replaces a hidden event. The rest follows as it did, or with both values exchanged throughout (a
// card that somebody else was dealt, and played), or by other events where that cannot be.
bool Explorer::vary(const Partial& partial) {
  std::vector<size_t> hidden;
  for (size_t at = 0; at < partial.events.size(); ++at) {
    if (!partial.own[at]) hidden.push_back(at);
  }
  if (hidden.empty()) return false;
  const auto count = static_cast<int64_t>(hidden.size());
  const int64_t back = random_.below(random_.below(2) == 0 ? std::min(count, kRecent) : count);
  const size_t place = hidden[count - 1 - back];
  const Action gone = partial.events[place];
  const int32_t aim = partial.progress;
  Partial varied = begun(partial, place);
  if (!follow_any(varied, gone)) return false;
  History events = partial.events;  // the pool may change from here on
  if (random_.below(2) == 0) {
    exchange(events, partial.own, place + 1, gone, varied.events.back());
  }
  return vary_rest(varied, events, aim) && roll(varied);
}

bool Explorer::vary_rest(Partial& varied, const History& events, int32_t aim) {
  for (size_t at = varied.events.size(); at < events.size() && !complete(varied); ++at) {
    const bool own = varied.state->player() == tracker_.player();
    const Action event = own ? tracker_.own_action(varied.progress) : events[at];
    const bool possible = can_happen(*varied.state, event, events_, probabilities_);
    if (!possible || !follow_surely(varied, event)) {
      if (own || !follow_any(varied, event)) return false;
    }
    if (varied.progress >= aim) keep(varied);
  }
  return true;
}

Explorer::Partial Explorer::beginning() const {
  Partial partial{{}, {}, {}, 0, game_.initial_state()};
  partial.progress = tracker_.start(*partial.state);
  return partial;
}

// The first events of a history.
Explorer::Partial Explorer::begun(const Partial& partial, size_t length) {
  if (length == partial.events.size()) return partial.copy();
  const auto cut = [&](const auto& values) {
    return std::decay_t<decltype(values)>(values.begin(), values.begin() + length);
  };
  Partial shorter{cut(partial.events), cut(partial.own), cut(partial.progresses),
                  partial.progresses[length], game_.initial_state()};
  pay(static_cast<int64_t>(length));
  for (const Action event : shorter.events) shorter.state->apply(event);
  return shorter;
}

// Adds an event that can happen; false if it contradicts the log. Then nothing is changed.
bool Explorer::follow(Partial& partial, Action event) {
  const bool own = partial.state->player() == tracker_.player();
  auto after = partial.state->clone();
  pay(kCloneEffort);
  after->apply(event);
  const int32_t progress = progress_after(*after, own, event, partial.progress);
  if (progress == kContradiction) return false;
  partial.events.push_back(event);
  partial.own.push_back(own);
  partial.progresses.push_back(partial.progress);
  partial.progress = progress;
  partial.state = std::move(after);
  return true;
}

// The same for an event that will most likely agree with the log.
bool Explorer::follow_surely(Partial& partial, Action event) {
  const bool own = partial.state->player() == tracker_.player();
  partial.state->apply(event);
  const int32_t progress = progress_after(*partial.state, own, event, partial.progress);
  if (progress == kContradiction) {
    partial.state = game_.initial_state();
    pay(static_cast<int64_t>(partial.events.size()));
    for (const Action before : partial.events) partial.state->apply(before);
    return false;
  }
  partial.events.push_back(event);
  partial.own.push_back(own);
  partial.progresses.push_back(partial.progress);
  partial.progress = progress;
  return true;
}

int32_t Explorer::progress_after(const GameState& state, bool own, Action event, int32_t progress) {
  const bool looks = looks_at_all_ || state.player() == tracker_.player();
  pay(1 + (looks ? look_effort_ : 0));
  return tracker_.after(state, own, event, progress);
}

// Adds some event that agrees with the log, but not `without`; false if there is none.
bool Explorer::follow_any(Partial& partial, Action without) {
  const int32_t mover = partial.state->player();
  if (mover == kTerminalPlayer) return false;
  if (mover == tracker_.player()) {
    const Action own = tracker_.own_action(partial.progress);
    return own != kNoAction && can_happen(*partial.state, own, events_, probabilities_) &&
           follow(partial, own);
  }
  list_events(*partial.state);
  std::vector<Action> events = events_;
  auto left = static_cast<int64_t>(events.size());
  pay(left / kCloneEffort);
  Fitting& fitting = fitting_[partial.progress];
  const bool known = fitting.times >= kSame && random_.below(kSame) > 0;
  const auto same = known ? std::find(events.begin(), events.end(), fitting.event) : events.end();
  for (int64_t tried = 0; left > 0 && tried < kMostEvents; ++tried) {
    const int64_t at =
        tried == 0 && same != events.end() ? same - events.begin() : random_.below(left);
    const Action event = events[at];
    std::swap(events[at], events[--left]);
    if (event == without || !follow(partial, event)) continue;
    if (tried > 0 || same == events.end()) fitting.note(event);
    return true;
  }
  return false;
}

void Explorer::list_events(const GameState& state) {
  if (state.player() == kChancePlayer) {
    state.chance_outcomes(events_, probabilities_);
  } else {
    state.legal_actions(events_);
  }
}

// Puts a history into its pool, for another one if that is full.
void Explorer::keep(const Partial& partial) {
  if (partial.progress > top_) {
    top_ = partial.progress;
    vain_ = 0;
  }
  std::vector<Partial>& pool = pools_[partial.progress];
  if (pool.size() < kPool) {
    pool.push_back(partial.copy());
  } else {
    pool[random_.below(static_cast<int64_t>(kPool))] = partial.copy();
  }
}

void Explorer::pay(int64_t effort) {
  effort_ -= effort;
  if (++paid_ % 64 == 0 && deadline_ != Clock::time_point::max() && Clock::now() >= deadline_) {
    throw OutOfTime();
  }
}

}  // namespace nash_ismcts
