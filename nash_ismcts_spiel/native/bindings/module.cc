// The extension module nash_ismcts_spiel.native._core: one call per part.

#include "bindings.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "Compiled parts of nash_ismcts_spiel; use the typed wrappers beside it.";
  nash_ismcts::bind_worlds(module);
  nash_ismcts::bind_tensors(module);
  nash_ismcts::bind_exact(module);
  nash_ismcts::bind_merged(module);
  nash_ismcts::bind_rows(module);
  nash_ismcts::bind_sources(module);
  nash_ismcts::bind_search(module);
  nash_ismcts::bind_forest(module);
  nash_ismcts::bind_state_forest(module);
  nash_ismcts::bind_play(module);
  nash_ismcts::bind_subgames(module);
}
