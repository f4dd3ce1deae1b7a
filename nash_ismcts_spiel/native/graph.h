// What compiled code sees of a Python GameGraph: its columns as plain pointers and sizes, under the
// names of games/tables.py. Nothing is copied. Utilities are in the game's units, one per player.
//
// A view is made and destroyed with the GIL held. In between, other code may run without the GIL
// and read the columns. While a view lives, Python cannot append to the graph's arrays
// (BufferError), so no pointer can dangle; make a view for one call or one batch, not for the life
// of the graph.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_GRAPH_H_
#define NASH_ISMCTS_SPIEL_NATIVE_GRAPH_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace nash_ismcts {

// World kinds and marks, as in games/tables.py.
constexpr int32_t kTerminal = 0;
constexpr int32_t kChance = 1;
constexpr int32_t kDecision = 2;
constexpr int32_t kMissing = -1;
constexpr int32_t kUnresolved = std::numeric_limits<int32_t>::min();

// One array of a table, borrowed from Python.
template <typename T>
class Column {
 public:
  // Raises TypeError unless table.name is a one-dimensional array of T.
  Column(pybind11::handle table, const char* name) {
    const pybind11::object array = attribute(table, name);
    if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_FORMAT | PyBUF_ND) != 0) {
      PyErr_Clear();
      throw wrong_type(name, array);
    }
    if (buffer_.ndim != 1 || !holds_t()) {
      PyBuffer_Release(&buffer_);
      throw wrong_type(name, array);
    }
    data = static_cast<const T*>(buffer_.buf);
    size = buffer_.len / static_cast<int64_t>(sizeof(T));
  }
  ~Column() { PyBuffer_Release(&buffer_); }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  T operator[](int64_t row) const { return data[row]; }

  const T* data;
  int64_t size;

 private:
  static pybind11::object attribute(pybind11::handle table, const char* name) {
    PyObject* array = PyObject_GetAttrString(table.ptr(), name);
    if (array == nullptr) {
      PyErr_Clear();
      throw pybind11::type_error("the graph's tables have no column " + std::string(name));
    }
    return pybind11::reinterpret_steal<pybind11::object>(array);
  }

  static pybind11::type_error wrong_type(const char* name, const pybind11::object& found) {
    const char* expected = std::is_floating_point_v<T> ? "float64"
                           : sizeof(T) == 8            ? "int64"
                                                       : "int32";
    return pybind11::type_error("the graph's column " + std::string(name) +
                                " must be an array of " + expected + ", not " +
                                std::string(pybind11::str(pybind11::type::of(found))));
  }

  bool holds_t() const {
    const char* kinds = std::is_floating_point_v<T> ? "d" : "ilq";
    return buffer_.itemsize == static_cast<Py_ssize_t>(sizeof(T)) && buffer_.format != nullptr &&
           std::strlen(buffer_.format) == 1 && std::strchr(kinds, buffer_.format[0]) != nullptr;
  }

  Py_buffer buffer_;
};

// Raises ValueError unless a column has the number of rows that its table says.
template <typename T>
void require_rows(const Column<T>& column, int64_t rows, const char* name) {
  if (column.size != rows) {
    throw pybind11::value_error("the graph's column " + std::string(name) + " has " +
                                std::to_string(column.size) + " rows, not " + std::to_string(rows));
  }
}

struct WorldColumns {
  WorldColumns(pybind11::handle table, int32_t num_players)
      : kind(table, "kind"),
        player(table, "player"),
        information_set(table, "information_set"),
        parent(table, "parent"),
        depth(table, "depth"),
        first_edge(table, "first_edge"),
        edge_count(table, "edge_count"),
        utility_row(table, "utility_row"),
        view(table, "view"),
        unseen(table, "unseen"),
        edge_child(table, "edge_child"),
        edge_action(table, "edge_action"),
        edge_probability(table, "edge_probability"),
        utilities(table, "utilities") {
    require_rows(player, size(), "worlds.player");
    require_rows(information_set, size(), "worlds.information_set");
    require_rows(parent, size(), "worlds.parent");
    require_rows(depth, size(), "worlds.depth");
    require_rows(first_edge, size(), "worlds.first_edge");
    require_rows(edge_count, size(), "worlds.edge_count");
    require_rows(utility_row, size(), "worlds.utility_row");
    require_rows(view, size() * num_players, "worlds.view");
    require_rows(unseen, size() * num_players, "worlds.unseen");
    require_rows(edge_action, num_edges(), "worlds.edge_action");
    require_rows(edge_probability, num_edges(), "worlds.edge_probability");
    require_rows(utilities, utilities.size / num_players * num_players, "worlds.utilities");
  }
  int64_t size() const { return kind.size; }
  int64_t num_edges() const { return edge_child.size; }

  const Column<int32_t> kind, player, information_set, parent, depth;
  const Column<int32_t> first_edge, edge_count, utility_row, view, unseen, edge_child;
  const Column<int64_t> edge_action;
  const Column<double> edge_probability, utilities;
};

struct InformationSetColumns {
  explicit InformationSetColumns(pybind11::handle table)
      : player(table, "player"),
        view(table, "view"),
        first_world(table, "first_world"),
        first_action(table, "first_action"),
        action_count(table, "action_count"),
        hidden(table, "hidden"),
        action(table, "action"),
        own_next(table, "own_next") {
    require_rows(view, size(), "information_sets.view");
    require_rows(first_world, size(), "information_sets.first_world");
    require_rows(first_action, size(), "information_sets.first_action");
    require_rows(action_count, size(), "information_sets.action_count");
    require_rows(hidden, size(), "information_sets.hidden");
    require_rows(own_next, num_actions(), "information_sets.own_next");
  }
  int64_t size() const { return player.size; }
  int64_t num_actions() const { return action.size; }

  const Column<int32_t> player, view, first_world, first_action, action_count, hidden;
  const Column<int64_t> action;
  const Column<int32_t> own_next;
};

struct SampleColumns {
  explicit SampleColumns(pybind11::handle table)
      : information_set(table, "information_set"),
        world(table, "world"),
        first_branch(table, "first_branch"),
        branch_count(table, "branch_count"),
        edge(table, "edge"),
        target(table, "target") {
    require_rows(world, size(), "samples.world");
    require_rows(first_branch, size(), "samples.first_branch");
    require_rows(branch_count, size(), "samples.branch_count");
    require_rows(target, num_branches(), "samples.target");
  }
  int64_t size() const { return information_set.size; }
  int64_t num_branches() const { return edge.size; }

  const Column<int32_t> information_set, world, first_branch, branch_count, edge, target;
};

// Number of players of graph.game. Raises TypeError if `graph` is not a game graph.
inline int32_t players_of(pybind11::handle graph) {
  for (const char* name : {"game", "worlds", "information_sets", "samples"}) {
    if (!pybind11::hasattr(graph, name)) {
      throw pybind11::type_error("expected a GameGraph, not " +
                                 std::string(pybind11::str(pybind11::type::of(graph))));
    }
  }
  const auto players = graph.attr("game").attr("num_players").cast<int32_t>();
  if (players < 1) throw pybind11::value_error("a game needs at least one player");
  return players;
}

// The three tables of a graph. Sizes of columns are checked; the numbers inside them are not.
struct GraphView {
  explicit GraphView(pybind11::handle graph)
      : num_players(players_of(graph)),
        worlds(graph.attr("worlds"), num_players),
        information_sets(graph.attr("information_sets")),
        samples(graph.attr("samples")) {}

  const int32_t num_players;
  const WorldColumns worlds;
  const InformationSetColumns information_sets;
  const SampleColumns samples;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_GRAPH_H_
