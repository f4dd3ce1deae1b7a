#include "python_game.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.h"

namespace nash_ismcts {

namespace {

namespace py = pybind11;

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

  // The GIL must be held.
  template <typename... Arguments>
  py::object call(const char* method, Arguments&&... arguments) const {
    return object_.attr(method)(std::forward<Arguments>(arguments)...);
  }

 private:
  py::object object_;
};

class PythonState : public GameState {
 public:
  PythonState(py::object state, int32_t num_players, const char* shown_by)
      : state_(std::move(state)), num_players_(num_players), shown_by_(shown_by) {}

  std::unique_ptr<GameState> clone() const override {
    const py::gil_scoped_acquire acquire;
    return std::make_unique<PythonState>(state_.call("clone"), num_players_, shown_by_);
  }

  int32_t player() const override {
    const py::gil_scoped_acquire acquire;
    const auto player = state_.call("current_player").cast<int32_t>();
    if (player >= 0 && player < num_players_) return player;
    if (state_.call("is_terminal").cast<bool>()) return kTerminalPlayer;
    if (player == kChancePlayer) return kChancePlayer;
    throw std::invalid_argument("current_player() of the game must be a player from 0 to " +
                                std::to_string(num_players_ - 1) + " or chance, not " +
                                std::to_string(player));
  }

  void apply(Action action) override {
    const py::gil_scoped_acquire acquire;
    state_.call("apply_action", action);
  }

  void legal_actions(std::vector<Action>& actions) const override {
    const py::gil_scoped_acquire acquire;
    actions = state_.call("legal_actions").cast<std::vector<Action>>();
    require_some(!actions.empty(),
                 "legal_actions() of the game has none where a player is to move");
  }

  void chance_outcomes(std::vector<Action>& outcomes,
                       std::vector<double>& probabilities) const override {
    const py::gil_scoped_acquire acquire;
    outcomes.clear();
    probabilities.clear();
    for (const auto& [outcome, probability] :
         state_.call("chance_outcomes").cast<std::vector<std::pair<Action, double>>>()) {
      outcomes.push_back(outcome);
      probabilities.push_back(probability);
    }
    require_some(!outcomes.empty(),
                 "chance_outcomes() of the game has none where chance is to move");
  }

  std::string describe(Action event) const override {
    const py::gil_scoped_acquire gil;
    return py::str(state_.call("action_to_string", state_.call("current_player"), event));
  }

  std::string shown(int32_t player) const override {
    const py::gil_scoped_acquire acquire;
    return py::str(state_.call(shown_by_, player));
  }

  std::string observation(int32_t player) const override {
    const py::gil_scoped_acquire acquire;
    return py::str(state_.call("observation_string", player));
  }

  std::string printed() const override {
    const py::gil_scoped_acquire acquire;
    return py::str(state_.call("__str__"));
  }

  void tensor(int32_t player, TensorKind kind, float* numbers, int64_t size) const override {
    const py::gil_scoped_acquire acquire;
    const char* method =
        kind == TensorKind::kInformationState ? "information_state_tensor" : "observation_tensor";
    const auto values = state_.call(method, player).cast<Singles>();
    if (values.size() != size) {
      throw std::invalid_argument(std::string(method) + "() of the game must have " +
                                  std::to_string(size) + " numbers, as the game says, not " +
                                  std::to_string(values.size()));
    }
    std::copy_n(values.data(), size, numbers);
  }

  std::vector<double> returns() const override {
    const py::gil_scoped_acquire acquire;
    auto utilities = state_.call("returns").cast<std::vector<double>>();
    if (static_cast<int32_t>(utilities.size()) != num_players_) {
      throw std::invalid_argument("returns() of the game must have one utility for each of " +
                                  std::to_string(num_players_) + " players, not " +
                                  std::to_string(utilities.size()));
    }
    for (const double utility : utilities) {
      if (!(std::abs(utility) <= kLargestUtility)) {  // NaN too
        throw std::invalid_argument("returns() of the game must be finite and below 1e100");
      }
    }
    return utilities;
  }

 private:
  // A game that stops without an end would be played into nowhere. The GIL must be held.
  void require_some(bool some, const char* problem) const {
    if (!some && !state_.call("is_terminal").cast<bool>()) throw std::invalid_argument(problem);
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
        game_.call("new_initial_state"), facts().num_players,
        facts().has_information_states ? "information_state_string" : "observation_string");
  }

  TensorFacts tensor_facts() const override {
    const py::gil_scoped_acquire acquire;
    TensorFacts facts;
    facts.actions = game_.call("num_distinct_actions").cast<int64_t>();
    facts.chance_outcomes = game_.call("max_chance_outcomes").cast<int64_t>();
    const py::object type = game_.call("get_type");
    if (type.attr("provides_observation_tensor").cast<bool>()) {
      facts.observation_size = game_.call("observation_tensor_size").cast<int64_t>();
    }
    if (type.attr("provides_information_state_tensor").cast<bool>()) {
      facts.kind = TensorKind::kInformationState;
      facts.size = game_.call("information_state_tensor_size").cast<int64_t>();
    } else if (type.attr("provides_observation_tensor").cast<bool>()) {
      facts.kind = TensorKind::kObservation;
      facts.size = facts.observation_size;
    }
    return facts;
  }

 private:
  const PythonObject game_;
};

}  // namespace

std::shared_ptr<Game> python_game(py::object pyspiel_game, std::string name, int32_t num_players,
                                  bool perfect_information, bool has_information_states) {
  if (num_players < 1) throw py::value_error("a game needs at least one player");
  GameFacts facts;
  facts.name = std::move(name);
  facts.num_players = num_players;
  facts.perfect_information = perfect_information;
  facts.has_information_states = has_information_states;
  facts.needs_gil = true;
  return std::make_shared<PythonGame>(std::move(pyspiel_game), std::move(facts));
}

}  // namespace nash_ismcts
