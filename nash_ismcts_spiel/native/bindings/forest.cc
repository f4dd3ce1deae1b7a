// Python's side of the search with soft ties: arenas and models of enumerated and of merged games,
// forests in which one thinks, and searches everywhere.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../forest/everywhere.h"
#include "../forest/forest.h"
#include "../forest/view_forest.h"
#include "arrays.h"
#include "bindings.h"
#include "checked.h"
#include "stop.h"

namespace nash_ismcts {

namespace {

using TableArenaPointer = std::shared_ptr<TableArena>;
using ViewArenaPointer = std::shared_ptr<ViewArena>;

// What differs between the arenas: which rows are decision points, which are asked for a policy,
// and who else might change them.
int32_t point_of(const TableArena& arena, int64_t view) {
  return require_row(view, arena.num_views(), "view");
}
int32_t point_of(const ViewArena& arena, int64_t look) {
  return require_row(look, arena.num_looks(), "look");
}
int32_t place_of(const TableArena& arena, int64_t set) {
  return checked_row(arena.graph(), Kind::kSet, set);
}
// Searches turn a view to its standard one.
int32_t place_of(const ViewArena& arena, int64_t given) {
  const int32_t view = require_row(given, arena.num_views(), "view");
  if (!arena.is_standard(view)) {
    throw py::value_error("view " + std::to_string(view) + " is not a standard one");
  }
  return view;
}
int32_t actions_at(const TableArena& arena, int32_t set) {
  return arena.graph().information_sets.action_count[set];
}
int32_t actions_at(const ViewArena& arena, int32_t view) { return arena.action_count(view); }
Guard reading_of(const TableArena& arena) { return SharedGraph::of(arena.graph()).reading(); }
Guard reading_of(const ViewArena&) { return nullptr; }  // never changes

TableArenaPointer table_arena(Graph& graph) {
  require_readable(graph);
  if (!graph.enumerated()) throw py::value_error("the graph is not enumerated");
  if (graph.game().facts().perfect_information) {
    throw py::value_error("nothing is hidden in " + graph.game().facts().name);
  }
  return std::make_shared<TableArena>(graph);
}

std::vector<int32_t> log_of_set(const TableArena& self, int64_t set, int32_t longest) {
  if (longest < 1) throw py::value_error("longest must be at least 1");
  return self.log(place_of(self, set), longest);
}

std::vector<int32_t> worlds_of(const TableArena& self, int64_t given) {
  const int32_t view = point_of(self, given);
  return {self.worlds_begin(view), self.worlds_begin(view) + self.world_count(view)};
}

// Beliefs over whole worlds from those over pieces: of the player who moves, 0 elsewhere. [W]
Doubles world_beliefs(Graph& graph, const Doubles& pieces) {
  require_size(pieces, graph.samples.num_branches(), "beliefs");
  Doubles found(graph.worlds.size());
  double* const belief = found.mutable_data();
  std::fill_n(belief, graph.worlds.size(), 0.0);
  std::vector<std::pair<int32_t, double>> pending;
  for (int32_t set = 0; set < graph.information_sets.size(); ++set) {
    pending.emplace_back(graph.hidden(set), 1.0);
    while (!pending.empty()) {
      const auto [target, weight] = pending.back();
      pending.pop_back();
      if (target >= 0) belief[target] += weight;
      if (target >= 0 || target == kDead) continue;
      const int64_t first = graph.samples.first_branch[~target];
      for (int32_t branch = 0; branch < graph.samples.branch_count[~target]; ++branch) {
        pending.emplace_back(graph.branch(~target, branch), weight * pieces.data()[first + branch]);
      }
    }
  }
  return found;
}

std::shared_ptr<TableModels> table_models(const TableArena& arena, const Doubles& policy,
                                          const Doubles& child_values, const Doubles& values,
                                          const Doubles& beliefs) {
  const int64_t actions = arena.graph().information_sets.num_actions();
  const int64_t entries = arena.num_worlds() * arena.num_players();
  return std::make_shared<TableModels>(TableModels{
      column_of(policy, actions, "policy"), column_of(child_values, actions, "child_values"),
      column_of(values, entries, "values"), column_of(beliefs, entries, "beliefs")});
}

ViewArenaPointer view_arena(const std::shared_ptr<MergedGame>& game,
                            const std::vector<ViewSymmetries::Cells>& candidates) {
  for (const ViewSymmetries::Cells& cells : candidates) {
    for (const Action action : game->actions) {
      if (action >= static_cast<Action>(cells.size())) {
        throw py::value_error("a symmetry must say where each action goes");
      }
    }
  }
  return std::make_shared<ViewArena>(game, candidates);
}

std::shared_ptr<ViewModels> view_models(const ViewArena& arena, const Doubles& policy) {
  const auto actions = static_cast<int64_t>(arena.game().actions.size());
  std::vector<double> given = column_of(policy, actions, "policy");
  const py::gil_scoped_release release;
  return std::make_shared<ViewModels>(arena, std::move(given));
}

std::vector<int32_t> nodes_of_look(const ViewArena& arena, int64_t look) {
  const NodeRange nodes = arena.nodes_of_look(point_of(arena, look));
  return {nodes.begin(), nodes.end()};
}

ForestSettings settings_of(double value_scale, double regret, double own_share, double others_share,
                           double blend, const std::string& first_values, uint64_t seed) {
  if (!(value_scale > 0.0) || !(regret > 0.0)) {
    throw py::value_error("value_scale and regret must be positive");
  }
  const auto first = meant<FirstValues>("first_values", first_values,
                                        {{"exact", FirstValues::kExact},
                                         {"learned", FirstValues::kLearned},
                                         {"rollouts", FirstValues::kRollouts}});
  return {value_scale, regret, own_share, others_share, blend, first, seed};
}

// A forest with its arena, in which one thread at a time thinks.
template <typename AnyForest, typename AnyArena, typename AnyModels>
struct PyForest : AnyForest, Shared {
  using Arena = AnyArena;
  using Models = AnyModels;

  PyForest(const std::shared_ptr<Arena>& arena, const std::shared_ptr<Models>& models,
           const ForestSettings& settings)
      : AnyForest(arena, models, settings),
        Shared("this forest is being searched by another thread"),
        arena(arena) {}

  std::shared_ptr<Arena> arena;
};
using PySoftForest = PyForest<SoftForest, TableArena, TableModels>;
using PyViewForest = PyForest<ViewForest, ViewArena, ViewModels>;

// Runs `visits` simulations, or as many as there is time for; returns how many.
template <typename Forest>
int64_t think(Forest& self, int64_t point, int64_t player, std::optional<int64_t> visits,
              std::optional<double> seconds) {
  const int32_t at = point_of(*self.arena, point);
  const int32_t thinker = require_row(player, self.arena->num_players(), "player");
  if (!visits && !seconds) throw py::value_error("think needs visits or seconds");
  if (visits) require_not_negative(*visits, "visits");
  const Guard reading = reading_of(*self.arena);
  const Stop stop(seconds);
  const py::gil_scoped_release release;
  return self.think(at, thinker, visits.value_or(kUntilStopped), [&stop] { return stop(); });
}

// Policy, advantages and simulations of each action of an information set or view.
template <typename Forest>
py::tuple found(Forest& self, int64_t given) {
  const int32_t place = place_of(*self.arena, given);
  const int32_t count = actions_at(*self.arena, place);
  py::array_t<double> policy(count), advantages(count);
  py::array_t<int64_t> visits(count);
  self.policy(place, policy.mutable_data());
  self.found(place, advantages.mutable_data(), visits.mutable_data());
  return py::make_tuple(policy, advantages, visits);
}

template <typename Forest>
void bind_forest_class(py::module_& module, const char* name, const char* point,
                       const char* place) {
  py::class_<Forest>(module, name)
      .def(py::init<const std::shared_ptr<typename Forest::Arena>&,
                    const std::shared_ptr<typename Forest::Models>&, const ForestSettings&>(),
           "arena"_a, "models"_a, "settings"_a)
      .def("think", checked(&think<Forest>), py::arg(point), "player"_a, "visits"_a,
           "seconds"_a = py::none())
      .def("found", checked(&found<Forest>), py::arg(place))
      .def_property_readonly("simulations",
                             checked([](const Forest& self) { return self.simulations(); }))
      .def_property_readonly("temperature",
                             checked([](const Forest& self) { return self.temperature(); }));
}

// Thinks at many places and writes what is played there; `report` is told how many are done.
template <typename Forest>
void think_everywhere(Forest forest, std::vector<Asked> asked, int64_t visits, double* policy,
                      const py::object& report) {
  const Stop stop(std::nullopt, report);
  const py::gil_scoped_release release;
  Everywhere<Forest>(std::move(asked), visits, policy, [&stop](int64_t done) {
    stop(done);
  }).run(forest);
}

// What is played at every information set. [A]
py::array_t<double> forest_everywhere(const TableArenaPointer& arena,
                                      const std::shared_ptr<TableModels>& models,
                                      const ForestSettings& settings, int64_t visits,
                                      int32_t longest_log, const py::object& report) {
  if (visits < 1 || longest_log < 1) throw py::value_error("visits and longest_log are at least 1");
  py::array_t<double> policy(arena->graph().information_sets.num_actions());
  const Guard reading = reading_of(*arena);
  think_everywhere(SoftForest(arena, models, settings), every_set(*arena, longest_log), visits,
                   policy.mutable_data(), report);
  return policy;
}

// What is played at some views, P at the others. [A]
py::array_t<double> forest_at_views(const ViewArenaPointer& arena,
                                    const std::shared_ptr<ViewModels>& models,
                                    const ForestSettings& settings, int64_t visits,
                                    const std::vector<int32_t>& views, const py::object& report) {
  if (visits < 1) throw py::value_error("visits must be at least 1");
  for (const int32_t view : views) place_of(*arena, view);
  py::array_t<double> policy = copy_of(models->policy);
  think_everywhere(ViewForest(arena, models, settings), some_views(*arena, *models, views), visits,
                   policy.mutable_data(), report);
  return policy;
}

void bind_table_arena(py::module_& module) {
  py::class_<TableArena, TableArenaPointer> arena(module, "TableArena");
  arena.def(py::init(&table_arena), "graph"_a, py::keep_alive<1, 2>())
      .def_property_readonly("num_views", &TableArena::num_views)
      .def_property_readonly("views", [](const TableArena& self) { return copy_of(self.views()); })
      .def("log", &log_of_set, "information_set"_a, "longest"_a = kLongestLog)
      .def("worlds_of", &worlds_of, "view"_a)
      .def(
          "view_hash",
          [](const TableArena& self, int64_t view) { return self.view_hash(point_of(self, view)); },
          "view"_a);
  module.def("world_beliefs", checked(&world_beliefs), "graph"_a, "beliefs"_a);
  py::class_<TableModels, std::shared_ptr<TableModels>>(module, "TableModels")
      .def(py::init(&table_models), "arena"_a, "policy"_a, "child_values"_a, "values"_a,
           "beliefs"_a);
}

void bind_view_arena(py::module_& module) {
  py::class_<ViewArena, ViewArenaPointer> arena(module, "ViewArena");
  const auto symmetric = [](auto column) {
    return [column](const ViewArena& self) { return copy_of(self.symmetries().*column); };
  };
  arena.def(py::init(&view_arena), "game"_a.none(false), "candidates"_a)
      .def_property_readonly("standard_view", symmetric(&ViewSymmetries::view))
      .def_property_readonly("standard_action", symmetric(&ViewSymmetries::action))
      .def_property_readonly("alike", symmetric(&ViewSymmetries::alike))
      .def("nodes_of_look", &nodes_of_look, "look"_a)
      .def("look_of_view", &ViewArena::look_of_view, "view"_a)
      .def("look", &ViewArena::look, "node"_a, "player"_a);
  Copies(arena)
      .column("view", &ViewArena::view)
      .column("first_edge", &ViewArena::first_edge)
      .column("child", &ViewArena::child)
      .column("first_parent", &ViewArena::first_parent)
      .column("parent", &ViewArena::parent)
      .column("parent_action", &ViewArena::parent_action);
  py::class_<ViewModels, std::shared_ptr<ViewModels>> models(module, "ViewModels");
  models.def(py::init(&view_models), "arena"_a, "policy"_a)
      .def(
          "log",
          [](const ViewModels& self, const ViewArena& arena, int64_t view) {
            return likeliest_log(arena, self, place_of(arena, view));
          },
          "arena"_a, "view"_a)
      .def_readonly("regret", &ViewModels::regret);
  Copies(models)
      .column("values", &ViewModels::values)
      .column("reach", &ViewModels::reach)
      .column("shares", &ViewModels::shares)
      .column("child_values", &ViewModels::child_values);
}

}  // namespace

void bind_forest(py::module_& module) {
  bind_table_arena(module);
  bind_view_arena(module);
  py::class_<ForestSettings>(module, "ForestSettings")
      .def(py::init(&settings_of), "value_scale"_a, "regret"_a, "own_share"_a, "others_share"_a,
           "blend"_a, "first_values"_a, "seed"_a);
  bind_forest_class<PySoftForest>(module, "SoftForest", "view", "information_set");
  bind_forest_class<PyViewForest>(module, "ViewForest", "look", "view");
  module.def("forest_everywhere", &forest_everywhere, "arena"_a, "models"_a, "settings"_a,
             "visits"_a, "longest_log"_a = kLongestLog, "report"_a = py::none());
  module.def("forest_at_views", &forest_at_views, "arena"_a, "models"_a, "settings"_a, "visits"_a,
             "views"_a, "report"_a = py::none());
}

}  // namespace nash_ismcts
