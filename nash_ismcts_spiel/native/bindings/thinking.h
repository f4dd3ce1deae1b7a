// What bindings of both forests share: when to stop, and one thread at a time.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_THINKING_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_THINKING_H_

#include <pybind11/pybind11.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>

namespace nash_ismcts {

namespace py = pybind11;

inline void check_budget(std::optional<int64_t> visits, std::optional<double> seconds) {
  if (visits && *visits < 0) throw py::value_error("visits must not be negative");
  if (!visits && !seconds) throw py::value_error("think needs visits or seconds");
}

// Whether time is up; lets Python see now and then whether the user has pressed Ctrl-C.
class Stop {
 public:
  explicit Stop(std::optional<double> seconds) {
    if (seconds) {
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(std::min(*seconds, 1e8)));
    }
  }
  bool operator()() const {
    const Clock::time_point now = Clock::now();
    if (now >= look_) {
      look_ = now + kSignalInterval;
      const py::gil_scoped_acquire acquired;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
    return now >= deadline_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kSignalInterval{100};
  Clock::time_point deadline_ = Clock::time_point::max();
  mutable Clock::time_point look_ = Clock::now() + kSignalInterval;
};

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
