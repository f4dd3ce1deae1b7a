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

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "shared_graph.h"

namespace nash_ismcts {

namespace py = pybind11;

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
    type->as_sequence.sq_contains = &contains;
    type->as_mapping.mp_length = &length;
    type->as_mapping.mp_subscript = &subscript;
    type->ht_type.tp_iter = [](PyObject* self) { return PySeqIter_New(self); };
  }

  // The first row with a number, the number of rows if there is none, -1 after an error.
  static Py_ssize_t find(PyObject* self, PyObject* number) {
    const Column<T>* column = readable(self);
    T wanted;
    if (column == nullptr) return -1;
    const int known = read(number, &wanted);
    if (known < 0) return -1;
    if (known == 0) return column->size();
    const auto& values = *column->values;
    return std::find(values.begin(), values.end(), wanted) - values.begin();
  }

  // The rows from `first` on, every `step`-th of them.
  static PyObject* list(const Column<T>& column, Py_ssize_t first, Py_ssize_t step,
                        Py_ssize_t count) {
    PyObject* numbers = PyList_New(count);
    for (Py_ssize_t row = 0; numbers != nullptr && row < count; ++row) {
      PyObject* number = made((*column.values)[first + row * step]);
      if (number == nullptr) Py_CLEAR(numbers);
      if (numbers != nullptr) PyList_SET_ITEM(numbers, row, number);
    }
    return numbers;
  }

 private:
  static PyObject* made(T number) {
    if constexpr (std::is_floating_point_v<T>) return PyFloat_FromDouble(number);
    return PyLong_FromLongLong(static_cast<long long>(number));
  }

  // 1 if `number` is one that a column can hold, 0 if not, -1 after an error.
  static int read(PyObject* number, T* found) {
    if constexpr (std::is_floating_point_v<T>) {
      *found = PyFloat_AsDouble(number);
      if (!PyErr_Occurred()) return 1;
      if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
      PyErr_Clear();
      return 0;
    } else {
      if (!PyIndex_Check(number)) return 0;
      PyObject* index = PyNumber_Index(number);
      if (index == nullptr) return -1;
      int overflow = 0;
      const long long value = PyLong_AsLongLongAndOverflow(index, &overflow);
      Py_DECREF(index);
      *found = static_cast<T>(value);
      return overflow == 0 && *found == value;
    }
  }

  static const Column<T>* readable(PyObject* self) {
    auto* instance = reinterpret_cast<py::detail::instance*>(self);
    const auto* column = instance->get_value_and_holder().template value_ptr<Column<T>>();
    if (column == nullptr) {
      PyErr_SetString(PyExc_TypeError, "this column belongs to no graph");
    } else if (column->graph->growing()) {
      PyErr_SetString(PyExc_RuntimeError, kBeingGrown);
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

  static PyObject* subscript(PyObject* self, PyObject* key) {
    if (PyIndex_Check(key)) {
      Py_ssize_t row = PyNumber_AsSsize_t(key, PyExc_IndexError);
      if (row == -1 && PyErr_Occurred()) return nullptr;
      if (row < 0) {
        const Py_ssize_t rows = length(self);
        if (rows < 0) return nullptr;
        row += rows;
      }
      return item(self, row);
    }
    if (!PySlice_Check(key)) {
      PyErr_Format(PyExc_TypeError, "rows are numbers or slices, not %.99s", Py_TYPE(key)->tp_name);
      return nullptr;
    }
    Py_ssize_t first, end, step;
    if (PySlice_Unpack(key, &first, &end, &step) < 0) return nullptr;
    const Column<T>* column = readable(self);
    if (column == nullptr) return nullptr;
    const Py_ssize_t count = PySlice_AdjustIndices(column->size(), &first, &end, step);
    return list(*column, first, step, count);
  }

  static int contains(PyObject* self, PyObject* number) {
    const Py_ssize_t row = find(self, number);
    return row < 0 ? -1 : row < readable(self)->size();
  }
};

// A copy for numpy; see numpy's documentation of __array__.
template <typename T>
py::object column_array(const Column<T>& column, const py::object& dtype, const py::object& copy) {
  require_readable(*column.graph);
  if (copy.ptr() == Py_False) throw py::value_error("a column can only be copied to an array");
  const py::array_t<T> array(column.size(), column.values->data());
  return dtype.is_none() ? py::object(array) : array.attr("astype")(dtype);
}

// Some rows of a column, for numpy.
template <typename T>
py::array_t<T> column_rows(
    const Column<T>& column,
    const py::array_t<int64_t, py::array::c_style | py::array::forcecast>& rows) {
  require_readable(*column.graph);
  py::array_t<T> taken(rows.size());
  for (py::ssize_t at = 0; at < rows.size(); ++at) {
    const int64_t row = rows.data()[at];
    if (row < 0 || row >= column.size()) throw py::index_error("no such row");
    taken.mutable_data()[at] = (*column.values)[row];
  }
  return taken;
}

template <typename T>
void bind_column(py::module_& module, const char* name) {
  py::class_<Column<T>>(module, name, py::is_final(), py::custom_type_setup(&ColumnSlots<T>::set))
      .def(
          "index",
          [](const py::handle& self, const py::object& value) {
            const Py_ssize_t row = ColumnSlots<T>::find(self.ptr(), value.ptr());
            if (row < 0) throw py::error_already_set();
            if (row == static_cast<Py_ssize_t>(py::len(self))) {
              throw py::value_error(std::string(py::repr(value)) + " is not in the column");
            }
            return row;
          },
          py::arg("value"))
      .def("take", &column_rows<T>, py::arg("rows"))
      .def("__array__", &column_array<T>, py::arg("dtype") = py::none(),
           py::arg("copy") = py::none())
      .def("__repr__", [name = std::string(name)](const Column<T>& self) {
        require_readable(*self.graph);
        const Py_ssize_t shown = std::min<Py_ssize_t>(self.size(), 8);
        const auto rows =
            py::reinterpret_steal<py::object>(ColumnSlots<T>::list(self, 0, 1, shown));
        if (!rows) throw py::error_already_set();
        return "<" + name + " of " + std::to_string(self.size()) +
               " rows: " + std::string(py::repr(rows)) + (shown < self.size() ? " ...>" : ">");
      });
}

// The classes IntColumn, LongColumn and FloatColumn, and the tables that they are columns of.
void bind_tables(py::module_& module);

// The tables of a graph, as attributes of the class Graph.
void bind_tables_of(py::handle graph_type);

// An attribute that is made on first use and stays in the object's dictionary, where Python finds
// it faster than anything that it would have to call.
template <typename Function>
void bind_cached(py::handle type, const char* name, Function&& make) {
  const py::object function = py::cpp_function(std::forward<Function>(make), py::name(name));
  const py::object attribute = py::module_::import("functools").attr("cached_property")(function);
  attribute.attr("__set_name__")(type, name);
  type.attr(name) = attribute;
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_COLUMNS_H_
