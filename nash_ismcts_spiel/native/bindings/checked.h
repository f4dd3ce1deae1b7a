// The one wrapper of functions that Python calls: numbers are checked against the tables of a
// graph, what is tied to a graph has to be tied to this one, and what a function changes it has
// alone.
//
//   std::vector<double> beliefs(RowSource& self, Graph& graph, SampleRow sample);
//   type.def("beliefs", checked(&beliefs), "graph"_a, "sample"_a);

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_CHECKED_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_CHECKED_H_

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../worlds/graph.h"
#include "arrays.h"
#include "shared.h"

namespace nash_ismcts {

enum class Kind { kWorld, kSet, kSample, kView, kPlayer };

// The number of a row that is there.
template <Kind kind>
struct Row {
  int32_t number;
  operator int32_t() const { return number; }
};
using WorldRow = Row<Kind::kWorld>;
using SetRow = Row<Kind::kSet>;
using SampleRow = Row<Kind::kSample>;
using ViewRow = Row<Kind::kView>;
using PlayerRow = Row<Kind::kPlayer>;

// Several of them.
template <Kind kind>
struct RowList : std::vector<int32_t> {};
using SetRows = RowList<Kind::kSet>;
using SampleRows = RowList<Kind::kSample>;

// In perfect information there is no table of views: a view is the number of a world.
inline int64_t num_views(const Graph& graph) {
  return graph.game().facts().perfect_information ? graph.worlds.size() : graph.views().size();
}

inline int32_t checked_row(const Graph& graph, Kind kind, int64_t number) {
  switch (kind) {
    case Kind::kWorld: return require_row(number, graph.worlds.size(), "world");
    case Kind::kSet: return require_row(number, graph.information_sets.size(), "information set");
    case Kind::kSample: return require_row(number, graph.samples.size(), "SAMPLE node");
    case Kind::kView: return require_row(number, num_views(graph), "view");
    case Kind::kPlayer: break;
  }
  return require_row(number, graph.num_players, "player");
}

inline void require_resolved(const Graph& graph) {
  if (!graph.enumerated()) throw py::value_error("the graph is not enumerated");
  const auto unresolved = [](const std::vector<int32_t>& targets) {
    return std::find(targets.begin(), targets.end(), kUnresolved) != targets.end();
  };
  if (unresolved(graph.information_sets.hidden) || unresolved(graph.samples.target)) {
    throw py::value_error("the prefix trees of the graph are not resolved");
  }
}

inline void require_readable(const Graph& graph) { SharedGraph::of(graph).require_readable(); }

// An argument of a function, made from what Python gives. Most are taken as they are.
template <typename Argument, typename = void>
struct Checked {
  using Given = Argument;
  Checked(const Graph*, Argument given) : value(std::forward<Argument>(given)) {}
  Argument value;
};

template <Kind kind>
struct Checked<Row<kind>> {
  using Given = int64_t;
  Checked(const Graph* graph, int64_t given) : value{checked_row(*graph, kind, given)} {}
  Row<kind> value;
};

template <Kind kind>
struct Checked<const RowList<kind>&> {
  using Given = const py::object&;  // whole numbers, which need not have room in 32 bits
  Checked(const Graph* graph, const py::object& given) {
    const auto array = py::array::ensure(given);
    const char type = array ? array.dtype().kind() : 'O';
    if (type != 'i' && type != 'u' && !(array && array.size() == 0)) {
      throw py::type_error("rows of a graph must be whole numbers");
    }
    for (const int64_t number : vector_of(Longs(array))) {
      value.push_back(checked_row(*graph, kind, number));
    }
  }
  RowList<kind> value;
};

template <typename Argument>
struct Checked<Argument&, std::enable_if_t<std::is_base_of_v<Shared, Argument>>> {
  using Given = Argument&;
  Checked(const Graph* graph, Argument& given)
      : guard(std::is_const_v<Argument> ? given.reading() : given.alone()), value(given) {
    if constexpr (std::is_base_of_v<OfOneGraph, Argument>) {
      if (graph != nullptr) given.require(*graph);
    }
  }
  Guard guard;
  Argument& value;
};

inline const Graph* graph_in(const Graph& graph) { return &graph; }
template <typename Argument>
const Graph* graph_in(const Argument&) {
  return nullptr;
}

template <typename Function, typename Answer, typename... Arguments>
auto checked_call(Function function) {
  return [function](typename Checked<Arguments>::Given... given) -> Answer {
    const Graph* graph = nullptr;
    ((graph = graph == nullptr ? graph_in(given) : graph), ...);
    if (graph != nullptr) require_readable(*graph);
    std::tuple<Checked<Arguments>...> held{
        Checked<Arguments>(graph, std::forward<typename Checked<Arguments>::Given>(given))...};
    return std::apply(
        [&](auto&... each) -> Answer { return function(std::forward<Arguments>(each.value)...); },
        held);
  };
}

template <typename Answer, typename... Arguments>
auto checked(Answer (*function)(Arguments...)) {
  return checked_call<decltype(function), Answer, Arguments...>(function);
}

template <typename Function, typename Answer, typename... Arguments>
auto checked_as(Function function, Answer (Function::*)(Arguments...) const) {
  return checked_call<Function, Answer, Arguments...>(function);
}

// The same of a lambda.
template <typename Function>
auto checked(Function function) {
  return checked_as(function, &Function::operator());
}

// A question to a graph, which may grow meanwhile, about rows of the given kinds.
template <typename... Arguments, typename Answer, typename... Taken>
auto growing(Answer (Graph::*question)(Taken...)) {
  return checked([question](Graph& graph, Arguments... arguments) -> std::decay_t<Answer> {
    const Growing growing(graph);
    return (graph.*question)(arguments...);
  });
}

// The same where nothing grows.
template <typename... Arguments, typename Answer, typename... Taken>
auto reading(Answer (Graph::*question)(Taken...) const) {
  return checked([question](const Graph& graph, Arguments... arguments) -> std::decay_t<Answer> {
    return (graph.*question)(arguments...);
  });
}

// Gives a class read-only attributes that copy its columns: `Copies(type).column(...)`.
template <typename Class>
class Copies {
 public:
  explicit Copies(Class& type) : type_(type) {}

  template <typename Column>
  const Copies& column(const char* name, Column column) const {
    using Self = typename Class::type;
    type_.def_property_readonly(
        name, checked([column](const Self& self) { return copy_of(self.*column); }));
    return *this;
  }

 private:
  Class& type_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_CHECKED_H_
