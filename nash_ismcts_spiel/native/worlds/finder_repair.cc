#include <algorithm>
#include <limits>
#include <map>

#include "finder_attempt.h"

namespace nash_ismcts {

namespace {

constexpr int32_t kProbes = 4;          // changes of an event that show whether it matters
constexpr int32_t kFrozen = 3;          // exchanges that failed before a value is left alone
constexpr int32_t kStuck = 8;           // rounds without success before an attempt is given up
constexpr int32_t kResamples = 6;       // times that the last events are drawn again, by depth
constexpr int32_t kMendReplays = 3000;  // histories that are tried to make an event possible
constexpr int32_t kDepth = 4;           // hidden events that are drawn again at first
constexpr int32_t kShakes = 6;          // random changes in a round without success
constexpr int32_t kVain = 150;          // exchanges without success before going on
constexpr int64_t kSlice = 4;           // part of the effort that is left that `improve` may use

void merge(std::map<Action, size_t>& groups, size_t one, size_t other) {
  for (auto& [value, group] : groups) group = group == one ? other : group;
}

}  // namespace

// Changes events until more of the log is explained; false if no change helps.
bool Finder::repair(Attempt& attempt) {
  const int32_t before = attempt.progress;
  const auto repaired = [&] { return attempt.progress > before || !attempt.contradicted; };
  exchange_pairs(attempt, false);
  if (repaired()) return true;
  for (int32_t stuck = 0; effort_ > 0 && stuck < kStuck; ++stuck) {
    const auto length = static_cast<int32_t>(attempt.events.size());
    for (int32_t depth = 1; depth <= kDepth << stuck && effort_ > 0; depth += (depth + 1) / 2) {
      if (resample(attempt, std::min(depth, length), kResamples)) return true;
    }
    if (stuck == 0 && !attempt.events.empty()) {
      Attempt shorter = truncated(attempt, attempt.events.size() - 1);
      if (shorter.state->player() != tracker_.player() && steer(shorter, kMendReplays)) {
        attempt = std::move(shorter);
        return true;
      }
    }
    floor_ = effort_ - effort_ / kSlice;
    if (improve(attempt)) stuck = 0;
    if (repaired()) return true;
    for (int32_t shake = 0; shake < kShakes; ++shake) wander(attempt);
    if (repaired()) return true;
  }
  return false;
}

// Draws the last `depth` hidden events again; true if more of the log is explained then.
bool Finder::resample(Attempt& attempt, int32_t depth, int32_t tries) {
  size_t from = attempt.events.size();
  for (int32_t left = depth; from > 0 && left > 0;) left -= attempt.movers[--from] != kOwnEvent;
  for (int32_t each = 0; each < tries && effort_ > 0; ++each) {
    Attempt candidate = truncated(attempt, from);
    if (roll_forward(candidate, attempt)) {
      attempt = std::move(candidate);
      return true;
    }
    if (!attempt.better_than(candidate) && candidate.contradicted) {
      attempt = std::move(candidate);
      if (from > attempt.events.size()) return false;
    }
  }
  return false;
}

// Adds events that agree with the log until it explains more than another attempt did.
bool Finder::roll_forward(Attempt& attempt, const Attempt& before) {
  const size_t most = before.events.size() + 16;
  while (attempt.events.size() < most && effort_ > 0) {
    if (attempt.progress > before.progress) return true;
    const int32_t mover = attempt.state->player();
    if (mover == kTerminalPlayer) return false;
    if (mover == tracker_.player()) {
      if (!extend_own(attempt)) return false;
      continue;
    }
    step(attempt, best_event(attempt));
    if (attempt.contradicted) return false;
    attempt.distance = distance(*attempt.state, attempt.progress);
  }
  return false;
}

// All pairs of values, in a random order.
std::vector<std::pair<Action, Action>> Finder::shuffled_pairs(const std::vector<Action>& values) {
  std::vector<std::pair<Action, Action>> pairs;
  for (size_t one = 0; one < values.size(); ++one) {
    for (size_t other = 0; other < one; ++other) pairs.emplace_back(values[one], values[other]);
  }
  for (size_t left = pairs.size(); left > 1; --left) {
    std::swap(pairs[left - 1], pairs[random_.below(static_cast<int64_t>(left))]);
  }
  return pairs;
}

// Exchanges pairs of values in a random order for as long as that brings the player closer to what
// it has seen. A value that cannot be exchanged without contradicting the log before (it is the
// player's own card, or was shown) is left alone, and so are two values that were found to be
// interchangeable. With `whole`, all events must still be possible, and less is tried.
void Finder::exchange_pairs(Attempt& attempt, bool whole) {
  const int32_t before = attempt.progress;
  const bool contradicted = attempt.contradicted;
  distance(*attempt.state, attempt.progress);
  uint64_t now = shown_hash_;
  int32_t vain = 0;  // exchanges since the last that helped
  const std::vector<Action> values = hidden_values(attempt, {});
  std::map<Action, int32_t> failures;
  std::map<Action, size_t> groups;  // of values that can be exchanged without a difference
  for (size_t at = 0; at < values.size(); ++at) groups[values[at]] = at;
  const std::vector<std::pair<Action, Action>> pairs = shuffled_pairs(values);
  for (bool improved = true; improved;) {
    improved = false;
    for (const auto& [one, other] : pairs) {
      if (failures[one] >= kFrozen || failures[other] >= kFrozen) continue;
      if (groups[one] == groups[other]) continue;
      if (effort_ <= 0 || (whole && ++vain > kVain)) return;
      Attempt exchanged =
          replay(attempt, relabelled({attempt.events, attempt.movers}, 0, one, other));
      const bool failed = exchanged.progress < attempt.progress;
      for (const Action value : {one, other}) {
        failures[value] = failed ? failures[value] + 1 : std::numeric_limits<int32_t>::min() / 2;
      }
      const bool same_length = exchanged.events.size() == attempt.events.size();
      const uint64_t then = shown_hash_;
      if (same_length && exchanged.progress == attempt.progress && now == then) {
        merge(groups, groups[one], groups[other]);
      }
      if (!exchanged.better_than(attempt) || (whole && !same_length)) continue;
      attempt = std::move(exchanged);
      std::swap(groups[one], groups[other]);
      now = then;
      improved = true;
      vain = 0;
      if (attempt.progress > before || attempt.contradicted != contradicted) return;
    }
  }
}

// One pass over the events, latest first; true if some change was an improvement.
bool Finder::improve(Attempt& attempt) {
  bool improved = false;
  const int32_t before = attempt.progress;
  for (int32_t at = static_cast<int32_t>(attempt.events.size()) - 1; at >= 0; --at) {
    if (at >= static_cast<int32_t>(attempt.events.size())) continue;
    improved |= improve_event(attempt, at);
    if (attempt.progress > before || !attempt.contradicted || effort_ <= floor_) break;
  }
  return improved;
}

bool Finder::improve_event(Attempt& attempt, int32_t at) {
  if (attempt.movers[at] == kOwnEvent) return false;
  std::vector<Action> values = *attempt.choices[at];
  // Values that others had before: exchanging them may be what is needed.
  for (size_t other = 0; other < attempt.events.size(); ++other) {
    if (attempt.movers[other] != kOwnEvent) values.push_back(attempt.events[other]);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  shuffle(values);
  int32_t probes = 0, same = 0;
  for (const Action value : values) {
    if (value == attempt.events[at]) continue;
    if (effort_ <= floor_ || (probes >= kProbes && same == probes)) return false;
    bool changed = false;
    for (const History& events : changes(attempt, at, value)) {
      Attempt candidate = replay(attempt, events);
      if (candidate.better_than(attempt)) {
        attempt = std::move(candidate);
        return true;
      }
      changed |= candidate.progress != attempt.progress || candidate.distance != attempt.distance;
    }
    ++probes;
    same += !changed;
  }
  return false;
}

// Histories in which an event is a given value: exchanged everywhere, here only, or replaced.
std::vector<History> Finder::changes(const Attempt& attempt, int32_t at, Action value) const {
  const Example example{attempt.events, attempt.movers};
  std::vector<History> found{relabelled(example, 0, attempt.events[at], value)};
  const auto add = [&](History events) {
    if (std::find(found.begin(), found.end(), events) == found.end()) {
      found.push_back(std::move(events));
    }
  };
  History replaced = attempt.events;
  replaced[at] = value;
  for (size_t other = 0; other < replaced.size(); ++other) {
    if (static_cast<int32_t>(other) != at && attempt.events[other] == value &&
        attempt.movers[other] == attempt.movers[at]) {
      History swapped = replaced;
      swapped[other] = attempt.events[at];
      add(std::move(swapped));
    }
  }
  add(std::move(replaced));
  return found;
}

// A random change that does no harm.
void Finder::wander(Attempt& attempt) {
  if (attempt.events.empty()) return;
  const auto at = static_cast<int32_t>(random_.below(static_cast<int64_t>(attempt.events.size())));
  if (attempt.movers[at] == kOwnEvent) return;
  const std::vector<Action>& choices = *attempt.choices[at];
  const Action value = choices[random_.below(static_cast<int64_t>(choices.size()))];
  for (const History& events : changes(attempt, at, value)) {
    Attempt candidate = replay(attempt, events);
    if (attempt.better_than(candidate)) continue;
    attempt = std::move(candidate);
    return;
  }
}

}  // namespace nash_ismcts
