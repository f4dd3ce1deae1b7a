// What threads of Python share: many may read it, or one has it alone.
//
// Guards refuse instead of waiting: a thread that waited for the GIL and for something else could
// wait for ever, and a signal handler that asks again from the same thread has to be refused too.
// They are made and destroyed with the GIL held.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_SHARED_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_SHARED_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "../worlds/graph.h"

namespace nash_ismcts {

namespace py = pybind11;

// Counts those who use something without the GIL.
class Shared {
 public:
  struct Release {
    void operator()(const Shared* shared) const {
      shared->users_ = shared->taken() ? 0 : shared->users_ - 1;
    }
  };
  using Guard = std::unique_ptr<const Shared, Release>;

  // What is said to who comes while one has it alone, and to who wants it alone while it is read.
  explicit Shared(const char* taken, const char* read = nullptr)
      : taken_(taken), read_(read == nullptr ? taken : read) {}

  bool taken() const { return users_ == kAlone; }

  // Enough for who reads with the GIL held all the time.
  void require_readable() const {
    if (taken()) throw std::runtime_error(taken_);
  }

  Guard reading() const {
    require_readable();
    ++users_;
    return Guard(this);
  }
  Guard alone() const {
    require_readable();
    if (users_ > 0) throw std::runtime_error(read_);
    users_ = kAlone;
    return Guard(this);
  }

 private:
  static constexpr int32_t kAlone = -1;

  const char* taken_;
  const char* read_;
  mutable int32_t users_ = 0;
};
using Guard = Shared::Guard;

// What the Python class Graph holds; bindings make no graph of another kind. It is *settled* once
// all of it has been enumerated and resolved. Its tables then never change again, and any number of
// threads may search in it; only its views can still grow, and nobody reads those without the GIL.
class SharedGraph : public Graph, public Shared {
 public:
  explicit SharedGraph(std::shared_ptr<const Game> game)
      : Graph(std::move(game)),
        Shared("this graph is being grown by another thread",
               "this graph is being read by another thread") {}

  static SharedGraph& of(Graph& graph) { return static_cast<SharedGraph&>(graph); }
  static const SharedGraph& of(const Graph& graph) {
    return static_cast<const SharedGraph&>(graph);
  }

  bool settled = false;
};

// Holds a graph for a scope that may make it grow: alone, and without the GIL unless the game is
// written in Python. A settled graph is shared: by who only uses its tables without the GIL, by the
// others, whose views might grow, with it.
class Growing {
 public:
  enum class Use { kTables, kTablesAndViews };

  explicit Growing(Graph& graph, Use use = Use::kTablesAndViews) {
    const SharedGraph& shared = SharedGraph::of(graph);
    guard_ = shared.settled ? shared.reading() : shared.alone();
    if (!shared.settled)
      graph.set_deadline(Clock::time_point::max());  // an earlier search's is over
    const bool keeps_gil =
        shared.settled ? use == Use::kTablesAndViews : graph.game().facts().needs_gil;
    if (!keeps_gil) release_.emplace();
  }

 private:
  Guard guard_;
  std::optional<py::gil_scoped_release> release_;  // last: the GIL comes back first
};

// Walks a game, without the GIL unless it is written in Python.
template <typename Walk>
auto walked(const Game& game, const Walk& walk) {
  std::optional<py::gil_scoped_release> release;
  if (!game.facts().needs_gil) release.emplace();
  return walk();
}

// Something that is numbered by the rows of the graph that it was first used with. With another
// graph the numbers would point anywhere, so it is refused. That graph is kept alive, so that no
// other one can take its place in memory. The GIL must be held.
class OfOneGraph : public Shared {
 public:
  // `what` is the beginning of a sentence: "these rows are".
  OfOneGraph(const char* what, const char* taken) : Shared(taken), what_(what) {}

  void require(const Graph& graph) const {
    const py::object asked = py::cast(&graph);
    if (!graph_) {
      graph_ = asked;
    } else if (!graph_.is(asked)) {
      throw py::value_error(std::string(what_) + " of another graph");
    }
  }
  void forget_graph() { graph_ = py::object(); }

 private:
  const char* what_;
  mutable py::object graph_;  // what is only read may see its graph for the first time
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_SHARED_H_
