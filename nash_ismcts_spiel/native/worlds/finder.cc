#include "finder.h"

#include <algorithm>

#include "backtracking.h"
#include "explorer.h"
#include "finder_attempt.h"
#include "graph.h"

namespace nash_ismcts {

namespace {

constexpr int64_t kEffort = 16'000'000;  // events that are replayed before the search gives up
constexpr int64_t kLookEffort = 16;      // a look costs as much as so many events
constexpr int64_t kTextEffort = 16;      // and one more for so many characters
constexpr int64_t kCopyEffort = 8;       // copied events that cost as much as a replayed one
constexpr size_t kManyEvents = 64;       // if there are more, each costs as much as two events
constexpr int64_t kFirstLook = 60'000;  // part of it that is spent on random continuations at first
constexpr int64_t kAhead = 2;           // what they get when they explained more of the log so far
constexpr int32_t kFirstLooks = 8;      // and again, if so many of them would explain the rest
constexpr int64_t kShortest = 48;       // part of the effort that is spent before a first restart
constexpr int64_t kAnew = 4;            // every so many restarts begin with nothing
constexpr int32_t kRepairs = 12;        // without progress before a restart
constexpr size_t kStride = 16;          // events between two snapshots

}  // namespace

bool Finder::run(const History& start, int64_t effort, History& found) {
  effort_ = effort;
  useless_ = 0;
  Attempt attempt = replay(beginning(), start);
  if (attempt.contradicted) attempt = beginning();
  if (attempt.contradicted) return false;
  int32_t repairs = 0, progress = attempt.progress;  // repairs since the log was explained further
  while (effort_ > 0 && repairs < kRepairs) {
    if (tracker_.complete(*attempt.state, attempt.progress)) {
      found = attempt.events;
      return true;
    }
    if (extend(attempt)) continue;
    repairs = attempt.progress > progress ? 0 : repairs + 1;
    progress = std::max(progress, attempt.progress);
    if (attempt.progress > best_progress_) {
      best_progress_ = attempt.progress;
      best_ = attempt.events;
      if (!best_.empty()) best_.pop_back();
    }
    if (!repair(attempt)) return false;
    if (attempt.contradicted && attempt.movers.back() != kOwnEvent) {
      attempt = truncated(attempt, attempt.events.size() - 1);
    }
  }
  return false;
}

History Finder::promising() {
  const auto most = static_cast<int64_t>(best_.size()) + 1;
  const int64_t length = std::max(random_.below(most), random_.below(most));
  return History(best_.begin(), best_.begin() + length);
}

// One event of effort.
void Finder::pay() {
  --effort_;
  if (++paid_ % 64 == 0 && deadline_ != Clock::time_point::max() && Clock::now() >= deadline_) {
    throw OutOfTime();
  }
}

void Finder::pay_look(const std::string& shown) const {
  effort_ -= kLookEffort + static_cast<int64_t>(shown.size()) / kTextEffort;
}

// The attempt without events.
Attempt Finder::beginning() {
  Attempt attempt;
  attempt.state = game_.initial_state();
  attempt.progress = tracker_.start(*attempt.state);
  attempt.contradicted = attempt.progress == kContradiction;
  if (!attempt.contradicted) attempt.distance = distance(*attempt.state, attempt.progress);
  return attempt;
}

// Follows events for as long as they can happen and agree with the log, from where they differ from
// those of another attempt. An event after which the player is shown something else ends the
// attempt and stays in it.
Attempt Finder::replay(const Attempt& like, const History& events) {
  Attempt attempt = followed(like, events);
  if (!attempt.contradicted) attempt.distance = distance(*attempt.state, attempt.progress);
  return attempt;
}

// The same without measuring the distance.
Attempt Finder::followed(const Attempt& like, const History& events) {
  const size_t most = std::min(like.events.size(), events.size());
  size_t same = 0;
  while (same < most && like.events[same] == events[same]) ++same;
  Attempt attempt = truncated(like, same);
  for (size_t at = attempt.events.size(); at < events.size(); ++at) {
    if (attempt.contradicted || tracker_.complete(*attempt.state, attempt.progress)) break;
    if (!step(attempt, events[at])) break;
  }
  return attempt;
}

// The first `length` events of an attempt.
Attempt Finder::truncated(const Attempt& attempt, size_t length) {
  effort_ -= static_cast<int64_t>(length) / kCopyEffort;
  if (length == attempt.events.size()) return copy(attempt);
  size_t from = length / kStride;
  if (attempt.snapshots.empty()) return beginning();
  from = std::min(from, attempt.snapshots.size() - 1);
  Attempt shorter;
  const auto cut = [&](const auto& values) {
    return std::decay_t<decltype(values)>(values.begin(), values.begin() + from * kStride);
  };
  shorter.events = cut(attempt.events);
  shorter.movers = cut(attempt.movers);
  shorter.choices = cut(attempt.choices);
  shorter.progresses = cut(attempt.progresses);
  shorter.hashes = cut(attempt.hashes);
  shorter.snapshots.assign(attempt.snapshots.begin(), attempt.snapshots.begin() + from);
  shorter.progress = attempt.progresses[from * kStride];
  shorter.state = attempt.snapshots[from]->clone();
  for (size_t at = from * kStride; at < length; ++at) step(shorter, attempt.events[at]);
  return shorter;
}

Attempt Finder::copy_state(const Attempt& attempt, const GameState& state) {
  Attempt copied;
  copied.events = attempt.events;
  copied.movers = attempt.movers;
  copied.choices = attempt.choices;
  copied.progresses = attempt.progresses;
  copied.hashes = attempt.hashes;
  copied.snapshots = attempt.snapshots;
  copied.progress = attempt.progress;
  copied.distance = attempt.distance;
  copied.contradicted = attempt.contradicted;
  copied.state = state.clone();
  return copied;
}

// Adds an event; false if it cannot happen.
bool Finder::step(Attempt& attempt, Action event) {
  pay();
  GameState& state = *attempt.state;
  const bool own = state.player() == tracker_.player();
  if (state.player() == kTerminalPlayer) return false;
  const bool possible = can_happen(state, event, events_, probabilities_);
  if (!own && events_.size() > kManyEvents) effort_ -= 2 * static_cast<int64_t>(events_.size());
  if (!possible) return false;
  if (own && tracker_.own_action(attempt.progress) != event) return false;
  if (attempt.events.size() % kStride == 0) attempt.snapshots.push_back(state.clone());
  attempt.hashes.push_back(attempt.hash_with(event));
  attempt.events.push_back(event);
  attempt.movers.push_back(own ? kOwnEvent : static_cast<int8_t>(state.player()));
  attempt.choices.push_back(own ? nullptr : std::make_shared<const std::vector<Action>>(events_));
  attempt.progresses.push_back(attempt.progress);
  state.apply(event);
  if (looks_at_all_) effort_ -= kLookEffort;
  const int32_t progress = tracker_.after(state, own, event, attempt.progress);
  if (progress == kContradiction) {
    attempt.contradicted = true;
    attempt.distance = distance(state, attempt.progress + own);
  } else {
    attempt.progress = progress;
  }
  return true;
}

// From what the player is shown at a state to what it should be shown next.
int64_t Finder::distance(const GameState& state, int32_t progress) const {
  shown_hash_ = static_cast<uint64_t>(effort_);  // equal to no other
  const std::string* wanted = tracker_.next_shown(progress);
  if (wanted == nullptr || state.player() == kTerminalPlayer) return kFar;
  try {
    const std::string shown = state.shown(tracker_.player());
    pay_look(shown);
    shown_hash_ = hash_bytes(0, shown.data(), shown.size());
    return text_distance(shown, *wanted);
  } catch (const std::exception&) {
    return kFar;  // some games show nothing on others' turns
  }
}

void Finder::events_now(const Attempt& attempt, std::vector<Action>& events) {
  if (attempt.state->player() == kTerminalPlayer) {
    events.clear();
  } else if (attempt.state->player() == kChancePlayer) {
    attempt.state->chance_outcomes(events, probabilities_);
  } else {
    attempt.state->legal_actions(events);
  }
}

void Finder::shuffle(std::vector<Action>& values) {
  for (size_t left = values.size(); left > 1; --left) {
    std::swap(values[left - 1], values[random_.below(static_cast<int64_t>(left))]);
  }
}

// All that chance has brought about or could have.
std::set<Action> Finder::chance_values(const Attempt& attempt) {
  std::set<Action> values;
  for (size_t at = 0; at < attempt.events.size(); ++at) {
    if (attempt.movers[at] != kChancePlayer) continue;
    values.insert(attempt.choices[at]->begin(), attempt.choices[at]->end());
  }
  return values;
}

// Values of chance events in a random order, but for some.
std::vector<Action> Finder::hidden_values(const Attempt& attempt,
                                          const std::vector<Action>& without) {
  std::set<Action> values = chance_values(attempt);
  for (const Action event : without) values.erase(event);
  std::vector<Action> shuffled(values.begin(), values.end());
  shuffle(shuffled);
  return shuffled;
}

History find_world(const Game& game, const Tracker& tracker, const History& start, Random& random,
                   Clock::time_point deadline) {
  History found;
  Random straight = random;  // so that what one way draws is nothing to the others
  if (is_on(kByBacktracking) && Backtracking(game, tracker, straight, deadline).run(start, found)) {
    count(kByBacktracking);
    return found;
  }
  Finder finder(game, tracker, random, deadline);
  Random other = random;
  Explorer explorer(game, tracker, other, deadline);
  explorer.add(start);
  for (int32_t before = kContradiction; before != explorer.progress();) {
    before = explorer.progress();
    if (is_on(kByExplorer) && explorer.run(kFirstLook, found)) {
      count(kByExplorer);
      return found;
    }
    const int32_t left = tracker.last() - explorer.progress();
    if (kFirstLooks * (explorer.progress() - before) < left) break;
  }
  if (is_on(kByFinder) && !start.empty() && finder.run(start, kEffort / 4, found)) {
    count(kByFinder);
    return found;
  }
  if (!is_on(kByFinder) && !is_on(kByExplorer)) throw NoWorldFound("switched off");
  bool ahead = true;  // random continuations have explained as much of the log, by themselves
  int64_t left = kEffort;
  for (int64_t restart = 0; left > 0; ++restart) {
    const int64_t effort = std::min(left, kEffort / kShortest * (1 + restart / 4));
    const bool anew = restart % kAnew == 0;
    if (is_on(kByFinder) && finder.run(anew ? History() : finder.promising(), effort, found)) {
      count(kByFinder);
      return found;
    }
    const int64_t spent = is_on(kByFinder) ? effort - finder.effort_left() : effort;
    left -= spent;
    ahead = ahead && explorer.progress() >= finder.best_progress();
    if (!is_on(kByExplorer)) continue;
    if (!ahead) explorer.add(finder.best());
    if (explorer.run(ahead ? kAhead * spent : std::min(kFirstLook, spent), found)) {
      count(kByExplorer);
      return found;
    }
  }
  throw NoWorldFound(
      "found no world of " + game.facts().name + " that agrees with what player " +
      std::to_string(tracker.player()) + " has seen, within a bounded effort of " +
      std::to_string((1 + kAhead) * kEffort) +
      " replayed events; a bot that is asked at every own move of a game has less to explain");
}

}  // namespace nash_ismcts
