// Python's side of the search: the classes Rows and Search and what is done with them.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <string>

#include "bindings.h"
#include "exact_rows.h"
#include "prefix_trees.h"
#include "root_policy.h"
#include "search.h"

namespace py = pybind11;

namespace nash_ismcts {

namespace {

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Ints = py::array_t<int32_t, py::array::c_style | py::array::forcecast>;
using Longs = py::array_t<int64_t, py::array::c_style | py::array::forcecast>;

void require_size(const py::array& array, int64_t size, const char* name) {
  if (array.size() != size) {
    throw py::value_error(std::string(name) + " must have " + std::to_string(size) +
                          " entries, not " + std::to_string(array.size()));
  }
}

void require_row(int64_t row, int64_t rows, const char* name) {
  if (row < 0 || row >= rows) {
    throw py::index_error(std::string(name) + " " + std::to_string(row) + " is not one of " +
                          std::to_string(rows));
  }
}

// A search with its generator, which must not be run by two threads at once.
struct PySearch {
  PySearch(const SearchConfig& config, int32_t parallel_simulations)
      : search(config, parallel_simulations) {}

  Search search;
  py::object generator;  // keeps bit_generator alive
  const BitGenerator* bit_generator = nullptr;
  bool begun = false;
  std::atomic<bool> busy{false};

  void set_generator(const py::object& numpy_generator) {
    const py::object capsule = numpy_generator.attr("bit_generator").attr("capsule");
    void* pointer = PyCapsule_GetPointer(capsule.ptr(), "BitGenerator");
    if (pointer == nullptr) throw py::error_already_set();
    generator = numpy_generator;
    bit_generator = static_cast<const BitGenerator*>(pointer);
  }
};

class Busy {
 public:
  explicit Busy(PySearch& search) : search_(search) {
    if (search_.busy.exchange(true)) {
      throw std::runtime_error("this search is being run by another thread");
    }
  }
  ~Busy() { search_.busy = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  PySearch& search_;
};

void begin(PySearch& self, py::handle graph, int32_t information_set, int32_t visits,
           const py::object& generator) {
  const Busy busy(self);
  players_of(graph);  // refuses what is not a graph
  const Column<int32_t> player(graph.attr("information_sets"), "player");
  require_row(information_set, player.size, "information set");
  self.set_generator(generator);
  self.search.begin(information_set, player[information_set], visits, *self.bit_generator);
  self.begun = true;
}

// Runs searches until each is over or waits, or `budget` simulations were done.
// Returns (which are over, requests as rows of (wanted, row, index)).
py::tuple advance(py::handle graph, const Rows& rows, const std::vector<PySearch*>& searches,
                  int64_t budget) {
  std::vector<std::unique_ptr<Busy>> busy;
  for (PySearch* search : searches) {
    if (search == nullptr || !search->begun) throw py::value_error("a search has not begun");
    busy.push_back(std::make_unique<Busy>(*search));
  }
  std::vector<Request> requests;
  std::vector<bool> over;
  {
    const GraphView view(graph);
    const py::gil_scoped_release release;
    for (PySearch* search : searches) {
      over.push_back(search->search.advance(view, rows, budget, requests));
    }
  }
  Ints wanted({static_cast<py::ssize_t>(requests.size()), static_cast<py::ssize_t>(3)});
  auto entries = wanted.mutable_unchecked<2>();
  for (size_t row = 0; row < requests.size(); ++row) {
    entries(row, 0) = static_cast<int32_t>(requests[row].wanted);
    entries(row, 1) = requests[row].row;
    entries(row, 2) = requests[row].index;
  }
  return py::make_tuple(over, wanted);
}

// Searches information sets one after another in one forest, from number `first` of the list on,
// until `budget` simulations were done. Writes root policies beside the sets' actions; returns the
// number of the first set that was not searched.
int64_t search_all(py::handle graph, const Rows& rows, PySearch& self, const Ints& sets,
                   int64_t first, int32_t visits, const py::object& generator, int64_t budget,
                   py::array_t<double, py::array::c_style> policy) {
  const Busy busy(self);
  const GraphView view(graph);
  require_size(policy, view.information_sets.num_actions(), "policy");
  for (py::ssize_t index = 0; index < sets.size(); ++index) {
    require_row(sets.data()[index], view.information_sets.size(), "information set");
  }
  self.set_generator(generator);
  double* out = policy.mutable_data();
  const int32_t* wanted = sets.data();
  const int64_t count = sets.size();
  const double lcb_width = self.search.config().lcb_width * self.search.config().value_scale;
  std::vector<Request> requests;
  const py::gil_scoped_release release;
  for (; first < count && budget > 0; ++first) {
    self.search.begin(wanted[first], view.information_sets.player[wanted[first]], visits,
                      *self.bit_generator);
    int64_t unlimited = std::numeric_limits<int64_t>::max();
    const int64_t before = self.search.simulations();
    if (!self.search.advance(view, rows, unlimited, requests)) {
      throw std::invalid_argument("searching all sets needs every row of the graph and the models");
    }
    budget -= self.search.simulations() - before + 1;
    root_policy(self.search.forest(), rows, self.search.root(), lcb_width,
                out + view.information_sets.first_action[wanted[first]]);
  }
  return first;
}

// What a search found at its root.
py::dict root(PySearch& self, const Rows& rows) {
  const Busy busy(self);
  if (!self.begun || !self.search.root().expanded) throw py::value_error("nothing was searched yet");
  Forest& forest = self.search.forest();
  const ActNode& node = self.search.root();
  const ActionSlot* slots = forest.action_slots(node);
  std::vector<int32_t> visits, pure_visits;
  std::vector<double> prior, mixing_sum, lows, highs;
  for (int32_t a = 0; a < node.count; ++a) {
    prior.push_back(rows.policy[node.first_action + a]);
    visits.push_back(slots[a].visits);
    pure_visits.push_back(slots[a].pure_visits);
    mixing_sum.push_back(slots[a].mixing_sum);
    lows.push_back(child_value(forest, rows, node, a).low);
    highs.push_back(child_value(forest, rows, node, a).high);
  }
  std::vector<double> policy(node.count);
  const SearchConfig& config = self.search.config();
  root_policy(forest, rows, node, config.lcb_width * config.value_scale, policy.data());
  const Interval value = forest.q(self.search.root_id());
  py::dict found;
  found["prior"] = prior;
  found["visits"] = visits;
  found["pure_visits"] = pure_visits;
  found["mixing_sum"] = mixing_sum;
  found["pure_count"] = node.pure_count;
  found["mixed_count"] = node.mixed_count;
  found["lows"] = lows;
  found["highs"] = highs;
  found["value"] = py::make_tuple(value.low, value.high);
  found["policy"] = policy;
  return found;
}

void put_sets(Rows& self, py::handle graph, const Ints& ids, const Doubles& policy,
              const Doubles& value, const Doubles& child_values) {
  const GraphView view(graph);
  self.fit(view);
  int64_t actions = 0;
  for (py::ssize_t k = 0; k < ids.size(); ++k) {
    require_row(ids.data()[k], view.information_sets.size(), "information set");
    actions += view.information_sets.action_count[ids.data()[k]];
  }
  require_size(policy, actions, "policy");
  require_size(value, ids.size(), "value");
  require_size(child_values, actions, "child_values");
  int64_t next = 0;
  for (py::ssize_t k = 0; k < ids.size(); ++k) {
    const int32_t set = ids.data()[k];
    const int32_t first = view.information_sets.first_action[set];
    const int32_t count = view.information_sets.action_count[set];
    std::copy_n(policy.data() + next, count, self.policy.begin() + first);
    std::copy_n(child_values.data() + next, count, self.child_values.begin() + first);
    self.value[set] = value.data()[k];
    self.has_information_set[set] = 1;
    next += count;
  }
}

void put_samples(Rows& self, py::handle graph, const Ints& ids, const Doubles& beliefs,
                 const Doubles& values) {
  const GraphView view(graph);
  self.fit(view);
  const auto& samples = view.samples;
  int64_t branches = 0, entries = 0;
  for (py::ssize_t k = 0; k < ids.size(); ++k) {
    require_row(ids.data()[k], samples.size(), "SAMPLE node");
    const int32_t count = samples.branch_count[ids.data()[k]];
    branches += count;
    entries += static_cast<int64_t>(count) *
               view.information_sets.action_count[samples.information_set[ids.data()[k]]];
  }
  require_size(beliefs, branches, "beliefs");
  require_size(values, entries, "child_values");
  int64_t next_branch = 0, next_value = 0;
  for (py::ssize_t k = 0; k < ids.size(); ++k) {
    const int32_t sample = ids.data()[k];
    const int64_t count = samples.branch_count[sample];
    const int64_t own = view.information_sets.action_count[samples.information_set[sample]];
    std::copy_n(beliefs.data() + next_branch, count,
                self.beliefs.begin() + samples.first_branch[sample]);
    std::copy_n(values.data() + next_value, count * own,
                self.sample_values.begin() + self.sample_first[sample]);
    self.has_sample[sample] = 1;
    next_branch += count;
    next_value += count * own;
  }
}

void put_exact(Rows& self, py::handle graph, const Doubles& policy, const Doubles& utilities,
               const std::vector<Doubles>& weights, const std::vector<Longs>& trembles) {
  const GraphView view(graph);
  require_size(policy, view.information_sets.num_actions(), "policy");
  require_size(utilities, view.worlds.size() * view.num_players, "utilities");
  const size_t players = static_cast<size_t>(view.num_players);
  if (weights.size() != players || trembles.size() != players) {
    throw py::value_error("a reach is needed for each of " + std::to_string(players) + " players");
  }
  std::vector<PlayerReach> reaches;
  for (size_t player = 0; player < weights.size(); ++player) {
    require_size(weights[player], view.worlds.size(), "weights");
    require_size(trembles[player], view.worlds.size(), "trembles");
    reaches.push_back({weights[player].data(), trembles[player].data()});
  }
  for (int64_t set = 0; set < view.information_sets.size(); ++set) {
    if (view.information_sets.hidden[set] == kUnresolved) {
      throw py::value_error("the prefix trees of the graph are not resolved");
    }
  }
  for (int64_t branch = 0; branch < view.samples.num_branches(); ++branch) {
    if (view.samples.target[branch] == kUnresolved) {
      throw py::value_error("the prefix trees of the graph are not resolved");
    }
  }
  const double* policy_data = policy.data();
  const double* utility_data = utilities.data();
  const py::gil_scoped_release release;
  fill_exact_rows(view, policy_data, utility_data, reaches, self);
}

py::dict prefix_trees(py::handle graph, int32_t own_next_limit) {
  PrefixTrees trees;
  {
    const GraphView view(graph);
    for (int64_t edge = 0; edge < view.worlds.num_edges(); ++edge) {
      if (view.worlds.edge_child[edge] == kMissing) {
        throw py::value_error("only an enumerated graph can be resolved as a whole");
      }
    }
    const py::gil_scoped_release release;
    trees = resolve_prefix_trees(view, own_next_limit);
  }
  const auto array = [](const std::vector<int32_t>& column) {
    return Ints(static_cast<py::ssize_t>(column.size()), column.data());
  };
  py::dict columns;
  columns["hidden"] = array(trees.hidden);
  columns["own_next"] = array(trees.own_next);
  columns["unseen"] = array(trees.unseen);
  columns["information_set"] = array(trees.information_set);
  columns["world"] = array(trees.world);
  columns["first_branch"] = array(trees.first_branch);
  columns["branch_count"] = array(trees.branch_count);
  columns["edge"] = array(trees.edge);
  columns["target"] = array(trees.target);
  return columns;
}

SampleBackup sample_backup(const std::string& name) {
  if (name == "expected") return SampleBackup::kExpected;
  if (name == "luck_adjusted") return SampleBackup::kLuckAdjusted;
  if (name == "residual") return SampleBackup::kResidual;
  throw py::value_error("unknown sample_backup " + name);
}

OpponentDispersion opponent_dispersion(const std::string& name) {
  if (name == "none") return OpponentDispersion::kNone;
  if (name == "unseen") return OpponentDispersion::kUnseen;
  if (name == "always") return OpponentDispersion::kAlways;
  throw py::value_error("unknown opponent_dispersion " + name);
}

}  // namespace

void bind_search(py::module_& module) {
  py::class_<SearchConfig>(module, "Config")
      .def(py::init<>())
      .def_readwrite("dispersion_radius", &SearchConfig::dispersion_radius)
      .def_property(
          "sample_backup", [](const SearchConfig&) { return py::none(); },
          [](SearchConfig& self, const std::string& name) {
            self.sample_backup = sample_backup(name);
          })
      .def_readwrite("luck_ends_coupled", &SearchConfig::luck_ends_coupled)
      .def_readwrite("ucb", &SearchConfig::ucb)
      .def_readwrite("c_puct", &SearchConfig::c_puct)
      .def_readwrite("ucb_exploration", &SearchConfig::ucb_exploration)
      .def_readwrite("denominator_one_plus", &SearchConfig::denominator_one_plus)
      .def_readwrite("puct_floor", &SearchConfig::puct_floor)
      .def_readwrite("prior_noise", &SearchConfig::prior_noise)
      .def_readwrite("prior_temperature", &SearchConfig::prior_temperature)
      .def_readwrite("trees_by_information_set", &SearchConfig::trees_by_information_set)
      .def_readwrite("opponent_prior_visits", &SearchConfig::opponent_prior_visits)
      .def_property(
          "opponent_dispersion", [](const SearchConfig&) { return py::none(); },
          [](SearchConfig& self, const std::string& name) {
            self.opponent_dispersion = opponent_dispersion(name);
          })
      .def_readwrite("spawn_depth", &SearchConfig::spawn_depth)
      .def_readwrite("lcb_width", &SearchConfig::lcb_width)
      .def_readwrite("value_scale", &SearchConfig::value_scale)
      .def_readwrite("one_tree", &SearchConfig::one_tree)
      .def_readwrite("utility_sum", &SearchConfig::utility_sum);
  py::class_<Rows>(module, "Rows")
      .def(py::init<>())
      .def("put_sets", &put_sets, py::arg("graph"), py::arg("ids"), py::arg("policy"),
           py::arg("value"), py::arg("child_values"))
      .def("put_samples", &put_samples, py::arg("graph"), py::arg("ids"), py::arg("beliefs"),
           py::arg("child_values"))
      .def("put_exact", &put_exact, py::arg("graph"), py::arg("policy"), py::arg("utilities"),
           py::arg("weights"), py::arg("trembles"));
  py::class_<PySearch>(module, "Search")
      .def(py::init<const SearchConfig&, int32_t>(), py::arg("config"),
           py::arg("parallel_simulations") = 1)
      .def("begin", &begin, py::arg("graph"), py::arg("information_set"), py::arg("visits"),
           py::arg("generator"))
      .def("keep",
           [](PySearch& self, int32_t information_set, int32_t earlier_root) {
             const Busy busy(self);
             self.begun = false;
             self.search.keep(information_set, earlier_root);
           },
           py::arg("information_set"), py::arg("earlier_root"))
      .def("forget",
           [](PySearch& self) {
             const Busy busy(self);
             self.begun = false;
             self.search.forget();
           })
      .def("root", &root, py::arg("rows"))
      .def_property_readonly("simulations",
                             [](const PySearch& self) { return self.search.simulations(); })
      .def_property_readonly("num_nodes",
                             [](PySearch& self) { return self.search.forest().num_nodes(); })
      .def_property_readonly("num_trees",
                             [](PySearch& self) { return self.search.forest().num_trees(); });
  module.def("advance", &advance, py::arg("graph"), py::arg("rows"), py::arg("searches"),
             py::arg("budget"));
  module.def("search_all", &search_all, py::arg("graph"), py::arg("rows"), py::arg("search"),
             py::arg("information_sets"), py::arg("first"), py::arg("visits"),
             py::arg("generator"), py::arg("budget"), py::arg("policy").noconvert());
  module.def("prefix_trees", &prefix_trees, py::arg("graph"), py::arg("own_next_limit"));
}

}  // namespace nash_ismcts
