// Python's side of the forest: arenas, models, and searches of all sets of an enumerated game.

#include "../forest/forest.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../forest/everywhere.h"
#include "arrays.h"
#include "bindings.h"
#include "shared_graph.h"
#include "stop.h"

namespace nash_ismcts {

namespace {

std::vector<double> column(const Doubles& array, int64_t size, const char* name) {
  require_size(array, size, name);
  return {array.data(), array.data() + array.size()};
}

std::vector<int32_t> log(const TableArena& self, int32_t set, int32_t longest) {
  require_row(set, self.graph().information_sets.size(), "information set");
  if (longest < 1) throw py::value_error("longest must be at least 1");
  return self.log(set, longest);
}

uint64_t view_hash(const TableArena& self, int32_t view) {
  require_row(view, self.num_views(), "view");
  return self.view_hash(view);
}

std::vector<int32_t> worlds_of(const TableArena& self, int32_t view) {
  require_row(view, self.num_views(), "view");
  return {self.worlds_begin(view), self.worlds_begin(view) + self.world_count(view)};
}

// Beliefs over whole worlds from those over pieces: of the player who moves, 0 elsewhere. [W]
Doubles world_beliefs(Graph& graph, const Doubles& pieces) {
  require_readable(graph);
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
  auto models = std::make_shared<TableModels>();
  models->policy = column(policy, actions, "policy");
  models->child_values = column(child_values, actions, "child_values");
  models->values = column(values, entries, "values");
  models->beliefs = column(beliefs, entries, "beliefs");
  return models;
}

ForestSettings settings_of(double value_scale, double regret, double advantage_share, double blend,
                           const std::string& first_values, uint64_t seed) {
  const std::map<std::string, FirstValues> words{{"exact", FirstValues::kExact},
                                                 {"learned", FirstValues::kLearned},
                                                 {"rollouts", FirstValues::kRollouts}};
  const auto word = words.find(first_values);
  if (word == words.end()) throw py::value_error("unknown first_values " + first_values);
  if (!(value_scale > 0.0) || !(regret > 0.0)) {
    throw py::value_error("value_scale and regret must be positive");
  }
  return {value_scale, regret, advantage_share, blend, word->second, seed};
}

// A forest with its lock: one thread at a time thinks in it.
struct PyForest : SoftForest {
  PyForest(std::shared_ptr<TableArena> arena, std::shared_ptr<TableModels> models,
           const ForestSettings& settings)
      : SoftForest(arena, std::move(models), settings), arena(std::move(arena)) {}

  std::shared_ptr<TableArena> arena;
  std::atomic<bool> busy{false};
};

class Busy {
 public:
  explicit Busy(PyForest& forest) : forest_(forest) {
    if (forest_.busy.exchange(true)) {
      throw std::runtime_error("this forest is being searched by another thread");
    }
  }
  ~Busy() { forest_.busy = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  PyForest& forest_;
};

// Runs `visits` simulations, or as many as there is time for; returns how many.
int64_t think(PyForest& self, int32_t view, int32_t player, std::optional<int64_t> visits,
              std::optional<double> seconds) {
  const Busy busy(self);
  require_row(view, self.arena->num_views(), "view");
  require_row(player, self.arena->num_players(), "player");
  if (visits && *visits < 0) throw py::value_error("visits must not be negative");
  if (!visits && !seconds) throw py::value_error("think needs visits or seconds");
  const Reading reading(self.arena->graph());
  const Stop stop(seconds);
  const py::gil_scoped_release release;
  return self.think(view, player, visits.value_or(kUntilStopped), stop);
}

// Policy, advantages and simulations of each action of an information set.
py::tuple found(PyForest& self, int32_t set) {
  const Busy busy(self);
  require_row(set, self.arena->graph().information_sets.size(), "information set");
  const int32_t count = self.arena->graph().information_sets.action_count[set];
  py::array_t<double> policy(count), values(count);
  py::array_t<int64_t> visits(count);
  self.policy(set, policy.mutable_data());
  self.found(set, values.mutable_data(), visits.mutable_data());
  return py::make_tuple(policy, values, visits);
}

// What is played at every information set [A]; `report` is told how many sets are done.
py::array_t<double> forest_everywhere(const std::shared_ptr<TableArena>& arena,
                                      const std::shared_ptr<TableModels>& models,
                                      const ForestSettings& settings, int64_t visits,
                                      int32_t longest_log, const py::object& report) {
  if (visits < 1 || longest_log < 1) throw py::value_error("visits and longest_log are at least 1");
  py::array_t<double> policy(arena->graph().information_sets.num_actions());
  double* const data = policy.mutable_data();
  const Reading reading(arena->graph());
  const Stop stop(std::nullopt);
  const auto tell = [&](int64_t done) {
    stop();
    if (report.is_none()) return;
    const py::gil_scoped_acquire acquired;
    report(done);
  };
  const py::gil_scoped_release release;
  EverySearch(*arena, visits, longest_log, data, tell).run(SoftForest(arena, models, settings));
  return policy;
}

}  // namespace

void bind_forest(py::module_& module) {
  py::class_<TableArena, std::shared_ptr<TableArena>>(module, "TableArena")
      .def(py::init([](Graph& graph) {
             require_readable(graph);
             if (!graph.enumerated()) throw py::value_error("the graph is not enumerated");
             if (graph.game().facts().perfect_information) {
               throw py::value_error("nothing is hidden in " + graph.game().facts().name);
             }
             return std::make_shared<TableArena>(graph);
           }),
           py::arg("graph"), py::keep_alive<1, 2>())
      .def_property_readonly("num_views", &TableArena::num_views)
      .def_property_readonly("views", [](const TableArena& self) { return copy_of(self.views()); })
      .def("log", &log, py::arg("information_set"), py::arg("longest") = kLongestLog)
      .def("worlds_of", &worlds_of, py::arg("view"))
      .def("view_hash", &view_hash, py::arg("view"));
  module.def("world_beliefs", &world_beliefs, py::arg("graph"), py::arg("beliefs"));
  py::class_<TableModels, std::shared_ptr<TableModels>>(module, "TableModels")
      .def(py::init(&table_models), py::arg("arena"), py::arg("policy"), py::arg("child_values"),
           py::arg("values"), py::arg("beliefs"));
  py::class_<ForestSettings>(module, "ForestSettings")
      .def(py::init(&settings_of), py::arg("value_scale"), py::arg("regret"),
           py::arg("advantage_share"), py::arg("blend"), py::arg("first_values"), py::arg("seed"));
  py::class_<PyForest>(module, "SoftForest")
      .def(py::init<std::shared_ptr<TableArena>, std::shared_ptr<TableModels>,
                    const ForestSettings&>(),
           py::arg("arena"), py::arg("models"), py::arg("settings"))
      .def("think", &think, py::arg("view"), py::arg("player"), py::arg("visits"),
           py::arg("seconds") = py::none())
      .def("found", &found, py::arg("information_set"))
      .def_property_readonly("simulations", &PyForest::simulations)
      .def_property_readonly("temperature", &PyForest::temperature);
  module.def("forest_everywhere", &forest_everywhere, py::arg("arena"), py::arg("models"),
             py::arg("settings"), py::arg("visits"), py::arg("longest_log") = kLongestLog,
             py::arg("report") = py::none());
}

}  // namespace nash_ismcts
