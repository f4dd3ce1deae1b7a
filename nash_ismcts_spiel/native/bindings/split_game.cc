// Python's side of games whose actions are chosen in parts.

#include "../worlds/split_game.h"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <vector>

#include "arrays.h"
#include "bindings.h"

namespace nash_ismcts {

namespace {

std::vector<int32_t> vector_of(const Ints& array) {
  return {array.data(), array.data() + array.size()};
}

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

// Walks a game, without the GIL where that can be.
template <typename Walk>
auto walked(const SplitGame& game, const Walk& walk) {
  std::optional<py::gil_scoped_release> release;
  if (!game.facts().needs_gil) release.emplace();
  return walk();
}

}  // namespace

void bind_split_game(py::module_& module) {
  py::class_<SplitGame, Game, std::shared_ptr<SplitGame>>(module, "SplitGame", py::is_final())
      .def(py::init(&split_game), py::arg("inner").none(false), py::arg("action_lengths"),
           py::arg("action_digits"), py::arg("outcome_lengths"), py::arg("outcome_digits"))
      .def(
          "split",
          [](const SplitGame& self, const History& history) {
            return walked(self, [&] { return self.split(history); });
          },
          py::arg("history"))
      .def(
          "whole",
          [](const SplitGame& self, const History& history) {
            return walked(self, [&] { return self.whole(history); });
          },
          py::arg("history"));
}

}  // namespace nash_ismcts
