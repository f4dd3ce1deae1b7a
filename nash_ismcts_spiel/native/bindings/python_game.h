// Games whose states are Python objects: those that OpenSpiel has in Python only, and users' own.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_PYTHON_GAME_H_
#define NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_PYTHON_GAME_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>

#include "../worlds/game.h"

namespace nash_ismcts {

// A game over a pyspiel game object, sequential, whose states are asked for everything. Each call
// takes the GIL; what the Python code raises comes out as it is.
std::shared_ptr<Game> python_game(pybind11::object pyspiel_game, std::string name,
                                  int32_t num_players, bool perfect_information,
                                  bool has_information_states);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_BINDINGS_PYTHON_GAME_H_
