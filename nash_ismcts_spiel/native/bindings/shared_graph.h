// A graph that threads of Python share: many may read it, one at a time makes it grow.
//
// Guards refuse instead of waiting: a thread that waited for the GIL and for a graph could wait for
// ever. They are made and destroyed with the GIL held. A graph is *settled* once all of it has been
// enumerated and resolved. Its tables then never change again, and any number of threads may search
// in it; only its views can still grow, and nobody reads those without the GIL.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_SHARED_GRAPH_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_SHARED_GRAPH_H_

#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include "../worlds/graph.h"

namespace nash_ismcts {

// What the Python class Graph holds; bindings make no graph of another kind.
class SharedGraph : public Graph {
 public:
  using Graph::Graph;

  static SharedGraph& of(Graph& graph) { return static_cast<SharedGraph&>(graph); }
  static const SharedGraph& of(const Graph& graph) {
    return static_cast<const SharedGraph&>(graph);
  }

  bool settled() const { return settled_; }
  void set_settled() { settled_ = true; }
  bool growing() const { return users_.load(std::memory_order_acquire) < 0; }

 private:
  friend class Reading;
  friend class Alone;

  static constexpr int32_t kGrowing = -1;

  bool settled_ = false;
  mutable std::atomic<int32_t> users_{0};  // threads that read without the GIL, or kGrowing
};

constexpr const char* kBeingGrown = "this graph is being grown by another thread";
constexpr const char* kBeingRead = "this graph is being read by another thread";

// Enough for who reads a graph with the GIL held all the time.
inline void require_readable(const Graph& graph) {
  if (SharedGraph::of(graph).growing()) throw std::runtime_error(kBeingGrown);
}

// Holds a graph for a scope that reads its tables and lets go of the GIL.
class Reading {
 public:
  explicit Reading(const Graph& graph) : graph_(SharedGraph::of(graph)) {
    require_readable(graph);
    ++graph_.users_;  // only who has the GIL takes a graph, so it is still free
  }
  ~Reading() { --graph_.users_; }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

 private:
  const SharedGraph& graph_;
};

// Holds a graph that nobody else may hold meanwhile.
class Alone {
 public:
  explicit Alone(Graph& graph) : graph_(SharedGraph::of(graph)) {
    int32_t nobody = 0;
    if (!graph_.users_.compare_exchange_strong(nobody, SharedGraph::kGrowing)) {
      throw std::runtime_error(nobody < 0 ? kBeingGrown : kBeingRead);
    }
  }
  ~Alone() { graph_.users_ = 0; }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  SharedGraph& graph_;
};

// Holds a graph for a scope that may make it grow: alone, and without the GIL unless the game is
// written in Python. A settled graph is shared: by who only uses its tables without the GIL, by the
// others, whose views might grow, with it.
class Growing {
 public:
  enum class Use { kTables, kTablesAndViews };

  explicit Growing(Graph& graph, Use use = Use::kTablesAndViews) {
    const bool settled = SharedGraph::of(graph).settled();
    if (settled) {
      reading_.emplace(graph);
    } else {
      alone_.emplace(graph);
      graph.set_deadline(Clock::time_point::max());  // that of an earlier search is over
    }
    const bool keeps_gil = settled ? use == Use::kTablesAndViews : graph.game().facts().needs_gil;
    if (!keeps_gil) release_.emplace();
  }

 private:
  std::optional<Reading> reading_;
  std::optional<Alone> alone_;
  std::optional<pybind11::gil_scoped_release> release_;  // last: the GIL comes back first
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_SHARED_GRAPH_H_
