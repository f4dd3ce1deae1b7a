// Python's side of the graph of a game.

#include "../worlds/graph.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "checked.h"
#include "shared.h"
#include "stop.h"

namespace nash_ismcts {

namespace {

// What is known already is answered without a guard: Python mostly walks where it has been.
template <typename Find>
int32_t known_or(Graph& graph, int32_t known, std::initializer_list<int32_t> unknown,
                 const Find& find) {
  if (std::find(unknown.begin(), unknown.end(), known) == unknown.end()) return known;
  const Growing growing(graph);
  return find();
}

int32_t child(Graph& graph, WorldRow world, int64_t edge) {
  const WorldTable& worlds = graph.worlds;
  const int32_t at = require_row(edge, worlds.edge_count[world], "edge");
  return known_or(graph, worlds.edge_child[worlds.first_edge[world] + at], {kMissing},
                  [&] { return graph.child(world, at); });
}

int32_t hidden(Graph& graph, SetRow set) {
  return known_or(graph, graph.information_sets.hidden[set], {kUnresolved},
                  [&] { return graph.hidden(set); });
}

int32_t branch(Graph& graph, SampleRow sample, int64_t branch) {
  const SampleTable& samples = graph.samples;
  const int32_t at = require_row(branch, samples.branch_count[sample], "branch");
  return known_or(graph, samples.target[samples.first_branch[sample] + at], {kUnresolved, kDead},
                  [&] { return graph.branch(sample, at); });
}

int32_t own_next(Graph& graph, SetRow set, int64_t action) {
  const InformationSetTable& sets = graph.information_sets;
  const int32_t at = require_row(action, sets.action_count[set], "action");
  return known_or(graph, sets.own_next[sets.first_action[set] + at], {kUnresolved},
                  [&] { return graph.own_next(set, at); });
}

bool unseen(Graph& graph, WorldRow world, PlayerRow player) {
  return known_or(graph, graph.worlds.unseen[world * graph.num_players + player], {kUnresolved},
                  [&] { return graph.unseen(world, player); }) == 1;
}

void require_views(const Graph& graph) {
  if (graph.game().facts().perfect_information) {
    throw py::value_error("what players know in a game of perfect information is the history");
  }
}

// A question to the table of views.
template <typename Answer>
auto of_view(Answer (ViewTable::*question)(int32_t) const) {
  return checked([question](const Graph& graph, ViewRow view) {
    require_views(graph);
    return std::decay_t<Answer>((graph.views().*question)(view));
  });
}

int32_t view_along(Graph& graph, const History& history, PlayerRow player, bool to_move) {
  require_views(graph);
  const Growing growing(graph);
  return graph.view_along(history, player, to_move);
}

int32_t find_view(Graph& graph, PlayerRow player, ViewRow view, std::optional<double> seconds) {
  if (seconds) require_not_negative(*seconds, "seconds");
  const int32_t known = graph.set_of_view(view);
  if (known != kMissing) return known;
  require_views(graph);
  const Growing growing(graph);
  if (!SharedGraph::of(graph).settled) graph.set_deadline(after(seconds));
  return graph.find(player, view);
}

int32_t offer(Graph& graph, PlayerRow player, ViewRow view, const History& history) {
  require_views(graph);
  const Growing growing(graph);
  return graph.offer(player, view, history);
}

int32_t of_log(Graph& graph, PlayerRow player, const std::vector<LogEntry>& entries) {
  require_views(graph);
  const Growing growing(graph);
  return graph.views().of_log(player, entries);
}

std::vector<std::pair<int32_t, int32_t>> path_to(Graph& graph, WorldRow world) {
  if (graph.worlds.kind[world] != kDecision) {
    throw py::value_error("nothing is hidden from anybody where nobody moves");
  }
  const Growing growing(graph);
  return graph.path_to(world);
}

void resolve(Graph& graph) {
  SharedGraph& shared = SharedGraph::of(graph);
  if (shared.settled) return;
  if (!graph.enumerated()) {
    throw py::value_error("only an enumerated graph can be resolved as a whole");
  }
  {
    const Growing growing(graph);
    graph.resolve();
  }
  shared.settled = true;
}

std::vector<double> prior_weights(const Graph& graph, SampleRow sample) {
  std::vector<double> weights(graph.samples.branch_count[sample]);
  graph.prior_weights(sample, weights.data());
  return weights;
}

std::vector<double> uniform_policy(const Graph& graph, SetRow set) {
  std::vector<double> policy(graph.information_sets.action_count[set]);
  graph.uniform_policy(set, policy.data());
  return policy;
}

std::vector<int32_t> worlds_of(const Graph& graph, SetRow set) {
  if (!graph.enumerated()) {
    throw py::value_error("all worlds of a set are known in an enumerated graph only");
  }
  return graph.worlds_of(set);
}

void bind_errors(py::module_& module) {
  py::register_local_exception_translator([](std::exception_ptr error) {
    try {
      std::rethrow_exception(error);
    } catch (const OutOfTime& late) {
      py::set_error(PyExc_TimeoutError, late.what());
    }
  });
  py::register_local_exception<NoWorldFound>(module, "NoWorldFoundError", PyExc_ValueError);
}

}  // namespace

void bind_worlds(py::module_& module) {
  bind_errors(module);
  bind_games(module);
  bind_tables(module);
  py::class_<Graph, std::shared_ptr<Graph>> graph(module, "Graph", py::dynamic_attr());
  bind_tables_of(graph);
  graph
      .def(py::init([](const std::shared_ptr<Game>& game) -> std::shared_ptr<Graph> {
             return std::make_shared<SharedGraph>(game);
           }),
           "game"_a.none(false))
      .def_property_readonly("enumerated", &Graph::enumerated)
      .def_property_readonly("num_views", checked(&num_views))
      .def("enumerate_worlds", growing<int64_t>(&Graph::enumerate), "limit"_a)
      .def("resolve", checked(&resolve))
      .def("child", checked(&child), "world"_a, "edge"_a)
      .def("follow", growing<const History&>(&Graph::follow), "history"_a)
      .def("history", reading<WorldRow>(&Graph::history), "world"_a)
      .def("view_along", checked(&view_along), "history"_a, "player"_a, "to_move"_a)
      .def("set_of_view", reading<ViewRow>(&Graph::set_of_view), "view"_a)
      .def("find_view", checked(&find_view), "player"_a, "view"_a, "seconds"_a = py::none())
      .def("offer", checked(&offer), "player"_a, "view"_a, "history"_a)
      .def("offered", reading<SetRow>(&Graph::offered), "information_set"_a)
      .def("hidden", checked(&hidden), "information_set"_a)
      .def("branch", checked(&branch), "sample"_a, "branch"_a)
      .def("own_next", checked(&own_next), "information_set"_a, "action"_a)
      .def("unseen", checked(&unseen), "world"_a, "player"_a)
      .def("prior_weights", checked(&prior_weights), "sample"_a)
      .def("uniform_policy", checked(&uniform_policy), "information_set"_a)
      .def("whole_actions", growing<SetRow>(&Graph::whole_actions), "information_set"_a)
      .def("worlds_of", checked(&worlds_of), "information_set"_a)
      .def("path_to", checked(&path_to), "world"_a)
      .def("by_exchange", growing<SetRow>(&Graph::by_exchange), "information_set"_a)
      .def("ask", growing<SetRow>(&Graph::ask), "information_set"_a)
      .def("shown_views", checked([](Graph& graph) {
             const auto shown = growing<>(&Graph::shown_views);
             return copy_of(shown(graph));
           }))
      .def("log", of_view(&ViewTable::log), "view"_a)
      .def("of_log", checked(&of_log), "player"_a, "entries"_a)
      .def("view_hash", of_view(&ViewTable::hash), "view"_a);
}

}  // namespace nash_ismcts
