// Python's side of the tables of a graph: the classes Worlds, InformationSets and SampleNodes,
// whose attributes are the columns of worlds/tables.h.

#include "../worlds/tables.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "columns.h"

namespace nash_ismcts {

namespace {

template <typename Table>
struct TableView {
  std::shared_ptr<const SharedGraph> graph;
  const Table* table;  // of the graph
};

// An attribute that is made on first use and stays in the object's dictionary, where Python finds
// it faster than anything that it would have to call.
template <typename Function>
void bind_cached(py::handle type, const char* name, Function&& make) {
  const py::object function = py::cpp_function(std::forward<Function>(make), py::name(name));
  const py::object attribute = py::module_::import("functools").attr("cached_property")(function);
  attribute.attr("__set_name__")(type, name);
  type.attr(name) = attribute;
}

// A class for a table, to which columns are added one by one.
template <typename Table>
class TableClass {
 public:
  TableClass(py::module_& module, const char* name)
      : type_(module, name, py::is_final(), py::dynamic_attr()) {
    type_.def("__len__", [](const TableView<Table>& self) {
      self.graph->require_readable();
      return self.table->size();
    });
  }

  template <typename T>
  TableClass& column(const char* name, std::vector<T> Table::* member) {
    bind_cached(type_, name, [member](const TableView<Table>& self) {
      return Column<T>{self.graph, &(self.table->*member)};
    });
    return *this;
  }

 private:
  py::class_<TableView<Table>> type_;
};

// What is found in a graph, together with the graph.
template <typename Part, typename Member>
void bind_part(py::handle graph_type, const char* name, Member GraphTables::* member) {
  bind_cached(graph_type, name, [member](const std::shared_ptr<Graph>& graph) {
    return Part{std::static_pointer_cast<const SharedGraph>(graph), &((*graph).*member)};
  });
}

}  // namespace

void bind_tables(py::module_& module) {
  bind_column<int32_t>(module, "IntColumn");
  bind_column<int64_t>(module, "LongColumn");
  bind_column<double>(module, "FloatColumn");
  TableClass<WorldTable>(module, "Worlds")
      .column("kind", &WorldTable::kind)
      .column("player", &WorldTable::player)
      .column("information_set", &WorldTable::information_set)
      .column("parent", &WorldTable::parent)
      .column("last_action", &WorldTable::last_action)
      .column("depth", &WorldTable::depth)
      .column("first_edge", &WorldTable::first_edge)
      .column("edge_count", &WorldTable::edge_count)
      .column("utility_row", &WorldTable::utility_row)
      .column("view", &WorldTable::view)
      .column("unseen", &WorldTable::unseen)
      .column("edge_child", &WorldTable::edge_child)
      .column("edge_action", &WorldTable::edge_action)
      .column("edge_probability", &WorldTable::edge_probability)
      .column("utilities", &WorldTable::utilities);
  TableClass<InformationSetTable>(module, "InformationSets")
      .column("player", &InformationSetTable::player)
      .column("view", &InformationSetTable::view)
      .column("first_world", &InformationSetTable::first_world)
      .column("first_action", &InformationSetTable::first_action)
      .column("action_count", &InformationSetTable::action_count)
      .column("hidden", &InformationSetTable::hidden)
      .column("within_action", &InformationSetTable::within_action)
      .column("action", &InformationSetTable::action)
      .column("own_next", &InformationSetTable::own_next);
  TableClass<SampleTable>(module, "SampleNodes")
      .column("information_set", &SampleTable::information_set)
      .column("world", &SampleTable::world)
      .column("first_branch", &SampleTable::first_branch)
      .column("branch_count", &SampleTable::branch_count)
      .column("edge", &SampleTable::edge)
      .column("target", &SampleTable::target);
}

void bind_tables_of(py::handle graph) {
  bind_part<TableView<WorldTable>>(graph, "worlds", &GraphTables::worlds);
  bind_part<TableView<InformationSetTable>>(graph, "information_sets",
                                            &GraphTables::information_sets);
  bind_part<TableView<SampleTable>>(graph, "samples", &GraphTables::samples);
  bind_part<Column<int32_t>>(graph, "buried", &GraphTables::buried);
}

}  // namespace nash_ismcts
