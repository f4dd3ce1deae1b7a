// Games in parts, by hand: Kuhn poker whose two actions, and three cards, have codes of two digits.

#include "worlds/split_game.h"

#include <memory>
#include <stdexcept>
#include <vector>

#include "check.h"
#include "common/random.h"
#include "kuhn.h"
#include "worlds/graph.h"

namespace nash_ismcts {
namespace {

using Ints = std::vector<int32_t>;

// Passing is 0 2 and betting 1 2, so that the second digit is always forced; cards are 0 2, 0 3
// and 1.
SplitGame split_kuhn(bool cards) {
  const auto actions = std::make_shared<Codes>(Ints{2, 2}, Ints{0, 2, 1, 2});
  const auto outcomes =
      cards ? std::make_shared<Codes>(Ints{2, 2, 1}, Ints{0, 2, 0, 3, 1}) : nullptr;
  return SplitGame(std::make_shared<KuhnGame>(), actions, outcomes);
}

std::vector<Action> legal(const GameState& state) {
  std::vector<Action> digits;
  state.legal_actions(digits);
  return digits;
}

TEST(forced_digits_are_skipped) {
  const SplitGame game = split_kuhn(false);
  const auto state = game.initial_state();
  state->apply(2);
  state->apply(0);
  CHECK(legal(*state) == History({0, 1}));
  state->apply(1);
  CHECK(!state->within_action());
  CHECK_EQ(state->player(), 1);
  CHECK(game.split({2, 0, kBet, kPass}) == History({2, 0, 1, 0}));
}

TEST(chance_is_drawn_digit_by_digit) {
  const SplitGame game = split_kuhn(true);
  const auto state = game.initial_state();
  std::vector<Action> digits;
  std::vector<double> probabilities;
  state->chance_outcomes(digits, probabilities);
  CHECK(digits == History({0, 1}));
  CHECK(probabilities[0] > 0.66 && probabilities[0] < 0.67);
  state->apply(0);
  CHECK(state->within_action());
  state->chance_outcomes(digits, probabilities);
  CHECK(digits == History({2, 3}));
  CHECK_EQ(probabilities[0], 0.5);
  state->apply(3);
  state->chance_outcomes(digits, probabilities);  // one card is gone: 0 2 or 1
  CHECK(digits == History({0, 1}));
  const auto [events, begun] = game.whole({0, 3, 0, 0});
  CHECK(events == History({1, 0, kPass}));
  CHECK(begun.empty());
  CHECK(game.whole({0}).second == History({0}));
}

TEST(an_action_that_is_begun_is_finished_at_random_among_its_own) {
  const SplitGame game = split_kuhn(true);
  Random random(1);
  int32_t first = 0;
  for (int32_t tries = 0; tries < 400; ++tries) {
    const auto state = game.initial_state();
    state->apply(0);
    GameState& whole = state->undivided(random);
    CHECK(!state->within_action());
    std::vector<Action> cards;
    std::vector<double> probabilities;
    whole.chance_outcomes(cards, probabilities);
    CHECK_EQ(cards.size(), size_t{2});
    CHECK_EQ(cards.back(), 2);  // the third card cannot have been dealt
    first += cards.front() == 1;
  }
  CHECK(first > 150 && first < 250);
}

TEST(a_graph_of_parts_has_the_same_ends) {
  Graph whole(std::make_shared<KuhnGame>());
  Graph parts(std::make_shared<SplitGame>(split_kuhn(true)));
  whole.enumerate(1000);
  parts.enumerate(1000);
  CHECK_EQ(whole.worlds.utilities.size(), parts.worlds.utilities.size());
  CHECK_EQ(whole.information_sets.size(), parts.information_sets.size());
}

TEST(what_is_not_legal_is_refused) {
  const SplitGame game = split_kuhn(false);
  const auto state = game.initial_state();
  state->apply(0);
  state->apply(1);
  bool refused = false;
  try {
    state->apply(2);  // the second digit
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

}  // namespace
}  // namespace nash_ismcts
