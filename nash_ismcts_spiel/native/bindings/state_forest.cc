// Python's side of the forest on live states, and of the worlds that it draws.

#include "../forest/state_forest.h"

#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "one_graph.h"
#include "stop.h"

namespace nash_ismcts {

namespace py = pybind11;

namespace {

int32_t checked_set(const Graph& graph, int64_t set) {
  require_readable(graph);
  require_row(set, graph.information_sets.size(), "information set");
  return static_cast<int32_t>(set);
}

// A forest with its graph, which it makes grow.
struct PyStateForest {
  PyStateForest(Graph& graph, int64_t set, double scale, uint64_t seed)
      : forest(checked_set(graph, set), scale, seed), asked(graph) {
    if (!(scale > 0.0)) throw py::value_error("scale must be positive");
    one_graph.require(graph, "this forest is one");
  }

  StateForest forest;
  Graph& asked;
  OneGraph one_graph;  // keeps it alive
};

// Runs `visits` simulations, or as many as there is time for; returns how many.
int64_t run(PyStateForest& self, int64_t visits, std::optional<double> seconds) {
  if (visits < 0) throw py::value_error("visits must not be negative");
  const Stop stop(seconds);
  const Growing growing(self.asked);
  self.asked.set_deadline(stop.deadline());
  return self.forest.run(self.asked, visits, stop);
}

// Visits and values of the actions after own actions from the root on; None where the forest has
// not been.
std::optional<std::pair<std::vector<int64_t>, std::vector<double>>> found(PyStateForest& self,
                                                                          const History& actions) {
  require_readable(self.asked);
  std::pair<std::vector<int64_t>, std::vector<double>> found;
  self.forest.found(actions, found.first, found.second);
  if (found.first.empty()) return std::nullopt;
  return found;
}

// Draws with the graph and the information set that they are from.
struct PyWorldDraws {
  PyWorldDraws(Graph& graph, int64_t set, uint64_t seed)
      : draws(seed), asked(graph), set(checked_set(graph, set)) {
    one_graph.require(graph, "these draws are");
  }

  History next() {
    const Growing growing(asked);
    return draws.next(asked, set);
  }

  WorldDraws draws;
  Graph& asked;
  int32_t set;
  OneGraph one_graph;
};

}  // namespace

void bind_state_forest(py::module_& module) {
  py::class_<PyStateForest>(module, "StateForest")
      .def(py::init<Graph&, int64_t, double, uint64_t>(), py::arg("graph"),
           py::arg("information_set"), py::arg("scale"), py::arg("seed"))
      .def("run", &run, py::arg("visits"), py::arg("seconds") = py::none())
      .def("found", &found, py::arg("actions") = History());
  py::class_<PyWorldDraws>(module, "WorldDraws")
      .def(py::init<Graph&, int64_t, uint64_t>(), py::arg("graph"), py::arg("information_set"),
           py::arg("seed"))
      .def("next", &PyWorldDraws::next);
}

}  // namespace nash_ismcts
