// Python bots in OpenSpiel's own registry of bots.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SPIEL_BOT_BINDINGS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SPIEL_BOT_BINDINGS_H_

#include <pybind11/pybind11.h>

namespace nash_ismcts {

// Adds `register_bot` to the module.
void bind_bots(pybind11::module_& module);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SPIEL_BOT_BINDINGS_H_
