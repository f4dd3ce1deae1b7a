// What each part of the extension module adds to it.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_BINDINGS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_BINDINGS_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>

#include "../worlds/game.h"

namespace nash_ismcts {

using Module = pybind11::module_;

void bind_worlds(Module& module);        // Game, Graph and its tables
void bind_split_game(Module& module);    // SplitGame, once Game is known
void bind_tensors(Module& module);       // Tensors and Board
void bind_exact(Module& module);         // CompiledGraph and CfrSolver
void bind_merged(Module& module);        // MergedGame and what is computed about its views
void bind_episodes(Module& module);      // SmoothUct and OutcomeSampling
void bind_rows(Module& module);          // Rows
void bind_sources(Module& module);       // RowSource, Walk and Pools
void bind_search(Module& module);        // Config, Search and what runs searches
void bind_forest(Module& module);        // arenas, models, forests and what thinks in them
void bind_state_forest(Module& module);  // StateForest and WorldDraws
void bind_play(Module& module);          // Games and TargetSums
void bind_subgames(Module& module);      // PublicGame, Subgame and SubgameBatch

// A game over a pyspiel game object, sequential, whose states are asked for everything. Each call
// takes the GIL; what the Python code raises comes out as it is.
std::shared_ptr<Game> python_game(pybind11::object pyspiel_game, std::string name,
                                  int32_t num_players, bool perfect_information,
                                  bool has_information_states);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_BINDINGS_H_
