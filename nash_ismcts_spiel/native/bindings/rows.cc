// Python's side of what a search reads: the class Rows.

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../exact/exact_rows.h"
#include "../search/rows.h"
#include "../worlds/graph.h"
#include "arrays.h"
#include "bindings.h"
#include "one_graph.h"
#include "shared_graph.h"

namespace nash_ismcts {

namespace {

void put_sets(PyRows& self, const Graph& graph, const Ints& ids, const Doubles& policy,
              const Doubles& value, const Doubles& child_values) {
  const WritingRows writing(self);
  require_readable(graph);
  self.graph.require(graph, "these rows are");
  self.fit(graph);
  int64_t actions = 0;
  for (py::ssize_t k = 0; k < ids.size(); ++k) {
    require_row(ids.data()[k], graph.information_sets.size(), "information set");
    actions += graph.information_sets.action_count[ids.data()[k]];
  }
  require_size(policy, actions, "policy");
  require_size(value, ids.size(), "value");
  require_size(child_values, actions, "child_values");
  int64_t next = 0;
  for (py::ssize_t k = 0; k < ids.size(); ++k) {
    const int32_t set = ids.data()[k];
    const int32_t first = graph.information_sets.first_action[set];
    const int32_t count = graph.information_sets.action_count[set];
    std::copy_n(policy.data() + next, count, self.policy.begin() + first);
    std::copy_n(child_values.data() + next, count, self.child_values.begin() + first);
    self.value[set] = value.data()[k];
    self.has_information_set[set] = 1;
    self.has_policy[set] = 1;
    next += count;
  }
}

void put_samples(PyRows& self, const Graph& graph, const Ints& ids, const Doubles& beliefs,
                 const Doubles& values) {
  const WritingRows writing(self);
  require_readable(graph);
  self.graph.require(graph, "these rows are");
  self.fit(graph);
  const auto& samples = graph.samples;
  int64_t branches = 0, entries = 0;
  for (py::ssize_t k = 0; k < ids.size(); ++k) {
    require_row(ids.data()[k], samples.size(), "SAMPLE node");
    const int32_t count = samples.branch_count[ids.data()[k]];
    branches += count;
    entries += static_cast<int64_t>(count) *
               graph.information_sets.action_count[samples.information_set[ids.data()[k]]];
  }
  require_size(beliefs, branches, "beliefs");
  require_size(values, entries, "child_values");
  int64_t next_branch = 0, next_value = 0;
  for (py::ssize_t k = 0; k < ids.size(); ++k) {
    const int32_t sample = ids.data()[k];
    const int64_t count = samples.branch_count[sample];
    const int64_t own = graph.information_sets.action_count[samples.information_set[sample]];
    std::copy_n(beliefs.data() + next_branch, count,
                self.beliefs.begin() + samples.first_branch[sample]);
    const int64_t first = self.fit_sample_values(graph, sample);
    std::copy_n(values.data() + next_value, count * own, self.sample_values.begin() + first);
    self.has_sample[sample] = 1;
    self.bury(graph, sample);  // evaluators need not know what has died
    next_branch += count;
    next_value += count * own;
  }
}

void put_world_values(PyRows& self, const Graph& graph, const Doubles& values) {
  const WritingRows writing(self);
  require_readable(graph);
  self.graph.require(graph, "these rows are");
  require_size(values, graph.worlds.size() * graph.num_players, "world_values");
  if (!graph.enumerated()) {
    throw py::value_error("worlds can only be valued in an enumerated graph");
  }
  self.world_values.assign(values.data(), values.data() + values.size());
}

void require_resolved(const Graph& graph) {
  if (!graph.enumerated()) throw py::value_error("the graph is not enumerated");
  const auto unresolved = [](const std::vector<int32_t>& targets) {
    return std::find(targets.begin(), targets.end(), kUnresolved) != targets.end();
  };
  if (unresolved(graph.information_sets.hidden) || unresolved(graph.samples.target)) {
    throw py::value_error("the prefix trees of the graph are not resolved");
  }
}

void put_exact(PyRows& self, const Graph& graph, const Doubles& policy, const Doubles& utilities,
               const std::vector<Doubles>& weights, const std::vector<Longs>& trembles,
               bool forgetful) {
  const WritingRows writing(self);
  const Reading reading(graph);
  self.graph.require(graph, "these rows are");
  require_size(policy, graph.information_sets.num_actions(), "policy");
  require_size(utilities, graph.worlds.size() * graph.num_players, "utilities");
  const size_t players = static_cast<size_t>(graph.num_players);
  if (weights.size() != players || trembles.size() != players) {
    throw py::value_error("a reach is needed for each of " + std::to_string(players) + " players");
  }
  std::vector<PlayerReach> reaches;
  for (size_t player = 0; player < weights.size(); ++player) {
    require_size(weights[player], graph.worlds.size(), "weights");
    require_size(trembles[player], graph.worlds.size(), "trembles");
    reaches.push_back({weights[player].data(), trembles[player].data()});
  }
  require_resolved(graph);
  const double* policy_data = policy.data();
  const double* utility_data = utilities.data();
  const py::gil_scoped_release release;
  fill_exact_rows(graph, policy_data, utility_data, reaches, forgetful, self);
}

void put_lookahead(PyRows& self, const Graph& graph, const Doubles& policy, const Doubles& value,
                   const Doubles& beliefs) {
  const WritingRows writing(self);
  const Reading reading(graph);
  self.graph.require(graph, "these rows are");
  require_size(policy, graph.information_sets.num_actions(), "policy");
  require_size(value, graph.information_sets.size(), "value");
  require_size(beliefs, graph.samples.num_branches(), "beliefs");
  require_resolved(graph);
  const double* policy_data = policy.data();
  const double* value_data = value.data();
  const double* belief_data = beliefs.data();
  const py::gil_scoped_release release;
  fill_lookahead_rows(graph, policy_data, value_data, belief_data, self);
}

bool all_finite(const Doubles& values) {
  return std::all_of(values.data(), values.data() + values.size(),
                     [](double value) { return std::isfinite(value); });
}

// Whether there are distributions of the given lengths end to end; what is no number is none.
bool are_distributions(const Doubles& values, const Ints& lengths, double tolerance) {
  const double* at = values.data();
  const double* end = at + values.size();
  for (py::ssize_t row = 0; row < lengths.size(); ++row) {
    if (lengths.data()[row] > end - at) return false;
    double sum = 0.0;
    for (int32_t k = 0; k < lengths.data()[row]; ++k, ++at) {
      if (!(*at >= 0.0)) return false;
      sum += *at;
    }
    if (!(std::abs(sum - 1.0) <= tolerance)) return false;
  }
  return at == end;
}

}  // namespace

void bind_rows(py::module_& module) {
  module.def("all_finite", &all_finite, py::arg("values"));
  module.def("are_distributions", &are_distributions, py::arg("values"), py::arg("lengths"),
             py::arg("tolerance"));
  py::class_<PyRows>(module, "Rows")
      .def(py::init<>())
      .def("put_sets", &put_sets, py::arg("graph"), py::arg("ids"), py::arg("policy"),
           py::arg("value"), py::arg("child_values"))
      .def("put_samples", &put_samples, py::arg("graph"), py::arg("ids"), py::arg("beliefs"),
           py::arg("child_values"))
      .def("put_world_values", &put_world_values, py::arg("graph"), py::arg("values"))
      .def("put_exact", &put_exact, py::arg("graph"), py::arg("policy"), py::arg("utilities"),
           py::arg("weights"), py::arg("trembles"), py::arg("forgetful"))
      .def("put_lookahead", &put_lookahead, py::arg("graph"), py::arg("policy"), py::arg("value"),
           py::arg("beliefs"))
      .def_property_readonly("has_information_set",
                             [](const PyRows& self) { return copy_of(self.has_information_set); })
      .def_property_readonly("has_policy",
                             [](const PyRows& self) { return copy_of(self.has_policy); })
      .def_property_readonly("has_sample",
                             [](const PyRows& self) { return copy_of(self.has_sample); })
      .def_property_readonly("policy", [](const PyRows& self) { return copy_of(self.policy); })
      .def_property_readonly("value", [](const PyRows& self) { return copy_of(self.value); })
      .def_property_readonly("child_values",
                             [](const PyRows& self) { return copy_of(self.child_values); })
      .def_property_readonly("beliefs", [](const PyRows& self) { return copy_of(self.beliefs); })
      .def_property_readonly("sample_values",
                             [](const PyRows& self) { return copy_of(self.sample_values); })
      .def_property_readonly("world_values",
                             [](const PyRows& self) { return copy_of(self.world_values); });
}

}  // namespace nash_ismcts
