// Python's side of games that are played many at once: Games and TargetSums.

#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../play/games.h"
#include "../play/look_ahead.h"
#include "arrays.h"
#include "bindings.h"
#include "checked.h"
#include "held.h"

namespace nash_ismcts {

namespace {

std::unique_ptr<PyGames> make_games(int32_t explorer, double explore, double others_explore,
                                    double trace) {
  const auto is_share = [](double share) { return share >= 0.0 && share <= 1.0; };
  if (explorer < 0) throw py::value_error("explorer must be a player");
  if (!is_share(explore) || !is_share(others_explore) || !is_share(trace)) {
    throw py::value_error("explore, others_explore and trace must be from 0 to 1");
  }
  return std::make_unique<PyGames>(PlaySettings{explorer, explore, others_explore, trace});
}

void start(PyGames& self, int64_t games) {
  require_not_negative(games, "games");
  self.start(games);
}

Ints advance(PyGames& self, Graph& graph, const PyRows& own, const PyRows& others, uint64_t seed) {
  checked_row(graph, Kind::kPlayer, self.explorer());
  std::vector<int32_t> wanted;
  {
    const Growing growing(graph);
    Random random(seed);
    self.advance(graph, own, others, random, wanted);
  }
  return copy_of(wanted);
}

// Games that are over, were played on this graph, and whose explorer has V at all its decisions.
void require_valued(const PyGames& self, const Graph& graph, const PyRows& rows) {
  if (!self.over()) throw py::value_error("games are still under way");
  checked_row(graph, Kind::kPlayer, self.explorer());
  for (const Group& group : self.groups()) {
    checked_row(graph, Kind::kWorld, group.world);
    if (!self.decides(graph, group.world)) continue;
    const int32_t set = graph.worlds.information_set[group.world];
    if (set >= static_cast<int64_t>(rows.has_information_set.size()) ||
        !rows.has_information_set[set]) {
      throw py::value_error("there is no V of information set " + std::to_string(set));
    }
  }
}

void add_values(const PyGames& self, const Graph& graph, const PyRows& rows, PyTargetSums& sums) {
  require_valued(self, graph, rows);
  const Guard reading = SharedGraph::of(graph).reading();
  const py::gil_scoped_release release;
  self.add_values(graph, rows, sums);
}

int64_t add_hidden(const PyGames& self, Graph& graph, const PyRows& rows, const Ints& groups,
                   PyTargetSums& sums) {
  require_valued(self, graph, rows);
  const std::vector<int32_t> chosen = vector_of(groups);
  for (const int32_t group : chosen) {
    require_row(group, static_cast<int64_t>(self.groups().size()), "group");
  }
  const Growing growing(graph);
  return self.add_hidden(graph, rows, chosen, sums);
}

Ints decisions(const PyGames& self, const Graph& graph) { return copy_of(self.decisions(graph)); }

void blend_into(const PyTargetSums& self, const Graph& graph, double prior_games, PyRows& rows) {
  require_not_negative(prior_games, "prior_games");
  rows.fit(graph);
  self.blend_into(graph, prior_games, rows);
}

void put_world_values(const PyGames& self, const Graph& graph, PyRows& rows) {
  require_valued(self, graph, rows);
  self.put_world_values(graph, rows);
}

void look_ahead_from(Graph& graph, const SetRows& sets, int32_t moves, int64_t most_worlds) {
  if (moves < 0 || most_worlds < 0) throw py::value_error("moves and worlds must not be negative");
  const Growing growing(graph);
  look_ahead(graph, sets, moves, static_cast<size_t>(most_worlds));
}

// Games at each information set of the explorer. [I]
Longs visits(const PyGames& self, const Graph& graph) {
  std::vector<int64_t> counts(graph.information_sets.size(), 0);
  for (const Group& group : self.groups()) {
    if (self.decides(graph, group.world)) {
      counts[graph.worlds.information_set[group.world]] += group.count;
    }
  }
  return copy_of(counts);
}

}  // namespace

void bind_play(py::module_& module) {
  module.def("look_ahead", checked(&look_ahead_from), "graph"_a, "information_sets"_a, "moves"_a,
             "most_worlds"_a);
  py::class_<PyTargetSums> sums(module, "TargetSums");
  sums.def(py::init<>())
      .def("blend_into", checked(&blend_into), "graph"_a, "prior_games"_a, "rows"_a);
  Copies(sums)
      .column("visits", &TargetSums::visits)
      .column("action_values", &TargetSums::action_values)
      .column("action_weights", &TargetSums::action_weights)
      .column("branch_weights", &TargetSums::branch_weights)
      .column("piece_first", &TargetSums::piece_first)
      .column("piece_values", &TargetSums::piece_values)
      .column("piece_weights", &TargetSums::piece_weights);
  py::class_<PyGames>(module, "Games")
      .def(py::init(&make_games), "explorer"_a, "explore"_a, "others_explore"_a, "trace"_a = 0.0)
      .def("start", checked(&start), "games"_a)
      .def("advance", checked(&advance), "graph"_a, "own"_a, "others"_a, "seed"_a)
      .def("add_values", checked(&add_values), "graph"_a, "rows"_a, "sums"_a)
      .def("add_hidden", checked(&add_hidden), "graph"_a, "rows"_a, "groups"_a, "sums"_a)
      .def("decisions", checked(&decisions), "graph"_a)
      .def("put_world_values", checked(&put_world_values), "graph"_a, "rows"_a)
      .def("visits", checked(&visits), "graph"_a)
      .def_property_readonly("over", checked([](const PyGames& self) { return self.over(); }))
      .def_property_readonly("num_worlds",
                             checked([](const PyGames& self) { return self.groups().size(); }));
}

}  // namespace nash_ismcts
