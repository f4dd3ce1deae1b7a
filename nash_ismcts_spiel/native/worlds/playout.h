// Random games: play to the end, estimates of a game's size and of the scale of its utilities.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_PLAYOUT_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_PLAYOUT_H_

#include <cstdint>
#include <vector>

#include "../common/random.h"
#include "game.h"

namespace nash_ismcts {

// Plays games to their end at random: chance by its probabilities, players uniformly.
class Playout {
 public:
  // Plays a state (which is changed) to its end, by whole actions; returns the number of events. A
  // game that has not ended after kLongest events is left there.
  int64_t run(GameState& played, Random& random) {
    GameState& state = played.undivided(random);
    int64_t events = 0;
    for (; events < kLongest; ++events) {
      const int32_t mover = state.player();
      if (mover == kTerminalPlayer) break;
      state.apply(draw_event(state, mover, random));
    }
    return events;
  }

  // What happens next: chance outcomes as likely as they are, legal actions all alike.
  Action draw_event(const GameState& state, int32_t mover, Random& random) {
    state.events(mover, events_, probabilities_);
    const auto count = static_cast<int32_t>(events_.size());
    return events_[probabilities_.empty() ? random.below(count)
                                          : random.index(probabilities_.data(), count)];
  }

 private:
  static constexpr int64_t kLongest = 20'000;

  std::vector<Action> events_;
  std::vector<double> probabilities_;
};

// Number of histories, estimated by random games (Knuth 1975): for each position of a random game,
// the product of the numbers of choices on the way there. Right on average but varies much: good
// for orders of magnitude only. Stops at 1e30.
double estimated_worlds(const Game& game, int32_t probes);

// Root mean square of the returns of random games, in utility units; 1 if all are 0. As many games
// as 256, fewer where they are long, and only four where these take more than .2 s of processor
// time (in bridge with double-dummy results one takes .1 s).
double sampled_value_scale(const Game& game);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_PLAYOUT_H_
