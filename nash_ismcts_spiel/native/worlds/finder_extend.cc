#include <algorithm>

#include "finder_attempt.h"

namespace nash_ismcts {

namespace {

constexpr size_t kWidth = 128;          // moves that are looked at in one step
constexpr size_t kChanceWidth = 2048;   // outcomes of chance: often just one will do
constexpr size_t kHints = 6;            // events that are looked at because of how they are written
constexpr size_t kFewEvents = 64;       // where the search notes what it has tried
constexpr int32_t kOtherReplays = 100;  // histories that are tried if a first hint was of no use
constexpr int32_t kUseless = 2;         // times that hidden values are exchanged for nothing
constexpr int32_t kClaimReplays = 100;  // histories that are tried to take an event back

std::vector<size_t> occurrences(const std::string& text, const std::string& word) {
  std::vector<size_t> places;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    places.push_back(at);
  }
  return places;
}

// Whether each line of a text begins a line of another one, in the same order.
bool begins_all_lines(const std::string& text, const std::string& whole) {
  size_t at = 0, from = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    while (from < whole.size() && whole.compare(from, end - at, text, at, end - at) != 0) {
      const size_t next = whole.find('\n', from);
      from = next == std::string::npos ? whole.size() : next + 1;
    }
    if (from >= whole.size() && end > at) return false;
    at = end + 1;
  }
  return true;
}

}  // namespace

// Adds the event that fits best; false if none agrees with the log. Then the best one is added all
// the same, for `repair` to start from.
bool Finder::extend(Attempt& attempt) {
  if (attempt.contradicted) return false;
  const int32_t mover = attempt.state->player();
  if (mover == kTerminalPlayer) {
    attempt.contradicted = true;
    return false;
  }
  if (mover == tracker_.player()) return extend_own(attempt);
  if (mover == kChancePlayer) learn_words(*attempt.state);
  if (mover == kChancePlayer && claim(attempt)) return true;
  near_.reset();
  if (!looks_at_all_ && mover >= 0) settle(attempt);
  if (attempt.state->player() != mover) return true;
  if (!looks_at_all_ && mover >= 0 && steer(attempt, kHintReplays)) return true;
  const Action best = best_event(attempt);
  step(attempt, best);
  if (looks_at_all_ && attempt.contradicted) {
    Attempt before = truncated(attempt, attempt.events.size() - 1);
    if (steer(before, kHintReplays)) attempt = std::move(before);
  }
  if (!attempt.contradicted) attempt.distance = distance(*attempt.state, attempt.progress);
  if (near_ != nullptr && near_->better_than(attempt)) attempt = std::move(*near_);
  near_.reset();
  return !attempt.contradicted;
}

// Adds the player's own action.
bool Finder::extend_own(Attempt& attempt) {
  const Action own = tracker_.own_action(attempt.progress);
  if (own == kNoAction || !step(attempt, own)) {
    attempt.contradicted = true;
    return false;
  }
  if (!attempt.contradicted) attempt.distance = distance(*attempt.state, attempt.progress);
  return !attempt.contradicted;
}

// Where the player is shown something that more events will not make right: exchanges hidden values
// before going on.
void Finder::settle(Attempt& attempt) {
  const std::string* wanted = tracker_.next_shown(attempt.progress);
  if (useless_ >= kUseless || wanted == nullptr) return;
  try {
    const std::string shown = attempt.state->shown(tracker_.player());
    const uint64_t hash = hash_bytes(0, shown.data(), shown.size());
    if (hash == settled_hash_ || begins_all_lines(shown, *wanted)) return;
    settled_hash_ = hash;
  } catch (const std::exception&) {
    return;
  }
  const int64_t before = attempt.distance;
  exchange_pairs(attempt, true);
  useless_ += attempt.distance >= before;
}

// At a chance event that the player is shown: if what it should be shown went to others before,
// takes it back.
bool Finder::claim(Attempt& attempt) {
  if (wanted_progress_ != attempt.progress || wanted_.empty()) return false;
  std::vector<Action> outcomes;
  events_now(attempt, outcomes);
  for (const Action outcome : outcomes) {
    if (wanted_.count(outcome) > 0) return false;
  }
  const int64_t before = attempt.distance;
  for (const Action value : hidden_values(attempt, outcomes)) {
    if (wanted_.count(value) == 0) continue;
    Attempt arranged = copy(attempt);
    if (!mend(arranged, value, kClaimReplays)) continue;
    if (arranged.distance >= before && arranged.progress == attempt.progress) continue;
    attempt = std::move(arranged);
    return true;
  }
  return false;
}

// Keeps an attempt that contradicts the log after the event that should be next.
void Finder::keep_near(Attempt& attempt) {
  if (near_ == nullptr || attempt.better_than(*near_)) {
    near_ = std::make_unique<Attempt>(std::move(attempt));
  }
}

// Adds an event that the player is shown next by the way it is written, if there is one. Where it
// cannot happen (the card is in another hand), earlier events are exchanged so that it can.
bool Finder::steer(Attempt& attempt, int32_t replays) {
  near_.reset();
  const int64_t before = distance(*attempt.state, attempt.progress);
  for (const Action wanted : hinted_events(attempt)) {
    Attempt arranged = copy(attempt);
    if (can_happen(*arranged.state, wanted, events_, probabilities_)) {
      step(arranged, wanted);
      if (arranged.contradicted) {
        keep_near(arranged);
        continue;
      }
      arranged.distance = distance(*arranged.state, arranged.progress);
    } else {
      const bool mended = mend(arranged, wanted, replays);
      replays = std::min(replays, kOtherReplays);
      if (!mended) continue;
    }
    if (arranged.progress == attempt.progress && arranged.distance >= before) continue;
    attempt = std::move(arranged);
    return true;
  }
  return false;
}

// Remembers how the outcomes of a chance event are written. A card is written alike when it is
// played, but an event may only be described where it can happen.
void Finder::learn_words(const GameState& state) {
  state.chance_outcomes(events_, probabilities_);
  for (const Action outcome : events_) {
    if (words_.count(outcome) == 0) words_[outcome] = last_word(state.describe(outcome));
  }
}

std::string Finder::last_word(const std::string& text) {
  return text.substr(text.find_last_of(' ') + 1);
}

// Events whose last word is in what should be shown next more often than in what is shown now, in
// the order in which they are written there.
std::vector<Action> Finder::hinted_events(const Attempt& attempt) {
  const std::string* wanted = tracker_.next_shown(attempt.progress);
  if (wanted == nullptr) return {};
  const GameState& state = *attempt.state;
  std::map<Action, std::string> words = words_;
  events_now(attempt, events_);
  for (const Action event : events_) words[event] = last_word(state.describe(event));
  std::vector<std::pair<size_t, Action>> found;
  try {
    const std::string shown = state.shown(tracker_.player());
    pay_look(shown);
    for (const auto& [value, word] : words) {
      pay();
      if (word.size() < 2) continue;
      const std::vector<size_t> now = occurrences(shown, word), then = occurrences(*wanted, word);
      if (then.size() > now.size()) found.emplace_back(then[now.size()], value);
    }
  } catch (const std::exception&) {
    return {};  // some games show nothing on others' turns
  }
  std::sort(found.begin(), found.end());
  std::vector<Action> events;
  for (const auto& [place, value] : found) events.push_back(value);
  if (events.size() > kHints) events.resize(kHints);
  return events;
}

// Whether the log can go on after an event that can happen.
bool Finder::agrees(const Attempt& attempt, Action event) {
  pay();
  const auto after = attempt.state->clone();
  after->apply(event);
  if (looks_at_all_) effort_ -= 16;
  return tracker_.after(*after, false, event, attempt.progress) != kContradiction;
}

// Where there is little to choose from: what was tried least from here, first. So who restarts
// comes to all that chance can begin with, even if it is not shown until much later.
void Finder::least_tried_first(const Attempt& attempt, std::vector<Action>& events) {
  if (events.size() > kFewEvents) return;
  std::vector<std::pair<int32_t, Action>> counted;
  for (const Action event : events) {
    const auto found = tried_.find(attempt.hash_with(event));
    counted.emplace_back(found == tried_.end() ? 0 : found->second, event);
  }
  std::stable_sort(counted.begin(), counted.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  for (size_t at = 0; at < events.size(); ++at) events[at] = counted[at].second;
}

Action Finder::best_event(const Attempt& attempt) {
  std::vector<Action> events;
  events_now(attempt, events);
  const bool few = events.size() <= kFewEvents;
  shuffle(events);
  const bool chance = attempt.state->player() == kChancePlayer;
  events.resize(std::min(events.size(), chance ? kChanceWidth : kWidth));
  least_tried_first(attempt, events);
  const Action best = fitting_event(attempt, events);
  if (few) ++tried_[attempt.hash_with(best)];
  return best;
}

Action Finder::fitting_event(const Attempt& attempt, std::vector<Action>& events) {
  if (attempt.progress != wanted_progress_) {
    wanted_.clear();
    wanted_progress_ = attempt.progress;
  }
  // What the player itself plays later, others should not get; unless it is shown to the player.
  const std::vector<Action> own = tracker_.own_actions(attempt.progress);
  std::set<Action> needed(own.begin(), own.end());
  needed.insert(wanted_.begin(), wanted_.end());
  if (!looks_at_all_) return closest_event(attempt, events, needed);
  // The player looks after every event: one that agrees with what it saw will do.
  std::stable_partition(events.begin(), events.end(),
                        [&](Action event) { return needed.count(event) == 0; });
  for (const Action event : events) {
    if (agrees(attempt, event)) return event;
  }
  return events.front();
}

// The event after which the player is shown what is closest to what it should be shown next.
Action Finder::closest_event(const Attempt& attempt, const std::vector<Action>& events,
                             const std::set<Action>& needed) {
  Action best = events.front();
  std::pair<int64_t, int64_t> best_score{kFar, kFar};
  for (const Action event : events) {
    pay();
    const auto after = attempt.state->clone();
    after->apply(event);
    const int32_t progress = tracker_.after(*after, false, event, attempt.progress);
    const int64_t dead = progress == kContradiction;
    const int64_t far = distance(*after, dead ? attempt.progress : progress);
    const bool unchanged = far == attempt.distance;
    if (far < attempt.distance) wanted_.insert(event);
    const int64_t taken = unchanged && needed.count(event) > 0;
    const std::pair<int64_t, int64_t> score{-(progress > attempt.progress),
                                            std::min(far, kFar / 4) * 4 + dead * 2 + taken};
    if (score < best_score) {
      best_score = score;
      best = event;
    }
  }
  return best;
}

}  // namespace nash_ismcts
