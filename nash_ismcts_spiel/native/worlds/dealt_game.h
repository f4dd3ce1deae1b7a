// Games in which hands of cards are drawn as sets (an order of H-splitting): a game round any other
// game that begins with a deal (deal.h).
//
// The inner game deals card by card, in an order that means nothing to anybody. Here the hands are
// dealt one after another, each in ascending order, so that a hand is drawn in one way only. The
// next card c of a hand with k cards to come has the probability that a random hand of what is left
// of the deck goes on with it: C(cards above c, k - 1) / C(cards above the last one, k). When the
// last card is there, all are dealt in the inner game, in its own order of places and ascending
// inside each hand. Until then players are shown what they were shown before the deal. A history
// has as many events as one of the inner game, and only those of the deal differ.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_DEALT_GAME_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_DEALT_GAME_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "deal.h"
#include "game.h"

namespace nash_ismcts {

// The places of a deal in both games.
struct DealtLayout {
  explicit DealtLayout(const CheckedDeal& checked);

  int32_t first, cards;              // events before the deal and in it
  std::vector<int32_t> inner_place;  // of each card drawn here, where the inner game deals it
  PieceSets sets;
};

class DealtState : public GameState {
 public:
  DealtState(std::unique_ptr<GameState> inner, std::shared_ptr<const DealtLayout> layout)
      : inner_(std::move(inner)), layout_(std::move(layout)) {}

  std::unique_ptr<GameState> clone() const override;
  int32_t player() const override { return dealing() ? kChancePlayer : inner_->player(); }
  void apply(Action event) override;
  void legal_actions(std::vector<Action>& actions) const override {
    inner_->legal_actions(actions);
  }
  void chance_outcomes(std::vector<Action>& outcomes,
                       std::vector<double>& probabilities) const override;
  std::string shown(int32_t player) const override { return inner_->shown(player); }
  std::string observation(int32_t player) const override { return inner_->observation(player); }
  void tensor(int32_t player, TensorKind kind, float* numbers, int64_t size) const override {
    inner_->tensor(player, kind, numbers, size);
  }
  std::string describe(Action event) const override { return inner_->describe(event); }
  std::vector<double> returns() const override { return inner_->returns(); }
  GameState& undivided(Random& random) override {
    return hand_.empty() ? inner_->undivided(random) : *this;
  }

 private:
  bool dealing() const {
    return events_ >= layout_->first && events_ < layout_->first + layout_->cards;
  }

  std::unique_ptr<GameState> inner_;  // before the deal until that is complete
  std::shared_ptr<const DealtLayout> layout_;
  int32_t events_ = 0;        // so far, counted up to the end of the deal
  std::vector<Action> hand_;  // cards drawn so far, hand by hand; empty once they are dealt
};

class DealtGame : public Game {
 public:
  DealtGame(std::shared_ptr<const Game> inner, const CheckedDeal& checked)
      : Game(inner->facts()),
        inner_(std::move(inner)),
        layout_(std::make_shared<DealtLayout>(checked)) {}

  std::unique_ptr<GameState> initial_state() const override {
    return std::make_unique<DealtState>(inner_->initial_state(), layout_);
  }
  TensorFacts tensor_facts() const override { return inner_->tensor_facts(); }
  const PieceSets* sets() const override { return &layout_->sets; }

  // A history of the inner game, hand by hand. Throws std::invalid_argument if it ends within the
  // deal.
  History by_hand(const History& history) const;

  // A history as the inner game counts events; what is drawn of an unfinished deal comes apart.
  std::pair<History, History> in_play(const History& history) const;

 private:
  std::shared_ptr<const Game> inner_;
  std::shared_ptr<const DealtLayout> layout_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_DEALT_GAME_H_
