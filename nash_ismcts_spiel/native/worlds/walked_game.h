// A merged game, walked: the same game as the one that was merged, with states that are numbers of
// nodes. To copy a state, to move and to look cost next to nothing, where OpenSpiel writes strings.
//
// Worlds stay histories. What a player is shown at its own decisions is a digest of its signals
// (merged_game.h) and own actions up to there: perfect recall, as an information state must have
// it, since whoever looks for worlds compares the last one alone. So information sets are those of
// the game that was merged, unless its strings tell more than its observations and tensors do
// (merged_recall.cc). Other players' decisions show a player nothing until its own, which is why
// the game must have information states.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_WALKED_GAME_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_WALKED_GAME_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../common/hash.h"
#include "game.h"
#include "merged_game.h"

namespace nash_ismcts {

// What states of a walked game read.
struct WalkedTables {
  std::shared_ptr<const MergedGame> merged;
  std::vector<float> observations;  // of each view's player, [V, size]; empty if there are none
  int64_t observation_size = 0;
};

class WalkedState final : public GameState {
 public:
  explicit WalkedState(const WalkedTables* tables)
      : tables_(tables), recalled_(tables->merged->num_players, 0) {}

  std::unique_ptr<GameState> clone() const override { return std::make_unique<WalkedState>(*this); }
  int32_t player() const override { return merged().mover[node_]; }

  void apply(Action action) override {
    const int32_t mover = player();
    if (mover >= 0) recalled_[mover] = hash_combine(recall(), static_cast<uint64_t>(action));
    const auto [first, end] = merged().events(node_);
    node_ = merged().child[merged().first_edge[node_] + (std::find(first, end, action) - first)];
  }

  void legal_actions(std::vector<Action>& actions) const override { events(actions); }

  void chance_outcomes(std::vector<Action>& outcomes,
                       std::vector<double>& probabilities) const override {
    events(outcomes);
    const auto chances = merged().chance.begin();
    probabilities.assign(chances + merged().first_edge[node_],
                         chances + merged().first_edge[node_ + 1]);
  }

  std::string shown(int32_t player) const override {
    return player == this->player() ? std::to_string(recall()) : std::string();
  }

  std::string observation(int32_t player) const override {
    return player == this->player() ? std::to_string(merged().view[node_]) : std::string();
  }

  void tensor(int32_t player, TensorKind kind, float* numbers, int64_t size) const override;

  std::string describe(Action event) const override { return std::to_string(event); }

  std::vector<double> returns() const override {
    const auto row = merged().returns.begin() +
                     static_cast<int64_t>(merged().terminal[node_]) * merged().num_players;
    return {row, row + merged().num_players};
  }

 private:
  const MergedGame& merged() const { return *tables_->merged; }

  // All that the mover has seen and done, digested.
  uint64_t recall() const {
    return hash_combine(recalled_[player()], static_cast<uint64_t>(merged().signal[node_]));
  }

  void events(std::vector<Action>& found) const {
    const auto [first, end] = merged().events(node_);
    found.assign(first, end);
  }

  const WalkedTables* tables_;  // of the game, which outlives its states
  int32_t node_ = 0;
  std::vector<uint64_t> recalled_;  // by player, up to its last own action
};

class WalkedGame final : public Game {
 public:
  // Throws std::invalid_argument if the game has no information states.
  WalkedGame(std::shared_ptr<const Game> game, std::shared_ptr<const MergedGame> merged);

  std::unique_ptr<GameState> initial_state() const override {
    return std::make_unique<WalkedState>(&tables_);
  }
  TensorFacts tensor_facts() const override { return facts_of_tensors_; }

 private:
  TensorFacts facts_of_tensors_;
  WalkedTables tables_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_WALKED_GAME_H_
