// Rows of numbers for networks, by hand.

#include "worlds/tensors.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "check.h"
#include "kuhn.h"
#include "worlds/graph.h"

namespace nash_ismcts {
namespace {

using Row = std::vector<float>;

Row set_row(const Tensors& tensors, const Graph& graph, int32_t world) {
  Row row(tensors.set_inputs(), 7.0f);  // what stood there before is gone
  tensors.sets(graph, &graph.worlds.information_set[world], 1, row.data());
  return row;
}

TEST(a_set_is_its_player_and_what_it_is_told) {
  const auto game = std::make_shared<KuhnGame>();
  Graph graph(game);
  const Tensors tensors(game, 2);
  CHECK(tensors.fits(graph));
  CHECK(set_row(tensors, graph, graph.follow({2, 0})) == Row({1, 0, 0, 0, 1, 0}));
  CHECK(set_row(tensors, graph, graph.follow({2, 0, kPass})) == Row({0, 1, 1, 0, 0, 1}));
  CHECK(set_row(tensors, graph, graph.follow({2, 0, kPass, kBet})) == Row({1, 0, 0, 0, 1, 2}));
}

TEST(without_information_states_a_set_is_its_last_observations_and_actions) {
  const auto game = std::make_shared<KuhnGame>(TensorKind::kObservation);
  Graph graph(game);
  const Tensors tensors(game, 2);
  Row wanted = {1, 0, /*now*/ 0, 0, 1, 2, 0, 0, /*before*/ 0, 0, 1, 0, /*passed*/ 1, 0};
  wanted.resize(tensors.set_inputs(), 0.0f);
  CHECK(set_row(tensors, graph, graph.follow({2, 0, kPass, kBet})) == wanted);
}

TEST(an_observation_alone_has_neither_what_was_seen_before_nor_own_actions) {
  const auto game = std::make_shared<KuhnGame>();
  Graph graph(game);
  const Tensors tensors(game, 2, /*observations=*/true);
  CHECK(tensors.fits(graph));
  const Row wanted = {1, 0, /*now*/ 0, 0, 1, 2, /*actions*/ 0, 0};
  CHECK(set_row(tensors, graph, graph.follow({2, 0, kPass, kBet})) == wanted);
}

TEST(a_sample_node_has_the_pieces_of_others_by_slot) {
  const auto game = std::make_shared<KuhnGame>();
  Graph graph(game);
  graph.enumerate(1000);
  graph.resolve();
  CHECK(most_drawn(graph) > 0);
  const Tensors tensors(game, most_drawn(graph)), counting(game, 1);
  for (int32_t sample = 0; sample < graph.samples.size(); ++sample) {
    Row row(tensors.sample_inputs()), counts(counting.sample_inputs());
    tensors.samples(graph, &sample, 1, row.data());
    counting.samples(graph, &sample, 1, counts.data());
    float slots = 0.0f, counted = 0.0f;
    for (size_t k = tensors.set_inputs(); k < row.size(); ++k) slots += row[k];
    for (size_t k = counting.set_inputs(); k < counts.size(); ++k) counted += counts[k];
    History events;
    const int32_t set = graph.samples.information_set[sample];
    events_of_others(graph, graph.samples.world[sample], graph.information_sets.player[set],
                     events);
    CHECK_EQ(slots, static_cast<float>(events.size()));
    CHECK_EQ(counted, slots);
  }
}

TEST(a_game_without_tensors_is_refused) {
  const auto game = std::make_shared<KuhnGame>(TensorKind::kNone);
  bool refused = false;
  try {
    const Tensors tensors(game, 2);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
  CHECK(!Tensors(std::make_shared<KuhnGame>(), 2).fits(Graph(game)));
}

}  // namespace
}  // namespace nash_ismcts
