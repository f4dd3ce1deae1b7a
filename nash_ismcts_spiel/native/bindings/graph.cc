// Python's side of games and their graphs: checks the numbers that come in and lets other threads
// run while a graph grows.

#include "../worlds/graph.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../worlds/game.h"
#include "../worlds/playout.h"
#include "arrays.h"
#include "bindings.h"
#include "columns.h"
#include "python_game.h"
#include "shared_graph.h"

namespace nash_ismcts {

namespace {

constexpr double kForever = 1e8;  // seconds that a clock can add up

// What is known already is answered without a guard: Python mostly walks where it has been.

int32_t child(Graph& graph, int64_t world, int64_t edge) {
  require_readable(graph);
  require_row(world, graph.worlds.size(), "world");
  require_row(edge, graph.worlds.edge_count[world], "edge");
  const int32_t known = graph.worlds.edge_child[graph.worlds.first_edge[world] + edge];
  if (known != kMissing) return known;
  const Growing growing(graph);
  return graph.child(static_cast<int32_t>(world), static_cast<int32_t>(edge));
}

int32_t hidden(Graph& graph, int64_t information_set) {
  require_readable(graph);
  require_row(information_set, graph.information_sets.size(), "information set");
  const int32_t known = graph.information_sets.hidden[information_set];
  if (known != kUnresolved) return known;
  const Growing growing(graph);
  return graph.hidden(static_cast<int32_t>(information_set));
}

int32_t branch(Graph& graph, int64_t sample, int64_t branch) {
  require_readable(graph);
  require_row(sample, graph.samples.size(), "SAMPLE node");
  require_row(branch, graph.samples.branch_count[sample], "branch");
  const int32_t known = graph.samples.target[graph.samples.first_branch[sample] + branch];
  if (known != kUnresolved && known != kDead) return known;
  const Growing growing(graph);
  return graph.branch(static_cast<int32_t>(sample), static_cast<int32_t>(branch));
}

int32_t own_next(Graph& graph, int64_t information_set, int64_t action) {
  require_readable(graph);
  const InformationSetTable& sets = graph.information_sets;
  require_row(information_set, sets.size(), "information set");
  require_row(action, sets.action_count[information_set], "action");
  const int32_t known = sets.own_next[sets.first_action[information_set] + action];
  if (known != kUnresolved) return known;
  const Growing growing(graph);
  return graph.own_next(static_cast<int32_t>(information_set), static_cast<int32_t>(action));
}

bool unseen(Graph& graph, int64_t world, int64_t player) {
  require_readable(graph);
  require_row(world, graph.worlds.size(), "world");
  require_row(player, graph.num_players, "player");
  const int32_t known = graph.worlds.unseen[world * graph.num_players + player];
  if (known != kUnresolved) return known == 1;
  const Growing growing(graph);
  return graph.unseen(static_cast<int32_t>(world), static_cast<int32_t>(player));
}

int32_t follow(Graph& graph, const History& history) {
  const Growing growing(graph);
  return graph.follow(history);
}

// In perfect information there is no table of views: a view is the number of a world.
void require_views(const Graph& graph) {
  require_readable(graph);
  if (graph.game().facts().perfect_information) {
    throw py::value_error("what players know in a game of perfect information is the history");
  }
}

int64_t num_views(const Graph& graph) {
  require_readable(graph);
  const bool perfect = graph.game().facts().perfect_information;
  return perfect ? graph.worlds.size() : graph.views().size();
}

// The table of views once `view` has been found in it.
const ViewTable& views_with(const Graph& graph, int64_t view) {
  require_views(graph);
  require_row(view, graph.views().size(), "view");
  return graph.views();
}

int32_t set_of_view(const Graph& graph, int64_t view) {
  require_row(view, num_views(graph), "view");
  return graph.set_of_view(static_cast<int32_t>(view));
}

int32_t view_along(Graph& graph, const History& history, int64_t player, bool to_move) {
  require_views(graph);
  require_row(player, graph.num_players, "player");
  const Growing growing(graph);
  return graph.view_along(history, static_cast<int32_t>(player), to_move);
}

int32_t find_view(Graph& graph, int64_t player, int64_t view, std::optional<double> seconds) {
  require_row(player, graph.num_players, "player");
  if (seconds && !(*seconds >= 0.0)) throw py::value_error("seconds must not be negative");
  const int32_t known = set_of_view(graph, view);
  if (known != kMissing) return known;
  require_views(graph);
  const Growing growing(graph);
  if (seconds && !SharedGraph::of(graph).settled()) {
    const std::chrono::duration<double> time(std::min(*seconds, kForever));
    graph.set_deadline(Clock::now() + std::chrono::duration_cast<Clock::duration>(time));
  }
  return graph.find(static_cast<int32_t>(player), static_cast<int32_t>(view));
}

std::vector<int32_t> offered(const Graph& graph, int64_t set) {
  require_readable(graph);
  require_row(set, graph.information_sets.size(), "information set");
  return graph.offered(static_cast<int32_t>(set));
}

int32_t offer(Graph& graph, int64_t player, int64_t view, const History& history) {
  require_row(player, graph.num_players, "player");
  require_row(view, num_views(graph), "view");
  require_views(graph);
  const Growing growing(graph);
  return graph.offer(static_cast<int32_t>(player), static_cast<int32_t>(view), history);
}

std::vector<std::pair<int32_t, int32_t>> path_to(Graph& graph, int64_t world) {
  require_readable(graph);
  require_row(world, graph.worlds.size(), "world");
  if (graph.worlds.kind[world] != kDecision) {
    throw py::value_error("nothing is hidden from anybody where nobody moves");
  }
  const Growing growing(graph);
  return graph.path_to(static_cast<int32_t>(world));
}

void ask(Graph& graph, int64_t set) {
  require_readable(graph);
  require_row(set, graph.information_sets.size(), "information set");
  const Growing growing(graph);
  graph.ask(static_cast<int32_t>(set));
}

bool by_exchange(Graph& graph, int64_t set) {
  require_readable(graph);
  require_row(set, graph.information_sets.size(), "information set");
  const Growing growing(graph);
  return graph.by_exchange(static_cast<int32_t>(set));
}

Ints shown_views(Graph& graph) {
  std::vector<int32_t> views;
  {
    const Growing growing(graph);
    views = graph.shown_views();
  }
  return Ints(static_cast<py::ssize_t>(views.size()), views.data());
}

void enumerate_worlds(Graph& graph, int64_t limit) {
  const Growing growing(graph);
  graph.enumerate(limit);
}

void resolve(Graph& graph) {
  if (SharedGraph::of(graph).settled()) return;
  require_readable(graph);
  if (!graph.enumerated()) {
    throw py::value_error("only an enumerated graph can be resolved as a whole");
  }
  {
    const Growing growing(graph);
    graph.resolve();
  }
  SharedGraph::of(graph).set_settled();
}

History history(const Graph& graph, int64_t world) {
  require_readable(graph);
  require_row(world, graph.worlds.size(), "world");
  return graph.history(static_cast<int32_t>(world));
}

std::vector<double> prior_weights(const Graph& graph, int64_t sample) {
  require_readable(graph);
  require_row(sample, graph.samples.size(), "SAMPLE node");
  std::vector<double> weights(graph.samples.branch_count[sample]);
  graph.prior_weights(static_cast<int32_t>(sample), weights.data());
  return weights;
}

std::vector<double> uniform_policy(const Graph& graph, int64_t information_set) {
  require_readable(graph);
  require_row(information_set, graph.information_sets.size(), "information set");
  std::vector<double> policy(graph.information_sets.action_count[information_set]);
  graph.uniform_policy(static_cast<int32_t>(information_set), policy.data());
  return policy;
}

std::vector<std::pair<Action, History>> whole_actions(Graph& graph, int64_t information_set) {
  require_readable(graph);
  require_row(information_set, graph.information_sets.size(), "information set");
  const Growing growing(graph);
  return graph.whole_actions(static_cast<int32_t>(information_set));
}

std::vector<int32_t> worlds_of(const Graph& graph, int64_t information_set) {
  require_readable(graph);
  require_row(information_set, graph.information_sets.size(), "information set");
  if (!graph.enumerated()) {
    throw py::value_error("all worlds of a set are known in an enumerated graph only");
  }
  return graph.worlds_of(static_cast<int32_t>(information_set));
}

int32_t of_log(Graph& graph, int64_t player, const std::vector<LogEntry>& entries) {
  require_views(graph);
  require_row(player, graph.num_players, "player");
  const Growing growing(graph);
  return graph.views().of_log(static_cast<int32_t>(player), entries);
}

// Plays random games, without the GIL where that can be.
template <typename Estimate>
double estimated(const Game& game, const Estimate& estimate) {
  std::optional<py::gil_scoped_release> release;
  if (!game.facts().needs_gil) release.emplace();
  return estimate();
}

void bind_game(py::module_& module) {
  py::class_<Game, std::shared_ptr<Game>>(module, "Game")
      .def_property_readonly("name", [](const Game& game) { return game.facts().name; })
      .def_property_readonly("num_players",
                             [](const Game& game) { return game.facts().num_players; })
      .def_property_readonly("perfect_information",
                             [](const Game& game) { return game.facts().perfect_information; })
      .def_property_readonly("has_information_states",
                             [](const Game& game) { return game.facts().has_information_states; })
      .def_property_readonly("has_own_view", &Game::has_own_view)
      .def_property_readonly("needs_gil", [](const Game& game) { return game.facts().needs_gil; })
      .def("sampled_value_scale",
           [](const Game& game) {
             return estimated(game, [&] { return sampled_value_scale(game); });
           })
      .def(
          "estimated_worlds",
          [](const Game& game, int32_t probes) {
            if (probes < 1) throw py::value_error("probes must be at least 1");
            return estimated(game, [&] { return estimated_worlds(game, probes); });
          },
          py::arg("probes"));
  module.def("python_game", &python_game, py::arg("pyspiel_game"), py::arg("name"),
             py::arg("num_players"), py::arg("perfect_information"),
             py::arg("has_information_states"));
}

}  // namespace

void bind_worlds(py::module_& module) {
  py::register_local_exception_translator([](std::exception_ptr error) {
    try {
      std::rethrow_exception(error);
    } catch (const OutOfTime& late) {
      py::set_error(PyExc_TimeoutError, late.what());
    }
  });
  py::register_local_exception<NoWorldFound>(module, "NoWorldFoundError", PyExc_ValueError);
  bind_game(module);
  bind_split_game(module);
  bind_tables(module);
  py::class_<Graph, std::shared_ptr<Graph>> graph(module, "Graph", py::dynamic_attr());
  bind_tables_of(graph);
  graph
      .def(py::init([](const std::shared_ptr<Game>& game) -> std::shared_ptr<Graph> {
             return std::make_shared<SharedGraph>(game);
           }),
           py::arg("game").none(false))
      .def_property_readonly("enumerated", &Graph::enumerated)
      .def("enumerate_worlds", &enumerate_worlds, py::arg("limit"))
      .def("resolve", &resolve)
      .def("child", &child, py::arg("world"), py::arg("edge"))
      .def("follow", &follow, py::arg("history"))
      .def("history", &history, py::arg("world"))
      .def("view_along", &view_along, py::arg("history"), py::arg("player"), py::arg("to_move"))
      .def("set_of_view", &set_of_view, py::arg("view"))
      .def("find_view", &find_view, py::arg("player"), py::arg("view"),
           py::arg("seconds") = py::none())
      .def("offer", &offer, py::arg("player"), py::arg("view"), py::arg("history"))
      .def("offered", &offered, py::arg("information_set"))
      .def("hidden", &hidden, py::arg("information_set"))
      .def("branch", &branch, py::arg("sample"), py::arg("branch"))
      .def("own_next", &own_next, py::arg("information_set"), py::arg("action"))
      .def("unseen", &unseen, py::arg("world"), py::arg("player"))
      .def("prior_weights", &prior_weights, py::arg("sample"))
      .def("uniform_policy", &uniform_policy, py::arg("information_set"))
      .def("whole_actions", &whole_actions, py::arg("information_set"))
      .def("worlds_of", &worlds_of, py::arg("information_set"))
      .def("path_to", &path_to, py::arg("world"))
      .def("by_exchange", &by_exchange, py::arg("information_set"))
      .def("ask", &ask, py::arg("information_set"))
      .def("shown_views", &shown_views)
      .def(
          "log",
          [](const Graph& self, int64_t view) {
            return views_with(self, view).log(static_cast<int32_t>(view));
          },
          py::arg("view"))
      .def("of_log", &of_log, py::arg("player"), py::arg("entries"))
      .def(
          "view_parent",
          [](const Graph& self, int64_t view) {
            return views_with(self, view).parent(static_cast<int32_t>(view));
          },
          py::arg("view"))
      .def(
          "view_action",
          [](const Graph& self, int64_t view) {
            return views_with(self, view).action(static_cast<int32_t>(view));
          },
          py::arg("view"))
      .def(
          "view_hash",
          [](const Graph& self, int64_t view) {
            return views_with(self, view).hash(static_cast<int32_t>(view));
          },
          py::arg("view"))
      .def_property_readonly("num_views", &num_views);
}

}  // namespace nash_ismcts
