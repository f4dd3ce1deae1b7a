// OpenSpiel's registry takes C++ bots. `PythonBot` is one that hands every question on to a Python
// bot, with the GIL held. Errors of the Python bot leave as Python exceptions: pyspiel is made with
// pybind11 too, and passes them on unchanged.
//
// A C++ state of pyspiel need not be known as a Python object to this module, so the Python bot
// gets one that pyspiel makes anew, from what the state writes of itself. That is OpenSpiel's own
// way to move states between processes, and holds for simultaneous moves and for unusual starts.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "open_spiel/game_parameters.h"
#include "open_spiel/spiel.h"
#include "open_spiel/spiel_bots.h"

namespace py = pybind11;

namespace nash_ismcts {
namespace {

using open_spiel::Action;
using open_spiel::ActionsAndProbs;
using open_spiel::GameParameter;
using open_spiel::GameParameters;
using open_spiel::Player;
using open_spiel::State;

py::object value_of(const GameParameter& parameter);

// Parameters as Python values, without the name of what they are parameters of.
py::dict dict_of(const GameParameters& parameters) {
  py::dict values;
  for (const auto& [name, parameter] : parameters) {
    if (name != "name") values[py::str(name)] = value_of(parameter);
  }
  return values;
}

py::object value_of(const GameParameter& parameter) {
  switch (parameter.type()) {
    case GameParameter::Type::kInt: return py::int_(parameter.int_value());
    case GameParameter::Type::kDouble: return py::float_(parameter.double_value());
    case GameParameter::Type::kString: return py::str(parameter.string_value());
    case GameParameter::Type::kBool: return py::bool_(parameter.bool_value());
    case GameParameter::Type::kGame:
      return py::str(open_spiel::GameParametersToString(parameter.game_value()));
    case GameParameter::Type::kUnset: break;
  }
  return py::none();
}

class PythonBot final : public open_spiel::Bot {
 public:
  // `game` is the pyspiel game that makes the states which `bot` is shown.
  PythonBot(py::object bot, py::object game) : bot_(std::move(bot)), game_(std::move(game)) {}

  ~PythonBot() override {
    if (!Py_IsInitialized()) {  // too late to give anything back
      bot_.release();
      game_.release();
      return;
    }
    py::gil_scoped_acquire gil;
    bot_ = py::object();
    game_ = py::object();
  }

  Action Step(const State& state) override { return ask<Action>("step", state); }

  std::pair<ActionsAndProbs, Action> StepWithPolicy(const State& state) override {
    return ask<std::pair<ActionsAndProbs, Action>>("step_with_policy", state);
  }

  bool ProvidesPolicy() override { return ask<bool>("provides_policy"); }

  ActionsAndProbs GetPolicy(const State& state) override {
    return ask<ActionsAndProbs>("get_policy", state);
  }

  void Restart() override { tell("restart"); }
  void RestartAt(const State& state) override { tell("restart_at", state); }

  void InformAction(const State& state, Player player, Action action) override {
    tell("inform_action", state, player, action);
  }

  void InformActions(const State& state, const std::vector<Action>& actions) override {
    tell("inform_actions", state, actions);
  }

  bool ProvidesForceAction() override { return ask<bool>("provides_force_action"); }
  void ForceAction(const State& state, Action action) override {
    tell("force_action", state, action);
  }

  bool IsClonable() const override { return ask<bool>("is_clonable"); }

  std::unique_ptr<open_spiel::Bot> Clone() override {
    py::gil_scoped_acquire gil;
    return std::make_unique<PythonBot>(bot_.attr("clone")(), game_);
  }

 private:
  template <typename Answer, typename... Arguments>
  Answer ask(const char* method, const Arguments&... arguments) const {
    py::gil_scoped_acquire gil;
    return bot_.attr(method)(seen(arguments)...).template cast<Answer>();
  }

  template <typename... Arguments>
  void tell(const char* method, const Arguments&... arguments) const {
    py::gil_scoped_acquire gil;
    bot_.attr(method)(seen(arguments)...);
  }

  // An argument as the Python bot gets it.
  template <typename Argument>
  const Argument& seen(const Argument& argument) const {
    return argument;
  }
  py::object seen(const State& state) const {
    return game_.attr("deserialize_state")(state.Serialize());
  }

  py::object bot_;
  py::object game_;
};

class PythonBotFactory final : public open_spiel::BotFactory {
 public:
  // The references are never given back: OpenSpiel's registry outlives the interpreter.
  PythonBotFactory(py::object maker, py::object can_play)
      : maker_(maker.release()), can_play_(can_play.release()) {}

  bool CanPlayGame(const open_spiel::Game& game, Player player) const override {
    py::gil_scoped_acquire gil;
    return can_play_(game.ToString(), player).cast<bool>();
  }

  std::unique_ptr<open_spiel::Bot> Create(std::shared_ptr<const open_spiel::Game> game,
                                          Player player,
                                          const GameParameters& parameters) const override {
    py::gil_scoped_acquire gil;
    const std::string name = game->ToString();
    py::object bot = maker_(name, player, dict_of(parameters));
    py::object states = py::module_::import("pyspiel").attr("load_game")(name);
    return std::make_unique<PythonBot>(std::move(bot), std::move(states));
  }

 private:
  py::handle maker_;
  py::handle can_play_;
};

void register_bot(const std::string& name, py::object maker, py::object can_play) {
  if (open_spiel::IsBotRegistered(name)) {
    throw py::value_error("OpenSpiel has a bot " + name + " already");
  }
  open_spiel::BotRegisterer::RegisterBot(
      name, std::make_unique<PythonBotFactory>(std::move(maker), std::move(can_play)));
}

}  // namespace

void bind_bots(py::module_& module) {
  module.def("register_bot", &register_bot, py::arg("name"), py::arg("maker"), py::arg("can_play"),
             "Adds a bot to OpenSpiel's registry for the rest of the process.");
}

}  // namespace nash_ismcts
