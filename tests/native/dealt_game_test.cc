// Hands that are drawn as sets, by hand: two players get two of five cards each, and each then
// passes or stays; the higher sum wins.

#include "worlds/dealt_game.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"
#include "common/random.h"
#include "worlds/graph.h"
#include "worlds/sets.h"

namespace nash_ismcts {
namespace {

constexpr int32_t kCards = 4;

class HandsState final : public GameState {
 public:
  explicit HandsState(bool ordered) : ordered_(ordered) {}
  std::unique_ptr<GameState> clone() const override { return std::make_unique<HandsState>(*this); }
  int32_t player() const override {
    const auto done = static_cast<int32_t>(events_.size());
    return done < kCards ? kChancePlayer : done < kCards + 2 ? done - kCards : kTerminalPlayer;
  }
  void apply(Action event) override { events_.push_back(event); }
  void legal_actions(std::vector<Action>& actions) const override { actions = {0, 1}; }
  void chance_outcomes(std::vector<Action>& outcomes,
                       std::vector<double>& probabilities) const override {
    outcomes.clear();
    for (Action card = 0; card < 5; ++card) {
      if (std::find(events_.begin(), events_.end(), card) == events_.end()) {
        outcomes.push_back(card);
      }
    }
    probabilities.assign(outcomes.size(), 1.0 / static_cast<double>(outcomes.size()));
  }
  std::string describe(Action event) const override { return std::to_string(event); }
  // The own cards, ascending unless the game is one in which their order is seen; and the actions.
  std::string shown(int32_t player) const override {
    std::string text;
    History hand;
    for (size_t at = 0; at < events_.size(); ++at) {
      if (at >= kCards) (text += ' ') += std::to_string(events_[at]);
      if (at < kCards && static_cast<int32_t>(at) / 2 == player) hand.push_back(events_[at]);
    }
    if (!ordered_) std::sort(hand.begin(), hand.end());
    for (const Action card : hand) text += 'a' + static_cast<char>(card);
    return text;
  }
  void tensor(int32_t, TensorKind, float* numbers, int64_t size) const override {
    std::fill_n(numbers, size, 0.0f);
  }
  std::vector<double> returns() const override {
    const auto won = static_cast<double>(events_[0] + events_[1] - events_[2] - events_[3]);
    return {won, -won};
  }

 private:
  bool ordered_;
  History events_;
};

class HandsGame final : public Game {
 public:
  explicit HandsGame(bool ordered = false) : Game(facts_of_hands()), ordered_(ordered) {}
  std::unique_ptr<GameState> initial_state() const override {
    return std::make_unique<HandsState>(ordered_);
  }
  TensorFacts tensor_facts() const override { return {TensorKind::kInformationState, 1, 0, 2, 5}; }

 private:
  static GameFacts facts_of_hands() {
    GameFacts facts;
    facts.name = "hands()";
    facts.num_players = 2;
    facts.has_information_states = true;
    return facts;
  }

  bool ordered_;
};

const Deal kDeal{0, {0, 0, 1, 1}};

std::shared_ptr<DealtGame> dealt_hands() {
  const auto game = std::make_shared<HandsGame>();
  return std::make_shared<DealtGame>(game, check_deal(*game, kDeal));
}

TEST(hands_are_found_by_trials) {
  const auto found = find_deal(HandsGame());
  CHECK(found.has_value());
  CHECK(found->deal.first == 0 && found->deal.hand == kDeal.hand);
  CHECK(found->deck == History({0, 1, 2, 3, 4}));
  CHECK(found->known == std::vector<std::vector<uint8_t>>({{1, 0}, {0, 1}}));
  CHECK(!find_deal(HandsGame(true)).has_value());  // here players see in which order cards come
}

TEST(hands_that_are_no_sets_are_refused) {
  const auto refused = [](bool ordered, const Deal& deal) {
    try {
      check_deal(HandsGame(ordered), deal);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  CHECK(!refused(false, kDeal));
  CHECK(refused(true, kDeal));
  CHECK(refused(false, {0, {0, 1, 0, 1}}));
  CHECK(refused(false, {0, {0, 0, 1}}));
  CHECK(refused(false, {1, {0, 0, 1, 1}}));
  CHECK(refused(false, {0, {1, 1, 0, 0}}));
}

TEST(all_hands_are_equally_likely) {
  Graph graph(dealt_hands());
  graph.enumerate(10'000);
  std::vector<double> likely(graph.worlds.size(), 1.0);
  int32_t hands = 0;
  for (int32_t world = 1; world < graph.worlds.size(); ++world) {
    const int32_t parent = graph.worlds.parent[world];
    if (graph.worlds.depth[world] > kCards) continue;
    const int32_t edge = graph.edge_of(parent, graph.worlds.last_action[world]);
    likely[world] =
        likely[parent] * graph.worlds.edge_probability[graph.worlds.first_edge[parent] + edge];
    if (graph.worlds.depth[world] != kCards) continue;
    ++hands;
    CHECK(std::fabs(likely[world] - 1.0 / 30.0) < 1e-15);
  }
  CHECK_EQ(hands, 30);
}

TEST(histories_are_told_in_both_orders) {
  const auto game = dealt_hands();
  CHECK(game->by_hand({3, 1, 4, 0, 1}) == History({1, 3, 0, 4, 1}));
  CHECK(game->in_play({1, 3, 0, 4, 1}).first == History({1, 3, 0, 4, 1}));
  CHECK(game->in_play({1, 3, 0}).second == History({1, 3, 0}));
  const auto state = game->initial_state();
  for (const Action card : {1, 3, 0}) state->apply(card);
  CHECK_EQ(state->player(), kChancePlayer);
  CHECK(state->shown(0).empty());
  const auto copy = state->clone();
  state->apply(4);
  CHECK(state->shown(0) == "bd" && state->shown(1) == "ae");
  CHECK(copy->shown(0).empty());
}

TEST(exchanges_keep_hands_in_order) {
  const auto game = dealt_hands();
  const Example example{{1, 3, 0, 4, 1},
                        {kChancePlayer, kChancePlayer, kChancePlayer, kChancePlayer, 0}};
  Random random(1);
  // The second player knows its own hand, so that only card 2 can come instead.
  const auto proposed = piece_proposals(game->sets(), example, 1, 0, 2, 4, random);
  CHECK(!proposed.empty());
  for (const History& events : proposed) {
    CHECK(events[0] == 2 && events[1] == 3 && events[2] == 0 && events[3] == 4);
  }
  CHECK(piece_proposals(game->sets(), example, 1, 0, 0, 4, random).empty());
  CHECK(piece_proposals(game->sets(), example, 1, 2, 2, 4, random).empty());
}

}  // namespace
}  // namespace nash_ismcts
