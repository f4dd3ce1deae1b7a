// What the graph asks of a game: a small interface with two implementations, OpenSpiel's C++ states
// (spiel_game.cc, in an extension of its own) and Python states (bindings/game.cc).
//
// Nothing above this interface knows OpenSpiel. A state is a true state of the game, hidden
// information included, and stays inside `worlds/`. Utilities are in the game's units, one per
// player.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_GAME_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_GAME_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Classes that cross from one extension module to the other are one class to both, although all
// else is compiled with hidden symbols.
#if defined(__GNUC__)
#define NASH_ISMCTS_SHARED __attribute__((visibility("default")))
#else
#define NASH_ISMCTS_SHARED
#endif

namespace nash_ismcts {

class Random;

using Action = int64_t;
using History = std::vector<Action>;

// What `GameState::player` answers where no player is to move.
constexpr int32_t kChancePlayer = -1;
constexpr int32_t kTerminalPlayer = -4;

// What a player is told in numbers, for networks.
enum class TensorKind : int32_t { kNone, kInformationState, kObservation };

class NASH_ISMCTS_SHARED GameState {
 public:
  virtual ~GameState() = default;
  virtual std::unique_ptr<GameState> clone() const = 0;

  // Who is to move: a player, kChancePlayer or kTerminalPlayer.
  virtual int32_t player() const = 0;

  // Takes a legal action or a possible chance outcome; anything else is undefined.
  virtual void apply(Action action) = 0;

  // The legal actions of the player to move, in OpenSpiel's order.
  virtual void legal_actions(std::vector<Action>& actions) const = 0;

  // The chance outcomes that can happen, in OpenSpiel's order, and their probabilities.
  virtual void chance_outcomes(std::vector<Action>& outcomes,
                               std::vector<double>& probabilities) const = 0;

  // What can happen next: chance outcomes and their probabilities, or legal actions and none.
  void events(int32_t mover, std::vector<Action>& events,
              std::vector<double>& probabilities) const {
    probabilities.clear();
    if (mover == kChancePlayer) {
      chance_outcomes(events, probabilities);
    } else {
      legal_actions(events);
    }
  }

  // How likely a chance outcome is here, 0 if it cannot happen.
  virtual double chance_of(Action outcome) const {
    std::vector<Action> outcomes;
    std::vector<double> probabilities;
    chance_outcomes(outcomes, probabilities);
    const auto found = std::find(outcomes.begin(), outcomes.end(), outcome);
    return found == outcomes.end() ? 0.0 : probabilities[found - outcomes.begin()];
  }

  // What a player is shown: its information state if the game has these, else its observation.
  virtual std::string shown(int32_t player) const = 0;

  // What a player is shown of the present alone; it may forget, and not every game has it.
  virtual std::string observation(int32_t) const { throw std::logic_error("no observations here"); }

  // The true state as the game prints it, hidden information included. Games that stand round
  // others (split_game.h) print nothing.
  virtual std::string printed() const { throw std::logic_error("nothing is printed here"); }

  // What a player is told in numbers: a tensor that the game has, `size` numbers (TensorFacts).
  virtual void tensor(int32_t player, TensorKind kind, float* numbers, int64_t size) const = 0;

  // How an event at this state is written; a hint for who looks for it in what players are shown.
  virtual std::string describe(Action event) const = 0;

  // Each player's utility at the end of the game.
  virtual std::vector<double> returns() const = 0;

  // What follows differs only where actions are chosen in parts (split_game.h).

  // Whether an action or outcome has been begun and not finished.
  virtual bool within_action() const { return false; }

  // What the player to move knows of its choice beside its legal actions: which whole ones there
  // are.
  virtual std::string whole_options() const { return {}; }

  // How many whole actions each legal action can become; none where actions are whole.
  virtual void whole_counts(std::vector<double>& counts) const { counts.clear(); }

  // The whole actions that the player to move can take, and what it has to choose for each.
  virtual void whole_actions(std::vector<std::pair<Action, History>>& actions) const {
    std::vector<Action> legal;
    legal_actions(legal);
    actions.clear();
    for (const Action action : legal) actions.emplace_back(action, History{action});
  }

  // A state in which whole actions are played from here on, to which this one then belongs. An
  // action that has been begun is finished at random first.
  virtual GameState& undivided(Random&) { return *this; }
};

// Facts about a game that do not change.
struct NASH_ISMCTS_SHARED GameFacts {
  std::string name;
  int32_t num_players = 0;
  bool perfect_information = false;
  bool has_information_states = false;  // else players are shown observations
  bool needs_gil = false;               // its states run Python code
};

// What networks have to know about a game.
struct NASH_ISMCTS_SHARED TensorFacts {
  TensorKind kind = TensorKind::kNone;  // of information states if the game has these
  int64_t size = 0;                     // numbers of one tensor
  int64_t observation_size = 0;         // numbers of one observation tensor, 0 if there is none
  int64_t actions = 0;                  // actions are numbered below this
  int64_t chance_outcomes = 0;          // and chance outcomes below this

  bool operator==(const TensorFacts& other) const {
    return kind == other.kind && size == other.size && observation_size == other.observation_size &&
           actions == other.actions && chance_outcomes == other.chance_outcomes;
  }
};

class NASH_ISMCTS_SHARED Game {
 public:
  explicit Game(GameFacts facts) : facts_(std::move(facts)) {}
  virtual ~Game() = default;
  const GameFacts& facts() const { return facts_; }
  virtual std::unique_ptr<GameState> initial_state() const = 0;

  // The same for who only looks at what players are shown before the end: utilities, and where the
  // game ends, may be others. For games whose utilities cost much.
  virtual std::unique_ptr<GameState> initial_view() const { return initial_state(); }
  virtual bool has_own_view() const { return false; }

  virtual TensorFacts tensor_facts() const = 0;

 private:
  GameFacts facts_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_GAME_H_
