// What bindings share about numpy arrays: their types, and checks that become Python exceptions.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_ARRAYS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_ARRAYS_H_

#include <pybind11/numpy.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nash_ismcts {

namespace py = pybind11;

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Singles = py::array_t<float, py::array::c_style | py::array::forcecast>;
using Ints = py::array_t<int32_t, py::array::c_style | py::array::forcecast>;
using Longs = py::array_t<int64_t, py::array::c_style | py::array::forcecast>;

inline void require_size(const py::array& array, int64_t size, const char* name) {
  if (array.size() != size) {
    throw py::value_error(std::string(name) + " must have " + std::to_string(size) +
                          " entries, not " + std::to_string(array.size()));
  }
}

inline void require_row(int64_t row, int64_t rows, const char* name) {
  if (row < 0 || row >= rows) {
    throw py::index_error(std::string(name) + " " + std::to_string(row) + " is not one of " +
                          std::to_string(rows));
  }
}

template <typename T>
py::array_t<T> copy_of(const std::vector<T>& column) {
  return py::array_t<T>(static_cast<py::ssize_t>(column.size()), column.data());
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_ARRAYS_H_
