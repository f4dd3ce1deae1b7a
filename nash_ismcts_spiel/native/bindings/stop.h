// When a long search ends before its visits are done: its time is up, or the user presses Ctrl-C.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_STOP_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_STOP_H_

#include <pybind11/pybind11.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "../worlds/graph.h"

namespace nash_ismcts {

// Whether time is up; lets Python see now and then whether the user has pressed Ctrl-C.
class Stop {
 public:
  explicit Stop(std::optional<double> seconds) {
    if (seconds) {
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(std::min(*seconds, 1e8)));
    }
  }
  Clock::time_point deadline() const { return deadline_; }
  bool operator()() const {
    const Clock::time_point now = Clock::now();
    if (now >= look_) {
      look_ = now + kSignalInterval;
      const pybind11::gil_scoped_acquire acquired;
      if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
    }
    return now >= deadline_;
  }

 private:
  static constexpr std::chrono::milliseconds kSignalInterval{100};
  Clock::time_point deadline_ = Clock::time_point::max();
  mutable Clock::time_point look_ = Clock::now() + kSignalInterval;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_STOP_H_
