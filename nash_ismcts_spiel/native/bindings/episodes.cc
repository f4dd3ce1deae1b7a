// Python's door to methods that learn from sampled games: checks settings, lets other threads run.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "../exact/compiled_graph.h"
#include "../solvers/episodes.h"
#include "arrays.h"
#include "bindings.h"
#include "checked.h"
#include "stop.h"

namespace nash_ismcts {
namespace {

using GraphPointer = std::shared_ptr<CompiledGraph>;

constexpr int64_t kGamesPerLook = 64;  // a clock takes as long as a short game
constexpr const char* kRunning = "the method is already running";

void require_share(double value, const char* name) {
  if (!(value >= 0.0 && value <= 1.0)) {  // NaN is not
    throw py::value_error(std::string(name) + " must be from 0 to 1, not " + std::to_string(value));
  }
}

template <typename Method>
py::class_<Exclusive<Method>> bind_method(py::module_& module, const char* name) {
  using Self = Exclusive<Method>;
  return py::class_<Self>(module, name)
      .def("run", checked([](Self& self, int64_t episodes, const py::object& generator) {
             require_not_negative(episodes, "episodes");
             const BitGenerator& numbers = bit_generator(generator);
             run_steps(episodes, "episodes", [&] { self.play(numbers); }, kGamesPerLook);
           }),
           "episodes"_a, "generator"_a)
      .def("average_policy",
           checked([](const Self& self) { return copy_of(self.average_policy()); }))
      .def_property_readonly("episodes", checked([](const Self& self) { return self.episodes(); }));
}

}  // namespace

void bind_episodes(py::module_& module) {
  bind_method<SmoothUct>(module, "SmoothUct")
      .def(py::init([](const GraphPointer& graph, double exploration, double eta, double gamma,
                       double decay) {
             require_not_negative(exploration, "exploration");
             require_share(eta, "eta");
             require_share(gamma, "gamma");
             require_not_negative(decay, "decay");
             return std::make_unique<Exclusive<SmoothUct>>(
                 kRunning, graph, SmoothUctSettings{exploration, eta, gamma, decay});
           }),
           "graph"_a.none(false), "exploration"_a, "eta"_a, "gamma"_a, "decay"_a);
  bind_method<OutcomeSampling>(module, "OutcomeSampling")
      .def(py::init([](const GraphPointer& graph, double exploration) {
             require_share(exploration, "exploration");
             if (exploration == 0.0) {
               throw py::value_error("exploration must be positive, or some games never happen");
             }
             return std::make_unique<Exclusive<OutcomeSampling>>(kRunning, graph, exploration);
           }),
           "graph"_a.none(false), "exploration"_a);
}

}  // namespace nash_ismcts
