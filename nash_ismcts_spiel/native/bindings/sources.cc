// Python's side of what searches draw worlds and rows from: RowSource, Walk and Pools.

#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "../search/pools.h"
#include "../search/row_source.h"
#include "arrays.h"
#include "bindings.h"
#include "checked.h"

namespace nash_ismcts {

namespace {

using Numbers = std::vector<double>;

// Some entries of a column.
Numbers part(const Numbers& column, int64_t first, int64_t count) {
  return {column.begin() + first, column.begin() + first + count};
}

// Those of an information set's actions.
Numbers at_set(const Graph& graph, int32_t set, const Numbers& column) {
  return part(column, graph.information_sets.first_action[set],
              graph.information_sets.action_count[set]);
}

// Rows that hold what a source makes.
template <typename Make>
Rows made(Graph& graph, const Make& make) {
  Rows rows;
  const Growing growing(graph);
  make(rows);
  return rows;
}

// One row of a source as Python sees it: (P, V, Vc).
std::tuple<Numbers, double, Numbers> set_row(RowSource& self, Graph& graph, SetRow set,
                                             int64_t arrival) {
  const int32_t world = arrival == kMissing ? kMissing : checked_row(graph, Kind::kWorld, arrival);
  if (!self.makes_set_rows()) throw py::value_error("this source has beliefs only");
  const Rows rows = made(graph, [&](Rows& to) { self.set_row(graph, to, set, world); });
  return {at_set(graph, set, rows.policy), rows.value[set], at_set(graph, set, rows.child_values)};
}

// P of a source alone.
Numbers policy_row(RowSource& self, Graph& graph, SetRow set) {
  const Rows rows = made(graph, [&](Rows& to) { self.policy_row(graph, to, set); });
  return at_set(graph, set, rows.policy);
}

// Beliefs of a source at a SAMPLE node.
Numbers beliefs(RowSource& self, Graph& graph, SampleRow sample) {
  const Rows rows = made(graph, [&](Rows& to) { self.sample_row(graph, to, sample); });
  return part(rows.beliefs, graph.samples.first_branch[sample], graph.samples.branch_count[sample]);
}

int32_t draw_one(Graph& graph, SetRow set, uint64_t seed) {
  const Growing growing(graph);
  Random random(seed);
  return draw_world(graph, set, random);
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
struct PyWalk : Walk, OfOneGraph {
  explicit PyWalk(uint64_t seed)
      : Walk(seed), OfOneGraph("this walk is one", "this walk is used by another thread") {}

  int64_t set = kMissing;
};

int32_t next_on_walk(PyWalk& self, Graph& graph, SetRow set) {
  if (self.set == kMissing) self.set = set;
  if (self.set != set) throw py::value_error("this walk is one of another information set");
  const Growing growing(graph);
  require_exchange(graph, set);
  return graph.exchanged_world(set, self);
}

// Pools for the reference engine.
struct PyPools : Pools, OfOneGraph {
  PyPools() : OfOneGraph("these pools are", "these pools are used by another thread") {}
};

template <typename Answer>
auto of_pool(Answer (Pools::*question)(Graph&, int32_t)) {
  return checked([question](PyPools& self, Graph& graph, SetRow set) {
    const Growing growing(graph);
    require_exchange(graph, set);
    return std::decay_t<Answer>((self.*question)(graph, set));
  });
}

void clear(PyPools& self) {
  self.clear();
  self.forget_graph();
}

}  // namespace

void bind_sources(py::module_& module) {
  using Source = std::shared_ptr<RowSource>;
  py::class_<RowSource, Source>(module, "RowSource")
      .def("set_row", checked(&set_row), "graph"_a, "information_set"_a, "arrival"_a = kMissing)
      .def("policy_row", checked(&policy_row), "graph"_a, "information_set"_a)
      .def("beliefs", checked(&beliefs), "graph"_a, "sample"_a);
  module.def(
      "uniform_rows", [](double value) -> Source { return std::make_shared<UniformRows>(value); },
      "value"_a);
  module.def("prior_beliefs", []() -> Source { return std::make_shared<PriorBeliefs>(); });
  module.def(
      "rollout_rows",
      [](int32_t worlds, int32_t most_games, uint64_t seed) -> Source {
        return std::make_shared<RolloutRows>(worlds, most_games, seed);
      },
      "worlds"_a, "most_games"_a, "seed"_a);
  module.def("draw_world", checked(&draw_one), "graph"_a, "information_set"_a, "seed"_a);
  py::class_<PyWalk>(module, "Walk")
      .def(py::init<uint64_t>(), "seed"_a)
      .def("next", checked(&next_on_walk), "graph"_a, "information_set"_a);
  py::class_<PyPools>(module, "Pools")
      .def(py::init<>())
      .def("clear", checked(&clear))
      .def("keep",
           checked([](PyPools& self, const std::vector<int32_t>& sets) { self.keep(sets); }),
           "information_sets"_a)
      .def("next", of_pool(&Pools::next), "graph"_a, "information_set"_a)
      .def("first", of_pool(&Pools::first), "graph"_a, "information_set"_a);
}

}  // namespace nash_ismcts
