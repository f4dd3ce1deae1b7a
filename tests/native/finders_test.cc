// Worlds are found from a log alone, and walks draw them as often as they should.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check.h"
#include "kuhn.h"
#include "signals.h"
#include "worlds/backtracking.h"
#include "worlds/explorer.h"
#include "worlds/graph.h"

namespace nash_ismcts {
namespace {

constexpr Clock::time_point kNever = Clock::time_point::max();
constexpr int64_t kEffort = 100'000;

// Histories of Kuhn poker after which somebody moves.
std::vector<History> decisions_of_kuhn() {
  const std::vector<History> bets{{}, {kPass}, {kBet}, {kPass, kBet}};
  std::vector<History> decisions;
  for (Action one = 0; one < 3; ++one) {
    for (Action two = 0; two < 3; ++two) {
      if (one == two) continue;
      for (const History& after : bets) {
        decisions.push_back({one, two});
        decisions.back().insert(decisions.back().end(), after.begin(), after.end());
      }
    }
  }
  return decisions;
}

int32_t mover_after(const History& history) { return static_cast<int32_t>(history.size() % 2); }

// The world that a new graph finds for who moves after a history.
History found_for(const History& history) {
  Graph graph(std::make_shared<KuhnGame>());
  const int32_t player = mover_after(history);
  const int32_t view = graph.view_along(history, player, false);
  const int32_t set = graph.find(player, view);
  CHECK_EQ(graph.information_sets.view[set], view);
  return graph.history(graph.information_sets.first_world[set]);
}

// What a player of Kuhn poker does not see is the other player's card.
TEST(a_world_that_is_found_shows_the_player_its_log_and_depends_on_nothing_else) {
  for (const History& history : decisions_of_kuhn()) {
    const int32_t player = mover_after(history);
    const History found = found_for(history);
    CHECK_EQ(found.size(), history.size());
    History other = history;
    other[1 - player] = 3 - history[0] - history[1];  // the card that nobody holds
    CHECK(found == history || found == other);
    CHECK(found_for(other) == found);
  }
}

template <typename Find>
void check_finder(const Find& find) {
  const KuhnGame game;
  for (const History& history : decisions_of_kuhn()) {
    Graph graph(std::make_shared<KuhnGame>());
    const int32_t player = mover_after(history);
    const int32_t view = graph.view_along(history, player, false);
    const Tracker tracker(game, graph.views(), player, view);
    Random random(1), again(1);
    History found, same;
    CHECK(find(game, tracker, random, found));
    CHECK(find(game, tracker, again, same));
    CHECK(found == same);
    CHECK(graph.offer(player, view, found) != kMissing);
  }
}

// A card that is not in the game.
template <typename Find>
void check_gives_up(const Find& find) {
  const KuhnGame game;
  ViewTable views(2);
  const int32_t view = views.of_log(0, {{kNoAction, "7\nlegal actions: 0 1"}});
  Random random(1);
  History found;
  CHECK(!find(game, Tracker(game, views, 0, view), random, found));
}

bool backtrack(const Game& game, const Tracker& tracker, Random& random, History& found) {
  return Backtracking(game, tracker, random, kNever).run({}, found);
}

bool explore(const Game& game, const Tracker& tracker, Random& random, History& found) {
  return Explorer(game, tracker, random, kNever).run(kEffort, found);
}

TEST(going_forward_and_back_finds_every_log_of_kuhn) { check_finder(backtrack); }
TEST(random_continuations_find_every_log_of_kuhn) { check_finder(explore); }
TEST(going_forward_and_back_gives_up_what_cannot_be) { check_gives_up(backtrack); }
TEST(random_continuations_give_up_what_cannot_be) { check_gives_up(explore); }

TEST(an_explorer_goes_on_from_a_history_that_explains_the_log) {
  const KuhnGame game;
  Graph graph(std::make_shared<KuhnGame>());
  const History history{2, 0, kPass, kBet};
  const int32_t view = graph.view_along(history, 0, false);
  const Tracker tracker(game, graph.views(), 0, view);
  Random random(1);
  Explorer explorer(game, tracker, random, kNever);
  const int32_t before = explorer.progress();
  explorer.add({0, 1, kPass, kBet});  // another card
  CHECK_EQ(explorer.progress(), before);
  explorer.add(history);
  CHECK_EQ(explorer.progress(), tracker.last());
}

struct Shares {
  double first = 0.0, second = 0.0, said = 0.0;  // how often these show 1
};

// Of the worlds on a walk of player 0, who has seen two signals of 1.
Shares walked(bool information_states, int32_t steps) {
  Graph graph(std::make_shared<SignalGame>(3, 2, information_states));
  const History history{0, 0, 0, 1, 1, 0};
  const int32_t set = graph.find(0, graph.view_along(history, 0, false));
  Walk walk(1);
  Shares shares;
  for (int32_t step = 0; step < steps; ++step) {
    const History world = graph.history(graph.exchanged_world(set, walk));
    CHECK(world[3] == 1 && world[4] == 1);
    shares.first += static_cast<double>(world[0]) / steps;
    shares.second += static_cast<double>(world[1]) / steps;
    shares.said += static_cast<double>(world[5]) / steps;
  }
  return shares;
}

// Bayes' rule: the first coin shows 1 with odds of (7/3)^2; the others, and what was said, say
// nothing. The chain is correlated; its error here is some .005.
TEST(a_walk_draws_the_posterior) {
  for (const bool information_states : {true, false}) {
    const Shares shares = walked(information_states, 20'000);
    CHECK(shares.first > 0.49 / 0.58 - 0.02 && shares.first < 0.49 / 0.58 + 0.02);
    CHECK(shares.second > 0.48 && shares.second < 0.52);
    CHECK(shares.said > 0.48 && shares.said < 0.52);
  }
}

}  // namespace
}  // namespace nash_ismcts
