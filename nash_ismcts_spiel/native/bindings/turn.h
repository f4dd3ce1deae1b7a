// What a method that runs for long without the GIL has in common with others: one thread at a time
// uses it, and Ctrl-C ends it.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_TURN_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_TURN_H_

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>

namespace nash_ismcts {

// Holds something for a scope. A flag and not a mutex: a signal handler that runs inside may ask
// again from the same thread, and has to be refused.
class Turn {
 public:
  Turn(std::atomic<bool>* busy, const char* what) : busy_(busy) {
    if (busy_->exchange(true)) {
      throw std::runtime_error(std::string("the ") + what + " is already running");
    }
  }
  ~Turn() { busy_->store(false); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>* const busy_;
};

// Looks for signals now and then, where the GIL was let go.
class Stop {
 public:
  void look() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kInterval) return;
    last_ = now;
    const pybind11::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
  }

 private:
  static constexpr std::chrono::milliseconds kInterval{50};
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_TURN_H_
