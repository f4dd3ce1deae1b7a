// The public states of a game: checks that they form a tree and works out what chance has to do
// with them (see subgame.h).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "subgame.h"

namespace nash_ismcts {
namespace {

constexpr double kZeroSumTolerance = 1e-9;

void require(bool holds, const char* what, int64_t row, const char* problem) {
  if (!holds) {
    throw std::invalid_argument(std::string(what) + " " + std::to_string(row) + " " + problem);
  }
}

void check_sizes(const PublicGame& game) {
  const int64_t worlds = game.graph->num_worlds();
  if (game.graph->num_players != kTwo) {
    throw std::invalid_argument("public states need a game of two players");
  }
  if (static_cast<int64_t>(game.state.size()) != worlds ||
      static_cast<int64_t>(game.slot.size()) != worlds * kTwo) {
    throw std::invalid_argument("there must be one public state and two slots per world");
  }
}

// Each information set must be one slot of one public state, and the mover's slot must tell it.
void check_worlds(PublicGame* game) {
  const CompiledGraph& graph = *game->graph;
  // Public state and slot of each information set.
  std::vector<std::array<int32_t, 2>> place(graph.num_information_sets(), {kMissing, kMissing});
  for (int64_t world = 0; world < graph.num_worlds(); ++world) {
    const bool decision = graph.kind[world] == kDecision;
    const int32_t state = game->state[world];
    if (graph.kind[world] == kTerminal) {
      const double* const utilities = &graph.utilities[int64_t{graph.utility_row[world]} * kTwo];
      require(std::abs(utilities[0] + utilities[1]) <= kZeroSumTolerance, "world", world,
              "has utilities that do not add up to 0");
    }
    require(decision ? state >= 0 && state < graph.num_worlds() : state == kMissing, "world", world,
            "needs a public state if a player moves, and none otherwise");
    if (!decision) continue;
    game->num_states = std::max(game->num_states, state + 1);
    for (int32_t player = 0; player < kTwo; ++player) {
      const int32_t slot = game->slot[world * kTwo + player];
      require(slot >= 0 && slot < graph.num_worlds(), "world", world, "has a slot out of range");
      game->width = std::max(game->width, slot + 1);
    }
    const int32_t set = graph.information_set[world];
    const int32_t slot = game->slot[world * kTwo + graph.player[world]];
    if (place[set][0] == kMissing) place[set] = {state, slot};
    require(place[set][0] == state && place[set][1] == slot, "information set", set,
            "lies in two public states or slots");
  }
}

// Probability of chance, and the public state before each world's own.
void follow_worlds(PublicGame* game) {
  const CompiledGraph& graph = *game->graph;
  game->parent.assign(game->num_states, kMissing);
  game->depth.assign(game->num_states, 0);
  game->after_chance.assign(game->num_states, 0);
  game->chance.assign(graph.num_worlds(), 1.0);
  std::vector<uint8_t> seen(game->num_states, 0);
  std::vector<int32_t> before(graph.num_worlds(), kMissing);  // state of the last decision world
  std::vector<uint8_t> chance_moved(graph.num_worlds(), 0);   // since then
  for (int64_t world = 0; world < graph.num_worlds(); ++world) {
    const int32_t kind = graph.kind[world];
    if (kind == kDecision) {
      const int32_t state = game->state[world], parent = before[world];
      require(parent != state, "public state", state, "is left and stays the same: not a tree");
      if (!seen[state]) {
        seen[state] = 1;
        game->parent[state] = parent;
        game->depth[state] = parent == kMissing ? 0 : game->depth[parent] + 1;
        game->after_chance[state] = chance_moved[world];
      }
      require(game->parent[state] == parent && game->after_chance[state] == chance_moved[world],
              "public state", state, "is entered in different ways: not a tree");
    }
    for (int64_t edge = graph.first_edge[world]; edge < graph.first_edge[world + 1]; ++edge) {
      const bool chance = kind == kChance;
      before[edge + 1] = chance ? before[world] : game->state[world];
      chance_moved[edge + 1] = chance ? 1 : 0;
      game->chance[edge + 1] = game->chance[world] * (chance ? graph.edge_probability[edge] : 1.0);
    }
  }
  for (int32_t state = 0; state < game->num_states; ++state) {
    require(seen[state] != 0, "public state", state, "has no world");
  }
}

void group_worlds(PublicGame* game) {
  const int64_t num_worlds = game->graph->num_worlds();
  game->worlds = Grouped(game->state, game->num_states);
  game->chance_total.assign(game->num_states, 0.0);
  game->mass.assign(int64_t{game->num_states} * kTwo * game->width, 0.0);
  for (int64_t world = 0; world < num_worlds; ++world) {
    const int32_t state = game->state[world];
    if (state == kMissing) continue;
    game->chance_total[state] += game->chance[world];
    for (int32_t player = 0; player < kTwo; ++player) {
      const int64_t row = int64_t{state} * kTwo + player;
      game->mass[row * game->width + game->slot[world * kTwo + player]] += game->chance[world];
    }
  }
  for (int64_t entry = 0; entry < static_cast<int64_t>(game->mass.size()); ++entry) {
    const double total = game->chance_total[entry / (kTwo * game->width)];
    if (total > 0.0) game->mass[entry] /= total;
  }
}

}  // namespace

PublicGame make_public_game(std::shared_ptr<const CompiledGraph> graph, std::vector<int32_t> state,
                            std::vector<int32_t> slot) {
  PublicGame game;
  game.graph = std::move(graph);
  game.num_states = 0;
  game.width = 0;
  game.state = std::move(state);
  game.slot = std::move(slot);
  check_sizes(game);
  check_worlds(&game);
  follow_worlds(&game);
  group_worlds(&game);
  return game;
}

}  // namespace nash_ismcts
