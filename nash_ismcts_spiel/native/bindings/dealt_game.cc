// Python's side of games whose hands of cards are drawn as sets.

#include "../worlds/dealt_game.h"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../worlds/tensors.h"
#include "arrays.h"
#include "bindings.h"

namespace nash_ismcts {

namespace {

// Plays a game, without the GIL where that can be.
template <typename Play>
auto played(const Game& game, const Play& play) {
  std::optional<py::gil_scoped_release> release;
  if (!game.facts().needs_gil) release.emplace();
  return play();
}

CheckedDeal checked_deal(const Game& game, int32_t first, const std::vector<int32_t>& hand) {
  return played(game, [&] { return check_deal(game, {first, hand}); });
}

// Who knows each hand.
std::vector<std::vector<int32_t>> known_by(const CheckedDeal& self) {
  std::vector<std::vector<int32_t>> players(self.known.size());
  for (size_t hand = 0; hand < players.size(); ++hand) {
    for (size_t player = 0; player < self.known[hand].size(); ++player) {
      if (self.known[hand][player] != 0) players[hand].push_back(static_cast<int32_t>(player));
    }
  }
  return players;
}

}  // namespace

void bind_dealt_game(py::module_& module) {
  py::class_<CheckedDeal>(module, "CheckedDeal", py::is_final())
      .def(py::init(&checked_deal), py::arg("game"), py::arg("first"), py::arg("hands"))
      .def_property_readonly("first", [](const CheckedDeal& self) { return self.deal.first; })
      .def_property_readonly("hands", [](const CheckedDeal& self) { return self.deal.hand; })
      .def_property_readonly("deck", [](const CheckedDeal& self) { return self.deck; })
      .def_property_readonly("known_by", &known_by);
  module.def(
      "find_deal", [](const Game& game) { return played(game, [&] { return find_deal(game); }); },
      py::arg("game"));
  py::class_<DealtGame, Game, std::shared_ptr<DealtGame>>(module, "DealtGame", py::is_final())
      .def(py::init([](const std::shared_ptr<Game>& inner, const CheckedDeal& deal) {
             return std::make_shared<DealtGame>(inner, deal);
           }),
           py::arg("inner").none(false), py::arg("deal"))
      .def("by_hand", &DealtGame::by_hand, py::arg("history"))
      .def("in_play", &DealtGame::in_play, py::arg("history"))
      .def(
          "slots_of", [](const DealtGame& self, int64_t pieces) { return slots_of(self, pieces); },
          py::arg("pieces"));
}

}  // namespace nash_ismcts
