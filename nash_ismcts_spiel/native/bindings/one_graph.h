// What Python holds between two calls and what is numbered by the rows of a graph: rows, trees,
// games and sums. With another graph the numbers would point anywhere, so it is refused.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_ONE_GRAPH_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_ONE_GRAPH_H_

#include <pybind11/pybind11.h>

#include <stdexcept>
#include <string>

#include "../play/games.h"
#include "../search/rows.h"
#include "shared_graph.h"

namespace nash_ismcts {

// The graph that something was first used with. It is kept alive, so that no other graph can take
// its place in memory. The GIL must be held.
class OneGraph {
 public:
  void require(const Graph& graph, const char* what) const {
    const pybind11::object asked = pybind11::cast(&graph);
    if (!graph_) {
      graph_ = asked;
    } else if (!graph_.is(asked)) {
      throw pybind11::value_error(std::string(what) + " of another graph");
    }
  }
  void forget() { graph_ = pybind11::object(); }

 private:
  mutable pybind11::object graph_;  // what is only read may see its graph for the first time
};

// The Python classes Rows, Games and TargetSums. Rows that a thread uses without the GIL are not
// changed meanwhile.
struct PyRows : Rows {
  OneGraph graph;
  mutable int32_t users = 0;  // threads that read them without the GIL, kWriting if one writes
  static constexpr int32_t kWriting = -1;

  void require_free() const {
    if (users != 0) throw std::runtime_error("these rows are being used by another thread");
  }
};

// Marks rows for a scope that lets go of the GIL, and is entered and left with it.
class ReadingRows {
 public:
  explicit ReadingRows(const PyRows& rows) : rows_(rows) {
    if (rows.users == PyRows::kWriting) rows.require_free();
    ++rows_.users;
  }
  ~ReadingRows() { --rows_.users; }
  ReadingRows(const ReadingRows&) = delete;
  ReadingRows& operator=(const ReadingRows&) = delete;

 private:
  const PyRows& rows_;
};

class WritingRows {
 public:
  explicit WritingRows(PyRows& rows) : rows_(rows) {
    rows.require_free();
    rows_.users = PyRows::kWriting;
  }
  ~WritingRows() { rows_.users = 0; }
  WritingRows(const WritingRows&) = delete;
  WritingRows& operator=(const WritingRows&) = delete;

 private:
  PyRows& rows_;
};

struct PyGames : Games {
  using Games::Games;
  OneGraph graph;
};

struct PyTargetSums : TargetSums {
  OneGraph graph;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_ONE_GRAPH_H_
