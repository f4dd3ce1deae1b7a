// Python's side of the search: the classes Config and Search and what is done with them.

#include "../search/search.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
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

// A forest in which information sets are searched one after another, with its generator; two
// threads must not run it at once.
struct PySearch : Search, OfOneGraph {
  PySearch(const SearchConfig& config, int32_t parallel_simulations)
      : Search(config, parallel_simulations),
        OfOneGraph("the trees of this search are", "this search is being run by another thread") {}

  bool over() const { return next == sets.size(); }
  void begin_next(const Graph& graph) {
    if (!over())
      begin(sets[next], graph.information_sets.player[sets[next]], visits, limits, *bits);
  }
  // Keeps the root policy, and begins to search the next set.
  void finish(const Graph& graph, const Rows& rows) {
    const ActNode& node = root();
    policies.resize(policies.size() + graph.information_sets.action_count[sets[next]]);
    if (node.visits > 0) {
      root_policy(forest(), rows, node, config(), policies.data() + policies.size() - node.count);
    }
    ++next;
    begin_next(graph);
  }

  py::object generator;  // numpy's, keeps `bits` alive
  const BitGenerator* bits = nullptr;
  std::vector<int32_t> sets;     // to search, none before it has begun
  size_t next = 0;               // the one that is searched
  std::vector<double> policies;  // at the roots of those before it, end to end
  int32_t visits = 0;
  Limits limits;
};

void begin(PySearch& self, const Graph& graph, const SetRows& sets, int32_t visits,
           const py::object& generator, std::optional<double> seconds,
           std::optional<int64_t> max_worlds) {
  self.bits = &bit_generator(generator);
  self.generator = generator;
  self.sets = sets;
  self.next = 0;
  self.policies.clear();
  self.visits = visits;
  self.limits = {};
  self.limits.deadline = after(seconds);
  if (max_worlds) self.limits.max_worlds = *max_worlds;
  self.begin_next(graph);
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
// of rows. Where a graph grows a simulation may take long, so Ctrl-C is looked for within one.
void run_to_wait(PySearch& search, Graph& graph, Rows& rows, RowSource* source, int64_t& budget,
                 Waiting& waiting) {
  const Stop stop;
  const size_t before = waiting.requests.size();
  while (!search.over()) {
    const auto turn_end = graph.enumerated() ? Clock::time_point::max() : Clock::now() + kTurn;
    const bool over = search.advance(graph, rows, source, budget, turn_end, waiting.requests);
    if (over) {
      search.finish(graph, rows);
    } else if (!search.paused()) {
      return;
    } else {
      waiting.requests.resize(before);  // what it waits for is asked for again
    }
    stop();
  }
}

// Runs searches until each is over or waits, or `budget` simulations were done. Returns (which are
// over, information sets and SAMPLE nodes whose rows are wanted).
py::tuple advance(Graph& graph, PyRows* rows, RowSource* source,
                  const std::vector<py::object>& searches, int64_t budget) {
  rows->require(graph);
  const Guard reading = source != nullptr ? rows->alone() : rows->reading();
  // Who called may drop the searches from its list meanwhile: the arguments hold them.
  std::vector<PySearch*> under_way;
  std::vector<Guard> guards;
  for (const py::object& object : searches) {
    under_way.push_back(object.cast<PySearch*>());
    if (under_way.back() == nullptr || under_way.back()->sets.empty()) {
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
      run_to_wait(*search, graph, *rows, source, budget, waiting);
      over.push_back(search->over());
    }
  }
  return py::make_tuple(over, waiting.sets(), waiting.samples());
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
  if (self.sets.empty()) throw py::value_error("nothing was searched yet");
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
  self.sets.clear();
  self.next = 0;
  self.keep(set, earlier_root);
}

void forget(PySearch& self) {
  self.sets.clear();
  self.next = 0;
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
      .def("begin", checked(&begin), "graph"_a, "information_sets"_a, "visits"_a, "generator"_a,
           "seconds"_a = py::none(), "max_worlds"_a = py::none())
      .def("keep", checked(&keep), "information_set"_a, "earlier_root"_a)
      .def("forget", checked(&forget))
      .def("found_at", checked(&found_at), "rows"_a, "information_set"_a)
      .def_property_readonly("stopped_by", checked(&stopped_by))
      .def_property_readonly("policies",
                             checked([](const PySearch& self) { return copy_of(self.policies); }))
      .def_property_readonly("simulations",
                             checked([](const PySearch& self) { return self.simulations(); }))
      .def_property_readonly("num_nodes",
                             checked([](PySearch& self) { return self.forest().num_nodes(); }))
      .def_property_readonly("num_trees",
                             checked([](PySearch& self) { return self.forest().num_trees(); }));
  module.def("advance", checked(&advance), "graph"_a, "rows"_a.none(false), "source"_a.none(true),
             "searches"_a, "budget"_a);
}

}  // namespace nash_ismcts
