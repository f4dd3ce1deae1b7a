// Python's door to the exact tools and to what learns on an enumerated graph. Policies come and go
// as one float64 per action, in the graph's order.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../exact/cfr.h"
#include "../exact/compiled_graph.h"
#include "../exact/exact.h"
#include "../exact/exact_rows.h"
#include "../solvers/episodes.h"
#include "arrays.h"
#include "bindings.h"
#include "checked.h"
#include "held.h"
#include "solver.h"

namespace nash_ismcts {
namespace {

using GraphPointer = std::shared_ptr<CompiledGraph>;

constexpr int64_t kGamesPerLook = 64;  // a clock takes as long as a short game

GraphPointer compiled(const Graph& graph) {
  const Guard reading = SharedGraph::of(graph).reading();
  const py::gil_scoped_release release;
  return std::make_shared<CompiledGraph>(compile(graph));
}

int32_t checked_player(const CompiledGraph& graph, int64_t player) {
  if (player < 0 || player >= graph.num_players) {
    throw py::value_error("player must be between 0 and " + std::to_string(graph.num_players - 1) +
                          ", not " + std::to_string(player));
  }
  return static_cast<int32_t>(player);
}

// A policy of Python's, checked: by action, and by sequence.
struct Policy {
  Policy(const CompiledGraph& graph, const py::object& object) : table(graph.num_sequences, 1.0) {
    if (!py::isinstance<py::array_t<double>>(object)) {
      throw py::type_error("policy must be a numpy array of float64, one per action");
    }
    array = Doubles::ensure(object);
    if (!array) throw py::error_already_set();
    if (array.ndim() != 1 || array.size() != graph.num_actions()) {
      throw py::value_error("policy must have one entry per action, shape (" +
                            std::to_string(graph.num_actions()) + ",), not " +
                            std::string(py::str(array.attr("shape"))));
    }
    for (int64_t set = 0; set < graph.num_information_sets(); ++set) {
      require_distribution(data() + graph.first_action[set], data() + graph.first_action[set + 1],
                           "information set " + std::to_string(set));
    }
    for (int64_t action = 0; action < graph.num_actions(); ++action) {
      table[graph.action_sequence[action]] = data()[action];
    }
  }

  const double* data() const { return array.data(); }

  Doubles array;
  SequenceTable table;
};

py::array_t<double> expected_utilities(const CompiledGraph& graph, const py::object& given) {
  const Policy policy(graph, given);
  return filled<double>({graph.num_worlds(), graph.num_players}, [&](double* values) {
    fill_expected_utilities(graph, policy.table, values);
  });
}

// How likely each information set's player is to reach it if only its own moves count. [I]
py::array_t<double> own_reach_of_sets(const CompiledGraph& graph, const py::object& given) {
  const SequenceTable reach = own_reach(graph, Policy(graph, given).table);
  return filled<double>({graph.num_information_sets()}, [&](double* found) {
    for (const PlayerTree& tree : graph.trees) {
      for (const Decision& decision : tree.decisions) {
        found[decision.information_set] = reach[decision.parent_sequence];
      }
    }
  });
}

std::tuple<py::array_t<double>, py::array_t<int64_t>> reach(const CompiledGraph& graph,
                                                            const py::object& given,
                                                            int64_t player) {
  const int32_t towards = checked_player(graph, player);
  const Policy policy(graph, given);
  py::array_t<int64_t> trembles(graph.num_worlds());
  int64_t* const tremble = trembles.mutable_data();
  const auto weight = filled<double>({graph.num_worlds()}, [&](double* weights) {
    fill_reach(graph, policy.table, towards, weights, tremble);
  });
  return {weight, trembles};
}

py::array_t<double> beliefs(const CompiledGraph& graph, const py::object& given) {
  const Policy policy(graph, given);
  return filled<double>({graph.num_worlds()},
                        [&](double* found) { fill_beliefs(graph, policy.table, found); });
}

std::tuple<double, py::array_t<int32_t>> best_response_of(const CompiledGraph& graph,
                                                          const py::object& given, int64_t player) {
  const int32_t responder = checked_player(graph, player);
  const Policy policy(graph, given);
  BestResponse response;
  {
    const py::gil_scoped_release release;
    response = best_response(graph, policy.table, responder);
  }
  return {response.value, copy_of(response.actions)};
}

std::tuple<std::vector<double>, std::vector<double>> deviations_from(const CompiledGraph& graph,
                                                                     const py::object& given) {
  const Policy policy(graph, given);
  const py::gil_scoped_release release;
  Deviations result = deviations(graph, policy.table);
  return {std::move(result.best_response_values), std::move(result.on_policy_values)};
}

// The rows of exact models of a policy; `graph` is the one that was compiled.
std::unique_ptr<PyRows> exact_rows(const CompiledGraph& self, const Graph& graph,
                                   const py::object& given, bool forgetful) {
  const Guard reading = SharedGraph::of(graph).reading();
  if (graph.worlds.kind != self.kind || graph.information_sets.player != self.set_player ||
      graph.information_sets.num_actions() != self.num_actions()) {
    throw py::value_error("this is the compiled form of another graph");
  }
  require_resolved(graph);
  const Policy policy(self, given);
  auto rows = std::make_unique<PyRows>();
  rows->require(graph);
  const py::gil_scoped_release release;
  fill_exact_rows(graph, self, policy.data(), policy.table, forgetful, *rows);
  return rows;
}

void require_share(double value, const char* name) {
  if (!(value >= 0.0 && value <= 1.0)) {  // NaN is not
    throw py::value_error(std::string(name) + " must be from 0 to 1, not " + std::to_string(value));
  }
}

SmoothUctSettings smooth_uct(double exploration, double eta, double gamma, double decay) {
  require_not_negative(exploration, "exploration");
  require_share(eta, "eta");
  require_share(gamma, "gamma");
  require_not_negative(decay, "decay");
  return {exploration, eta, gamma, decay};
}

double every_game_happens(double exploration) {
  require_share(exploration, "exploration");
  if (exploration > 0.0) return exploration;
  throw py::value_error("exploration must be positive, or some games never happen");
}

template <typename Method>
void play(Exclusive<Method>& self, int64_t episodes, const py::object& generator) {
  require_not_negative(episodes, "episodes");
  const BitGenerator& numbers = bit_generator(generator);
  run_steps(episodes, "episodes", [&] { self.play(numbers); }, kGamesPerLook);
}

void bind_solvers(py::module_& module) {
  bind_solver<CfrSolver>(module, "CfrSolver")
      .def(py::init([](const GraphPointer& graph, const std::string& variant) {
             return std::make_unique<Exclusive<CfrSolver>>(
                 graph, meant<CfrVariant>("variant", variant,
                                          {{"cfr", CfrVariant::kCfr},
                                           {"cfr_plus", CfrVariant::kCfrPlus},
                                           {"linear_cfr", CfrVariant::kLinearCfr}}));
           }),
           "graph"_a.none(false), "variant"_a)
      .def("run", checked(&iterate<CfrSolver>), "iterations"_a)
      .def("current_policy", checked([](const Exclusive<CfrSolver>& self) {
             return copy_of(self.current_policy());
           }));
  bind_solver<SmoothUct>(module, "SmoothUct")
      .def(py::init([](const GraphPointer& graph, double exploration, double eta, double gamma,
                       double decay) {
             return std::make_unique<Exclusive<SmoothUct>>(
                 graph, smooth_uct(exploration, eta, gamma, decay));
           }),
           "graph"_a.none(false), "exploration"_a, "eta"_a, "gamma"_a, "decay"_a)
      .def("run", checked(&play<SmoothUct>), "episodes"_a, "generator"_a);
  bind_solver<OutcomeSampling>(module, "OutcomeSampling")
      .def(py::init([](const GraphPointer& graph, double exploration) {
             return std::make_unique<Exclusive<OutcomeSampling>>(graph,
                                                                 every_game_happens(exploration));
           }),
           "graph"_a.none(false), "exploration"_a)
      .def("run", checked(&play<OutcomeSampling>), "episodes"_a, "generator"_a);
}

}  // namespace

void bind_exact(py::module_& module) {
  py::class_<CompiledGraph, GraphPointer>(module, "CompiledGraph")
      .def(py::init(&compiled), "graph"_a)
      .def_property_readonly("num_players", [](const CompiledGraph& g) { return g.num_players; })
      .def_property_readonly("num_worlds", &CompiledGraph::num_worlds)
      .def_property_readonly("num_actions", &CompiledGraph::num_actions)
      .def("expected_utilities", &expected_utilities, "policy"_a)
      .def("own_reach", &own_reach_of_sets, "policy"_a)
      .def("reach", &reach, "policy"_a, "player"_a)
      .def("beliefs", &beliefs, "policy"_a)
      .def("best_response", &best_response_of, "policy"_a, "player"_a)
      .def("deviations", &deviations_from, "policy"_a)
      .def("exact_rows", checked(&exact_rows), "graph"_a, "policy"_a, "forgetful"_a);
  bind_solvers(module);
}

}  // namespace nash_ismcts
