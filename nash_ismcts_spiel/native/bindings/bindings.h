// What each part of the extension module adds to it.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_BINDINGS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_BINDINGS_H_

#include <pybind11/pybind11.h>

namespace nash_ismcts {

// Game, Graph and its tables.
void bind_worlds(pybind11::module_& module);

// Tensors, and the entries of the rows that networks give.
void bind_tensors(pybind11::module_& module);

// SplitGame, once Game is known.
void bind_split_game(pybind11::module_& module);

// DealtGame, and what is found out about deals.
void bind_dealt_game(pybind11::module_& module);

// CompiledGraph and CfrSolver.
void bind_exact(pybind11::module_& module);

// MergedGame.
void bind_merged(pybind11::module_& module);

// SmoothUct and OutcomeSampling.
void bind_episodes(pybind11::module_& module);

// Rows.
void bind_rows(pybind11::module_& module);

// RowSource, Walk and Pools.
void bind_sources(pybind11::module_& module);

// TableArena, TableModels, ForestSettings and what searches with them.
void bind_forest(pybind11::module_& module);

// StateForest and WorldDraws.
void bind_state_forest(pybind11::module_& module);

// Config and Search, and the functions that run them.
void bind_search(pybind11::module_& module);

// Games and TargetSums.
void bind_play(pybind11::module_& module);

// PublicGame, Subgame and SubgameBatch.
void bind_subgames(pybind11::module_& module);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_BINDINGS_H_
