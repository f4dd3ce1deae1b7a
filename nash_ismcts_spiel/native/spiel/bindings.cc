// The extension module nash_ismcts_spiel.native._spiel. Import it by openspiel.py, which makes the
// symbols of pyspiel visible first.

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>

#include "ismcts_peer.h"
#include "spiel_game.h"

namespace py = pybind11;

namespace nash_ismcts {

void bind_bots(py::module_& module);  // adds `register_bot`, see bot_bindings.cc

namespace {

void bind_ismcts_peer(py::module_& module) {
  py::class_<IsmctsPeer>(module, "IsmctsPeer", "OpenSpiel's C++ IS-MCTS with worlds of ours.")
      .def(py::init([](const std::string& game, double uct_c, int max_world_samples,
                       bool most_visits, int rollouts) {
             using FinalPolicy = open_spiel::algorithms::ISMCTSFinalPolicyType;
             const FinalPolicy final_policy =
                 most_visits ? FinalPolicy::kMaxVisitCount : FinalPolicy::kNormalizedVisitCount;
             return IsmctsPeer(game, {uct_c, max_world_samples, final_policy, rollouts});
           }),
           py::arg("game"), py::arg("uct_c"), py::arg("max_world_samples"), py::arg("most_visits"),
           py::arg("rollouts"))
      .def("policy", &IsmctsPeer::policy, py::arg("history"), py::arg("draw"), py::arg("seed"),
           py::arg("simulations"), py::arg("seconds"), py::call_guard<py::gil_scoped_release>());
}

}  // namespace
}  // namespace nash_ismcts

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
