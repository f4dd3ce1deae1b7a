// Games whose actions are chosen piece by piece (P-splitting): a game round any other game.
//
// Each action of the inner game has a code, a sequence of sub-actions (digits). A player chooses
// digit after digit; legal are those that continue the code of a legal action. Digits that are
// forced are skipped, so a choice has one option only where the inner game leaves one. When one
// action is left it is applied to the inner game. In between nothing has happened there: the same
// player is to move, the others are shown what they were shown before, and the mover also knows the
// digits it has chosen. Chance outcomes can have codes as well; the probability of a digit is that
// of all outcomes behind it. Codes are prefix-free, and digits never decrease along a code, so that
// the digits of a beginning tell it whatever their order.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_SPLIT_GAME_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_SPLIT_GAME_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "game.h"

namespace nash_ismcts {

// The code of each event, known by its number.
class Codes {
 public:
  // `lengths` has an entry per event, `digits` the codes end to end. Throws std::invalid_argument
  // if a code is empty, has a negative digit or one that is smaller than the digit before it, or
  // begins with another code.
  Codes(const std::vector<int32_t>& lengths, std::vector<int32_t> digits);

  int64_t size() const { return static_cast<int64_t>(rank_.size()); }
  int32_t vocabulary() const { return vocabulary_; }  // one more than the largest digit
  int32_t length(Action event) const {
    return static_cast<int32_t>(first_[event + 1] - first_[event]);
  }
  int32_t digit(Action event, int32_t at) const { return digits_[first_[event] + at]; }
  int32_t rank(Action event) const { return rank_[event]; }  // in the order of codes

 private:
  std::vector<int64_t> first_;
  std::vector<int32_t> digits_;
  std::vector<int32_t> rank_;
  int32_t vocabulary_ = 0;
};

class SplitState : public GameState {
 public:
  // `outcomes` is null where chance is not split.
  SplitState(std::unique_ptr<GameState> inner, std::shared_ptr<const Codes> actions,
             std::shared_ptr<const Codes> outcomes)
      : inner_(std::move(inner)), actions_(std::move(actions)), outcomes_(std::move(outcomes)) {}

  std::unique_ptr<GameState> clone() const override;
  int32_t player() const override { return inner_->player(); }
  void apply(Action digit) override { apply_part(digit); }
  void legal_actions(std::vector<Action>& digits) const override;
  void chance_outcomes(std::vector<Action>& digits,
                       std::vector<double>& probabilities) const override;
  std::string shown(int32_t player) const override;
  void tensor(int32_t player, TensorKind kind, float* numbers, int64_t size) const override;
  std::string describe(Action digit) const override;
  std::vector<double> returns() const override { return inner_->returns(); }

  bool within_action() const override { return begun_; }
  std::string whole_options() const override;
  void whole_counts(std::vector<double>& counts) const override;
  void whole_actions(std::vector<std::pair<Action, History>>& actions) const override;
  GameState& undivided(Random& random) override;

  // Applies a digit; returns the event of the inner game that it has completed, kUnfinished if
  // none.
  static constexpr Action kUnfinished = -1;
  Action apply_part(Action digit);

  // The digits that are to be chosen from here on for an event of the inner game. Throws
  // std::invalid_argument if it cannot happen.
  History way_to(Action event) const;

  // The beginning of the code of all events that are left, forced digits included; empty unless an
  // action or outcome is under way.
  History prefix() const;

  const GameState& inner() const { return *inner_; }

 private:
  // The events that can happen at the inner state, in the order of their codes.
  struct Options {
    std::shared_ptr<const Codes> codes;
    std::vector<int32_t> events;
    std::vector<double> probabilities;  // of chance outcomes; empty for actions
    uint64_t hash = 0;
  };

  // Events [begin, end) of the options agree on the first `depth` digits.
  struct Range {
    int32_t begin = 0, end = 0, depth = 0;
    int32_t size() const { return end - begin; }
  };

  bool load() const;
  Range after(const Range& range, Action digit) const;
  void skip_forced(Range& range) const;
  double probability(const Range& range) const;
  void finish(int32_t at);
  int32_t digit_at(int32_t at, int32_t depth) const {
    return options_->codes->digit(options_->events[at], depth);
  }

  // Calls see(digit, range) for each digit that may come next in a range.
  template <typename See>
  void for_each_digit(const Range& range, const See& see) const {
    for (int32_t begin = range.begin; begin < range.end;) {
      const int32_t digit = digit_at(begin, range.depth);
      const Range part = after(range, digit);
      see(digit, part);
      begin = part.end;
    }
  }

  std::unique_ptr<GameState> inner_;
  std::shared_ptr<const Codes> actions_;
  std::shared_ptr<const Codes> outcomes_;
  bool begun_ = false;
  mutable std::shared_ptr<const Options> options_;  // null until asked for; clones share them
  mutable Range range_;                             // what is left of the options
};

class SplitGame : public Game {
 public:
  // `outcomes` is null where chance is not split.
  SplitGame(std::shared_ptr<const Game> inner, std::shared_ptr<const Codes> actions,
            std::shared_ptr<const Codes> outcomes)
      : Game(inner->facts()),
        inner_(std::move(inner)),
        actions_(std::move(actions)),
        outcomes_(std::move(outcomes)) {}

  std::unique_ptr<GameState> initial_state() const override { return start(); }

  // Tensors of the inner game, and how often each digit was chosen in an action that is under way.
  TensorFacts tensor_facts() const override;

  const Game& inner() const { return *inner_; }

  // A history of the inner game, digit by digit. Throws std::invalid_argument if it cannot happen.
  History split(const History& history) const;

  // A history in digits as events of the inner game, and the beginning of the code of an event that
  // it leaves unfinished.
  std::pair<History, History> whole(const History& digits) const;

 private:
  std::unique_ptr<SplitState> start() const {
    return std::make_unique<SplitState>(inner_->initial_state(), actions_, outcomes_);
  }

  std::shared_ptr<const Game> inner_;
  std::shared_ptr<const Codes> actions_;
  std::shared_ptr<const Codes> outcomes_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_SPLIT_GAME_H_
