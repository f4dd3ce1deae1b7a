// The extension module nash_ismcts_spiel.games._positions.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>

#include "completions.h"
#include "positions.h"

namespace py = pybind11;

namespace nash_ismcts {

PYBIND11_MODULE(_positions, module) {
  module.doc() = "Looking ahead in games that forget the order of moves.";
  py::class_<Positions, std::shared_ptr<Positions>>(module, "Positions")
      .def(py::init<const py::object&, int32_t, bool>(), py::arg("initial_state"),
           py::arg("num_players"), py::arg("counts_moves"))
      .def("__len__", &Positions::size);
  py::class_<Completions, std::shared_ptr<Completions>>(module, "Completions")
      .def(py::init<std::shared_ptr<Positions>, const py::object&, int32_t,
                    const Completions::World&, std::shared_ptr<Completions>>(),
           py::arg("positions"), py::arg("effort"), py::arg("player"), py::arg("world"),
           py::arg("earlier") = nullptr)
      .def("__len__", &Completions::num_entries)
      .def("open_edges", &Completions::open_edges, py::arg("partial"))
      .def("surely_moves_on", &Completions::surely_moves_on, py::arg("action"), py::arg("limit"));
}

}  // namespace nash_ismcts
