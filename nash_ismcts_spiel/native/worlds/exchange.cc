// Further worlds of an information set by exchanging hidden events: a Markov chain over its worlds.
//
// A step exchanges pairs of values in all hidden events, or puts another value in the place of one,
// there alone or throughout, and is taken if the player would have seen the same (Metropolis: and
// in proportion to the probability of the whole history, what the player saw included, if the
// others move uniformly). How many pairs are exchanged at once follows what was accepted before.
// What the player has seen cannot be exchanged for what it has not: a value that comes up twice (a
// card that was dealt and played) is seldom tried, and places between which an exchange was not
// noticed are one group; exchanges between groups that were noticed (the player's own cards and all
// others) are seldom tried either. Events that make a set are put in order again after each step,
// so that the chain is one over sets. Compare hidden.h: there pieces are drawn one by one.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "hidden.h"

namespace nash_ismcts {

namespace {

constexpr int32_t kLongHistory =
    10;                              // hidden events from which on exchanges are faster than proofs
constexpr int32_t kEnough = 8;       // pairs exchanged between two worlds that are used
constexpr int32_t kTried = 4;        // steps that are tried for that
constexpr int32_t kMostPairs = 32;   // exchanged at once
constexpr double kAnyPlace = 0.125;  // how often a place is drawn without regard to that
constexpr int32_t kRedraws = 8;
constexpr double kLeastRate = 0.0625;  // how often a replacement is tried at least
constexpr double kLearned = 0.05;      // how much one replacement changes what is known of them

// Replacements that fail are tried less and less, but sometimes in any case.
bool may_replace(double replaced, Random& random) {
  return random.uniform() < std::max(2.0 * replaced, kLeastRate);
}

// The logarithm of the probability of a move if whole moves are uniform; -inf if it cannot be made.
double log_uniform(const GameState& state, Action move, std::vector<Action>& moves,
                   std::vector<double>& counts) {
  state.legal_actions(moves);
  const auto found = std::find(moves.begin(), moves.end(), move);
  if (found == moves.end()) return -std::numeric_limits<double>::infinity();
  state.whole_counts(counts);
  if (counts.empty()) return -std::log(static_cast<double>(moves.size()));
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  return std::log(counts[found - moves.begin()] / all);
}

}  // namespace

bool HiddenHistories::by_exchange(int32_t set) {
  if (exact() || graph_.game_->facts().perfect_information) return false;
  return long_history(knowledge(set)) && !listed(set);
}

bool HiddenHistories::long_history(const Knowledge& known) {
  const std::vector<int8_t>& movers = known.example->movers;
  return std::count_if(movers.begin(), movers.end(),
                       [](int8_t mover) { return mover != kOwnEvent; }) >= kLongHistory;
}

// A walk begins in one of the worlds that were offered, if there are any.
void HiddenHistories::start(int32_t set, const Knowledge& known, Walk& walk) {
  const std::vector<int32_t>& offered = graph_.offered(set);
  int32_t world = graph_.information_sets.first_world[set];
  walk.example = known.example;
  if (!offered.empty()) {
    world = offered[walk.random.below(static_cast<int64_t>(offered.size()))];
    walk.example = example_of(world, known.tracker.player());
  }
  walk.log_prior = log_priors(world);
}

// Takes some steps.
void HiddenHistories::walk_on(int32_t set, Walk& walk) {
  const Knowledge& known = knowledge(set);
  if (!walk.example) start(set, known, walk);
  const ExchangeMemory& memory = exchanges_[known.tracker.player()];
  // To stop once a step was taken would favour unlikely worlds, which are left more easily.
  const int32_t exchanges = std::clamp(kEnough / memory.pairs, 1, kTried);
  for (int32_t step = 0; step < exchanges; ++step) {
    graph_.check_deadline();
    exchange_step(known.tracker, walk);
  }
  for (int32_t tried = 0; tried < kTried; ++tried) {
    if (!may_replace(memory.replaced, walk.random)) continue;
    graph_.check_deadline();
    replace_step(known.tracker, walk);
  }
  for (int32_t tried = 0; tried < kTried; ++tried) {
    if (!may_replace(memory.replaced_alone, walk.random)) continue;
    graph_.check_deadline();
    replace_alone_step(known.tracker, walk);
  }
}

int32_t HiddenHistories::exchanged_world(int32_t set, Walk& walk) {
  Walk next = walk;  // if time runs out on the way, the walk stays where it was
  walk_on(set, next);
  const int32_t world = graph_.follow(next.example->events);
  walk.random = next.random;
  if (graph_.worlds.information_set[world] == set) {
    walk = std::move(next);
    return world;
  }
  // The last look was the same, but an earlier one was not.
  return walk.example ? graph_.follow(walk.example->events)
                      : graph_.information_sets.first_world[set];
}

History HiddenHistories::exchanged_history(int32_t set, Walk& walk) {
  const Knowledge& known = knowledge(set);
  walk_on(set, walk);
  if (!explains_all(known.tracker, walk.example->events)) walk.example = known.example;
  return walk.example->events;
}

// Whether a history that can happen explains the log from its beginning.
bool HiddenHistories::explains_all(const Tracker& tracker, const History& events) {
  const std::unique_ptr<GameState> state = graph_.game_->initial_state();
  int32_t progress = tracker.start(*state);
  for (const Action event : events) {
    if (progress == kContradiction) return false;
    if (state->player() == kTerminalPlayer) return false;
    if (!can_happen(*state, event, events_, probabilities_)) return false;
    const bool own = state->player() == tracker.player();
    state->apply(event);
    progress = tracker.after(*state, own, event, progress);
  }
  return progress != kContradiction && tracker.complete(*state, progress);
}

// Logarithms of the probabilities of the events on the way to a world.
std::vector<double> HiddenHistories::log_priors(int32_t world) const {
  const WorldTable& worlds = graph_.worlds;
  std::vector<double> logs(worlds.depth[world]);
  for (; world != kRoot; world = worlds.parent[world]) {
    const int32_t before = worlds.parent[world];
    logs[worlds.depth[before]] = worlds.log_prior[world] - worlds.log_prior[before];
  }
  return logs;
}

// Proposes to exchange some pairs of values, and does it or not.
void HiddenHistories::exchange_step(const Tracker& tracker, Walk& walk) {
  ExchangeMemory& memory = exchanges_[tracker.player()];
  find_places(*walk.example, memory);
  Example changed = *walk.example;
  touched_.clear();
  exchange_pairs(changed, memory, walk);
  const Answer answer = proposed(tracker, std::move(changed), walk);
  if (answer == Answer::kSame) return;
  const bool taken = answer == Answer::kTaken;
  memory.pairs = taken ? std::min(2 * memory.pairs, kMostPairs) : std::max(memory.pairs / 2, 1);
  if (touched_.size() == 1) {  // of several it is not known which one was noticed
    if (taken) memory.join(touched_[0].first, touched_[0].second);
    if (answer == Answer::kNoticed) memory.part(touched_[0].first, touched_[0].second);
  }
}

// What one replacement says of the next. One that was merely unlikely counts as good: if rates
// followed what is taken, a walk would move less in likely worlds and stay there too long.
void HiddenHistories::learn(double& replaced, Answer answer) {
  const bool explains = answer == Answer::kTaken || answer == Answer::kUnlikely;
  replaced += kLearned * ((explains ? 1.0 : 0.0) - replaced);
}

// Proposes another value in the place of one, and puts it there or not; throughout the history.
void HiddenHistories::replace_step(const Tracker& tracker, Walk& walk) {
  ExchangeMemory& memory = exchanges_[tracker.player()];
  find_places(*walk.example, memory);
  Example changed = *walk.example;
  replace_event(changed, draw_place(walk.random), memory, walk.random);
  const Answer answer = proposed(tracker, std::move(changed), walk);
  if (answer == Answer::kSame) return;
  learn(memory.replaced, answer);
}

// The same of one event alone: any of them, and any value, so that the way back is as likely.
void HiddenHistories::replace_alone_step(const Tracker& tracker, Walk& walk) {
  ExchangeMemory& memory = exchanges_[tracker.player()];
  find_places(*walk.example, memory);
  Example changed = *walk.example;
  const int32_t place =
      hidden_places_[walk.random.below(static_cast<int64_t>(hidden_places_.size()))];
  list_events(changed, place);
  changed.events[place] = events_[walk.random.below(static_cast<int64_t>(events_.size()))];
  const Answer answer = proposed(tracker, std::move(changed), walk);
  if (answer == Answer::kSame) return;
  learn(memory.replaced_alone, answer);
}

// The walk's next world is the proposal if that is taken.
HiddenHistories::Answer HiddenHistories::proposed(const Tracker& tracker, Example changed,
                                                  Walk& walk) {
  if (changed.events == walk.example->events) return Answer::kSame;
  const Answer answer = replayed(tracker, changed, walk);
  if (answer == Answer::kTaken) walk.example = std::make_shared<Example>(std::move(changed));
  return answer;
}

// Exchanges some pairs of values.
void HiddenHistories::exchange_pairs(Example& changed, const ExchangeMemory& memory, Walk& walk) {
  for (int32_t pair = 0; pair < memory.pairs; ++pair) {
    const auto [one, other] = draw_pair(*walk.example, memory, walk.random);
    if (changed.events[one] == changed.events[other]) continue;
    changed.events =
        relabelled(changed, std::min(one, other), changed.events[one], changed.events[other]);
    touched_.emplace_back(one, other);
  }
}

// Lists the hidden events of an example, and those of them that may well be exchanged.
void HiddenHistories::find_places(const Example& example, ExchangeMemory& memory) {
  hidden_places_.clear();
  loose_places_.clear();
  const auto count = static_cast<int32_t>(example.events.size());
  for (int32_t place = 0; place < count; ++place) {
    if (example.movers[place] == kOwnEvent) continue;
    hidden_places_.push_back(place);
    if (std::count(example.events.begin(), example.events.end(), example.events[place]) == 1) {
      loose_places_.push_back(place);
    }
  }
  while (static_cast<int32_t>(memory.group.size()) < count) {
    memory.group.push_back(memory.next_group++);
  }
}

// The places from which one is drawn now: mostly those of values that come up once.
const std::vector<int32_t>& HiddenHistories::drawn_places(Random& random) const {
  const bool any = loose_places_.size() < 2 || random.uniform() < kAnyPlace;
  return any ? hidden_places_ : loose_places_;
}

int32_t HiddenHistories::draw_place(Random& random) const {
  const std::vector<int32_t>& places = drawn_places(random);
  return places[random.below(static_cast<int64_t>(places.size()))];
}

// Two events of chance or two of players; the same one twice if none was found.
std::pair<int32_t, int32_t> HiddenHistories::draw_pair(const Example& example,
                                                       const ExchangeMemory& memory,
                                                       Random& random) const {
  const std::vector<int32_t>& places = drawn_places(random);
  const bool any = &places == &hidden_places_;
  const auto draw = [&] { return places[random.below(static_cast<int64_t>(places.size()))]; };
  const int32_t one = draw();
  int32_t other = one;
  for (int32_t tries = 0; tries < kRedraws; ++tries) {
    other = draw();
    if (other == one || example.movers[one] != example.movers[other]) continue;
    if (any || memory.noticed.count(memory.between(one, other)) == 0) break;
  }
  return {one, example.movers[one] == example.movers[other] ? other : one};
}

void HiddenHistories::ExchangeMemory::join(int32_t one, int32_t other) {
  const int32_t kept = group[one], gone = group[other];
  if (kept == gone) return;
  noticed.erase(between(one, other));
  for (int32_t& at : group) {
    if (at == gone) at = kept;
  }
}

void HiddenHistories::ExchangeMemory::part(int32_t one, int32_t other) {
  if (group[one] == group[other]) {  // what was hidden before is so no longer
    group[one] = next_group++;
    group[other] = next_group++;
  }
  noticed.insert(between(one, other));
}

uint64_t HiddenHistories::ExchangeMemory::between(int32_t one, int32_t other) const {
  const auto [low, high] = std::minmax(group[one], group[other]);
  return static_cast<uint64_t>(low) << 32 | static_cast<uint32_t>(high);
}

// The values that could have come in a place, into events_.
void HiddenHistories::list_events(const Example& example, int32_t place) {
  const std::unique_ptr<GameState> state = graph_.game_->initial_state();
  for (int32_t at = 0; at < place; ++at) state->apply(example.events[at]);
  state->events(state->player(), events_, probabilities_);
}

// Puts another value altogether in a place, of those that could have come there. Mostly a value
// that nobody has seen (`may_come_to`).
void HiddenHistories::replace_event(Example& example, int32_t place, const ExchangeMemory& memory,
                                    Random& random) {
  list_events(example, place);
  const auto draw = [&] { return events_[random.below(static_cast<int64_t>(events_.size()))]; };
  Action value = draw();
  if (random.uniform() >= kAnyPlace) {
    for (int32_t tries = 0; tries < kRedraws; ++tries) {
      if (may_come_to(example, place, value, memory)) break;
      value = draw();
    }
  }
  example.events = relabelled(example, 0, example.events[place], value);
}

// Whether a value might be in a place unnoticed: it comes up nowhere, or once, in another place
// between which and this one an exchange was not noticed before.
bool HiddenHistories::may_come_to(const Example& example, int32_t place, Action value,
                                  const ExchangeMemory& memory) const {
  const auto begin = example.events.begin(), end = example.events.end();
  const auto found = std::find(begin, end, value);
  if (found == end) return true;
  const auto other = static_cast<int32_t>(found - begin);
  return other != place && example.movers[other] == example.movers[place] &&
         std::find(found + 1, end, value) == end &&
         memory.noticed.count(memory.between(place, other)) == 0;
}

// Replays a proposal from its first change on. It is refused if it cannot happen, if the player
// would see something else at its end, or by chance if it is less likely. Where a game has
// information states, which remember, the looks before are left to the caller.
HiddenHistories::Answer HiddenHistories::replayed(const Tracker& tracker, const Example& proposal,
                                                  Walk& walk) {
  const History& events = proposal.events;
  const bool remembers = graph_.game_->facts().has_information_states;
  const std::unique_ptr<GameState> state = graph_.game_->initial_state();
  int32_t progress = remembers ? 0 : tracker.start(*state);
  std::vector<double> logs = walk.log_prior;
  double difference = 0.0;  // of log probabilities
  bool same = true;         // as the world before, up to here
  for (size_t at = 0; at < events.size(); ++at) {
    const int32_t mover = state->player();
    same = same && events[at] == walk.example->events[at];
    if (!same) {
      if (progress == kContradiction) return Answer::kNoticed;
      if (mover == kTerminalPlayer) return Answer::kImpossible;
      if (mover == kChancePlayer) {
        logs[at] = std::log(state->chance_of(events[at]));
      } else {
        logs[at] = log_uniform(*state, events[at], events_, probabilities_);
      }
      if (!std::isfinite(logs[at])) return Answer::kImpossible;
      difference += logs[at] - walk.log_prior[at];
    }
    state->apply(events[at]);
    if (!remembers)
      progress = tracker.after(*state, mover == tracker.player(), events[at], progress);
  }
  if (progress == kContradiction || state->player() != tracker.player()) return Answer::kNoticed;
  const bool same_log =
      remembers ? decision_text_is(*state, state->shown(tracker.player()), tracker.last_shown())
                : tracker.complete(*state, progress);
  if (!same_log) return Answer::kNoticed;
  if (std::log(walk.random.uniform()) > difference) return Answer::kUnlikely;
  walk.log_prior = std::move(logs);
  return Answer::kTaken;
}

}  // namespace nash_ismcts
