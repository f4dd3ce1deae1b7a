// Python's door to the exact tools. Policies come and go as one float64 per action, in the graph's
// order.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../exact/cfr.h"
#include "../exact/compiled_graph.h"
#include "../exact/exact.h"
#include "arrays.h"
#include "bindings.h"
#include "checked.h"
#include "stop.h"

namespace nash_ismcts {
namespace {

using GraphPointer = std::shared_ptr<CompiledGraph>;
using Solver = Exclusive<CfrSolver>;

int32_t checked_player(const CompiledGraph& graph, int64_t player) {
  if (player < 0 || player >= graph.num_players) {
    throw py::value_error("player must be between 0 and " + std::to_string(graph.num_players - 1) +
                          ", not " + std::to_string(player));
  }
  return static_cast<int32_t>(player);
}

SequenceTable read_policy(const CompiledGraph& graph, const py::object& object) {
  if (!py::isinstance<py::array_t<double>>(object)) {
    throw py::type_error("policy must be a numpy array of float64, one per action");
  }
  const auto array = Doubles::ensure(object);
  if (!array) throw py::error_already_set();
  if (array.ndim() != 1 || array.size() != graph.num_actions()) {
    throw py::value_error("policy must have one entry per action, shape (" +
                          std::to_string(graph.num_actions()) + ",), not " +
                          std::string(py::str(array.attr("shape"))));
  }
  const double* const policy = array.data();
  SequenceTable table(graph.num_sequences, 1.0);
  for (int64_t set = 0; set < graph.num_information_sets(); ++set) {
    require_distribution(policy + graph.first_action[set], policy + graph.first_action[set + 1],
                         "information set " + std::to_string(set));
  }
  for (int64_t action = 0; action < graph.num_actions(); ++action) {
    table[graph.action_sequence[action]] = policy[action];
  }
  return table;
}

Doubles write_policy(const CompiledGraph& graph, const SequenceTable& table) {
  Doubles policy(graph.num_actions());
  for (int64_t action = 0; action < graph.num_actions(); ++action) {
    policy.mutable_data()[action] = table[graph.action_sequence[action]];
  }
  return policy;
}

py::array_t<double> expected_utilities(const CompiledGraph& graph, const py::object& policy) {
  const SequenceTable table = read_policy(graph, policy);
  return filled<double>({graph.num_worlds(), graph.num_players},
                        [&](double* values) { fill_expected_utilities(graph, table, values); });
}

// How likely each information set's player is to reach it if only its own moves count. [I]
py::array_t<double> own_reach_of_sets(const CompiledGraph& graph, const py::object& policy) {
  const SequenceTable reach = own_reach(graph, read_policy(graph, policy));
  return filled<double>({graph.num_information_sets()}, [&](double* found) {
    for (const PlayerTree& tree : graph.trees) {
      for (const Decision& decision : tree.decisions) {
        found[decision.information_set] = reach[decision.parent_sequence];
      }
    }
  });
}

std::tuple<py::array_t<double>, py::array_t<int64_t>> reach(const CompiledGraph& graph,
                                                            const py::object& policy,
                                                            int64_t player) {
  const int32_t towards = checked_player(graph, player);
  const SequenceTable table = read_policy(graph, policy);
  py::array_t<int64_t> trembles(graph.num_worlds());
  int64_t* const tremble = trembles.mutable_data();
  const auto weight = filled<double>({graph.num_worlds()}, [&](double* weights) {
    fill_reach(graph, table, towards, weights, tremble);
  });
  return {weight, trembles};
}

py::array_t<double> beliefs(const CompiledGraph& graph, const py::object& policy) {
  const SequenceTable table = read_policy(graph, policy);
  return filled<double>({graph.num_worlds()},
                        [&](double* found) { fill_beliefs(graph, table, found); });
}

std::tuple<double, py::array_t<int32_t>> best_response_of(const CompiledGraph& graph,
                                                          const py::object& policy,
                                                          int64_t player) {
  const int32_t responder = checked_player(graph, player);
  const SequenceTable table = read_policy(graph, policy);
  BestResponse response;
  {
    const py::gil_scoped_release release;
    response = best_response(graph, table, responder);
  }
  return {response.value, copy_of(response.actions)};
}

std::tuple<std::vector<double>, std::vector<double>> deviations_from(const CompiledGraph& graph,
                                                                     const py::object& policy) {
  const SequenceTable table = read_policy(graph, policy);
  const py::gil_scoped_release release;
  Deviations result = deviations(graph, table);
  return {std::move(result.best_response_values), std::move(result.on_policy_values)};
}

std::unique_ptr<Solver> solver(const GraphPointer& graph, const std::string& variant) {
  return std::make_unique<Solver>("the solver is already running", graph,
                                  meant<CfrVariant>("variant", variant,
                                                    {{"cfr", CfrVariant::kCfr},
                                                     {"cfr_plus", CfrVariant::kCfrPlus},
                                                     {"linear_cfr", CfrVariant::kLinearCfr}}));
}

GraphPointer compiled(const Graph& graph) {
  const Guard reading = SharedGraph::of(graph).reading();
  const py::gil_scoped_release release;
  return std::make_shared<CompiledGraph>(compile(graph));
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
      .def("deviations", &deviations_from, "policy"_a);
  py::class_<Solver>(module, "CfrSolver")
      .def(py::init(&solver), "graph"_a.none(false), "variant"_a)
      .def("run", checked([](Solver& self, int64_t iterations) {
             run_steps(iterations, "iterations", [&] { self.iterate(); });
           }),
           "iterations"_a)
      .def("average_policy", checked([](const Solver& self) {
             return write_policy(self.graph(), self.average_policy());
           }))
      .def("current_policy", checked([](const Solver& self) {
             return write_policy(self.graph(), self.current_policy());
           }))
      .def_property_readonly("iterations",
                             checked([](const Solver& self) { return self.iterations(); }));
}

}  // namespace nash_ismcts
