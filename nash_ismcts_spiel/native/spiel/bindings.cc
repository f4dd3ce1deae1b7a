// The extension module nash_ismcts_spiel.native._spiel. Import it by openspiel.py, which makes the
// symbols of pyspiel visible first.

#include <pybind11/pybind11.h>

#include "bot_bindings.h"
#include "ismcts_peer.h"
#include "spiel_game.h"

namespace py = pybind11;

PYBIND11_MODULE(_spiel, module) {
  module.doc() = "OpenSpiel's C++ states, its registry of bots and its IS-MCTS; use openspiel.py.";
  py::module_::import("nash_ismcts_spiel.native._core");  // it knows the class Game
  module.attr("BUILT_FOR") = NASH_ISMCTS_OPEN_SPIEL_VERSION;
  module.def("load", &nash_ismcts::load_spiel_game, py::arg("name"), py::arg("perfect_information"),
             py::arg("has_information_states"), py::arg("needs_gil"),
             "The game of that string, with OpenSpiel's C++ states.");
  nash_ismcts::bind_bots(module);
  nash_ismcts::bind_ismcts_peer(module);
}
