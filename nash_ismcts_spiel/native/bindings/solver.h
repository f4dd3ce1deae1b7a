// The classes of methods that improve an average policy step by step: one thread at a time runs
// them, without the GIL, and Ctrl-C ends a run between two steps.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_SOLVER_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_SOLVER_H_

#include <cstdint>
#include <utility>

#include "arrays.h"
#include "checked.h"
#include "shared.h"
#include "stop.h"

namespace nash_ismcts {

template <typename Method>
struct Exclusive : Method, Shared {
  template <typename... Arguments>
  explicit Exclusive(Arguments&&... arguments)
      : Method(std::forward<Arguments>(arguments)...),
        Shared("this solver is being run by another thread") {}
};

template <typename Step>
void run_steps(int64_t steps, const char* name, const Step& step, int64_t steps_per_look = 1) {
  require_not_negative(steps, name);
  const py::gil_scoped_release release;
  const Stop stop;
  for (int64_t done = 1; done <= steps; ++done) {
    step();
    if (done % steps_per_look == 0) stop();
  }
}

template <typename Method>
void iterate(Exclusive<Method>& self, int64_t iterations) {
  run_steps(iterations, "iterations", [&self] { self.iterate(); });
}

template <typename Method>
py::class_<Exclusive<Method>> bind_solver(py::module_& module, const char* name) {
  using Self = Exclusive<Method>;
  return py::class_<Self>(module, name)
      .def("average_policy",
           checked([](const Self& self) { return copy_of(self.average_policy()); }))
      .def_property_readonly("iterations",
                             checked([](const Self& self) { return self.iterations(); }));
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_SOLVER_H_
