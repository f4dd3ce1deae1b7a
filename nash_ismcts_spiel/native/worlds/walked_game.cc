#include "walked_game.h"

namespace nash_ismcts {

namespace {

GameFacts walked_facts(const Game& game) {
  GameFacts facts = game.facts();
  if (!facts.has_information_states) {
    throw std::invalid_argument(facts.name +
                                " has no information states: what its players see between their "
                                "decisions is not kept where histories are merged");
  }
  facts.needs_gil = false;
  return facts;
}

}  // namespace

void WalkedState::tensor(int32_t player, TensorKind kind, float* numbers, int64_t size) const {
  if (kind != TensorKind::kObservation || player != this->player() ||
      size != tables_->observation_size) {
    throw std::logic_error("only the observations of the player to move are kept here");
  }
  const auto row = tables_->observations.begin() + int64_t{merged().view[node_]} * size;
  std::copy(row, row + size, numbers);
}

WalkedGame::WalkedGame(std::shared_ptr<const Game> game, std::shared_ptr<const MergedGame> merged)
    : Game(walked_facts(*game)), facts_of_tensors_(game->tensor_facts()) {
  const int64_t size = facts_of_tensors_.observation_size;
  tables_.observation_size = size;
  tables_.observations.resize(merged->views.size() * static_cast<size_t>(size));
  for (size_t view = 0; view < merged->views.size() && size > 0; ++view) {
    const MergedView& each = merged->views[view];
    const std::unique_ptr<GameState> state = game->initial_state();
    for (const Action event : merged->first_history(each.first_node)) state->apply(event);
    state->tensor(each.player, TensorKind::kObservation,
                  tables_.observations.data() + static_cast<int64_t>(view) * size, size);
  }
  tables_.merged = std::move(merged);
}

}  // namespace nash_ismcts
