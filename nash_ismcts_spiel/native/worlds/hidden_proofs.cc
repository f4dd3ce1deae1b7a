// Proofs that hidden pieces are alive or dead, and what is remembered of them.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "hidden.h"

namespace nash_ismcts {

namespace {

constexpr int32_t kProposals = 6;       // worlds that are tried to prove a piece
constexpr int32_t kProposalsAgain = 3;  // the same, where it failed before or a search decides
constexpr int32_t kFailures = 2;      // after so many, and no success, a piece is dead in its place
constexpr int32_t kCounts = 1 << 10;  // tries hold failures, deaths and successes, each below this
constexpr int64_t kShortSearch = 16;  // steps of a search through what can follow a piece
constexpr int64_t kLongSearch = 6000;  // the same in an information set that somebody asks about

uint64_t place_key(int32_t depth, Action piece) {
  return static_cast<uint64_t>(depth) << 40 | (static_cast<uint64_t>(piece) & 0xffffffffffULL);
}

// The number of hidden events of an example from some depth on.
int64_t hidden_events(const Example& example, int32_t depth) {
  const auto from = std::min<size_t>(depth, example.movers.size());
  return std::count_if(example.movers.begin() + static_cast<int64_t>(from), example.movers.end(),
                       [](int8_t mover) { return mover != kOwnEvent; });
}

// What is remembered of a piece in its place.
struct Tries {
  explicit Tries(int32_t packed)
      : failures(std::max(packed, 0) % kCounts),
        deaths(std::max(packed, 0) / kCounts % kCounts),
        successes(std::max(packed, 0) / kCounts / kCounts) {}
  int32_t packed() const { return (successes * kCounts + deaths) * kCounts + failures; }

  int32_t failures, deaths, successes;
};

}  // namespace

// Whether long searches decide which pieces are alive from some depth on.
bool HiddenHistories::decided(const Knowledge& known, int32_t depth) const {
  return known.steps > 0 && completions_[1].useful(hidden_events(*known.example, depth));
}

// Looks for an example with a piece in its place and all events before it. The piece itself may
// show that there is none, or be the last one. Where it is known that going through all that can
// follow comes to an answer, that is done before exchanges are tried.
HiddenHistories::Proof HiddenHistories::prove(const Place& place, const Example& example) {
  const Knowledge& known = knowledge(place.set);
  const Tracker& tracker = known.tracker;
  const int64_t view = static_cast<int64_t>(place.world) * graph_.num_players + tracker.player();
  const std::unique_ptr<GameState> state = graph_.state(place.world);
  const auto mover = static_cast<int8_t>(state->player());
  state->apply(place.piece);
  const int32_t progress =
      tracker.after(*state, false, place.piece, tracker.progress_of(graph_.worlds.view[view]));
  if (progress == kContradiction) return {nullptr, Fate::kDead};
  auto start = std::make_shared<Example>(*example_of(place.world, tracker.player()));
  start->events.push_back(place.piece);
  start->movers.push_back(mover);
  if (tracker.complete(*state, progress)) return {std::move(start), Fate::kAlive};
  const Beginning beginning{*state, progress, *start};
  const int64_t hidden = hidden_events(example, place.depth);
  CompletionRecord& record = completions_[known.steps > 0];
  if (record.sure(hidden)) {
    Proof proof = complete(place, example, beginning, record);
    return proof.fate == Fate::kFailed ? exchange(place, example, beginning, kProposalsAgain)
                                       : proof;
  }
  const int32_t limit = record.useful(hidden) ? kProposalsAgain : kProposals;
  Proof proof = exchange(place, example, beginning, limit);
  return proof.example || !record.useful(hidden) ? proof
                                                 : complete(place, example, beginning, record);
}

HiddenHistories::Proof HiddenHistories::exchange(const Place& place, const Example& example,
                                                 const Beginning& beginning, int32_t limit) {
  const Tries tries(knowledge(place.set).tries.find(place_key(place.depth, place.piece)));
  if (tries.failures + tries.deaths > 0) limit = std::min(limit, kProposalsAgain);
  Random random(graph_.views_.hash(graph_.information_sets.view[place.set]),
                place_key(place.depth, place.piece));
  for (const History& events : proposals(example, place.depth, place.piece, limit, random)) {
    auto found = checked(place, beginning, events);
    if (found) return {std::move(found), Fate::kAlive};
  }
  return {nullptr, Fate::kFailed};
}

HiddenHistories::Proof HiddenHistories::complete(const Place& place, const Example& example,
                                                 const Beginning& beginning,
                                                 CompletionRecord& record) {
  Knowledge& known = knowledge(place.set);
  const auto like = guessed(place, example);
  CompletionSearch search(known.tracker, *like, known.steps > 0 ? kLongSearch : kShortSearch,
                          graph_.deadline_);
  const Completion result = search.run(beginning.state, beginning.progress, place.depth + 1);
  known.steps = std::max<int64_t>(known.steps - search.steps(), 0);
  record.note(hidden_events(example, place.depth), result);
  if (result == Completion::kUnknown) return {nullptr, Fate::kFailed};
  if (result == Completion::kNone) {
    rule_out(known.tracker, place, search.reached());
    return {nullptr, Fate::kDead};
  }
  auto found = std::make_shared<Example>(beginning.events);
  const Example& rest = search.found();
  found->events.insert(found->events.end(), rest.events.begin(), rest.events.end());
  found->movers.insert(found->movers.end(), rest.movers.begin(), rest.movers.end());
  return {std::move(found), Fate::kAlive};
}

// An example with a piece in its place and all events before it, which may be no world.
std::shared_ptr<const Example> HiddenHistories::guessed(const Place& place,
                                                        const Example& example) {
  auto guess = std::make_shared<Example>(example);
  guess->events = relabelled(example, place.depth, example.events[place.depth], place.piece);
  return guess;
}

// Notes that nothing after a piece explains more of a log.
void HiddenHistories::rule_out(const Tracker& tracker, const Place& place, int32_t reached) {
  const auto edge = static_cast<uint64_t>(graph_.worlds.first_edge[place.world] +
                                          graph_.edge_of(place.world, place.piece));
  int32_t row = ruled_out_rows_.find(edge);
  if (row == FlatMap::kAbsent) {
    row = static_cast<int32_t>(ruled_out_.size());
    ruled_out_rows_.insert(edge, row);
    ruled_out_.emplace_back();
  }
  const bool all = reached == tracker.last();
  ruled_out_[row].push_back(all ? ~tracker.view_at(reached) : tracker.view_at(reached + 1));
}

bool HiddenHistories::ruled_out(const Tracker& tracker, int64_t edge) const {
  const int32_t row = ruled_out_rows_.find(static_cast<uint64_t>(edge));
  if (row == FlatMap::kAbsent) return false;
  return std::any_of(ruled_out_[row].begin(), ruled_out_[row].end(), [&](int32_t view) {
    return view < 0 ? tracker.view_at(tracker.last()) == ~view
                    : tracker.progress_of(view) != kContradiction;
  });
}

// Replays a proposal from after the piece on; null unless it is a world of the information set.
std::shared_ptr<const Example> HiddenHistories::checked(const Place& place,
                                                        const Beginning& beginning,
                                                        const History& events) {
  graph_.check_deadline();
  const Tracker& tracker = knowledge(place.set).tracker;
  int32_t progress = beginning.progress;
  const std::unique_ptr<GameState> state = beginning.state.clone();
  auto example = std::make_shared<Example>(beginning.events);
  for (size_t at = place.depth + 1; at < events.size(); ++at) {
    if (tracker.complete(*state, progress)) break;
    const bool own = state->player() == tracker.player();
    if (own ? tracker.own_action(progress) != events[at]
            : !can_happen(*state, events[at], events_, probabilities_)) {
      return nullptr;
    }
    example->events.push_back(events[at]);
    example->movers.push_back(own ? kOwnEvent : static_cast<int8_t>(state->player()));
    state->apply(events[at]);
    progress = tracker.after(*state, own, events[at], progress);
    if (progress == kContradiction) return nullptr;
  }
  return tracker.complete(*state, progress) ? example : nullptr;
}

// Counts what became of a piece in its place.
void HiddenHistories::remember(const Place& place, Fate fate) {
  FlatMap& known = knowledge(place.set).tries;
  const uint64_t key = place_key(place.depth, place.piece);
  Tries tries(known.find(key));
  int32_t& count = fate == Fate::kAlive    ? tries.successes
                   : fate == Fate::kFailed ? tries.failures
                                           : tries.deaths;
  if (count + 1 < kCounts) ++count;
  known.insert(key, tries.packed());
}

// Whether a piece has failed too often in its place.
bool HiddenHistories::failed(const Knowledge& known, int32_t depth, Action piece) const {
  const uint64_t key = place_key(depth, piece);
  for (const Knowledge* at = &known; at != nullptr; at = at->earlier) {
    const Tries tries(at->tries.find(key));
    if (tries.successes == 0 && tries.failures >= kFailures) return true;
  }
  return false;
}

}  // namespace nash_ismcts
