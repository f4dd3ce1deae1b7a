#include "playout.h"

#include <cmath>
#include <ctime>

namespace nash_ismcts {

double estimated_worlds(const Game& game, int32_t probes) {
  constexpr double kEnough = 1e30;
  Random random(0);
  std::vector<Action> events;
  std::vector<double> probabilities;
  double total = 0.0;
  for (int32_t probe = 0; probe < probes && total < kEnough; ++probe) {
    const auto state = game.initial_state();
    double weight = 1.0;
    while (true) {
      total += weight;
      if (state->player() == kTerminalPlayer || weight > kEnough) break;
      state->events(state->player(), events, probabilities);
      weight *= static_cast<double>(events.size());
      state->apply(events[random.below(static_cast<int64_t>(events.size()))]);
    }
  }
  return total / probes;
}

namespace {

// Processor time of this thread. A scale must not depend on what else the machine does: games take
// either far less than the time that is allowed, or far more (bridge with double-dummy results).
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double sampled_value_scale(const Game& game) {
  constexpr int64_t kGames = 256, kFewGames = 4, kEvents = 10'000;
  constexpr double kLong = 0.2, kRounding = 1e-12;
  const double started = thread_seconds();
  Random random(0);
  Playout playout;
  double squares = 0.0, sum = 0.0;
  int64_t count = 0, events = 0;
  for (int64_t played = 0; played < kGames && events < kEvents; ++played) {
    if (played == kFewGames && thread_seconds() - started > kLong) break;
    const auto state = game.initial_state();
    events += playout.run(*state, random);
    for (const double value : state->returns()) {
      squares += value * value;
      sum += value;
      ++count;
    }
  }
  const double mean = sum / static_cast<double>(count);
  const double square = squares / static_cast<double>(count), variance = square - mean * mean;
  return variance > kRounding * square ? std::sqrt(variance) : 1.0;
}

}  // namespace nash_ismcts
