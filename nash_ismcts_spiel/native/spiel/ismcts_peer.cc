#include "ismcts_peer.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "open_spiel/algorithms/mcts.h"

namespace nash_ismcts {

namespace {

using open_spiel::ActionsAndProbs;
using open_spiel::State;
using open_spiel::algorithms::ISMCTSBot;
using Clock = std::chrono::steady_clock;

constexpr int kFewest = 2;  // an answer needs one simulation beside that which makes the root
constexpr double kWorthAnother = 4.0;  // times of the shortest search, for a longer one
constexpr int kAtOnce = 64;  // worlds that are drawn together where each simulation has a new one

double seconds_since(Clock::time_point started) {
  return std::chrono::duration<double>(Clock::now() - started).count();
}

}  // namespace

IsmctsPeer::IsmctsPeer(const std::string& game, const IsmctsSettings& settings)
    : game_(open_spiel::LoadGame(game)),
      settings_(settings),
      uses_observations_(!game_->GetType().provides_information_state_string) {}

std::unique_ptr<State> IsmctsPeer::after(const History& history) const {
  std::unique_ptr<State> state = game_->NewInitialState();
  for (const open_spiel::Action action : history) state->ApplyAction(action);
  return state;
}

ActionsAndProbs IsmctsPeer::policy(const History& history, const Draw& draw, int seed,
                                   int simulations, double seconds) const {
  const Clock::time_point started = Clock::now();
  const std::unique_ptr<State> state = after(history);
  if (seconds <= 0.0) return search(*state, draw, seed, std::max(simulations, kFewest), 0.0);
  // OpenSpiel's bot fails if time is up after its first simulation. So it first searches without a
  // clock, as little as it can, and this answer stands if the process is held up in the next
  // search.
  ActionsAndProbs found = search(*state, draw, seed, kFewest, 0.0);
  const double took = seconds_since(started);
  if (seconds < kWorthAnother * took) return found;
  bool drawing = false;
  const Draw watched = [&](int count) {
    drawing = true;
    Histories worlds = draw(count);
    drawing = false;
    return worlds;
  };
  try {
    return search(*state, watched, seed, 0, seconds - took);
  } catch (const std::exception&) {
    if (drawing) throw;
    return found;
  }
}

ActionsAndProbs IsmctsPeer::search(const State& state, const Draw& draw, int seed, int simulations,
                                   double seconds) const {
  const auto rollouts =
      std::make_shared<open_spiel::algorithms::RandomRolloutEvaluator>(settings_.rollouts, seed);
  ISMCTSBot bot(seed, rollouts, settings_.uct_c, simulations, settings_.max_world_samples,
                settings_.final_policy, uses_observations_,
                /*allow_inconsistent_action_sets=*/uses_observations_,
                seconds > 0.0 ? seconds : -1.0);
  int at_once = settings_.max_world_samples > 0 ? settings_.max_world_samples : kAtOnce;
  if (seconds <= 0.0) at_once = std::min(at_once, simulations);
  Histories worlds;
  bot.SetResampler([&](const State&, open_spiel::Player, const std::function<double()>&) {
    if (worlds.empty()) worlds = draw(at_once);
    if (worlds.empty()) throw std::invalid_argument("no world was drawn");
    std::unique_ptr<State> world = after(worlds.back());
    worlds.pop_back();
    return world;
  });
  return bot.GetPolicy(state);
}

}  // namespace nash_ismcts
