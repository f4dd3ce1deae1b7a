// A graph that is made whole: all worlds of a game, and all that can be asked about them.

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph.h"
#include "playout.h"
#include "prefix_trees.h"

namespace nash_ismcts {

namespace {

constexpr double kFar = 100.0;  // times the limit that an estimate must be to be believed

}  // namespace

void Graph::enumerate(int64_t limit) {
  const double estimate = estimated_worlds(*game_, 100);
  if (estimate > kFar * static_cast<double>(limit)) {
    char about[32];
    std::snprintf(about, sizeof about, "%.0e", estimate);
    throw TooManyWorlds(game_->facts().name + " has more than " + std::to_string(limit) +
                        " worlds (about " + about + "); too many to enumerate");
  }
  for (int32_t world = 0; world < worlds.size(); ++world) {
    for (int32_t edge = 0; edge < worlds.edge_count[world]; ++edge) child(world, edge);
    if (worlds.size() > limit) {
      throw TooManyWorlds(game_->facts().name + " has more than " + std::to_string(limit) +
                          " worlds; too many to enumerate");
    }
  }
  states_.clear();
  states_.shrink_to_fit();
  worlds_of_set_.resize(information_sets.size());
  for (int32_t world = 0; world < worlds.size(); ++world) {
    const int32_t set = worlds.information_set[world];
    if (set != kMissing) worlds_of_set_[set].push_back(world);
  }
  enumerated_ = true;
}

void Graph::resolve() {
  if (!enumerated_) throw std::invalid_argument("only an enumerated graph can be resolved whole");
  if (resolved_) return;
  if (samples.size() == 0) {
    resolve_prefix_trees(*this, kOwnNextLimit);
  } else {
    resolve_rest();  // rows that somebody may know by number must stay
  }
  resolved_ = true;
}

void Graph::resolve_rest() {
  for (int32_t set = 0; set < information_sets.size(); ++set) {
    hidden(set);
    for (int32_t action = 0; action < information_sets.action_count[set]; ++action) {
      own_next(set, action);
    }
  }
  for (int32_t sample = 0; sample < samples.size(); ++sample) {
    for (int32_t k = 0; k < samples.branch_count[sample]; ++k) branch(sample, k);
  }
  for (int32_t world = 0; world < worlds.size(); ++world) {
    if (worlds.kind[world] != kDecision) continue;
    for (int32_t player = 0; player < num_players; ++player) {
      if (worlds.player[world] != player) unseen(world, player);
    }
  }
}

std::vector<int32_t> Graph::shown_views() {
  if (!enumerated_) throw std::invalid_argument("the graph is not enumerated");
  if (game_->facts().perfect_information || !game_->facts().has_information_states) {
    return worlds.view;
  }
  std::vector<int32_t> shown(worlds.view.size(), kNoView);
  std::vector<std::pair<int32_t, std::unique_ptr<GameState>>> pending;
  pending.emplace_back(kRoot, game_->initial_state());
  while (!pending.empty()) {
    const auto [world, state] = std::move(pending.back());
    pending.pop_back();
    for (int32_t player = 0; player < num_players && worlds.kind[world] == kDecision; ++player) {
      const int64_t at = static_cast<int64_t>(world) * num_players + player;
      shown[at] = worlds.player[world] == player
                      ? worlds.view[at]
                      : views_.seen(worlds.view[at], state->shown(player));
    }
    for (int32_t edge = 0; edge < worlds.edge_count[world]; ++edge) {
      const int64_t position = worlds.first_edge[world] + edge;
      auto after = state->clone();
      after->apply(worlds.edge_action[position]);
      pending.emplace_back(worlds.edge_child[position], std::move(after));
    }
  }
  return shown;
}

}  // namespace nash_ismcts
