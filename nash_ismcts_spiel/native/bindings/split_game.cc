// Python's side of games whose actions are chosen in parts.

#include "../worlds/split_game.h"

#include <pybind11/stl.h>

#include <memory>
#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "shared.h"

namespace nash_ismcts {

namespace {

std::shared_ptr<const Codes> codes_of(const Ints& lengths, const Ints& digits) {
  if (lengths.size() == 0) return nullptr;
  return std::make_shared<Codes>(vector_of(lengths), vector_of(digits));
}

std::shared_ptr<SplitGame> split_game(const std::shared_ptr<Game>& inner,
                                      const Ints& action_lengths, const Ints& action_digits,
                                      const Ints& outcome_lengths, const Ints& outcome_digits) {
  auto actions = codes_of(action_lengths, action_digits);
  if (!actions) throw py::value_error("a game is split by codes of its actions, but has none");
  return std::make_shared<SplitGame>(inner, std::move(actions),
                                     codes_of(outcome_lengths, outcome_digits));
}

// A translation of a history, which is played on the way.
template <typename Answer>
auto translated(Answer (SplitGame::*question)(const History&) const) {
  return [question](const SplitGame& self, const History& history) {
    return walked(self, [&] { return (self.*question)(history); });
  };
}

}  // namespace

void bind_split_game(py::module_& module) {
  py::class_<SplitGame, Game, std::shared_ptr<SplitGame>>(module, "SplitGame", py::is_final())
      .def(py::init(&split_game), "inner"_a.none(false), "action_lengths"_a, "action_digits"_a,
           "outcome_lengths"_a, "outcome_digits"_a)
      .def("split", translated(&SplitGame::split), "history"_a)
      .def("whole", translated(&SplitGame::whole), "history"_a);
}

}  // namespace nash_ismcts
