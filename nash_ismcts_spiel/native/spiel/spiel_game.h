// OpenSpiel's C++ states behind the interface of worlds/game.h.
//
// This folder is an extension module of its own: it is compiled against the headers of one version
// of OpenSpiel and finds its symbols in the pyspiel that is loaded (see openspiel.py). Nothing in
// the other extension depends on it.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SPIEL_SPIEL_GAME_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SPIEL_SPIEL_GAME_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../worlds/game.h"
#include "open_spiel/spiel.h"

namespace nash_ismcts {

// The first moves of a game in which these take long: legal actions, by what the mover is shown
// there (they follow from that), and the states that moves lead to, by their histories. The same
// moves are made again and again wherever a history is replayed.
class FirstMoves {
 public:
  explicit FirstMoves(int64_t moves) : moves_(moves) {}

  // Whether the state is at one of those first moves.
  bool covers(const open_spiel::State& state) const { return state.MoveNumber() < moves_; }

  // The legal actions of the player to move at a state, which are looked for if they are not known.
  std::vector<Action> legal_actions(const open_spiel::State& state);

  // Takes an action at a state, or puts a copy of the state that it leads to in its place.
  void apply(std::unique_ptr<open_spiel::State>& state, Action action);

 private:
  // What a memory has for a key, made if it is not there.
  template <typename Value, typename Make>
  Value remembered(std::unordered_map<std::string, Value>& memory, std::string key,
                   const Make& make);

  static constexpr size_t kMost = 1 << 13;  // of each that are remembered; then it begins anew

  int64_t moves_;
  std::mutex one_at_a_time_;
  std::unordered_map<std::string, std::vector<Action>> legal_;
  std::unordered_map<std::string, std::shared_ptr<const open_spiel::State>> states_;
};

class SpielState final : public GameState {
 public:
  // First moves are remembered where there is a memory.
  SpielState(std::unique_ptr<open_spiel::State> state, bool has_information_states,
             std::shared_ptr<FirstMoves> memory)
      : state_(std::move(state)),
        has_information_states_(has_information_states),
        memory_(std::move(memory)) {}

  std::unique_ptr<GameState> clone() const override;
  int32_t player() const override { return state_->CurrentPlayer(); }
  void apply(Action action) override {
    if (memory_ != nullptr && memory_->covers(*state_)) {
      memory_->apply(state_, action);
    } else {
      state_->ApplyAction(action);
    }
  }
  void legal_actions(std::vector<Action>& actions) const override;
  void chance_outcomes(std::vector<Action>& outcomes,
                       std::vector<double>& probabilities) const override;
  double chance_of(Action outcome) const override;
  std::string shown(int32_t player) const override;
  std::string observation(int32_t player) const override {
    return state_->ObservationString(player);
  }
  std::string printed() const override { return state_->ToString(); }
  void tensor(int32_t player, TensorKind kind, float* numbers, int64_t size) const override;
  std::string describe(Action event) const override;
  std::vector<double> returns() const override { return state_->Returns(); }

 private:
  // A game that stops without an end would be played into nowhere.
  void require_end(const char* problem) const;

  std::unique_ptr<open_spiel::State> state_;
  bool has_information_states_;
  std::shared_ptr<FirstMoves> memory_;
};

class SpielGame final : public Game {
 public:
  SpielGame(std::shared_ptr<const open_spiel::Game> game, GameFacts facts);

  std::unique_ptr<GameState> initial_state() const override;
  std::unique_ptr<GameState> initial_view() const override;
  bool has_own_view() const override { return cheap_ != nullptr; }
  TensorFacts tensor_facts() const override;

 private:
  std::shared_ptr<const open_spiel::Game> game_;
  std::unique_ptr<const open_spiel::State> start_;  // some games take long to make one
  std::unique_ptr<const open_spiel::State> cheap_;  // for `initial_view`, null in most games
  std::shared_ptr<FirstMoves> memory_;              // null in most games
};

// Loads a game by its string. The caller says what `support` (games/adapter.py) found out, so that
// states of both kinds are asked in the same way. Throws std::invalid_argument if players move at
// the same time, and OpenSpiel's error if it knows no such game.
std::shared_ptr<Game> load_spiel_game(const std::string& name, bool perfect_information,
                                      bool has_information_states, bool needs_gil);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SPIEL_SPIEL_GAME_H_
