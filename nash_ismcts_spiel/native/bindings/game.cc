// Python's side of games: facts about them, games whose actions are chosen in parts, and games
// whose states are Python objects: those that OpenSpiel has in Python only, and users' own.

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../worlds/game.h"
#include "../worlds/playout.h"
#include "../worlds/split_game.h"
#include "arrays.h"
#include "bindings.h"
#include "shared.h"

namespace nash_ismcts {

namespace {

// Squares of what players get, and sums of them, must stay finite.
constexpr double kLargestUtility = 1e100;

// A reference that any thread may drop.
class PythonObject {
 public:
  explicit PythonObject(py::object object) : object_(std::move(object)) {}
  ~PythonObject() {
    const py::handle object = object_.release();
    if (!Py_IsInitialized()) return;  // too late to give anything back
    const py::gil_scoped_acquire acquire;
    object.dec_ref();
  }
  PythonObject(const PythonObject&) = delete;
  PythonObject& operator=(const PythonObject&) = delete;

  // Calls a method, with the GIL, and takes what it gives as a type of C++.
  template <typename Answer, typename... Arguments>
  Answer ask(const char* method, Arguments&&... arguments) const {
    const py::gil_scoped_acquire acquire;
    return object_.attr(method)(std::forward<Arguments>(arguments)...).template cast<Answer>();
  }
  template <typename... Arguments>
  void tell(const char* method, Arguments&&... arguments) const {
    const py::gil_scoped_acquire acquire;
    object_.attr(method)(std::forward<Arguments>(arguments)...);
  }

  // The answer as text.
  template <typename... Arguments>
  std::string text(const char* method, Arguments&&... arguments) const {
    const py::gil_scoped_acquire acquire;
    return py::str(object_.attr(method)(std::forward<Arguments>(arguments)...));
  }

 private:
  py::object object_;
};

[[noreturn]] void refuse(const char* method, const std::string& problem) {
  throw std::invalid_argument(std::string(method) + "() of the game must " + problem);
}

class PythonState : public GameState {
 public:
  PythonState(py::object state, int32_t num_players, const char* shown_by)
      : state_(std::move(state)), num_players_(num_players), shown_by_(shown_by) {}

  std::unique_ptr<GameState> clone() const override {
    const py::gil_scoped_acquire acquire;
    return std::make_unique<PythonState>(state_.ask<py::object>("clone"), num_players_, shown_by_);
  }

  int32_t player() const override {
    const auto player = state_.ask<int32_t>("current_player");
    if (player >= 0 && player < num_players_) return player;
    if (state_.ask<bool>("is_terminal")) return kTerminalPlayer;
    if (player == kChancePlayer) return kChancePlayer;
    refuse("current_player", "be a player from 0 to " + std::to_string(num_players_ - 1) +
                                 " or chance, not " + std::to_string(player));
  }

  void apply(Action action) override { state_.tell("apply_action", action); }

  void legal_actions(std::vector<Action>& actions) const override {
    actions = state_.ask<std::vector<Action>>("legal_actions");
    require_some(!actions.empty(),
                 "legal_actions() of the game has none where a player is to move");
  }

  void chance_outcomes(std::vector<Action>& outcomes,
                       std::vector<double>& probabilities) const override {
    outcomes.clear();
    probabilities.clear();
    for (const auto& [outcome, probability] :
         state_.ask<std::vector<std::pair<Action, double>>>("chance_outcomes")) {
      outcomes.push_back(outcome);
      probabilities.push_back(probability);
    }
    require_some(!outcomes.empty(),
                 "chance_outcomes() of the game has none where chance is to move");
  }

  std::string describe(Action event) const override {
    return state_.text("action_to_string", state_.ask<int32_t>("current_player"), event);
  }
  std::string shown(int32_t player) const override { return state_.text(shown_by_, player); }
  std::string observation(int32_t player) const override {
    return state_.text("observation_string", player);
  }
  std::string printed() const override { return state_.text("__str__"); }

  void tensor(int32_t player, TensorKind kind, float* numbers, int64_t size) const override {
    const py::gil_scoped_acquire acquire;
    const char* method =
        kind == TensorKind::kInformationState ? "information_state_tensor" : "observation_tensor";
    const auto values = state_.ask<Singles>(method, player);
    if (values.size() != size) {
      refuse(method, "have " + std::to_string(size) + " numbers, as the game says, not " +
                         std::to_string(values.size()));
    }
    std::copy_n(values.data(), size, numbers);
  }

  std::vector<double> returns() const override {
    auto utilities = state_.ask<std::vector<double>>("returns");
    if (static_cast<int32_t>(utilities.size()) != num_players_) {
      refuse("returns", "have one utility for each of " + std::to_string(num_players_) +
                            " players, not " + std::to_string(utilities.size()));
    }
    for (const double utility : utilities) {
      if (!(std::abs(utility) <= kLargestUtility)) refuse("returns", "be finite and below 1e100");
    }
    return utilities;
  }

 private:
  // A game that stops without an end would be played into nowhere.
  void require_some(bool some, const char* problem) const {
    if (!some && !state_.ask<bool>("is_terminal")) throw std::invalid_argument(problem);
  }

  const PythonObject state_;
  const int32_t num_players_;
  const char* const shown_by_;  // the method that says what a player is shown
};

class PythonGame : public Game {
 public:
  PythonGame(py::object pyspiel_game, GameFacts facts)
      : Game(std::move(facts)), game_(std::move(pyspiel_game)) {}

  std::unique_ptr<GameState> initial_state() const override {
    const py::gil_scoped_acquire acquire;
    return std::make_unique<PythonState>(
        game_.ask<py::object>("new_initial_state"), facts().num_players,
        facts().has_information_states ? "information_state_string" : "observation_string");
  }

  TensorFacts tensor_facts() const override {
    const py::gil_scoped_acquire acquire;
    const auto type = game_.ask<py::object>("get_type");
    const bool remembers = type.attr("provides_information_state_tensor").cast<bool>();
    const bool observes = type.attr("provides_observation_tensor").cast<bool>();
    TensorFacts facts;
    facts.actions = game_.ask<int64_t>("num_distinct_actions");
    facts.chance_outcomes = game_.ask<int64_t>("max_chance_outcomes");
    if (observes) facts.observation_size = game_.ask<int64_t>("observation_tensor_size");
    if (observes) facts.kind = TensorKind::kObservation;
    facts.size = facts.observation_size;
    if (remembers) facts.kind = TensorKind::kInformationState;
    if (remembers) facts.size = game_.ask<int64_t>("information_state_tensor_size");
    return facts;
  }

 private:
  const PythonObject game_;
};

// Games that are sequential and whose states are asked for everything. Each call takes the GIL;
// what the Python code raises comes out as it is.
std::shared_ptr<Game> python_game(py::object pyspiel_game, std::string name, int32_t num_players,
                                  bool perfect_information, bool has_information_states) {
  if (num_players < 1) throw py::value_error("a game needs at least one player");
  GameFacts facts{std::move(name), num_players, perfect_information, has_information_states, true};
  return std::make_shared<PythonGame>(std::move(pyspiel_game), std::move(facts));
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

// A translation of a history, which is played on the way.
template <typename Answer>
auto translated(Answer (SplitGame::*question)(const History&) const) {
  return [question](const SplitGame& self, const History& history) {
    return walked(self, [&] { return (self.*question)(history); });
  };
}

}  // namespace

void bind_games(py::module_& module) {
  py::class_<Game, std::shared_ptr<Game>> type(module, "Game");
  const auto fact = [&type](const char* name, auto member) {
    type.def_property_readonly(name, [member](const Game& game) { return game.facts().*member; });
  };
  fact("name", &GameFacts::name);
  fact("num_players", &GameFacts::num_players);
  fact("perfect_information", &GameFacts::perfect_information);
  fact("has_information_states", &GameFacts::has_information_states);
  fact("needs_gil", &GameFacts::needs_gil);
  type.def_property_readonly("has_own_view", &Game::has_own_view);
  type.def("sampled_value_scale", [](const Game& game) {
    return walked(game, [&] { return sampled_value_scale(game); });
  });
  type.def(
      "estimated_worlds",
      [](const Game& game, int32_t probes) {
        if (probes < 1) throw py::value_error("probes must be at least 1");
        return walked(game, [&] { return estimated_worlds(game, probes); });
      },
      "probes"_a);
  module.def("python_game", &python_game, "pyspiel_game"_a, "name"_a, "num_players"_a,
             "perfect_information"_a, "has_information_states"_a);
  py::class_<SplitGame, Game, std::shared_ptr<SplitGame>>(module, "SplitGame", py::is_final())
      .def(py::init(&split_game), "inner"_a.none(false), "action_lengths"_a, "action_digits"_a,
           "outcome_lengths"_a, "outcome_digits"_a)
      .def("split", translated(&SplitGame::split), "history"_a)
      .def("whole", translated(&SplitGame::whole), "history"_a);
}

}  // namespace nash_ismcts
