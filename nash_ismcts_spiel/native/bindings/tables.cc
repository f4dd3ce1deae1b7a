// Python's side of the tables of a graph: the classes Worlds, InformationSets and SampleNodes,
// whose attributes are the columns of worlds/tables.h.
//
// A column is a read-only sequence of numbers that always shows the rows that are there by now, and
// keeps the graph alive. There is no buffer of a column, since growth moves its memory; numpy gets
// copies.

#include "../worlds/tables.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "shared.h"

namespace nash_ismcts {

namespace {

template <typename T>
struct Column {
  std::shared_ptr<const SharedGraph> graph;
  const std::vector<T>* values;  // of the graph

  const std::vector<T>& read() const {
    graph->require_readable();
    return *values;
  }
};

// A row counted from either end.
template <typename T>
T column_row(const Column<T>& column, int64_t row) {
  const auto rows = static_cast<int64_t>(column.read().size());
  return column.read()[require_row(row < 0 ? row + rows : row, rows, "row")];
}

template <typename T>
std::vector<T> column_part(const Column<T>& column, const py::slice& slice) {
  const std::vector<T>& values = column.read();
  py::ssize_t row, stop, step, count;
  if (!slice.compute(static_cast<py::ssize_t>(values.size()), &row, &stop, &step, &count)) {
    throw py::error_already_set();
  }
  std::vector<T> part;
  for (; count > 0; --count, row += step) part.push_back(values[row]);
  return part;
}

// A copy for numpy; see numpy's documentation of __array__.
template <typename T>
py::object column_array(const Column<T>& column, const py::object& dtype, const py::object& copy) {
  if (copy.ptr() == Py_False) throw py::value_error("a column can only be copied to an array");
  const py::array_t<T> array = copy_of(column.read());
  return dtype.is_none() ? py::object(array) : array.attr("astype")(dtype);
}

// Some rows of a column, for numpy.
template <typename T>
py::array_t<T> column_rows(const Column<T>& column, const Longs& rows) {
  const std::vector<T>& values = column.read();
  std::vector<T> taken;
  for (const int64_t row : vector_of(rows)) {
    taken.push_back(values[require_row(row, static_cast<int64_t>(values.size()), "row")]);
  }
  return copy_of(taken);
}

template <typename T>
void bind_column(py::module_& module, const char* name) {
  py::class_<Column<T>>(module, name, py::is_final())
      .def("__len__", [](const Column<T>& column) { return column.read().size(); })
      .def("__getitem__", &column_row<T>)
      .def("__getitem__", &column_part<T>)
      .def("take", &column_rows<T>, "rows"_a)
      .def("__array__", &column_array<T>, "dtype"_a = py::none(), "copy"_a = py::none());
}

template <typename Table>
struct TableView {
  std::shared_ptr<const SharedGraph> graph;
  const Table* table;  // of the graph
};

// An attribute that is made on first use and stays in the object's dictionary, where Python finds
// it faster than anything that it would have to call.
template <typename Function>
void bind_cached(py::handle type, const char* name, Function&& make) {
  const py::object function = py::cpp_function(std::forward<Function>(make), py::name(name));
  const py::object attribute = py::module_::import("functools").attr("cached_property")(function);
  attribute.attr("__set_name__")(type, name);
  type.attr(name) = attribute;
}

// A class for a table, to which columns are added one by one.
template <typename Table>
class TableClass {
 public:
  TableClass(py::module_& module, const char* name)
      : type_(module, name, py::is_final(), py::dynamic_attr()) {
    type_.def("__len__", [](const TableView<Table>& self) {
      self.graph->require_readable();
      return self.table->size();
    });
  }

  template <typename T>
  TableClass& column(const char* name, std::vector<T> Table::* member) {
    bind_cached(type_, name, [member](const TableView<Table>& self) {
      return Column<T>{self.graph, &(self.table->*member)};
    });
    return *this;
  }

 private:
  py::class_<TableView<Table>> type_;
};

// What is found in a graph, together with the graph.
template <typename Part, typename Member>
void bind_part(py::handle graph_type, const char* name, Member GraphTables::* member) {
  bind_cached(graph_type, name, [member](const std::shared_ptr<Graph>& graph) {
    return Part{std::static_pointer_cast<const SharedGraph>(graph), &((*graph).*member)};
  });
}

}  // namespace

void bind_tables(py::module_& module) {
  bind_column<int32_t>(module, "IntColumn");
  bind_column<int64_t>(module, "LongColumn");
  bind_column<double>(module, "FloatColumn");
  TableClass<WorldTable>(module, "Worlds")
      .column("kind", &WorldTable::kind)
      .column("player", &WorldTable::player)
      .column("information_set", &WorldTable::information_set)
      .column("parent", &WorldTable::parent)
      .column("last_action", &WorldTable::last_action)
      .column("depth", &WorldTable::depth)
      .column("first_edge", &WorldTable::first_edge)
      .column("edge_count", &WorldTable::edge_count)
      .column("utility_row", &WorldTable::utility_row)
      .column("view", &WorldTable::view)
      .column("unseen", &WorldTable::unseen)
      .column("edge_child", &WorldTable::edge_child)
      .column("edge_action", &WorldTable::edge_action)
      .column("edge_probability", &WorldTable::edge_probability)
      .column("utilities", &WorldTable::utilities);
  TableClass<InformationSetTable>(module, "InformationSets")
      .column("player", &InformationSetTable::player)
      .column("view", &InformationSetTable::view)
      .column("first_world", &InformationSetTable::first_world)
      .column("first_action", &InformationSetTable::first_action)
      .column("action_count", &InformationSetTable::action_count)
      .column("hidden", &InformationSetTable::hidden)
      .column("within_action", &InformationSetTable::within_action)
      .column("action", &InformationSetTable::action)
      .column("own_next", &InformationSetTable::own_next);
  TableClass<SampleTable>(module, "SampleNodes")
      .column("information_set", &SampleTable::information_set)
      .column("world", &SampleTable::world)
      .column("first_branch", &SampleTable::first_branch)
      .column("branch_count", &SampleTable::branch_count)
      .column("edge", &SampleTable::edge)
      .column("target", &SampleTable::target);
}

void bind_tables_of(py::handle graph) {
  bind_part<TableView<WorldTable>>(graph, "worlds", &GraphTables::worlds);
  bind_part<TableView<InformationSetTable>>(graph, "information_sets",
                                            &GraphTables::information_sets);
  bind_part<TableView<SampleTable>>(graph, "samples", &GraphTables::samples);
  bind_part<Column<int32_t>>(graph, "buried", &GraphTables::buried);
}

}  // namespace nash_ismcts
