// What bindings of forests share: budgets, and one thread at a time.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_THINKING_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_THINKING_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <stdexcept>

namespace nash_ismcts {

namespace py = pybind11;

inline void check_budget(std::optional<int64_t> visits, std::optional<double> seconds) {
  if (visits && *visits < 0) throw py::value_error("visits must not be negative");
  if (!visits && !seconds) throw py::value_error("think needs visits or seconds");
}

// Holds a forest for a scope; `Forest` has an atomic `busy`.
template <typename Forest>
class Busy {
 public:
  explicit Busy(Forest& forest) : forest_(forest) {
    if (forest_.busy.exchange(true)) {
      throw std::runtime_error("this forest is being searched by another thread");
    }
  }
  ~Busy() { forest_.busy = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  Forest& forest_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_THINKING_H_
