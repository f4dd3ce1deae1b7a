// Python's side of the search: the classes Config and Search and what is done with them.

#include "../search/search.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "../search/root_policy.h"
#include "../search/row_source.h"
#include "arrays.h"
#include "bindings.h"
#include "one_graph.h"
#include "shared_graph.h"

namespace nash_ismcts {

namespace {

// How long compiled code runs before Python may look whether the user has pressed Ctrl-C.
constexpr std::chrono::milliseconds kTurn{100};

// A search with its generator, which must not be run by two threads at once.
struct PySearch {
  PySearch(const SearchConfig& config, int32_t parallel_simulations)
      : search(config, parallel_simulations) {}

  Search search;
  py::object generator;  // keeps bit_generator alive
  const BitGenerator* bit_generator = nullptr;
  bool begun = false;
  OneGraph graph;                  // of its trees
  int32_t waiting_set = kMissing;  // whose search in `search_all` waits for rows
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

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, 1e8)));
}

void begin(PySearch& self, const Graph& graph, int32_t information_set, int32_t visits,
           const py::object& generator, std::optional<double> seconds,
           std::optional<int64_t> max_worlds) {
  const Busy busy(self);
  require_readable(graph);
  require_row(information_set, graph.information_sets.size(), "information set");
  self.graph.require(graph, "the trees of this search are");
  self.set_generator(generator);
  Limits limits;
  if (seconds) limits.deadline = after(*seconds);
  if (max_worlds) limits.max_worlds = *max_worlds;
  self.search.begin(information_set, graph.information_sets.player[information_set], visits, limits,
                    *self.bit_generator);
  self.begun = true;
}

// The rows of a kind that are wanted, sorted and each once.
Ints rows_wanted(const std::vector<Request>& requests, Wanted wanted) {
  std::vector<int32_t> rows;
  for (const Request& request : requests) {
    if (request.wanted == wanted) rows.push_back(request.row);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return Ints(static_cast<py::ssize_t>(rows.size()), rows.data());
}

// Lets Python see whether the user has pressed Ctrl-C.
void check_signals() {
  const py::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

// Runs a search until it is over or waits, or `budget` simulations were done, however long it
// takes: whose turn comes when must not depend on a clock, since searches share a graph and batches
// of rows.
bool run_to_wait(Search& search, Graph& graph, Rows& rows, RowSource* source, int64_t& budget,
                 std::vector<Request>& requests) {
  const size_t before = requests.size();
  for (;;) {
    const Clock::time_point turn_end = Clock::now() + kTurn;
    const bool over = search.advance(graph, rows, source, budget, turn_end, requests);
    if (over || !search.paused()) return over;
    requests.resize(before);  // what it waits for is asked for again
    check_signals();
  }
}

// Runs searches until each is over or waits, or `budget` simulations were done. Returns (which are
// over, information sets and SAMPLE nodes whose rows are wanted).
py::tuple advance(Graph& graph, PyRows& rows, RowSource* source,
                  const std::vector<py::object>& held, int64_t budget) {
  rows.graph.require(graph, "these rows are");
  // Who called may drop the searches from its list meanwhile: they are held here.
  std::vector<PySearch*> searches;
  std::vector<std::unique_ptr<Busy>> busy;
  for (const py::object& object : held) {
    searches.push_back(object.cast<PySearch*>());
    PySearch* search = searches.back();
    if (search == nullptr || !search->begun) throw py::value_error("a search has not begun");
    search->graph.require(graph, "the trees of this search are");
    busy.push_back(std::make_unique<Busy>(*search));
  }
  const ReadingRows reading(rows);
  std::vector<Request> requests;
  std::vector<bool> over;
  {
    const Growing growing(
        graph, source == nullptr ? Growing::Use::kTables : Growing::Use::kTablesAndViews);
    for (PySearch* search : searches) {
      over.push_back(run_to_wait(search->search, graph, rows, source, budget, requests));
    }
  }
  return py::make_tuple(over, rows_wanted(requests, Wanted::kSetRow),
                        rows_wanted(requests, Wanted::kSampleRow));
}

// Searches information sets one after another in one forest, from number `first` of the list on,
// until `budget` simulations were done or rows are missing. Writes root policies beside the sets'
// actions. Returns the number of the first set whose search is not over, and the information sets
// and SAMPLE nodes whose rows it waits for.
py::tuple search_all(Graph& graph, PyRows& rows, PySearch& self, const Ints& sets, int64_t first,
                     int32_t visits, const py::object& generator, int64_t budget,
                     py::array_t<double, py::array::c_style> policy) {
  const Busy busy(self);
  require_readable(graph);
  rows.graph.require(graph, "these rows are");
  self.graph.require(graph, "the trees of this search are");
  if (first < 0) throw py::value_error("first must not be negative");
  for (py::ssize_t index = 0; index < sets.size(); ++index) {
    const int32_t set = sets.data()[index];
    require_row(set, graph.information_sets.size(), "information set");
    if (graph.information_sets.first_action[set] + graph.information_sets.action_count[set] >
        policy.size()) {
      throw py::value_error("policy has no room for information set " + std::to_string(set));
    }
  }
  self.set_generator(generator);
  const ReadingRows reading(rows);
  double* out = policy.mutable_data();
  const int32_t* wanted = sets.data();
  const int64_t count = sets.size();
  std::vector<Request> requests;
  {
    const Growing growing(graph, Growing::Use::kTables);
    for (; first < count && budget > 0; ++first) {
      if (self.waiting_set != wanted[first]) {
        self.search.begin(wanted[first], graph.information_sets.player[wanted[first]], visits, {},
                          *self.bit_generator);
      }
      int64_t unlimited = std::numeric_limits<int64_t>::max();
      const int64_t before = self.search.simulations();
      const bool over =
          self.search.advance(graph, rows, nullptr, unlimited, Clock::time_point::max(), requests);
      self.waiting_set = over ? kMissing : wanted[first];
      if (!over) break;
      budget -= self.search.simulations() - before + 1;
      root_policy(self.search.forest(), rows, self.search.root(), self.search.config(),
                  out + graph.information_sets.first_action[wanted[first]]);
    }
  }
  return py::make_tuple(first, rows_wanted(requests, Wanted::kSetRow),
                        rows_wanted(requests, Wanted::kSampleRow));
}

const char* stopped_by(Stopped stopped) {
  switch (stopped) {
    case Stopped::kVisits: return "visits";
    case Stopped::kSeconds: return "seconds";
    case Stopped::kWorlds: return "worlds";
    case Stopped::kNot: break;
  }
  return "nothing";
}

// What a search found at an information set of the tree of its root; None if the tree has not been
// there, or a limit was reached before anything was found.
py::object found_at(PySearch& self, const PyRows& rows, int32_t information_set) {
  const Busy busy(self);
  if (!self.begun) throw py::value_error("nothing was searched yet");
  const NodeId at = self.search.own_node(information_set);
  Forest& forest = self.search.forest();
  if (at == kNone || !forest.act(at).expanded) return py::none();
  const ActNode& node = forest.act(at);
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
  std::vector<double> policy = prior;
  if (node.visits > 0) {
    root_policy(forest, rows, node, self.search.config(), policy.data());
  }
  const Interval value = forest.q(at);
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

// Reads settings from Python by their names.
struct SettingReader {
  const py::dict& given;

  py::object value(const char* name) const {
    if (!given.contains(name)) throw py::value_error("missing setting " + std::string(name));
    return given[name];
  }
  template <typename T>
  void operator()(const char* name, T& member) const {
    member = value(name).template cast<T>();
  }
  template <typename T>
  void operator()(const char* name, T& member, const std::vector<std::string>& words) const {
    const auto word = value(name).template cast<std::string>();
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) throw py::value_error("unknown " + std::string(name) + " " + word);
    member = static_cast<T>(found - words.begin());
  }
};

SearchConfig config_from(const py::dict& settings) {
  SearchConfig config;
  for_each_setting(config, SettingReader{settings});
  for_each_range(config, [](const char* name, double value, double least, double most) {
    if (!(least <= value && value <= most)) {  // NaN is not either
      std::ostringstream said;
      said << name << " must be from " << least << " to " << most << ", not " << value;
      throw py::value_error(said.str());
    }
  });
  return config;
}

std::vector<std::string> setting_names() {
  SearchConfig config;
  std::vector<std::string> names;
  for_each_setting(config, [&](const char* name, auto&, auto&&...) { names.emplace_back(name); });
  return names;
}

// A question to a search, refused while another thread runs it.
template <typename Ask>
auto when_idle(Ask ask) {
  return [ask](PySearch& self) {
    const Busy busy(self);
    return ask(self.search);
  };
}

}  // namespace

void bind_search(py::module_& module) {
  py::class_<SearchConfig>(module, "Config")
      .def(py::init(&config_from), py::arg("settings"))
      .def_static("names", &setting_names);
  py::class_<PySearch>(module, "Search")
      .def(py::init<const SearchConfig&, int32_t>(), py::arg("config"),
           py::arg("parallel_simulations") = 1)
      .def("begin", &begin, py::arg("graph"), py::arg("information_set"), py::arg("visits"),
           py::arg("generator"), py::arg("seconds") = py::none(),
           py::arg("max_worlds") = py::none())
      .def(
          "keep",
          [](PySearch& self, int32_t information_set, int32_t earlier_root) {
            const Busy busy(self);
            if (information_set < 0 || earlier_root < 0) {
              throw py::value_error("an information set has no negative number");
            }
            self.begun = false;
            self.waiting_set = kMissing;
            self.search.keep(information_set, earlier_root);
          },
          py::arg("information_set"), py::arg("earlier_root"))
      .def("forget",
           [](PySearch& self) {
             const Busy busy(self);
             self.begun = false;
             self.waiting_set = kMissing;
             self.search.forget();
             self.graph.forget();
           })
      .def("found_at", &found_at, py::arg("rows"), py::arg("information_set"))
      .def_property_readonly("stopped_by",
                             when_idle([](Search& search) { return stopped_by(search.stopped()); }))
      .def_property_readonly("simulations",
                             when_idle([](Search& search) { return search.simulations(); }))
      .def_property_readonly("num_nodes",
                             when_idle([](Search& search) { return search.forest().num_nodes(); }))
      .def_property_readonly("num_trees",
                             when_idle([](Search& search) { return search.forest().num_trees(); }));
  module.def("advance", &advance, py::arg("graph"), py::arg("rows"), py::arg("source").none(true),
             py::arg("searches"), py::arg("budget"));
  module.def("search_all", &search_all, py::arg("graph"), py::arg("rows"), py::arg("search"),
             py::arg("information_sets"), py::arg("first"), py::arg("visits"), py::arg("generator"),
             py::arg("budget"), py::arg("policy").noconvert());
}

}  // namespace nash_ismcts
