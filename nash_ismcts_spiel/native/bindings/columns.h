// Columns of a graph's tables as Python sees them: read-only sequences of numbers that always show
// the rows that are there by now, and keep the graph alive.
//
// Python reads graphs one number at a time, so `column[row]` is a slot of the type, without
// pybind11's search for an overload. There is no buffer of a column, since growth moves its memory;
// numpy gets copies.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_COLUMNS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_COLUMNS_H_

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "arrays.h"
#include "shared.h"

namespace nash_ismcts {

template <typename T>
struct Column {
  std::shared_ptr<const SharedGraph> graph;
  const std::vector<T>* values;  // of the graph

  Py_ssize_t size() const { return static_cast<Py_ssize_t>(values->size()); }
};

// What C calls: these report errors as Python exceptions and throw nothing.
template <typename T>
class ColumnSlots {
 public:
  static void set(PyHeapTypeObject* type) {
    type->as_sequence.sq_length = &length;
    type->as_sequence.sq_item = &item;
    type->as_mapping.mp_length = &length;
    type->as_mapping.mp_subscript = &subscript;
  }

 private:
  static PyObject* made(T number) {
    if constexpr (std::is_floating_point_v<T>) return PyFloat_FromDouble(number);
    return PyLong_FromLongLong(static_cast<long long>(number));
  }

  static const Column<T>* readable(PyObject* self) {
    auto* instance = reinterpret_cast<py::detail::instance*>(self);
    const auto* column = instance->get_value_and_holder().template value_ptr<Column<T>>();
    if (column == nullptr) {
      PyErr_SetString(PyExc_TypeError, "this column belongs to no graph");
    } else if (column->graph->taken()) {
      PyErr_SetString(PyExc_RuntimeError, column->graph->message());
      return nullptr;
    }
    return column;
  }

  static Py_ssize_t length(PyObject* self) {
    const Column<T>* column = readable(self);
    return column == nullptr ? -1 : column->size();
  }

  static PyObject* item(PyObject* self, Py_ssize_t row) {
    const Column<T>* column = readable(self);
    if (column == nullptr) return nullptr;
    if (row < 0 || row >= column->size()) {
      PyErr_Format(PyExc_IndexError, "row %zd is not one of %zd", row, column->size());
      return nullptr;
    }
    return made((*column->values)[row]);
  }

  // A row counted from either end, or a list of the rows of a slice.
  static PyObject* subscript(PyObject* self, PyObject* key) {
    if (PySlice_Check(key)) return list(self, key);
    Py_ssize_t row = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (row == -1 && PyErr_Occurred()) return nullptr;
    if (row < 0) {
      const Py_ssize_t rows = length(self);
      if (rows < 0) return nullptr;
      row += rows;
    }
    return item(self, row);
  }

  static PyObject* list(PyObject* self, PyObject* slice) {
    Py_ssize_t first, end, step;
    const Column<T>* column = readable(self);
    if (column == nullptr || PySlice_Unpack(slice, &first, &end, &step) < 0) return nullptr;
    const Py_ssize_t count = PySlice_AdjustIndices(column->size(), &first, &end, step);
    PyObject* numbers = PyList_New(count);
    for (Py_ssize_t row = 0; numbers != nullptr && row < count; ++row) {
      PyObject* number = made((*column->values)[first + row * step]);
      if (number == nullptr) Py_CLEAR(numbers);
      if (numbers != nullptr) PyList_SET_ITEM(numbers, row, number);
    }
    return numbers;
  }
};

// A copy for numpy; see numpy's documentation of __array__.
template <typename T>
py::object column_array(const Column<T>& column, const py::object& dtype, const py::object& copy) {
  column.graph->require_readable();
  if (copy.ptr() == Py_False) throw py::value_error("a column can only be copied to an array");
  const py::array_t<T> array = copy_of(*column.values);
  return dtype.is_none() ? py::object(array) : array.attr("astype")(dtype);
}

// Some rows of a column, for numpy.
template <typename T>
py::array_t<T> column_rows(const Column<T>& column, const Longs& rows) {
  column.graph->require_readable();
  py::array_t<T> taken(rows.size());
  for (py::ssize_t at = 0; at < rows.size(); ++at) {
    taken.mutable_data()[at] = (*column.values)[require_row(rows.data()[at], column.size(), "row")];
  }
  return taken;
}

template <typename T>
void bind_column(py::module_& module, const char* name) {
  py::class_<Column<T>>(module, name, py::is_final(), py::custom_type_setup(&ColumnSlots<T>::set))
      .def("take", &column_rows<T>, "rows"_a)
      .def("__array__", &column_array<T>, "dtype"_a = py::none(), "copy"_a = py::none());
}

// The classes IntColumn, LongColumn and FloatColumn, and the tables that they are columns of.
void bind_tables(py::module_& module);

// The tables of a graph, as attributes of the class Graph.
void bind_tables_of(py::handle graph_type);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_COLUMNS_H_
