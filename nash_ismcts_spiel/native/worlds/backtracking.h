// Explaining a log by going forward, and back by a few events where nothing fits.
//
// This is the cheapest way to find a world, and finds one wherever what is hidden comes to light
// soon after, however long the log is: the moves of simultaneous games above all. Elsewhere it is
// given up quickly (finder.h goes on by other ways).

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_BACKTRACKING_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_BACKTRACKING_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "../common/random.h"
#include "game.h"
#include "tracker.h"

namespace nash_ismcts {

class Backtracking {
 public:
  Backtracking(const Game& game, const Tracker& tracker, Random& random,
               std::chrono::steady_clock::time_point deadline)
      : game_(game), tracker_(tracker), random_(random), deadline_(deadline) {}

  // Goes on from as much of `start` as agrees with the log; true if a world was found.
  bool run(const History& start, History& found);

 private:
  // A state on the way, and what has not been tried there.
  struct Place {
    std::unique_ptr<GameState> state;
    int32_t progress = 0;
    std::vector<Action> left;
  };

  bool follow(const History& start);
  bool forward();
  bool backward();
  Place place(std::unique_ptr<GameState> state, int32_t progress);
  void check_time();

  const Game& game_;
  const Tracker& tracker_;
  Random& random_;
  std::chrono::steady_clock::time_point deadline_;
  History events_;
  std::deque<Place> places_;  // the last one is after all events, each before it one event earlier
  int64_t steps_ = 0;
  std::vector<double> probabilities_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_BACKTRACKING_H_
