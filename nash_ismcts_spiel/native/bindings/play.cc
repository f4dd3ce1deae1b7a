// Python's side of games that are played many at once: Games and TargetSums.

#include <pybind11/stl.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../play/games.h"
#include "../play/look_ahead.h"
#include "arrays.h"
#include "bindings.h"
#include "one_graph.h"
#include "shared_graph.h"

namespace nash_ismcts {

namespace {

PyGames make_games(int32_t explorer, double explore, double others_explore, double trace) {
  const auto is_share = [](double share) { return share >= 0.0 && share <= 1.0; };
  if (explorer < 0) throw py::value_error("explorer must be a player");
  if (!is_share(explore) || !is_share(others_explore) || !is_share(trace)) {
    throw py::value_error("explore, others_explore and trace must be from 0 to 1");
  }
  return PyGames(PlaySettings{explorer, explore, others_explore, trace});
}

void start(PyGames& self, int64_t games) {
  if (games < 0) throw py::value_error("games must not be negative");
  self.start(games);
}

constexpr const char* kGames = "these games are";
constexpr const char* kRows = "these rows are";
constexpr const char* kSums = "these sums are";

Ints advance(PyGames& self, Graph& graph, const PyRows& own, const PyRows& others, uint64_t seed) {
  self.graph.require(graph, kGames);
  own.graph.require(graph, kRows);
  others.graph.require(graph, kRows);
  require_row(self.explorer(), graph.num_players, "player");
  std::vector<int32_t> wanted;
  const ReadingRows reading_own(own), reading_others(others);
  {
    const Growing growing(graph);
    Random random(seed);
    self.advance(graph, own, others, random, wanted);
  }
  return Ints(static_cast<py::ssize_t>(wanted.size()), wanted.data());
}

// Games that are over, were played on this graph, and whose explorer has V at all its decisions.
void require_valued(const PyGames& self, const Graph& graph, const PyRows& rows) {
  require_readable(graph);
  self.graph.require(graph, kGames);
  rows.graph.require(graph, kRows);
  if (!self.over()) throw py::value_error("games are still under way");
  require_row(self.explorer(), graph.num_players, "player");
  for (const Group& group : self.groups()) {
    require_row(group.world, graph.worlds.size(), "world");
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
  sums.graph.require(graph, kSums);
  const Reading reading(graph);
  const ReadingRows reading_rows(rows);
  const py::gil_scoped_release release;
  self.add_values(graph, rows, sums);
}

int64_t add_hidden(const PyGames& self, Graph& graph, const PyRows& rows, const Ints& groups,
                   PyTargetSums& sums) {
  require_valued(self, graph, rows);
  sums.graph.require(graph, kSums);
  std::vector<int32_t> chosen;
  for (py::ssize_t k = 0; k < groups.size(); ++k) {
    require_row(groups.data()[k], static_cast<int64_t>(self.groups().size()), "group");
    chosen.push_back(groups.data()[k]);
  }
  const ReadingRows reading(rows);
  const Growing growing(graph);
  return self.add_hidden(graph, rows, chosen, sums);
}

Ints decisions(const PyGames& self, const Graph& graph) {
  require_readable(graph);
  self.graph.require(graph, kGames);
  return copy_of(self.decisions(graph));
}

void blend_into(const PyTargetSums& self, const Graph& graph, double prior_games, PyRows& rows) {
  require_readable(graph);
  self.graph.require(graph, kSums);
  rows.graph.require(graph, kRows);
  if (!(prior_games >= 0.0)) throw py::value_error("prior_games must not be negative");
  const WritingRows writing(rows);
  rows.fit(graph);
  self.blend_into(graph, prior_games, rows);
}

void put_world_values(const PyGames& self, const Graph& graph, PyRows& rows) {
  require_valued(self, graph, rows);
  const WritingRows writing(rows);
  self.put_world_values(graph, rows);
}

void look_ahead_from(Graph& graph, const Ints& sets, int32_t moves, int64_t most_worlds) {
  require_readable(graph);
  std::vector<int32_t> wanted;
  for (py::ssize_t k = 0; k < sets.size(); ++k) {
    require_row(sets.data()[k], graph.information_sets.size(), "information set");
    wanted.push_back(sets.data()[k]);
  }
  if (moves < 0 || most_worlds < 0) throw py::value_error("moves and worlds must not be negative");
  const Growing growing(graph);
  look_ahead(graph, wanted, moves, static_cast<size_t>(most_worlds));
}

// Games at each information set of the explorer. [I]
Longs visits(const PyGames& self, const Graph& graph) {
  require_readable(graph);
  self.graph.require(graph, kGames);
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
  module.def("look_ahead", &look_ahead_from, py::arg("graph"), py::arg("information_sets"),
             py::arg("moves"), py::arg("most_worlds"));
  py::class_<PyTargetSums>(module, "TargetSums")
      .def(py::init<>())
      .def("blend_into", &blend_into, py::arg("graph"), py::arg("prior_games"), py::arg("rows"))
      .def_property_readonly("visits",
                             [](const PyTargetSums& self) { return copy_of(self.visits); })
      .def_property_readonly("action_values",
                             [](const PyTargetSums& self) { return copy_of(self.action_values); })
      .def_property_readonly("action_weights",
                             [](const PyTargetSums& self) { return copy_of(self.action_weights); })
      .def_property_readonly("branch_weights",
                             [](const PyTargetSums& self) { return copy_of(self.branch_weights); })
      .def_property_readonly("piece_first",
                             [](const PyTargetSums& self) { return copy_of(self.piece_first); })
      .def_property_readonly("piece_values",
                             [](const PyTargetSums& self) { return copy_of(self.piece_values); })
      .def_property_readonly("piece_weights",
                             [](const PyTargetSums& self) { return copy_of(self.piece_weights); });
  py::class_<PyGames>(module, "Games")
      .def(py::init(&make_games), py::arg("explorer"), py::arg("explore"),
           py::arg("others_explore"), py::arg("trace") = 0.0)
      .def("start", &start, py::arg("games"))
      .def("advance", &advance, py::arg("graph"), py::arg("own"), py::arg("others"),
           py::arg("seed"))
      .def("add_values", &add_values, py::arg("graph"), py::arg("rows"), py::arg("sums"))
      .def("add_hidden", &add_hidden, py::arg("graph"), py::arg("rows"), py::arg("groups"),
           py::arg("sums"))
      .def("decisions", &decisions, py::arg("graph"))
      .def("put_world_values", &put_world_values, py::arg("graph"), py::arg("rows"))
      .def("visits", &visits, py::arg("graph"))
      .def_property_readonly("over", &Games::over)
      .def_property_readonly("num_worlds",
                             [](const PyGames& self) { return self.groups().size(); });
}

}  // namespace nash_ismcts
