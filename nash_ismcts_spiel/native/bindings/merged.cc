// Python's door to merged games: numbers are checked, other threads run meanwhile, Ctrl-C stops.
// Policies are one float64 per action of each view, in the order of `actions`.

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
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
#include "turn.h"

namespace nash_ismcts {
namespace {

constexpr double kPolicyTolerance = 1e-6;
constexpr auto kReportInterval = std::chrono::milliseconds(200);

// Told the fraction that is done, or None.
using Report = py::object;

// Looks for signals now and then, and passes on how much is done.
class Watch {
 public:
  explicit Watch(const Report& report) : report_(report) {}

  void operator()(double done) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kReportInterval) return;
    last_ = now;
    const py::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!report_.is_none()) report_(done);
  }

 private:
  const Report& report_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

PolicyKey key_named(const std::string& name) {
  if (name == "observation") return PolicyKey::kObservation;
  if (name == "information_state") return PolicyKey::kInformationState;
  throw py::value_error("key must be 'observation' or 'information_state', not '" + name + "'");
}

std::shared_ptr<MergedGame> merge(const std::shared_ptr<Game>& game, const std::string& key,
                                  int64_t max_nodes, const Report& report) {
  const PolicyKey kind = key_named(key);
  if (kind == PolicyKey::kInformationState && !game->facts().has_information_states) {
    throw py::value_error(game->facts().name + " has no information states to ask a policy by");
  }
  MergeLimits limits;
  limits.nodes = max_nodes;
  Watch watch(report);
  const MergeProgress progress = [&watch](double done) { watch(done); };
  const py::gil_scoped_release release;
  return std::make_shared<MergedGame>(merge_histories(*game, kind, limits, progress));
}

Doubles checked_policy(const MergedGame& game, const Doubles& policy) {
  require_size(policy, static_cast<int64_t>(game.actions.size()), "policy");
  for (size_t view = 0; view < game.views.size(); ++view) {
    double total = 0.0;
    for (int64_t at = game.first_action[view]; at < game.first_action[view + 1]; ++at) {
      if (!(policy.data()[at] >= 0.0)) {
        throw py::value_error("policy: view " + std::to_string(view) +
                              " has a negative or NaN probability");
      }
      total += policy.data()[at];
    }
    if (!(std::abs(total - 1.0) <= kPolicyTolerance)) {
      throw py::value_error("policy: the probabilities of view " + std::to_string(view) +
                            " add up to " + std::to_string(total) + ", not 1");
    }
  }
  return policy;
}

std::tuple<double, int64_t> best_response(const MergedGame& game, const Doubles& given,
                                          int32_t player, int64_t max_entries,
                                          int64_t max_information_sets, const Report& report) {
  const Doubles policy = checked_policy(game, given);
  require_row(player, game.num_players, "player");
  Watch watch(report);
  const MergeProgress progress = [&watch](double done) { watch(done); };
  const py::gil_scoped_release release;
  MergedResponse response(game, policy.data(), player, {max_entries, max_information_sets});
  const double value = response.value(progress);
  return {value, response.information_sets()};
}

std::vector<double> expected_utilities(const MergedGame& game, const Doubles& given) {
  const Doubles policy = checked_policy(game, given);
  const py::gil_scoped_release release;
  return game.expected_utilities(policy.data());
}

// A solver that one thread at a time may use: `run` works without the GIL.
class SharedMergedCfr {
 public:
  explicit SharedMergedCfr(const std::shared_ptr<MergedGame>& game) : solver_(game) {}

  void run(int64_t iterations) {
    if (iterations < 0) throw py::value_error("iterations must not be negative");
    const Turn turn(&busy_, "solver");
    const py::gil_scoped_release release;
    Stop stop;
    for (int64_t done = 0; done < iterations; ++done) {
      solver_.iterate();
      stop.look();
    }
  }

  py::array_t<double> average_policy() {
    const Turn turn(&busy_, "solver");
    return copy_of(solver_.average_policy());
  }

  int64_t iterations() {
    const Turn turn(&busy_, "solver");
    return solver_.iterations();
  }

 private:
  MergedCfr solver_;
  std::atomic<bool> busy_{false};
};

std::vector<double> column_of(const Doubles& array, const char* name) {
  for (py::ssize_t at = 0; at < array.size(); ++at) {
    if (!std::isfinite(array.data()[at])) {
      throw py::value_error(std::string(name) + " must be finite");
    }
  }
  return {array.data(), array.data() + array.size()};
}

// Sweeps are short, so they keep the GIL.
void bind_sweeps(py::module_& module) {
  py::class_<MergedSweeps>(module, "MergedSweeps")
      .def(py::init<std::shared_ptr<MergedGame>>(), py::arg("game").none(false))
      .def("sweep", &MergedSweeps::sweep, py::arg("step"), py::arg("temperature"),
           py::arg("weight"))
      .def("average_policy",
           [](const MergedSweeps& sweeps) { return copy_of(sweeps.average_policy()); })
      .def(
          "action_values",
          [](MergedSweeps& sweeps, const Doubles& policy) {
            return copy_of(sweeps.action_values(checked_policy(sweeps.game(), policy).data()));
          },
          py::arg("policy"))
      .def("state",
           [](const MergedSweeps& sweeps) {
             const MergedSweeps::State& state = sweeps.state();
             return std::make_tuple(copy_of(state.logits), copy_of(state.values),
                                    copy_of(state.sums));
           })
      .def(
          "restore",
          [](MergedSweeps& sweeps, const Doubles& logits, const Doubles& values,
             const Doubles& sums) {
            for (py::ssize_t at = 0; at < sums.size(); ++at) {
              if (sums.data()[at] < 0.0) throw py::value_error("sums must not be negative");
            }
            sweeps.restore({column_of(logits, "logits"), column_of(values, "values"),
                            column_of(sums, "sums")});
          },
          py::arg("logits"), py::arg("values"), py::arg("sums"));
}

// MO-ISMCTS once at every view, each with random numbers of its own: visit shares of all actions.
py::array_t<double> merged_ismcts(const std::shared_ptr<MergedGame>& game, int64_t simulations,
                                  double exploration, uint64_t seed, const Report& report) {
  if (simulations < 1) throw py::value_error("simulations must be at least 1");
  if (!(exploration >= 0.0)) throw py::value_error("exploration must not be negative");
  std::vector<double> policy(game->actions.size());
  Watch watch(report);
  {
    const py::gil_scoped_release release;
    MergedIsmcts search(game, exploration);
    const auto views = static_cast<int32_t>(game->views.size());
    for (int32_t view = 0; view < views; ++view) {
      search.search(view, simulations, seed, policy.data() + game->first_action[view]);
      watch(static_cast<double>(view + 1) / views);
    }
  }
  return copy_of(policy);
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

}  // namespace

void bind_merged(py::module_& module) {
  py::class_<MergedGame, std::shared_ptr<MergedGame>>(module, "MergedGame")
      .def(py::init(&merge), py::arg("game").none(false), py::arg("key"), py::arg("max_nodes"),
           py::arg("report") = py::none())
      .def_readonly("num_players", &MergedGame::num_players)
      .def_property_readonly("num_nodes", &MergedGame::num_nodes)
      .def_property_readonly("num_views", [](const MergedGame& g) { return g.views.size(); })
      .def_property_readonly("num_actions", [](const MergedGame& g) { return g.actions.size(); })
      .def_property_readonly("first_action",
                             [](const MergedGame& g) { return copy_of(g.first_action); })
      .def("view", &view_at, py::arg("number"))
      .def("terminal_histories", &MergedGame::terminal_histories)
      .def("expected_utilities", &expected_utilities, py::arg("policy"))
      .def("best_response", &best_response, py::arg("policy"), py::arg("player"),
           py::arg("max_entries"), py::arg("max_information_sets"), py::arg("report") = py::none());
  bind_sweeps(module);
  module.def("merged_ismcts", &merged_ismcts, py::arg("game").none(false), py::arg("simulations"),
             py::arg("exploration"), py::arg("seed"), py::arg("report") = py::none());
  py::class_<SharedMergedCfr>(module, "MergedCfr")
      .def(py::init<const std::shared_ptr<MergedGame>&>(), py::arg("game").none(false))
      .def("run", &SharedMergedCfr::run, py::arg("iterations"))
      .def("average_policy", &SharedMergedCfr::average_policy)
      .def_property_readonly("iterations", &SharedMergedCfr::iterations);
}

}  // namespace nash_ismcts
