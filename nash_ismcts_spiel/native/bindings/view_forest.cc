// Python's side of the search over views: arenas, models, forests, and searches at many views.

#include "../forest/view_forest.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../forest/every_view.h"
#include "arrays.h"
#include "bindings.h"
#include "stop.h"
#include "thinking.h"

namespace nash_ismcts {

namespace {

std::shared_ptr<ViewModels> view_models(const ViewArena& arena, const Doubles& policy) {
  require_size(policy, static_cast<int64_t>(arena.game().actions.size()), "policy");
  std::vector<double> given(policy.data(), policy.data() + policy.size());
  const py::gil_scoped_release release;
  return std::make_shared<ViewModels>(arena, std::move(given));
}

// Throws if a permutation lacks an action of the game.
void require_cells(const MergedGame& game, const ViewSymmetries::Cells& cells) {
  for (const Action action : game.actions) {
    if (action >= static_cast<Action>(cells.size())) {
      throw py::value_error("a symmetry must say where each action goes");
    }
  }
}

// Throws where searches do not come, as they turn the view to another one.
void require_standard(const ViewArena& arena, int32_t view) {
  require_row(view, arena.num_views(), "view");
  if (!arena.is_standard(view)) {
    throw py::value_error("view " + std::to_string(view) + " is not a standard one");
  }
}

std::vector<int32_t> log(const ViewModels& models, const ViewArena& arena, int32_t view) {
  require_standard(arena, view);
  return likeliest_log(arena, models, view);
}

std::vector<int32_t> nodes_of_look(const ViewArena& arena, int32_t look) {
  require_row(look, arena.num_looks(), "look");
  const NodeRange nodes = arena.nodes_of_look(look);
  return {nodes.begin(), nodes.end()};
}

// A forest with its lock: one thread at a time thinks in it.
struct PyViewForest : ViewForest {
  PyViewForest(std::shared_ptr<ViewArena> arena, std::shared_ptr<ViewModels> models,
               const ForestSettings& settings)
      : ViewForest(arena, std::move(models), settings), arena(std::move(arena)) {}

  std::shared_ptr<ViewArena> arena;
  std::atomic<bool> busy{false};
};

int64_t think(PyViewForest& self, int32_t look, int32_t player, std::optional<int64_t> visits,
              std::optional<double> seconds) {
  const Busy<PyViewForest> busy(self);
  require_row(look, self.arena->num_looks(), "look");
  require_row(player, self.arena->num_players(), "player");
  check_budget(visits, seconds);
  const Stop stop(seconds);
  const py::gil_scoped_release release;
  return self.think(look, player, visits.value_or(kUntilStopped), stop);
}

// Policy, advantages and simulations of each action of a view.
py::tuple found(PyViewForest& self, int32_t view) {
  const Busy<PyViewForest> busy(self);
  require_standard(*self.arena, view);
  const int32_t count = self.arena->action_count(view);
  py::array_t<double> policy(count), advantages(count);
  py::array_t<int64_t> visits(count);
  self.policy(view, policy.mutable_data());
  self.found(view, advantages.mutable_data(), visits.mutable_data());
  return py::make_tuple(policy, advantages, visits);
}

// What is played at some views, P at the others; `report` is told how many are done.
py::array_t<double> forest_at_views(const std::shared_ptr<ViewArena>& arena,
                                    const std::shared_ptr<ViewModels>& models,
                                    const ForestSettings& settings, int64_t visits,
                                    const std::vector<int32_t>& views, const py::object& report) {
  if (visits < 1) throw py::value_error("visits must be at least 1");
  for (const int32_t view : views) require_standard(*arena, view);
  py::array_t<double> policy = copy_of(models->policy);
  double* const data = policy.mutable_data();
  const Stop stop(std::nullopt);
  int64_t told = -1;
  const auto tell = [&](int64_t done) {
    stop();
    if (report.is_none() || done == told) return;
    told = done;
    const py::gil_scoped_acquire acquired;
    report(done);
  };
  const py::gil_scoped_release release;
  ViewForest forest(arena, models, settings);
  EveryView(*arena, *models, views, visits, data, tell).run(forest);
  return policy;
}

}  // namespace

void bind_view_forest(py::module_& module) {
  py::class_<ViewArena, std::shared_ptr<ViewArena>>(module, "ViewArena")
      .def(py::init([](const std::shared_ptr<MergedGame>& game,
                       const std::vector<ViewSymmetries::Cells>& candidates) {
             for (const ViewSymmetries::Cells& cells : candidates) require_cells(*game, cells);
             return std::make_shared<ViewArena>(game, candidates);
           }),
           py::arg("game").none(false), py::arg("candidates"))
      .def("nodes_of_look", &nodes_of_look, py::arg("look"))
      .def("look_of_view", &ViewArena::look_of_view, py::arg("view"))
      .def("look", &ViewArena::look, py::arg("node"), py::arg("player"))
      .def_property_readonly("view", [](const ViewArena& a) { return copy_of(a.view); })
      .def_property_readonly("standard_view",
                             [](const ViewArena& a) { return copy_of(a.symmetries().view); })
      .def_property_readonly("standard_action",
                             [](const ViewArena& a) { return copy_of(a.symmetries().action); })
      .def_property_readonly("alike",
                             [](const ViewArena& a) { return copy_of(a.symmetries().alike); })
      .def_property_readonly("first_edge", [](const ViewArena& a) { return copy_of(a.first_edge); })
      .def_property_readonly("child", [](const ViewArena& a) { return copy_of(a.child); })
      .def_property_readonly("first_parent",
                             [](const ViewArena& a) { return copy_of(a.first_parent); })
      .def_property_readonly("parent", [](const ViewArena& a) { return copy_of(a.parent); })
      .def_property_readonly("parent_action",
                             [](const ViewArena& a) { return copy_of(a.parent_action); });
  py::class_<ViewModels, std::shared_ptr<ViewModels>>(module, "ViewModels")
      .def(py::init(&view_models), py::arg("arena"), py::arg("policy"))
      .def("log", &log, py::arg("arena"), py::arg("view"))
      .def_readonly("regret", &ViewModels::regret)
      .def_property_readonly("values", [](const ViewModels& m) { return copy_of(m.values); })
      .def_property_readonly("reach", [](const ViewModels& m) { return copy_of(m.reach); })
      .def_property_readonly("shares", [](const ViewModels& m) { return copy_of(m.shares); })
      .def_property_readonly("child_values",
                             [](const ViewModels& m) { return copy_of(m.child_values); });
  py::class_<PyViewForest>(module, "ViewForest")
      .def(py::init<std::shared_ptr<ViewArena>, std::shared_ptr<ViewModels>,
                    const ForestSettings&>(),
           py::arg("arena"), py::arg("models"), py::arg("settings"))
      .def("think", &think, py::arg("look"), py::arg("player"), py::arg("visits"),
           py::arg("seconds") = py::none())
      .def("found", &found, py::arg("view"))
      .def_property_readonly("simulations", &PyViewForest::simulations)
      .def_property_readonly("temperature", &PyViewForest::temperature);
  module.def("forest_at_views", &forest_at_views, py::arg("arena"), py::arg("models"),
             py::arg("settings"), py::arg("visits"), py::arg("views"),
             py::arg("report") = py::none());
}

}  // namespace nash_ismcts
