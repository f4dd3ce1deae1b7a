// What each part of the extension module adds to it.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_BINDINGS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_BINDINGS_H_

#include <pybind11/pybind11.h>

namespace nash_ismcts {

using Module = pybind11::module_;

void bind_worlds(Module& module);        // games, Graph and its tables
void bind_games(Module& module);         // Game, SplitGame and games of Python's
void bind_tables(Module& module);        // columns and the tables that they are columns of
void bind_tensors(Module& module);       // Tensors and Board
void bind_exact(Module& module);         // CompiledGraph and what learns on it
void bind_merged(Module& module);        // MergedGame and what is computed about its views
void bind_rows(Module& module);          // Rows
void bind_sources(Module& module);       // RowSource, Walk and Pools
void bind_search(Module& module);        // Config, Search and what runs searches
void bind_forest(Module& module);        // arenas, models, forests and what thinks in them
void bind_state_forest(Module& module);  // StateForest and WorldDraws
void bind_play(Module& module);          // Games and TargetSums
void bind_subgames(Module& module);      // PublicGame, Subgame and SubgameBatch

// The tables of a graph, as attributes of the class Graph.
void bind_tables_of(pybind11::handle graph_type);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_BINDINGS_H_
