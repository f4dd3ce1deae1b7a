// The game of kuhn.h is Kuhn poker, and the graph makes of it what it should.

#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"
#include "kuhn.h"
#include "worlds/graph.h"

namespace nash_ismcts {
namespace {

struct Tally {
  int histories = 0;
  int ends = 0;
  double value = 0.0;  // of the first player, if all play at random
  std::set<std::string> shown;
};

void walk(const GameState& state, double reach, Tally& tally) {
  ++tally.histories;
  std::vector<Action> actions;
  std::vector<double> probabilities;
  if (state.player() == kTerminalPlayer) {
    ++tally.ends;
    tally.value += reach * state.returns()[0];
    CHECK_EQ(state.returns()[0], -state.returns()[1]);
    return;
  }
  if (state.player() == kChancePlayer) {
    state.chance_outcomes(actions, probabilities);
  } else {
    state.legal_actions(actions);
    probabilities.assign(actions.size(), 1.0 / static_cast<double>(actions.size()));
    tally.shown.insert(state.shown(state.player()));
  }
  for (size_t index = 0; index < actions.size(); ++index) {
    const std::unique_ptr<GameState> next = state.clone();
    next->apply(actions[index]);
    walk(*next, reach * probabilities[index], tally);
  }
}

TEST(kuhn_is_as_openspiel_has_it) {
  Tally tally;
  walk(*KuhnGame().initial_state(), 1.0, tally);
  CHECK_EQ(tally.histories, 58);  // 1 + 3 + 6 deals, and 8 sequences of moves after each
  CHECK_EQ(tally.ends, 30);
  CHECK_EQ(tally.shown.size(), 12u);
  CHECK(tally.shown.count("0") && tally.shown.count("2pb") && tally.shown.count("1b"));
  // Showdowns cancel out: 1/4 for a bet that is not called, less 1/8 for one not called later.
  CHECK(tally.value > 0.125 - 1e-12 && tally.value < 0.125 + 1e-12);
}

TEST(the_graph_of_kuhn_has_its_worlds_and_information_sets) {
  Graph graph(std::make_shared<KuhnGame>());
  CHECK(!graph.enumerated());
  graph.enumerate(58);
  CHECK(graph.enumerated());
  CHECK_EQ(graph.worlds.size(), 58);
  CHECK_EQ(graph.information_sets.size(), 12);
  Graph small(std::make_shared<KuhnGame>());
  CHECK_THROWS(small.enumerate(57), std::invalid_argument);
}

}  // namespace
}  // namespace nash_ismcts
