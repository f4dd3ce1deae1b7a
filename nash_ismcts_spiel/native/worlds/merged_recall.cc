#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "../common/hash.h"
#include "../common/random.h"
#include "merged_game.h"
#include "playout.h"

namespace nash_ismcts {

namespace {

// What a player's information state tells. The tensor where there is one: some strings also count
// events that the player did not see, and no network is told these.
uint64_t told(const GameState& state, int32_t player, const TensorFacts& facts) {
  if (facts.kind != TensorKind::kInformationState) {
    const std::string text = state.shown(player);
    return hash_bytes(0, text.data(), text.size());
  }
  std::vector<float> numbers(static_cast<size_t>(facts.size));
  state.tensor(player, facts.kind, numbers.data(), facts.size);
  return hash_bytes(0, reinterpret_cast<const char*>(numbers.data()),
                    numbers.size() * sizeof(float));
}

}  // namespace

std::string untold_information(const Game& game, int32_t games) {
  constexpr uint64_t kSeed = 1;
  constexpr int32_t kLongest = 200;  // events of a game; what comes later hardly meets again
  const TensorFacts facts = game.tensor_facts();
  Random random(kSeed);
  Playout playout;
  std::unordered_map<uint64_t, uint64_t> told_by_chain;
  for (int32_t count = 0; count < games; ++count) {
    const auto state = game.initial_state();
    std::vector<uint64_t> chain(game.facts().num_players);
    for (int32_t player = 0; player < game.facts().num_players; ++player) chain[player] = player;
    for (int32_t length = 0; length < kLongest; ++length) {
      const int32_t mover = state->player();
      if (mover == kTerminalPlayer) break;
      const Action event = playout.draw_event(*state, mover, random);
      if (mover >= 0) {
        const std::string seen = state->observation(mover);
        chain[mover] = hash_bytes(chain[mover], seen.data(), seen.size());
        const uint64_t known = told(*state, mover, facts);
        if (told_by_chain.try_emplace(chain[mover], known).first->second != known) {
          return game.facts().name + ": player " + std::to_string(mover) +
                 " is told more by its information state than by its observations at its own "
                 "decisions, so a response that remembers only these is not a best response; use "
                 "the information state as the key. An observation is '" +
                 seen + "'";
        }
        chain[mover] = hash_combine(chain[mover], static_cast<uint64_t>(event));
      }
      state->apply(event);
    }
  }
  return {};
}

}  // namespace nash_ismcts
