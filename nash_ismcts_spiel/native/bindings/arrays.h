// What bindings share about numpy: types of arrays, arrays that go out, and checks of what comes in
// that become Python exceptions.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_ARRAYS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_ARRAYS_H_

#include <pybind11/numpy.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "../common/draw.h"

namespace nash_ismcts {

namespace py = pybind11;
using namespace py::literals;  // NOLINT: names of arguments, "graph"_a

template <typename T>
using Array = py::array_t<T, py::array::c_style | py::array::forcecast>;
using Doubles = Array<double>;
using Singles = Array<float>;
using Ints = Array<int32_t>;
using Longs = Array<int64_t>;

inline void require_size(const py::array& array, int64_t size, const char* name) {
  if (array.size() != size) {
    throw py::value_error(std::string(name) + " must have " + std::to_string(size) +
                          " entries, not " + std::to_string(array.size()));
  }
}

inline int32_t require_row(int64_t row, int64_t rows, const char* name) {
  if (row < 0 || row >= rows) {
    throw py::index_error(std::string(name) + " " + std::to_string(row) + " is not one of " +
                          std::to_string(rows));
  }
  return static_cast<int32_t>(row);
}

template <typename Number>
void require_not_negative(Number number, const char* name) {
  if (!(number >= 0 && std::isfinite(static_cast<double>(number)))) {  // NaN is not
    throw py::value_error(std::string(name) + " must not be negative, not " +
                          std::to_string(number));
  }
}

inline void require_finite(const Doubles& array, const char* name) {
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(array.data(), array.data() + array.size(), finite)) {
    throw py::value_error(std::string(name) + " must be finite");
  }
}

// One row of a policy; `whose` says which.
inline void require_distribution(const double* first, const double* last,
                                 const std::string& whose) {
  constexpr double kTolerance = 1e-6;
  double total = 0.0;
  for (; first < last; ++first) {
    if (!(*first >= 0.0)) {
      throw py::value_error("policy: " + whose +
                            " has a negative or NaN probability: " + std::to_string(*first));
    }
    total += *first;
  }
  if (!(std::abs(total - 1.0) <= kTolerance)) {
    throw py::value_error("policy: the probabilities of " + whose + " add up to " +
                          std::to_string(total) + ", not 1");
  }
}

// What a word stands for.
template <typename Meaning>
Meaning meant(const char* name, const std::string& given,
              std::initializer_list<std::pair<const char*, Meaning>> words) {
  std::string known;
  for (const auto& [word, meaning] : words) {
    if (given == word) return meaning;
    known += (known.empty() ? "'" : " or '") + std::string(word) + "'";
  }
  throw py::value_error(std::string(name) + " must be " + known + ", not '" + given + "'");
}

// The generator of a numpy Generator, which has to be kept alive meanwhile.
inline const BitGenerator& bit_generator(const py::object& generator) {
  const py::object capsule = generator.attr("bit_generator").attr("capsule");
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), "BitGenerator");
  if (pointer == nullptr) throw py::error_already_set();
  return *static_cast<const BitGenerator*>(pointer);
}

template <typename T>
std::vector<T> vector_of(const Array<T>& array) {
  return {array.data(), array.data() + array.size()};
}

inline std::vector<double> column_of(const Doubles& array, int64_t size, const char* name) {
  require_size(array, size, name);
  return vector_of(array);
}

template <typename T>
py::array_t<T> copy_of(const std::vector<T>& column) {
  return py::array_t<T>(static_cast<py::ssize_t>(column.size()), column.data());
}

// A new array that `fill` writes without the GIL.
template <typename T, typename Fill>
py::array_t<T> filled(std::vector<py::ssize_t> shape, const Fill& fill) {
  py::array_t<T> array(std::move(shape));
  T* const data = array.mutable_data();
  const py::gil_scoped_release release;
  fill(data);
  return array;
}

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_ARRAYS_H_
