// Python's side of what a search reads: the class Rows.

#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../exact/exact_rows.h"
#include "../search/rows.h"
#include "../worlds/graph.h"
#include "arrays.h"
#include "bindings.h"
#include "checked.h"
#include "held.h"

namespace nash_ismcts {

namespace {

// Copies numbers that come end to end, a row after the other.
class EndToEnd {
 public:
  explicit EndToEnd(const Doubles& array) : next_(array.data()) {}
  void copy(int64_t count, double* to) {
    std::copy_n(next_, count, to);
    next_ += count;
  }

 private:
  const double* next_;
};

// Numbers of an information set's actions, and of a SAMPLE node's actions and branches.
int64_t actions_at(const Graph& graph, int32_t set) {
  return graph.information_sets.action_count[set];
}
int64_t values_at(const Graph& graph, int32_t sample) {
  return graph.samples.branch_count[sample] *
         actions_at(graph, graph.samples.information_set[sample]);
}

void put_sets(PyRows& self, const Graph& graph, const SetRows& sets, const Doubles& policy,
              const Doubles& value, const Doubles& child_values) {
  int64_t actions = 0;
  for (const int32_t set : sets) actions += actions_at(graph, set);
  require_size(policy, actions, "policy");
  require_size(value, static_cast<int64_t>(sets.size()), "value");
  require_size(child_values, actions, "child_values");
  self.fit(graph);
  EndToEnd policies(policy), values(value), after(child_values);
  for (const int32_t set : sets) {
    const int32_t first = graph.information_sets.first_action[set];
    policies.copy(actions_at(graph, set), self.policy.data() + first);
    after.copy(actions_at(graph, set), self.child_values.data() + first);
    values.copy(1, self.value.data() + set);
    self.has_information_set[set] = 1;
    self.has_policy[set] = 1;
  }
}

void put_samples(PyRows& self, const Graph& graph, const SampleRows& samples,
                 const Doubles& beliefs, const Doubles& values) {
  int64_t branches = 0, entries = 0;
  for (const int32_t sample : samples) {
    branches += graph.samples.branch_count[sample];
    entries += values_at(graph, sample);
  }
  require_size(beliefs, branches, "beliefs");
  require_size(values, entries, "child_values");
  self.fit(graph);
  EndToEnd next_beliefs(beliefs), next_values(values);
  for (const int32_t sample : samples) {
    next_beliefs.copy(graph.samples.branch_count[sample],
                      self.beliefs.data() + graph.samples.first_branch[sample]);
    const int64_t first = self.fit_sample_values(graph, sample);
    next_values.copy(values_at(graph, sample), self.sample_values.data() + first);
    self.has_sample[sample] = 1;
    self.bury(graph, sample);  // evaluators need not know what has died
  }
}

void put_world_values(PyRows& self, const Graph& graph, const Doubles& values) {
  require_size(values, graph.worlds.size() * graph.num_players, "world_values");
  if (!graph.enumerated()) {
    throw py::value_error("worlds can only be valued in an enumerated graph");
  }
  self.world_values = vector_of(values);
}

void put_lookahead(PyRows& self, const Graph& graph, const Doubles& policy, const Doubles& value,
                   const Doubles& beliefs) {
  const Guard reading = SharedGraph::of(graph).reading();
  require_size(policy, graph.information_sets.num_actions(), "policy");
  require_size(value, graph.information_sets.size(), "value");
  require_size(beliefs, graph.samples.num_branches(), "beliefs");
  require_resolved(graph);
  const py::gil_scoped_release release;
  fill_lookahead_rows(graph, policy.data(), value.data(), beliefs.data(), self);
}

}  // namespace

void bind_rows(py::module_& module) {
  py::class_<PyRows> type(module, "Rows");
  type.def(py::init<>())
      .def("put_sets", checked(&put_sets), "graph"_a, "ids"_a, "policy"_a, "value"_a,
           "child_values"_a)
      .def("put_samples", checked(&put_samples), "graph"_a, "ids"_a, "beliefs"_a, "child_values"_a)
      .def("put_world_values", checked(&put_world_values), "graph"_a, "values"_a)
      .def("put_lookahead", checked(&put_lookahead), "graph"_a, "policy"_a, "value"_a, "beliefs"_a);
  Copies(type)
      .column("has_information_set", &Rows::has_information_set)
      .column("has_policy", &Rows::has_policy)
      .column("has_sample", &Rows::has_sample)
      .column("policy", &Rows::policy)
      .column("value", &Rows::value)
      .column("child_values", &Rows::child_values)
      .column("beliefs", &Rows::beliefs)
      .column("sample_values", &Rows::sample_values)
      .column("world_values", &Rows::world_values);
}

}  // namespace nash_ismcts
