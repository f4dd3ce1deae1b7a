// When something long ends before it is done: its time is up, or the user presses Ctrl-C.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_STOP_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_STOP_H_

#include <pybind11/pybind11.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "../worlds/graph.h"
#include "arrays.h"

namespace nash_ismcts {

// The end of a time that begins now; without one, never.
inline Clock::time_point after(std::optional<double> seconds) {
  if (!seconds) return Clock::time_point::max();
  constexpr double kForever = 1e8;  // seconds that a clock can add up
  const std::chrono::duration<double> time(std::min(*seconds, kForever));
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
}

// Whether time is up. Now and then it lets Python see whether the user has pressed Ctrl-C, and
// tells who wants to know how much is done. Asked where the GIL was let go.
class Stop {
 public:
  explicit Stop(std::optional<double> seconds = std::nullopt,
                pybind11::object report = pybind11::none())
      : deadline_(after(seconds)), report_(std::move(report)) {}

  Clock::time_point deadline() const { return deadline_; }

  bool operator()() const {
    return look([](const pybind11::object&) {});
  }

  template <typename Amount>
  bool operator()(Amount done) const {
    return look([done](const pybind11::object& report) { report(done); });
  }

 private:
  static constexpr std::chrono::milliseconds kInterval{100};

  template <typename Tell>
  bool look(const Tell& tell) const {
    const Clock::time_point now = Clock::now();
    if (now >= next_) {
      next_ = now + kInterval;
      const pybind11::gil_scoped_acquire acquired;
      if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
      if (!report_.is_none()) tell(report_);
    }
    return now >= deadline_;
  }

  Clock::time_point deadline_;
  pybind11::object report_;
  mutable Clock::time_point next_ = Clock::now();
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_STOP_H_
