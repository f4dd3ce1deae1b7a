// Kuhn poker, numbered and shown as OpenSpiel's kuhn_poker: a game to try the core on without
// OpenSpiel. Two players ante 1 and get one card of three each; a bet is 1.

#ifndef NASH_ISMCTS_SPIEL_TESTS_NATIVE_KUHN_H_
#define NASH_ISMCTS_SPIEL_TESTS_NATIVE_KUHN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "worlds/game.h"

namespace nash_ismcts {

constexpr Action kPass = 0;
constexpr Action kBet = 1;

class KuhnState final : public GameState {
 public:
  std::unique_ptr<GameState> clone() const override { return std::make_unique<KuhnState>(*this); }

  int32_t player() const override {
    if (cards_.size() < 2) return kChancePlayer;
    const bool answered = bets_.size() >= 2 && bets_ != "pb";
    return answered ? kTerminalPlayer : static_cast<int32_t>(bets_.size() % 2);
  }

  void apply(Action action) override {
    if (cards_.size() < 2) {
      cards_.push_back(action);
    } else {
      bets_ += action == kBet ? 'b' : 'p';
    }
  }

  void legal_actions(std::vector<Action>& actions) const override { actions = {kPass, kBet}; }

  void chance_outcomes(std::vector<Action>& outcomes,
                       std::vector<double>& probabilities) const override {
    outcomes.clear();
    for (Action card = 0; card < 3; ++card) {
      if (cards_.empty() || cards_[0] != card) outcomes.push_back(card);
    }
    probabilities.assign(outcomes.size(), 1.0 / static_cast<double>(outcomes.size()));
  }

  std::string describe(Action event) const override { return std::to_string(event); }
  std::string shown(int32_t player) const override {
    const size_t seat = static_cast<size_t>(player);
    return seat < cards_.size() ? std::to_string(cards_[seat]) + bets_ : "";
  }

  std::string observation(int32_t player) const override { return shown(player); }
  std::string printed() const override {
    std::string text = bets_;
    for (const Action card : cards_) text += std::to_string(card);
    return text;
  }

  // The own card, one of three, and the number of bets and passes so far.
  void tensor(int32_t player, TensorKind, float* numbers, int64_t size) const override {
    std::fill_n(numbers, size, 0.0f);
    const size_t seat = static_cast<size_t>(player);
    if (seat < cards_.size()) numbers[cards_[seat]] = 1.0f;
    numbers[3] = static_cast<float>(bets_.size());
  }

  std::vector<double> returns() const override {
    double won = cards_[0] > cards_[1] ? 1.0 : -1.0;  // by the first player, at a showdown
    if (bets_ == "bp") won = 1.0;
    if (bets_ == "pbp") won = -1.0;
    if (bets_ == "bb" || bets_ == "pbb") won *= 2.0;
    return {won, -won};
  }

 private:
  std::vector<Action> cards_;
  std::string bets_;
};

class KuhnGame final : public Game {
 public:
  explicit KuhnGame(TensorKind kind = TensorKind::kInformationState)
      : Game(facts_of_kuhn()), kind_(kind) {}
  std::unique_ptr<GameState> initial_state() const override {
    return std::make_unique<KuhnState>();
  }
  TensorFacts tensor_facts() const override { return {kind_, 4, 4, 2, 3}; }

 private:
  static GameFacts facts_of_kuhn() {
    GameFacts facts;
    facts.name = "kuhn_poker()";
    facts.num_players = 2;
    facts.has_information_states = true;
    return facts;
  }

  TensorKind kind_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_TESTS_NATIVE_KUHN_H_
