// Python's side of the forest on live states, and of the worlds that it draws.

#include "../forest/state_forest.h"

#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "checked.h"
#include "stop.h"

namespace nash_ismcts {

namespace {

int32_t checked_set(const Graph& graph, int64_t set) {
  require_readable(graph);
  return checked_row(graph, Kind::kSet, set);
}

// A forest with its graph, which it makes grow.
struct PyStateForest : StateForest, OfOneGraph {
  PyStateForest(Graph& graph, int64_t set, double scale, uint64_t seed)
      : StateForest(checked_set(graph, set), scale, seed),
        OfOneGraph("this forest is one", "this forest is being searched by another thread"),
        asked(graph) {
    if (!(scale > 0.0)) throw py::value_error("scale must be positive");
    require(graph);
  }

  Graph& asked;
};

// Runs `visits` simulations, or as many as there is time for; returns how many.
int64_t run(PyStateForest& self, int64_t visits, std::optional<double> seconds) {
  require_not_negative(visits, "visits");
  const Stop stop(seconds);
  const Growing growing(self.asked);
  self.asked.set_deadline(stop.deadline());
  return self.run(self.asked, visits, [&stop] { return stop(); });
}

// Visits and values of the actions after own actions from the root on; None where the forest has
// not been.
std::optional<std::pair<std::vector<int64_t>, std::vector<double>>> found(PyStateForest& self,
                                                                          const History& actions) {
  require_readable(self.asked);
  std::pair<std::vector<int64_t>, std::vector<double>> found;
  self.found(actions, found.first, found.second);
  if (found.first.empty()) return std::nullopt;
  return found;
}

// Draws with the graph and the information set that they are from.
struct PyWorldDraws : WorldDraws, OfOneGraph {
  PyWorldDraws(Graph& graph, int64_t set, uint64_t seed)
      : WorldDraws(seed),
        OfOneGraph("these draws are", "these draws are being used by another thread"),
        asked(graph),
        set(checked_set(graph, set)) {
    require(graph);
  }

  Graph& asked;
  int32_t set;
};

History next(PyWorldDraws& self) {
  const Growing growing(self.asked);
  return self.next(self.asked, self.set);
}

}  // namespace

void bind_state_forest(py::module_& module) {
  py::class_<PyStateForest>(module, "StateForest")
      .def(py::init<Graph&, int64_t, double, uint64_t>(), "graph"_a, "information_set"_a, "scale"_a,
           "seed"_a)
      .def("run", checked(&run), "visits"_a, "seconds"_a = py::none())
      .def("found", checked(&found), "actions"_a = History());
  py::class_<PyWorldDraws>(module, "WorldDraws")
      .def(py::init<Graph&, int64_t, uint64_t>(), "graph"_a, "information_set"_a, "seed"_a)
      .def("next", checked(&next));
}

}  // namespace nash_ismcts
