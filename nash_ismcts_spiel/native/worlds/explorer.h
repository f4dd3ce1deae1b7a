// Finding one world by going on from many partial ones (for finder.h).
//
// Histories that explain some of the log are kept in pools, one for each progress. A history of a
// pool near the top is followed by random events that agree with the log, or one of its hidden
// events is replaced, or exchanged for another one, and the rest is made to fit; what explains more
// goes into the pools further up. The longer that brings nothing, the further down the search
// begins.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_EXPLORER_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_EXPLORER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "../common/random.h"
#include "game.h"
#include "tracker.h"

namespace nash_ismcts {

class Explorer {
 public:
  Explorer(const Game& game, const Tracker& tracker, Random& random,
           std::chrono::steady_clock::time_point deadline);

  // Adds the beginnings of a history that agree with the log.
  void add(const History& events);

  // Goes on for some effort, in the units of finder.cc; true if a world was found.
  bool run(int64_t effort, History& found);

  // The most progress so far.
  int32_t progress() const { return top_; }

 private:
  // A history that explains the log up to `progress`.
  struct Partial {
    History events;
    std::vector<uint8_t> own;         // which events are the player's own
    std::vector<int32_t> progresses;  // before each event
    int32_t progress = 0;
    std::unique_ptr<GameState> state;  // after the events

    Partial copy() const { return {events, own, progresses, progress, state->clone()}; }
  };

  // The event that was found to agree with the log, and how often, if it was always the same: then
  // it is most likely one that the player is shown.
  struct Fitting {
    Action event = kNoAction;
    int32_t times = 0;  // negative once another event was found

    void note(Action found) {
      if (times < 0) return;
      times = times == 0 || found == event ? times + 1 : -1;
      event = found;
    }
  };

  int32_t level();
  bool roll(Partial& partial);
  bool vary(const Partial& partial);
  bool vary_rest(Partial& varied, const History& events, int32_t aim);
  Partial beginning() const;
  Partial begun(const Partial& partial, size_t length);
  bool follow(Partial& partial, Action event);
  bool follow_any(Partial& partial, Action without);
  bool follow_surely(Partial& partial, Action event);
  int32_t progress_after(const GameState& state, bool own, Action event, int32_t progress);
  void keep(const Partial& partial);
  void list_events(const GameState& state);
  void pay(int64_t effort);
  bool complete(const Partial& partial) const {
    return tracker_.complete(*partial.state, partial.progress);
  }

  const Game& game_;
  const Tracker& tracker_;
  Random& random_;
  std::chrono::steady_clock::time_point deadline_;
  bool looks_at_all_;  // the player looks after every event
  int64_t look_effort_;
  std::vector<std::vector<Partial>> pools_;  // by progress
  std::vector<Fitting> fitting_;             // by progress
  int32_t top_ = kContradiction;             // the most progress so far
  int64_t vain_ = 0;                         // tries since it last rose
  int64_t effort_ = 0;
  int64_t paid_ = 0;
  History found_;
  std::vector<Action> events_;
  std::vector<double> probabilities_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_EXPLORER_H_
