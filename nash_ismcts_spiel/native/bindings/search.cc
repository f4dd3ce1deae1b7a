// Python's side of the search: the classes Config and Search and what is done with them.

#include "../search/search.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../search/root_policy.h"
#include "../search/row_source.h"
#include "arrays.h"
#include "bindings.h"
#include "checked.h"
#include "held.h"
#include "stop.h"

namespace nash_ismcts {

namespace {

// How long compiled code runs before Python may look whether the user has pressed Ctrl-C.
constexpr std::chrono::milliseconds kTurn{100};

// A search with its generator, which must not be run by two threads at once.
struct PySearch : Search, OfOneGraph {
  PySearch(const SearchConfig& config, int32_t parallel_simulations)
      : Search(config, parallel_simulations),
        OfOneGraph("the trees of this search are", "this search is being run by another thread") {}

  void draw_from(const py::object& numpy_generator) {
    bits = &bit_generator(numpy_generator);
    generator = numpy_generator;
  }
  // Lets it begin at an information set.
  void begin_at(const Graph& graph, int32_t set, int32_t visits, const Limits& limits) {
    begin(set, graph.information_sets.player[set], visits, limits, *bits);
  }
  void stop() {
    begun = false;
    waiting_set = kMissing;
  }

  py::object generator;  // numpy's, keeps `bits` alive
  const BitGenerator* bits = nullptr;
  bool begun = false;
  int32_t waiting_set = kMissing;  // whose search in `search_all` waits for rows
};

void begin(PySearch& self, const Graph& graph, SetRow set, int32_t visits,
           const py::object& generator, std::optional<double> seconds,
           std::optional<int64_t> max_worlds) {
  self.draw_from(generator);
  Limits limits;
  limits.deadline = after(seconds);
  if (max_worlds) limits.max_worlds = *max_worlds;
  self.begin_at(graph, set, visits, limits);
  self.begun = true;
}

// What searches wait for: the information sets and the SAMPLE nodes, sorted and each once.
class Waiting {
 public:
  std::vector<Request> requests;

  Ints sets() const { return rows(Wanted::kSetRow); }
  Ints samples() const { return rows(Wanted::kSampleRow); }

 private:
  Ints rows(Wanted wanted) const {
    std::vector<int32_t> found;
    for (const Request& request : requests) {
      if (request.wanted == wanted) found.push_back(request.row);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return copy_of(found);
  }
};

// Runs a search until it is over or waits, or `budget` simulations were done, however long it
// takes: whose turn comes when must not depend on a clock, since searches share a graph and batches
// of rows.
bool run_to_wait(Search& search, Graph& graph, Rows& rows, RowSource* source, int64_t& budget,
                 Waiting& waiting) {
  const Stop stop;
  const size_t before = waiting.requests.size();
  for (;;) {
    const Clock::time_point turn_end = Clock::now() + kTurn;
    const bool over = search.advance(graph, rows, source, budget, turn_end, waiting.requests);
    if (over || !search.paused()) return over;
    waiting.requests.resize(before);  // what it waits for is asked for again
    stop();
  }
}

// Rows for searches, which a source writes.
Guard held(const PyRows& rows, const Graph& graph, bool written) {
  rows.require(graph);
  return written ? rows.alone() : rows.reading();
}

// Runs searches until each is over or waits, or `budget` simulations were done. Returns (which are
// over, information sets and SAMPLE nodes whose rows are wanted).
py::tuple advance(Graph& graph, PyRows* rows, RowSource* source,
                  const std::vector<py::object>& searches, int64_t budget) {
  const Guard reading = held(*rows, graph, source != nullptr);
  // Who called may drop the searches from its list meanwhile: the arguments hold them.
  std::vector<PySearch*> under_way;
  std::vector<Guard> guards;
  for (const py::object& object : searches) {
    under_way.push_back(object.cast<PySearch*>());
    if (under_way.back() == nullptr || !under_way.back()->begun) {
      throw py::value_error("a search has not begun");
    }
    under_way.back()->require(graph);
    guards.push_back(under_way.back()->alone());
  }
  Waiting waiting;
  std::vector<bool> over;
  {
    const Growing growing(
        graph, source == nullptr ? Growing::Use::kTables : Growing::Use::kTablesAndViews);
    for (PySearch* search : under_way) {
      over.push_back(run_to_wait(*search, graph, *rows, source, budget, waiting));
    }
  }
  return py::make_tuple(over, waiting.sets(), waiting.samples());
}

void require_room(const Graph& graph, const SetRows& sets, int64_t room) {
  const InformationSetTable& table = graph.information_sets;
  for (const int32_t set : sets) {
    if (table.first_action[set] + table.action_count[set] > room) {
      throw py::value_error("policy has no room for information set " + std::to_string(set));
    }
  }
}

// Searches information sets one after another in one forest, from number `first` of the list on,
// until `budget` simulations were done or rows are missing. Writes root policies beside the sets'
// actions. Returns the number of the first set whose search is not over, and the information sets
// and SAMPLE nodes whose rows it waits for.
py::tuple search_all(Graph& graph, PyRows* rows, PySearch& self, const SetRows& sets, int64_t first,
                     int32_t visits, const py::object& generator, int64_t budget,
                     py::array_t<double, py::array::c_style> policy) {
  const Guard reading = held(*rows, graph, false);
  require_not_negative(first, "first");
  require_room(graph, sets, policy.size());
  self.draw_from(generator);
  double* const out = policy.mutable_data();
  Waiting waiting;
  {
    const Growing growing(graph, Growing::Use::kTables);
    for (; first < static_cast<int64_t>(sets.size()) && budget > 0; ++first) {
      const int32_t set = sets[first];
      if (self.waiting_set != set) self.begin_at(graph, set, visits, {});
      int64_t unlimited = std::numeric_limits<int64_t>::max();
      const int64_t before = self.simulations();
      const bool over = self.advance(graph, *rows, nullptr, unlimited, Clock::time_point::max(),
                                     waiting.requests);
      self.waiting_set = over ? kMissing : set;
      if (!over) break;
      budget -= self.simulations() - before + 1;
      root_policy(self.forest(), *rows, self.root(), self.config(),
                  out + graph.information_sets.first_action[set]);
    }
  }
  return py::make_tuple(first, waiting.sets(), waiting.samples());
}

const char* stopped_by(const PySearch& self) {
  switch (self.stopped()) {
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
  if (!self.begun) throw py::value_error("nothing was searched yet");
  const NodeId at = self.own_node(information_set);
  Forest& forest = self.forest();
  if (at == kNone || !forest.act(at).expanded) return py::none();
  const ActNode& node = forest.act(at);
  const ActionSlot* slots = forest.action_slots(node);
  // A list with an entry per action.
  const auto each = [&node](const auto& entry) {
    py::list entries;
    for (int32_t action = 0; action < node.count; ++action) entries.append(entry(action));
    return entries;
  };
  const auto first = rows.policy.begin() + node.first_action;
  const std::vector<double> prior(first, first + node.count);
  std::vector<double> policy = prior;
  if (node.visits > 0) root_policy(forest, rows, node, self.config(), policy.data());
  const Interval value = forest.q(at);
  return py::dict(
      "prior"_a = prior, "policy"_a = policy,
      "visits"_a = each([&](int32_t a) { return slots[a].visits; }),
      "pure_visits"_a = each([&](int32_t a) { return slots[a].pure_visits; }),
      "mixing_sum"_a = each([&](int32_t a) { return slots[a].mixing_sum; }),
      "lows"_a = each([&](int32_t a) { return child_value(forest, rows, node, a).low; }),
      "highs"_a = each([&](int32_t a) { return child_value(forest, rows, node, a).high; }),
      "pure_count"_a = node.pure_count, "mixed_count"_a = node.mixed_count,
      "value"_a = py::make_tuple(value.low, value.high));
}

// Drops all trees but those that a search from `set` can use.
void keep(PySearch& self, int32_t set, int32_t earlier_root) {
  if (set < 0 || earlier_root < 0) {
    throw py::value_error("an information set has no negative number");
  }
  self.stop();
  self.keep(set, earlier_root);
}

void forget(PySearch& self) {
  self.stop();
  self.forget();
  self.forget_graph();
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

}  // namespace

void bind_search(py::module_& module) {
  py::class_<SearchConfig>(module, "Config")
      .def(py::init(&config_from), "settings"_a)
      .def_static("names", &setting_names);
  py::class_<PySearch>(module, "Search")
      .def(py::init<const SearchConfig&, int32_t>(), "config"_a, "parallel_simulations"_a = 1)
      .def("begin", checked(&begin), "graph"_a, "information_set"_a, "visits"_a, "generator"_a,
           "seconds"_a = py::none(), "max_worlds"_a = py::none())
      .def("keep", checked(&keep), "information_set"_a, "earlier_root"_a)
      .def("forget", checked(&forget))
      .def("found_at", checked(&found_at), "rows"_a, "information_set"_a)
      .def_property_readonly("stopped_by", checked(&stopped_by))
      .def_property_readonly("simulations",
                             checked([](const PySearch& self) { return self.simulations(); }))
      .def_property_readonly("num_nodes",
                             checked([](PySearch& self) { return self.forest().num_nodes(); }))
      .def_property_readonly("num_trees",
                             checked([](PySearch& self) { return self.forest().num_trees(); }));
  module.def("advance", checked(&advance), "graph"_a, "rows"_a.none(false), "source"_a.none(true),
             "searches"_a, "budget"_a);
  module.def("search_all", checked(&search_all), "graph"_a, "rows"_a.none(false), "search"_a,
             "information_sets"_a, "first"_a, "visits"_a, "generator"_a, "budget"_a,
             "policy"_a.noconvert());
}

}  // namespace nash_ismcts
