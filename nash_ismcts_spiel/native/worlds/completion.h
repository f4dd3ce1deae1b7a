// Whether a partial world can still become a world of an information set: a complete search.
//
// All continuations that agree with the player's log are gone through depth first. The log decides
// the player's own actions, and a continuation ends where the player would be shown something else.
// Where that comes soon (a board on which others move unseen), few steps decide. Where it comes
// late (a deal that is shown in play), the search ends without an answer when its steps are spent.
// What another world did there is tried first. A search that finds nothing tells which view of the
// player cannot come about; so the partial world is dead for all information sets with that view in
// their log.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_COMPLETION_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_COMPLETION_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "example.h"
#include "game.h"
#include "tracker.h"

namespace nash_ismcts {

enum class Completion { kFound, kNone, kUnknown };
class CompletionSearch {
 public:
  // At most `limit` steps are taken; each adds an event.
  CompletionSearch(const Tracker& tracker, const Example& like, int64_t limit,
                   std::chrono::steady_clock::time_point deadline)
      : tracker_(tracker), like_(like), limit_(limit), deadline_(deadline) {}

  // Searches from a state with some progress; the events of `like` from `place` on are tried first.
  // Throws OutOfTime at the deadline.
  Completion run(const GameState& state, int32_t progress, int32_t place);

  // The events that were found, and who made them, from the state on.
  const Example& found() const { return found_; }

  int64_t steps() const { return steps_; }

  // The most progress of all continuations.
  int32_t reached() const { return reached_; }

 private:
  // An event that can happen, and where it is in `like_`.
  struct Choice {
    int32_t rank;
    Action event;
  };

  bool visit(std::unique_ptr<GameState> state, int32_t progress, int32_t place);
  bool enter(std::unique_ptr<GameState> state, Action event, int32_t progress, int32_t place);
  void pay();
  void list_choices(const GameState& state, int32_t place, std::vector<Choice>& choices);

  const Tracker& tracker_;
  const Example& like_;
  int64_t limit_;
  int64_t steps_ = 0;
  std::chrono::steady_clock::time_point deadline_;
  int32_t reached_ = 0;
  Example found_;
  std::vector<Action> events_;
  std::vector<double> probabilities_;
};

// Whether such searches come to an answer in a game, by the number of hidden events that are left:
// where they do not, they are given up after a few.
class CompletionRecord {
 public:
  // Whether a search should be made, and whether before anything else.
  bool useful(int64_t hidden_events) const { return used_[level(hidden_events)] < kCredit; }
  bool sure(int64_t hidden_events) const { return used_[level(hidden_events)] <= -kCredit; }

  // What a search of so many hidden events came to.
  void note(int64_t hidden_events, Completion result);

 private:
  static constexpr int32_t kCredit = 4;
  static constexpr int32_t kMostCredit = 64;
  static size_t level(int64_t hidden_events);
  std::array<int32_t, 16> used_{};  // what is lost of the credit, by the logarithm of the number
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_COMPLETION_H_
