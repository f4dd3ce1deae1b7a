// Python's side of rows of numbers for networks: the classes Tensors and Board, and the entries of
// rows.

#include "../worlds/tensors.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "shared_graph.h"

namespace nash_ismcts {

namespace {

void require_rows(const Ints& ids, int64_t rows, const char* name) {
  for (py::ssize_t k = 0; k < ids.size(); ++k) require_row(ids.data()[k], rows, name);
}

// A new matrix that `fill` writes, without the GIL unless the game is written in Python.
template <typename Fill>
py::array_t<float> matrix(const Tensors& self, const Graph& graph, const Ints& ids, int64_t width,
                          const Fill& fill) {
  if (!self.fits(graph)) {
    throw py::value_error("these are tensors of another game than " + graph.game().facts().name);
  }
  py::array_t<float> rows({static_cast<py::ssize_t>(ids.size()), static_cast<py::ssize_t>(width)});
  const int32_t* numbers = ids.data();
  const int64_t count = ids.size();
  float* written = rows.mutable_data();
  const Reading reading(graph);
  std::optional<py::gil_scoped_release> release;
  if (!graph.game().facts().needs_gil) release.emplace();
  fill(numbers, count, written);
  return rows;
}

py::array_t<float> sets(const Tensors& self, const Graph& graph, const Ints& ids) {
  require_readable(graph);
  require_rows(ids, graph.information_sets.size(), "information set");
  return matrix(self, graph, ids, self.set_inputs(),
                [&](const int32_t* numbers, int64_t count, float* rows) {
                  self.sets(graph, numbers, count, rows);
                });
}

py::array_t<float> samples(const Tensors& self, const Graph& graph, const Ints& ids) {
  require_readable(graph);
  require_rows(ids, graph.samples.size(), "SAMPLE node");
  return matrix(self, graph, ids, self.sample_inputs(),
                [&](const int32_t* numbers, int64_t count, float* rows) {
                  self.samples(graph, numbers, count, rows);
                });
}

// The entries of rows, end to end: (row in the batch, column, entries of each row). `counts` says
// how many a row has, `column_of` which column the k-th of them is.
template <typename Columns>
py::tuple entries(const Ints& ids, const std::vector<int32_t>& counts, const Columns& column_of) {
  int64_t total = 0;
  for (py::ssize_t k = 0; k < ids.size(); ++k) total += counts[ids.data()[k]];
  py::array_t<int64_t> rows(total), columns(total), lengths(ids.size());
  int64_t* row = rows.mutable_data();
  int64_t* column = columns.mutable_data();
  for (py::ssize_t k = 0; k < ids.size(); ++k) {
    const int32_t id = ids.data()[k], count = counts[id];
    lengths.mutable_data()[k] = count;
    row = std::fill_n(row, count, static_cast<int64_t>(k));
    for (int32_t entry = 0; entry < count; ++entry) *column++ = column_of(id, entry);
  }
  return py::make_tuple(rows, columns, lengths);
}

py::tuple legal_entries(const Graph& graph, const Ints& ids) {
  require_readable(graph);
  const InformationSetTable& sets = graph.information_sets;
  require_rows(ids, sets.size(), "information set");
  return entries(ids, sets.action_count, [&](int32_t set, int32_t entry) {
    return sets.action[sets.first_action[set] + entry];
  });
}

Action open_piece(const Graph& graph, int32_t sample, int32_t branch) {
  const int32_t edge = graph.samples.edge[graph.samples.first_branch[sample] + branch];
  return graph.worlds.edge_action[graph.worlds.first_edge[graph.samples.world[sample]] + edge];
}

py::tuple open_entries(const Graph& graph, const Ints& ids) {
  require_readable(graph);
  require_rows(ids, graph.samples.size(), "SAMPLE node");
  return entries(ids, graph.samples.branch_count,
                 [&](int32_t sample, int32_t branch) { return open_piece(graph, sample, branch); });
}

// All pairs of an own action and an open piece of SAMPLE nodes, action by action: (row in the
// batch, action, piece).
py::tuple pair_entries(const Graph& graph, const Ints& ids) {
  require_readable(graph);
  const InformationSetTable& sets = graph.information_sets;
  require_rows(ids, graph.samples.size(), "SAMPLE node");
  const auto owner = [&](int32_t sample) { return graph.samples.information_set[sample]; };
  int64_t total = 0;
  for (py::ssize_t k = 0; k < ids.size(); ++k) {
    const int32_t sample = ids.data()[k];
    total +=
        static_cast<int64_t>(sets.action_count[owner(sample)]) * graph.samples.branch_count[sample];
  }
  py::array_t<int64_t> rows(total), actions(total), pieces(total);
  int64_t* row = rows.mutable_data();
  int64_t* action = actions.mutable_data();
  int64_t* piece = pieces.mutable_data();
  for (py::ssize_t k = 0; k < ids.size(); ++k) {
    const int32_t sample = ids.data()[k], set = owner(sample);
    const int32_t branches = graph.samples.branch_count[sample];
    for (int32_t own = 0; own < sets.action_count[set]; ++own) {
      row = std::fill_n(row, branches, static_cast<int64_t>(k));
      action = std::fill_n(action, branches, sets.action[sets.first_action[set] + own]);
      for (int32_t b = 0; b < branches; ++b) *piece++ = open_piece(graph, sample, b);
    }
  }
  return py::make_tuple(rows, actions, pieces);
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
           py::arg("rows"), py::arg("columns"), py::arg("planes"))
      .def("add_steps", &add_steps, py::arg("start"), py::arg("width"), py::arg("row"),
           py::arg("column"), py::arg("marks"), py::arg("lengths"));
  py::class_<Tensors>(module, "Tensors")
      .def(py::init<std::shared_ptr<Game>, int64_t, bool, std::optional<Board>>(),
           py::arg("game").none(false), py::arg("slots"), py::arg("observations") = false,
           py::arg("board") = py::none())
      .def_property_readonly("set_inputs", &Tensors::set_inputs)
      .def_property_readonly("sample_inputs", &Tensors::sample_inputs)
      .def_property_readonly("actions", &Tensors::actions)
      .def_property_readonly("pieces", &Tensors::pieces)
      .def("sets", &sets, py::arg("graph"), py::arg("information_sets"))
      .def("samples", &samples, py::arg("graph"), py::arg("sample_nodes"));
  module.def("legal_entries", &legal_entries, py::arg("graph"), py::arg("information_sets"));
  module.def("open_entries", &open_entries, py::arg("graph"), py::arg("sample_nodes"));
  module.def("pair_entries", &pair_entries, py::arg("graph"), py::arg("sample_nodes"));
  module.def(
      "most_drawn",
      [](const Graph& graph) {
        require_readable(graph);
        return most_drawn(graph);
      },
      py::arg("graph"));
}

}  // namespace nash_ismcts
