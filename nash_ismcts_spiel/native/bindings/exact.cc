// Python's door to the exact tools: checks what comes in, lets other threads run, hands arrays out.
// Policies come and go as one float64 per action, in the graph's order.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "../exact/cfr.h"
#include "../exact/compiled_graph.h"
#include "../exact/exact.h"
#include "bindings.h"
#include "shared_graph.h"
#include "turn.h"

namespace nash_ismcts {
namespace {

namespace py = pybind11;

using Floats = py::array_t<double>;
using GraphPointer = std::shared_ptr<CompiledGraph>;

constexpr double kPolicyTolerance = 1e-6;

void check_player(const CompiledGraph& graph, int64_t player) {
  if (player < 0 || player >= graph.num_players) {
    throw py::value_error("player must be between 0 and " + std::to_string(graph.num_players - 1) +
                          ", not " + std::to_string(player));
  }
}

void check_distribution(const CompiledGraph& graph, int64_t set, const double* policy) {
  double total = 0.0;
  for (int32_t action = graph.first_action[set]; action < graph.first_action[set + 1]; ++action) {
    if (!(policy[action] >= 0.0)) {
      throw py::value_error(
          "policy: information set " + std::to_string(set) +
          " has a negative or NaN probability: " + std::to_string(policy[action]));
    }
    total += policy[action];
  }
  if (!(std::abs(total - 1.0) <= kPolicyTolerance)) {
    throw py::value_error("policy: the probabilities of information set " + std::to_string(set) +
                          " add up to " + std::to_string(total) + ", not 1");
  }
}

SequenceTable read_policy(const CompiledGraph& graph, const py::object& object) {
  if (!py::isinstance<Floats>(object)) {
    throw py::type_error("policy must be a numpy array of float64, one per action");
  }
  const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(object);
  if (!array) throw py::error_already_set();
  if (array.ndim() != 1 || array.size() != graph.num_actions()) {
    throw py::value_error("policy must have one entry per action, shape (" +
                          std::to_string(graph.num_actions()) + ",), not " +
                          std::string(py::str(array.attr("shape"))));
  }
  SequenceTable table(graph.num_sequences, 1.0);
  for (int64_t set = 0; set < graph.num_information_sets(); ++set) {
    check_distribution(graph, set, array.data());
  }
  for (int64_t action = 0; action < graph.num_actions(); ++action) {
    table[graph.action_sequence[action]] = array.data()[action];
  }
  return table;
}

Floats write_policy(const CompiledGraph& graph, const SequenceTable& table) {
  Floats array(graph.num_actions());
  double* const policy = array.mutable_data();
  for (int64_t action = 0; action < graph.num_actions(); ++action) {
    policy[action] = table[graph.action_sequence[action]];
  }
  return array;
}

Floats expected_utilities(const CompiledGraph& graph, const py::object& policy) {
  const SequenceTable table = read_policy(graph, policy);
  Floats values({graph.num_worlds(), int64_t{graph.num_players}});
  double* const data = values.mutable_data();
  {
    const py::gil_scoped_release release;
    fill_expected_utilities(graph, table, data);
  }
  return values;
}

// How likely each information set's player is to reach it if only its own moves count. [I]
Floats own_reach_of_sets(const CompiledGraph& graph, const py::object& policy) {
  const SequenceTable reach = own_reach(graph, read_policy(graph, policy));
  Floats found(graph.num_information_sets());
  double* const data = found.mutable_data();
  for (const PlayerTree& tree : graph.trees) {
    for (const Decision& decision : tree.decisions) {
      data[decision.information_set] = reach[decision.parent_sequence];
    }
  }
  return found;
}

std::tuple<Floats, py::array_t<int64_t>> reach(const CompiledGraph& graph, const py::object& policy,
                                               int64_t player) {
  check_player(graph, player);
  const SequenceTable table = read_policy(graph, policy);
  Floats weight(graph.num_worlds());
  py::array_t<int64_t> trembles(graph.num_worlds());
  double* const weight_data = weight.mutable_data();
  int64_t* const tremble_data = trembles.mutable_data();
  {
    const py::gil_scoped_release release;
    fill_reach(graph, table, static_cast<int32_t>(player), weight_data, tremble_data);
  }
  return {weight, trembles};
}

Floats beliefs(const CompiledGraph& graph, const py::object& policy) {
  const SequenceTable table = read_policy(graph, policy);
  Floats probabilities(graph.num_worlds());
  double* const data = probabilities.mutable_data();
  {
    const py::gil_scoped_release release;
    fill_beliefs(graph, table, data);
  }
  return probabilities;
}

std::tuple<double, py::array_t<int32_t>> best_response_of(const CompiledGraph& graph,
                                                          const py::object& policy,
                                                          int64_t player) {
  check_player(graph, player);
  const SequenceTable table = read_policy(graph, policy);
  BestResponse response;
  {
    const py::gil_scoped_release release;
    response = best_response(graph, table, static_cast<int32_t>(player));
  }
  const auto size = static_cast<py::ssize_t>(response.actions.size());
  return {response.value, py::array_t<int32_t>(size, response.actions.data())};
}

std::tuple<std::vector<double>, std::vector<double>> deviations_from(const CompiledGraph& graph,
                                                                     const py::object& policy) {
  const SequenceTable table = read_policy(graph, policy);
  const py::gil_scoped_release release;
  Deviations result = deviations(graph, table);
  return {std::move(result.best_response_values), std::move(result.on_policy_values)};
}

CfrVariant variant_named(const std::string& name) {
  if (name == "cfr") return CfrVariant::kCfr;
  if (name == "cfr_plus") return CfrVariant::kCfrPlus;
  if (name == "linear_cfr") return CfrVariant::kLinearCfr;
  throw py::value_error("variant must be 'cfr', 'cfr_plus' or 'linear_cfr', not '" + name + "'");
}

// A solver that one thread at a time may use: `run` works without the GIL.
class SharedSolver {
 public:
  SharedSolver(GraphPointer graph, const std::string& variant)
      : solver_(std::move(graph), variant_named(variant)) {}

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

  Floats average_policy() {
    const Turn turn(&busy_, "solver");
    return write_policy(solver_.graph(), solver_.average_policy());
  }

  Floats current_policy() {
    const Turn turn(&busy_, "solver");
    return write_policy(solver_.graph(), solver_.current_policy());
  }

  int64_t iterations() {
    const Turn turn(&busy_, "solver");
    return solver_.iterations();
  }

 private:
  CfrSolver solver_;
  std::atomic<bool> busy_{false};
};

}  // namespace

void bind_exact(py::module_& module) {
  py::class_<CompiledGraph, GraphPointer>(module, "CompiledGraph")
      .def(py::init([](const Graph& graph) {
             const Reading reading(graph);
             const py::gil_scoped_release release;
             return std::make_shared<CompiledGraph>(compile(graph));
           }),
           py::arg("graph"))
      .def_property_readonly("num_players", [](const CompiledGraph& g) { return g.num_players; })
      .def_property_readonly("num_worlds", &CompiledGraph::num_worlds)
      .def_property_readonly("num_information_sets", &CompiledGraph::num_information_sets)
      .def_property_readonly("num_actions", &CompiledGraph::num_actions)
      .def("expected_utilities", &expected_utilities, py::arg("policy"))
      .def("own_reach", &own_reach_of_sets, py::arg("policy"))
      .def("reach", &reach, py::arg("policy"), py::arg("player"))
      .def("beliefs", &beliefs, py::arg("policy"))
      .def("best_response", &best_response_of, py::arg("policy"), py::arg("player"))
      .def("deviations", &deviations_from, py::arg("policy"));
  py::class_<SharedSolver>(module, "CfrSolver")
      .def(py::init<GraphPointer, const std::string&>(), py::arg("graph"), py::arg("variant"))
      .def("run", &SharedSolver::run, py::arg("iterations"))
      .def("average_policy", &SharedSolver::average_policy)
      .def("current_policy", &SharedSolver::current_policy)
      .def_property_readonly("iterations", &SharedSolver::iterations);
}

}  // namespace nash_ismcts
