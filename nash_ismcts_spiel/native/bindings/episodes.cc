// Python's door to methods that learn from sampled games: checks settings, lets other threads run.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../common/draw.h"
#include "../exact/compiled_graph.h"
#include "../solvers/episodes.h"
#include "bindings.h"
#include "turn.h"

namespace nash_ismcts {
namespace {

namespace py = pybind11;

using GraphPointer = std::shared_ptr<CompiledGraph>;

constexpr int64_t kGamesPerLook = 64;

void require_between(double value, double low, double high, const char* name) {
  if (!(value >= low && value <= high)) {  // NaN is not
    throw py::value_error(std::string(name) + " must be from " + std::to_string(low) + " to " +
                          std::to_string(high) + ", not " + std::to_string(value));
  }
}

void require_not_negative(double value, const char* name) {
  if (!(value >= 0.0 && std::isfinite(value))) {
    throw py::value_error(std::string(name) + " must not be negative, not " +
                          std::to_string(value));
  }
}

GraphPointer required(GraphPointer graph) {
  if (graph == nullptr) throw py::type_error("graph must be a CompiledGraph, not None");
  return graph;
}

const BitGenerator& bit_generator(const py::object& generator) {
  const py::object capsule = generator.attr("bit_generator").attr("capsule");
  void* pointer = PyCapsule_GetPointer(capsule.ptr(), "BitGenerator");
  if (pointer == nullptr) throw py::error_already_set();
  return *static_cast<const BitGenerator*>(pointer);
}

// A method that one thread at a time may use: `run` works without the GIL.
template <typename Method>
class Shared {
 public:
  template <typename... Arguments>
  explicit Shared(Arguments&&... arguments) : method_(std::forward<Arguments>(arguments)...) {}

  void run(int64_t episodes, const py::object& generator) {
    if (episodes < 0) throw py::value_error("episodes must not be negative");
    const BitGenerator& numbers = bit_generator(generator);
    const Turn turn(&busy_, "method");
    const py::gil_scoped_release release;
    Stop stop;
    for (int64_t done = 1; done <= episodes; ++done) {
      method_.play(numbers);
      if (done % kGamesPerLook == 0) stop.look();
    }
  }

  py::array_t<double> average_policy() {
    const Turn turn(&busy_, "method");
    const std::vector<double> policy = method_.average_policy();
    return py::array_t<double>(static_cast<py::ssize_t>(policy.size()), policy.data());
  }

  int64_t episodes() {
    const Turn turn(&busy_, "method");
    return method_.episodes();
  }

 private:
  Method method_;
  std::atomic<bool> busy_{false};
};

template <typename Method>
py::class_<Shared<Method>> bind_method(py::module_& module, const char* name) {
  return py::class_<Shared<Method>>(module, name)
      .def("run", &Shared<Method>::run, py::arg("episodes"), py::arg("generator"))
      .def("average_policy", &Shared<Method>::average_policy)
      .def_property_readonly("episodes", &Shared<Method>::episodes);
}

}  // namespace

void bind_episodes(py::module_& module) {
  bind_method<SmoothUct>(module, "SmoothUct")
      .def(py::init(
               [](GraphPointer graph, double exploration, double eta, double gamma, double decay) {
                 require_not_negative(exploration, "exploration");
                 require_between(eta, 0.0, 1.0, "eta");
                 require_between(gamma, 0.0, 1.0, "gamma");
                 require_not_negative(decay, "decay");
                 return std::make_unique<Shared<SmoothUct>>(
                     required(std::move(graph)), SmoothUctSettings{exploration, eta, gamma, decay});
               }),
           py::arg("graph"), py::arg("exploration"), py::arg("eta"), py::arg("gamma"),
           py::arg("decay"));
  bind_method<OutcomeSampling>(module, "OutcomeSampling")
      .def(py::init([](GraphPointer graph, double exploration) {
             require_between(exploration, 0.0, 1.0, "exploration");
             if (exploration == 0.0) {
               throw py::value_error("exploration must be positive, or some games never happen");
             }
             return std::make_unique<Shared<OutcomeSampling>>(required(std::move(graph)),
                                                              exploration);
           }),
           py::arg("graph"), py::arg("exploration"));
}

}  // namespace nash_ismcts
