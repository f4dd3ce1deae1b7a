// Hidden coins and noisy signals, a game to try on what finds and draws worlds. Some fair coins are
// tossed, which only player 1 sees. Signals follow, which player 0 sees: each shows the first coin
// in 70 of 100 cases. Then player 1 says 0 or 1 unheard, and player 0 guesses the first coin.

#ifndef NASH_ISMCTS_SPIEL_TESTS_NATIVE_SIGNALS_H_
#define NASH_ISMCTS_SPIEL_TESTS_NATIVE_SIGNALS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "worlds/game.h"

namespace nash_ismcts {

class SignalState final : public GameState {
 public:
  SignalState(size_t coins, size_t signals) : coins_(coins), signals_(signals) {}
  std::unique_ptr<GameState> clone() const override { return std::make_unique<SignalState>(*this); }

  int32_t player() const override {
    if (events_.size() < coins_ + signals_) return kChancePlayer;
    const size_t answers = events_.size() - coins_ - signals_;
    return answers == 0 ? 1 : answers == 1 ? 0 : kTerminalPlayer;
  }

  void apply(Action action) override { events_.push_back(action); }
  void legal_actions(std::vector<Action>& actions) const override { actions = {0, 1}; }

  void chance_outcomes(std::vector<Action>& outcomes,
                       std::vector<double>& probabilities) const override {
    outcomes = {0, 1};
    const double one = events_.size() < coins_ ? 0.5 : events_[0] == 1 ? 0.7 : 0.3;
    probabilities = {1.0 - one, one};
  }

  std::string shown(int32_t player) const override {
    std::string text;
    for (size_t at = 0; at < events_.size() && at < coins_ + signals_; ++at) {
      if ((at < coins_) == (player == 1)) text += std::to_string(events_[at]);
    }
    return text;
  }

  std::string describe(Action event) const override { return std::to_string(event); }
  void tensor(int32_t, TensorKind, float*, int64_t) const override {}
  std::vector<double> returns() const override {
    const double won = events_.front() == events_.back() ? 1.0 : -1.0;
    return {won, -won};
  }

 private:
  size_t coins_, signals_;
  History events_;
};

class SignalGame final : public Game {
 public:
  // Players are shown information states, or observations after every event.
  SignalGame(size_t coins, size_t signals, bool information_states)
      : Game(facts_of(information_states)), coins_(coins), signals_(signals) {}
  std::unique_ptr<GameState> initial_state() const override {
    return std::make_unique<SignalState>(coins_, signals_);
  }
  TensorFacts tensor_facts() const override { return {TensorKind::kNone, 0, 0, 2, 2}; }

 private:
  static GameFacts facts_of(bool information_states) {
    GameFacts facts;
    facts.name = "signals()";
    facts.num_players = 2;
    facts.has_information_states = information_states;
    return facts;
  }

  size_t coins_, signals_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_TESTS_NATIVE_SIGNALS_H_
