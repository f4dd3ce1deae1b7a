// Python's side of the search: the classes Config and Search and what is done with them.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "root_policy.h"
#include "search.h"

namespace py = pybind11;

namespace nash_ismcts {

namespace {

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

// Sorts requests and drops repeated ones.
void unify(std::vector<Request>& requests) {
  const auto fields = [](const Request& request) {
    return std::make_tuple(request.wanted, request.row, request.index);
  };
  const auto less = [&](const Request& left, const Request& right) {
    return fields(left) < fields(right);
  };
  const auto same = [&](const Request& left, const Request& right) {
    return fields(left) == fields(right);
  };
  std::sort(requests.begin(), requests.end(), less);
  requests.erase(std::unique(requests.begin(), requests.end(), same), requests.end());
}

// The rows of unified requests of one kind.
Ints rows_wanted(const std::vector<Request>& requests, Wanted wanted) {
  std::vector<int32_t> rows;
  for (const Request& request : requests) {
    if (request.wanted == wanted) rows.push_back(request.row);
  }
  return Ints(static_cast<py::ssize_t>(rows.size()), rows.data());
}

// Unified requests for rows of the graph, as rows of (wanted, row, index).
Ints graph_wanted(const std::vector<Request>& requests) {
  std::vector<int32_t> entries;
  for (const Request& request : requests) {
    if (request.wanted >= Wanted::kSetRow) break;
    entries.insert(entries.end(),
                   {static_cast<int32_t>(request.wanted), request.row, request.index});
  }
  const auto count = static_cast<py::ssize_t>(entries.size() / 3);
  return Ints({count, static_cast<py::ssize_t>(3)}, entries.data());
}

// Runs searches until each is over or waits, or `budget` simulations were done.
// Returns (which are over, what is wanted of the graph as rows of (wanted, row, index), information
// sets and SAMPLE nodes whose rows are wanted), sorted and each once.
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
    unify(requests);
  }
  return py::make_tuple(over, graph_wanted(requests), rows_wanted(requests, Wanted::kSetRow),
                        rows_wanted(requests, Wanted::kSampleRow));
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
    root_policy(self.search.forest(), rows, self.search.root(), self.search.config(),
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
  root_policy(forest, rows, node, self.search.config(), policy.data());
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

SampleBackup sample_backup(const std::string& name) {
  if (name == "expected") return SampleBackup::kExpected;
  if (name == "luck_adjusted") return SampleBackup::kLuckAdjusted;
  if (name == "residual") return SampleBackup::kResidual;
  throw py::value_error("unknown sample_backup " + name);
}

RootRule root_rule(const std::string& name) {
  if (name == "visits") return RootRule::kVisits;
  if (name == "expected_visits") return RootRule::kExpectedVisits;
  if (name == "certain_gain") return RootRule::kCertainGain;
  throw py::value_error("unknown root_rule " + name);
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
      .def_readwrite("unvisited_events_valued", &SearchConfig::unvisited_events_valued)
      .def_readwrite("lcb_width", &SearchConfig::lcb_width)
      .def_property(
          "root_rule", [](const SearchConfig&) { return py::none(); },
          [](SearchConfig& self, const std::string& name) { self.root_rule = root_rule(name); })
      .def_readwrite("value_scale", &SearchConfig::value_scale)
      .def_readwrite("one_tree", &SearchConfig::one_tree)
      .def_readwrite("utility_sum", &SearchConfig::utility_sum);
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
}

}  // namespace nash_ismcts
