// Python's door to merged games and what is computed about their views. Policies are one float64
// per action of each view, in the order of `actions`.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "../exact/merged_cfr.h"
#include "../exact/merged_response.h"
#include "../exact/merged_sweeps.h"
#include "../solvers/merged_ismcts.h"
#include "../worlds/merged_game.h"
#include "arrays.h"
#include "bindings.h"
#include "checked.h"
#include "solver.h"
#include "stop.h"

namespace nash_ismcts {
namespace {

using GamePointer = std::shared_ptr<MergedGame>;

// Tells the fraction that is done, if somebody wants to know.
MergeProgress progress_to(const py::object& report) {
  return [stop = Stop(std::nullopt, report)](double done) { stop(done); };
}

GamePointer merge(const std::shared_ptr<Game>& game, const std::string& key, int64_t max_nodes,
                  const py::object& report) {
  const auto kind = meant<PolicyKey>("key", key,
                                     {{"observation", PolicyKey::kObservation},
                                      {"information_state", PolicyKey::kInformationState}});
  if (kind == PolicyKey::kInformationState && !game->facts().has_information_states) {
    throw py::value_error(game->facts().name + " has no information states to ask a policy by");
  }
  MergeLimits limits;
  limits.nodes = max_nodes;
  const MergeProgress progress = progress_to(report);
  const py::gil_scoped_release release;
  return std::make_shared<MergedGame>(merge_histories(*game, kind, limits, progress));
}

const double* checked_policy(const MergedGame& game, const Doubles& policy) {
  require_size(policy, static_cast<int64_t>(game.actions.size()), "policy");
  for (size_t view = 0; view < game.views.size(); ++view) {
    require_distribution(policy.data() + game.first_action[view],
                         policy.data() + game.first_action[view + 1],
                         "view " + std::to_string(view));
  }
  return policy.data();
}

std::tuple<double, int64_t> best_response(const MergedGame& game, const Doubles& given,
                                          int32_t player, int64_t max_entries,
                                          int64_t max_information_sets, const py::object& report) {
  const double* const policy = checked_policy(game, given);
  require_row(player, game.num_players, "player");
  const MergeProgress progress = progress_to(report);
  const py::gil_scoped_release release;
  MergedResponse response(game, policy, player, {max_entries, max_information_sets});
  const double value = response.value(progress);
  return {value, response.information_sets()};
}

std::vector<double> expected_utilities(const MergedGame& game, const Doubles& given) {
  const double* const policy = checked_policy(game, given);
  const py::gil_scoped_release release;
  return game.expected_utilities(policy);
}

// A view as (player, key, legal actions, first history, last history).
std::tuple<int32_t, std::string, std::vector<Action>, History, History> view_at(
    const MergedGame& game, int64_t number) {
  require_row(number, static_cast<int64_t>(game.views.size()), "view");
  const MergedView& view = game.views[number];
  const auto legal = game.actions.begin();
  return {view.player,
          view.key,
          {legal + game.first_action[number], legal + game.first_action[number + 1]},
          game.first_history(view.first_node),
          game.last_history(view.last_node)};
}

// MO-ISMCTS once at every view, each with random numbers of its own: visit shares of all actions.
py::array_t<double> merged_ismcts(const GamePointer& game, int64_t simulations, double exploration,
                                  uint64_t seed, const py::object& report) {
  if (simulations < 1) throw py::value_error("simulations must be at least 1");
  require_not_negative(exploration, "exploration");
  const MergeProgress progress = progress_to(report);
  const auto actions = static_cast<py::ssize_t>(game->actions.size());
  return filled<double>({actions}, [&](double* policy) {
    MergedIsmcts search(game, exploration);
    const auto views = static_cast<int32_t>(game->views.size());
    for (int32_t view = 0; view < views; ++view) {
      search.search(view, simulations, seed, policy + game->first_action[view]);
      progress(static_cast<double>(view + 1) / views);
    }
  });
}

void restore(MergedSweeps& sweeps, const Doubles& logits, const Doubles& values,
             const Doubles& sums) {
  require_finite(logits, "logits");
  require_finite(values, "values");
  require_finite(sums, "sums");
  if (std::any_of(sums.data(), sums.data() + sums.size(), [](double sum) { return sum < 0.0; })) {
    throw py::value_error("sums must not be negative");
  }
  sweeps.restore({vector_of(logits), vector_of(values), vector_of(sums)});
}

// Sweeps are short, so they keep the GIL.
void bind_sweeps(py::module_& module) {
  py::class_<MergedSweeps>(module, "MergedSweeps")
      .def(py::init<GamePointer>(), "game"_a.none(false))
      .def("sweep", &MergedSweeps::sweep, "step"_a, "temperature"_a, "weight"_a)
      .def("average_policy",
           [](const MergedSweeps& self) { return copy_of(self.average_policy()); })
      .def(
          "action_values",
          [](MergedSweeps& self, const Doubles& policy) {
            return copy_of(self.action_values(checked_policy(self.game(), policy)));
          },
          "policy"_a)
      .def("state",
           [](const MergedSweeps& self) {
             const MergedSweeps::State& state = self.state();
             return py::make_tuple(copy_of(state.logits), copy_of(state.values),
                                   copy_of(state.sums));
           })
      .def("restore", &restore, "logits"_a, "values"_a, "sums"_a);
}

}  // namespace

void bind_merged(py::module_& module) {
  py::class_<MergedGame, GamePointer> type(module, "MergedGame");
  type.def(py::init(&merge), "game"_a.none(false), "key"_a, "max_nodes"_a, "report"_a = py::none())
      .def_readonly("num_players", &MergedGame::num_players)
      .def_property_readonly("num_nodes", &MergedGame::num_nodes)
      .def_property_readonly("num_views", [](const MergedGame& g) { return g.views.size(); })
      .def_property_readonly("num_actions", [](const MergedGame& g) { return g.actions.size(); })
      .def("view", &view_at, "number"_a)
      .def("terminal_histories", &MergedGame::terminal_histories)
      .def("expected_utilities", &expected_utilities, "policy"_a)
      .def("best_response", &best_response, "policy"_a, "player"_a, "max_entries"_a,
           "max_information_sets"_a, "report"_a = py::none());
  Copies(type).column("first_action", &MergedGame::first_action);
  bind_sweeps(module);
  module.def("merged_ismcts", &merged_ismcts, "game"_a.none(false), "simulations"_a,
             "exploration"_a, "seed"_a, "report"_a = py::none());
  bind_solver<MergedCfr>(module, "MergedCfr")
      .def(py::init<const GamePointer&>(), "game"_a.none(false))
      .def("run", checked(&iterate<MergedCfr>), "iterations"_a);
}

}  // namespace nash_ismcts
