// Python's side of what searches draw worlds and rows from: RowSource, Walk and Pools.

#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../search/pools.h"
#include "../search/row_source.h"
#include "arrays.h"
#include "bindings.h"
#include "one_graph.h"
#include "shared_graph.h"

namespace nash_ismcts {

namespace {

// One row of a source as Python sees it: (P, V, Vc).
py::tuple source_set_row(RowSource& self, Graph& graph, int64_t set, int64_t arrival) {
  require_readable(graph);
  require_row(set, graph.information_sets.size(), "information set");
  if (arrival != kMissing) require_row(arrival, graph.worlds.size(), "world");
  if (!self.makes_set_rows()) throw py::value_error("this source has beliefs only");
  Rows rows;
  {
    const Growing growing(graph);
    self.set_row(graph, rows, static_cast<int32_t>(set), static_cast<int32_t>(arrival));
  }
  const auto first = graph.information_sets.first_action[set];
  const auto count = graph.information_sets.action_count[set];
  const auto part = [&](const std::vector<double>& column) {
    return std::vector<double>(column.begin() + first, column.begin() + first + count);
  };
  return py::make_tuple(part(rows.policy), rows.value[set], part(rows.child_values));
}

// P of a source alone.
std::vector<double> source_policy_row(RowSource& self, Graph& graph, int64_t set) {
  require_readable(graph);
  require_row(set, graph.information_sets.size(), "information set");
  Rows rows;
  {
    const Growing growing(graph);
    self.policy_row(graph, rows, static_cast<int32_t>(set));
  }
  const auto first = rows.policy.begin() + graph.information_sets.first_action[set];
  return {first, first + graph.information_sets.action_count[set]};
}

// Beliefs of a source at a SAMPLE node.
std::vector<double> source_beliefs(RowSource& self, Graph& graph, int64_t sample) {
  require_readable(graph);
  require_row(sample, graph.samples.size(), "SAMPLE node");
  Rows rows;
  {
    const Growing growing(graph);
    self.sample_row(graph, rows, static_cast<int32_t>(sample));
  }
  const auto first = rows.beliefs.begin() + graph.samples.first_branch[sample];
  return {first, first + graph.samples.branch_count[sample]};
}

// Worlds are made by exchanging events of others, of which there has to be one.
void require_exchange(const Graph& graph, int32_t set) {
  const auto& worlds = graph.worlds;
  const int32_t player = graph.information_sets.player[set];
  int32_t world = graph.information_sets.first_world[set];
  bool hidden = false;
  for (; !hidden && worlds.parent[world] >= 0; world = worlds.parent[world]) {
    hidden = worlds.player[worlds.parent[world]] != player;
  }
  if (hidden && !graph.game().facts().perfect_information) return;
  throw std::invalid_argument("nothing is hidden at information set " + std::to_string(set));
}

// A walk over the worlds of one information set.
struct PyWalk {
  explicit PyWalk(uint64_t seed) : walk(seed) {}
  Walk walk;
  OneGraph graph;
  int64_t set = kMissing;
};

int32_t next_on_walk(PyWalk& self, Graph& graph, int64_t set) {
  require_readable(graph);
  require_row(set, graph.information_sets.size(), "information set");
  self.graph.require(graph, "this walk is one");
  if (self.set == kMissing) self.set = set;
  if (self.set != set) throw py::value_error("this walk is one of another information set");
  const Growing growing(graph);
  require_exchange(graph, static_cast<int32_t>(set));
  return graph.exchanged_world(static_cast<int32_t>(set), self.walk);
}

void bind_row_sources(py::module_& module) {
  py::class_<RowSource, std::shared_ptr<RowSource>>(module, "RowSource")
      .def("set_row", &source_set_row, py::arg("graph"), py::arg("information_set"),
           py::arg("arrival") = kMissing)
      .def("policy_row", &source_policy_row, py::arg("graph"), py::arg("information_set"))
      .def("beliefs", &source_beliefs, py::arg("graph"), py::arg("sample"));
  module.def(
      "uniform_rows",
      [](double value) -> std::shared_ptr<RowSource> {
        return std::make_shared<UniformRows>(value);
      },
      py::arg("value"));
  module.def("prior_beliefs",
             []() -> std::shared_ptr<RowSource> { return std::make_shared<PriorBeliefs>(); });
  module.def(
      "rollout_rows",
      [](int32_t worlds, int32_t most_games, uint64_t seed) -> std::shared_ptr<RowSource> {
        return std::make_shared<RolloutRows>(worlds, most_games, seed);
      },
      py::arg("worlds"), py::arg("most_games"), py::arg("seed"));
  module.def(
      "draw_world",
      [](Graph& graph, int64_t set, uint64_t seed) {
        require_readable(graph);
        require_row(set, graph.information_sets.size(), "information set");
        const Growing growing(graph);
        Random random(seed);
        return draw_world(graph, static_cast<int32_t>(set), random);
      },
      py::arg("graph"), py::arg("information_set"), py::arg("seed"));
  py::class_<PyWalk>(module, "Walk")
      .def(py::init<uint64_t>(), py::arg("seed"))
      .def("next", &next_on_walk, py::arg("graph"), py::arg("information_set"));
}

// Pools for the reference engine.
struct PyPools {
  Pools pools;
  OneGraph graph;
};

void bind_pools(py::module_& module) {
  const auto asked = [](auto method) {
    return [method](PyPools& self, Graph& graph, int64_t set) {
      require_readable(graph);
      self.graph.require(graph, "these pools are");
      require_row(set, graph.information_sets.size(), "information set");
      const Growing growing(graph);
      require_exchange(graph, static_cast<int32_t>(set));
      return (self.pools.*method)(graph, static_cast<int32_t>(set));
    };
  };
  py::class_<PyPools>(module, "Pools")
      .def(py::init<>())
      .def("clear",
           [](PyPools& self) {
             self.pools.clear();
             self.graph.forget();
           })
      .def(
          "keep", [](PyPools& self, const std::vector<int32_t>& sets) { self.pools.keep(sets); },
          py::arg("information_sets"))
      .def("next", asked(&Pools::next), py::arg("graph"), py::arg("information_set"))
      .def("first", asked(&Pools::first), py::arg("graph"), py::arg("information_set"));
}

}  // namespace

void bind_sources(py::module_& module) {
  bind_row_sources(module);
  bind_pools(module);
}

}  // namespace nash_ismcts
