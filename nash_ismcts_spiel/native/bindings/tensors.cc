// Python's side of rows of numbers for networks: the classes Tensors and Board.

#include "../worlds/tensors.h"

#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "checked.h"

namespace nash_ismcts {

namespace {

// A new matrix with a row for each id, without the GIL unless the game is written in Python.
template <typename Ids>
auto matrix(int64_t (Tensors::*width)() const,
            void (Tensors::*fill)(const Graph&, const int32_t*, int64_t, float*) const) {
  return checked([width, fill](const Tensors& self, const Graph& graph, const Ids& ids) {
    if (!self.fits(graph)) {
      throw py::value_error("these are tensors of another game than " + graph.game().facts().name);
    }
    const auto count = static_cast<py::ssize_t>(ids.size());
    py::array_t<float> rows({count, static_cast<py::ssize_t>((self.*width)())});
    float* const written = rows.mutable_data();
    const Guard reading = SharedGraph::of(graph).reading();
    walked(graph.game(), [&] { (self.*fill)(graph, ids.data(), count, written); });
    return rows;
  });
}

using Mark = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t>;  // as in BoardMark

void add_steps(Board& board, int64_t start, int64_t width, int64_t row, int64_t column,
               const std::vector<Mark>& marks, std::vector<int64_t> lengths) {
  BoardSteps steps{start, width, row, column, {}, std::move(lengths)};
  for (const auto& [offset, plane, down, right, viewer] : marks) {
    steps.marks.push_back({offset, plane, down, right, viewer});
  }
  board.steps.push_back(std::move(steps));
}

}  // namespace

void bind_tensors(py::module_& module) {
  py::class_<Board>(module, "Board", py::is_final())
      .def(py::init([](int64_t rows, int64_t columns, int64_t planes) {
             return Board{rows, columns, planes, {}};
           }),
           "rows"_a, "columns"_a, "planes"_a)
      .def("add_steps", &add_steps, "start"_a, "width"_a, "row"_a, "column"_a, "marks"_a,
           "lengths"_a);
  py::class_<Tensors>(module, "Tensors")
      .def(py::init<std::shared_ptr<Game>, int64_t, bool, std::optional<Board>>(),
           "game"_a.none(false), "slots"_a, "observations"_a = false, "board"_a = py::none())
      .def_property_readonly("set_inputs", &Tensors::set_inputs)
      .def_property_readonly("sample_inputs", &Tensors::sample_inputs)
      .def_property_readonly("actions", &Tensors::actions)
      .def_property_readonly("pieces", &Tensors::pieces)
      .def("sets", matrix<SetRows>(&Tensors::set_inputs, &Tensors::sets), "graph"_a,
           "information_sets"_a)
      .def("samples", matrix<SampleRows>(&Tensors::sample_inputs, &Tensors::samples), "graph"_a,
           "sample_nodes"_a);
  module.def("most_drawn", checked(&most_drawn), "graph"_a);
}

}  // namespace nash_ismcts
