#include "merged_game.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "../common/grouped.h"
#include "../common/hash.h"
#include "views.h"

namespace nash_ismcts {

namespace {

constexpr int32_t kNothing = -1;
constexpr int64_t kProgressInterval = 4096;
constexpr uint64_t kSparseChecks = 32;

// Two hashes of the same: with 128 bits, no two of a billion nodes are taken for one.
struct Digest {
  uint64_t low = 0x243f6a8885a308d3ULL;
  uint64_t high = 0x13198a2e03707344ULL;

  void add(uint64_t value) {
    low = hash_combine(low, value);
    high = hash_combine(high, value);
  }
  void add(const std::string& text) {
    low = hash_bytes(low, text.data(), text.size());
    high = hash_bytes(high, text.data(), text.size());
  }
  bool operator==(const Digest& other) const { return low == other.low && high == other.high; }
};

struct DigestHash {
  size_t operator()(const Digest& digest) const { return static_cast<size_t>(digest.low); }
};

// What is asked of a state once: it costs more than to walk.
struct Look {
  int32_t mover = kTerminalPlayer;
  std::string key;            // of the mover
  uint64_t trail = 0;         // what the mover saw since its last decision
  std::vector<Digest> shown;  // the keys of all players
  Digest digest;
};

// A node of the layer that is being expanded.
struct Open {
  std::unique_ptr<GameState> state;
  std::vector<uint64_t> trails;     // by player; empty if players look at their own decisions only
  std::vector<uint64_t> last_seen;  // the same
};

class Merger {
 public:
  Merger(const Game& game, PolicyKey key, const MergeLimits& limits, const MergeProgress& progress)
      : game_(game),
        key_(key),
        limits_(limits),
        progress_(progress),
        follows_trails_(!game.facts().has_information_states) {
    merged_.num_players = game.facts().num_players;
    merged_.first_action.push_back(0);
  }

  MergedGame run() {
    std::vector<Open> layer, following;
    Open start{game_.initial_state(), {}, {}};
    if (follows_trails_) {
      start.trails.assign(merged_.num_players, 0);
      start.last_seen.assign(merged_.num_players, 0);
    }
    const Look look = look_at(start, 0);
    add_node(look, *start.state, kNothing, kNoEvent);
    layer.push_back(std::move(start));
    for (int32_t depth = 0; !layer.empty(); ++depth) {
      const int32_t first = next_row(merged_.num_nodes()) - static_cast<int32_t>(layer.size());
      refuse_growth(depth, static_cast<int64_t>(layer.size()));
      known_.clear();
      following.clear();
      for (size_t at = 0; at < layer.size(); ++at) {
        expand(layer[at], first + static_cast<int32_t>(at), depth, following);
        layer[at].state.reset();
      }
      std::swap(layer, following);
    }
    merged_.first_edge.push_back(static_cast<int64_t>(merged_.child.size()));
    return std::move(merged_);
  }

 private:
  static constexpr Action kNoEvent = -1;

  // Refuses a game that grows far beyond the limit before the layer is made that shows it: that one
  // alone may take as long as everything before it, many times over.
  void refuse_growth(int32_t depth, int64_t size) {
    constexpr int64_t kSmall = 1000;  // layers that grow fast because there was little before
    constexpr double kFarBeyond = 4.0;
    const double growth = static_cast<double>(size) / static_cast<double>(last_size_);
    last_size_ = size;
    const double expected = static_cast<double>(size) * growth;
    if (size < kSmall || expected < kFarBeyond * static_cast<double>(limits_.nodes)) return;
    throw std::invalid_argument(game_.facts().name + ": histories hardly merge. " +
                                std::to_string(size) + " nodes after " + std::to_string(depth) +
                                " events are " + std::to_string(static_cast<int64_t>(growth)) +
                                " times as many as before, so there will be more than " +
                                std::to_string(limits_.nodes) + " nodes");
  }

  std::string key_of(const GameState& state, int32_t player) const {
    return key_ == PolicyKey::kObservation ? state.observation(player) : state.shown(player);
  }

  // The identity of a state, and what its mover knows. A new look becomes part of the trails.
  Look look_at(Open& open, int32_t depth) const {
    Look look;
    const GameState& state = *open.state;
    look.mover = state.player();
    look.digest.add(static_cast<uint64_t>(depth));
    look.digest.add(static_cast<uint64_t>(static_cast<int64_t>(look.mover)));
    look.digest.add(state.printed());
    for (int32_t player = 0; player < merged_.num_players; ++player) {
      std::string key = key_of(state, player);
      look.digest.add(key);
      look.shown.emplace_back().add(key);
      if (follows_trails_) {
        const uint64_t seen = hash_bytes(1, key.data(), key.size());
        if (seen != open.last_seen[player]) {
          open.trails[player] = hash_combine(open.trails[player], seen);
          open.last_seen[player] = seen;
        }
        look.digest.add(open.trails[player]);
      }
      if (player == look.mover) {
        look.key = std::move(key);
        look.trail = follows_trails_ ? open.trails[player] : 0;
      }
    }
    return look;
  }

  int32_t add_node(const Look& look, const GameState& state, int32_t parent, Action event) {
    const auto node = next_row(merged_.num_nodes());
    if (merged_.num_nodes() >= limits_.nodes) {
      throw std::invalid_argument(game_.facts().name + ": histories merge into more than " +
                                  std::to_string(limits_.nodes) + " nodes");
    }
    if (node % kProgressInterval == 0) progress_(0.0);
    merged_.mover.push_back(look.mover);
    merged_.parent.push_back(parent);
    merged_.parent_event.push_back(event);
    merged_.last_parent.push_back(parent);
    merged_.last_event.push_back(event);
    const bool decides = look.mover >= 0;
    merged_.view.push_back(decides ? view_of(look, state, node) : kNothing);
    merged_.signal.push_back(decides ? signal_of(merged_.view.back(), look.trail) : kNothing);
    for (int32_t player = 0; player < merged_.num_players; ++player) {
      merged_.look.push_back(decides ? look_of(look, player) : kNothing);
    }
    const bool over = look.mover == kTerminalPlayer;
    const auto rows = merged_.returns.size() / static_cast<size_t>(merged_.num_players);
    merged_.terminal.push_back(over ? next_row(rows) : kNothing);
    if (over) {
      const std::vector<double> returns = state.returns();
      merged_.returns.insert(merged_.returns.end(), returns.begin(), returns.end());
    }
    return node;
  }

  int32_t view_of(const Look& look, const GameState& state, int32_t node) {
    state.legal_actions(legal_);
    std::string name = std::to_string(look.mover) + "\n" + look.key;
    add_legal_actions(name, legal_);
    const auto [found, added] = views_.try_emplace(std::move(name), next_row(merged_.views.size()));
    if (added) {
      merged_.views.push_back({look.mover, look.key, node, node});
      merged_.actions.insert(merged_.actions.end(), legal_.begin(), legal_.end());
      merged_.first_action.push_back(static_cast<int64_t>(merged_.actions.size()));
    }
    merged_.views[found->second].last_node = node;
    return found->second;
  }

  int32_t signal_of(int32_t view, uint64_t trail) {
    Digest digest;
    digest.add(static_cast<uint64_t>(view));
    digest.add(trail);
    return signals_.try_emplace(digest, next_row(signals_.size())).first->second;
  }

  // The number of what a player sees at the node that was added last.
  int32_t look_of(const Look& look, int32_t player) {
    Digest digest = look.shown[player];
    digest.add(static_cast<uint64_t>(player));
    digest.add(static_cast<uint64_t>(player == look.mover ? merged_.view.back() + 1 : 0));
    const auto [found, added] = looks_.try_emplace(digest, merged_.num_looks);
    if (added) ++merged_.num_looks;
    return found->second;
  }

  Open after(const Open& open, int32_t mover, Action event) const {
    Open next{open.state->clone(), open.trails, open.last_seen};
    // At its own decision a player's trail was read; what it sees next begins a new one.
    if (follows_trails_ && mover >= 0) next.trails[mover] = 0;
    next.state->apply(event);
    return next;
  }

  void expand(const Open& open, int32_t node, int32_t depth, std::vector<Open>& following) {
    merged_.first_edge.push_back(static_cast<int64_t>(merged_.child.size()));
    const int32_t mover = merged_.mover[node];
    if (mover == kTerminalPlayer) return;
    open.state->events(mover, events_, chances_);
    chances_.resize(events_.size(), 0.0);
    if (mover == kChancePlayer) merged_.outcomes[node] = events_;
    for (size_t index = 0; index < events_.size(); ++index) {
      Open next = after(open, mover, events_[index]);
      const Look look = look_at(next, depth + 1);
      const auto [found, added] = known_.try_emplace(look.digest, kNothing);
      if (added) {
        found->second = add_node(look, *next.state, node, events_[index]);
        following.push_back(std::move(next));
      } else if (compares(look.digest)) {
        const auto first =
            found->second - next_row(merged_.num_nodes()) + static_cast<int32_t>(following.size());
        compare(following[first], next, depth + 1);
      }
      merged_.last_parent[found->second] = node;
      merged_.last_event[found->second] = events_[index];
      merged_.child.push_back(found->second);
      merged_.chance.push_back(chances_[index]);
    }
  }

  bool compares(const Digest& digest) {
    if (compared_ < limits_.compared_in_full) return ++compared_, true;
    return digest.high % kSparseChecks == 0;
  }

  // Two histories have met at one node: the same must follow from both.
  void compare(const Open& first, const Open& second, int32_t depth) const {
    const int32_t mover = first.state->player();
    bool same = true;
    if (mover == kTerminalPlayer) {
      same = first.state->returns() == second.state->returns();
    } else {
      std::vector<Action> events[2];
      std::vector<double> chances[2];
      const Open* const both[2] = {&first, &second};
      for (int at = 0; at < 2; ++at) {
        both[at]->state->events(mover, events[at], chances[at]);
      }
      same = events[0] == events[1] && chances[0] == chances[1];
      for (size_t index = 0; same && index < events[0].size(); ++index) {
        Open left = after(first, mover, events[0][index]);
        Open right = after(second, mover, events[0][index]);
        same = look_at(left, depth + 1).digest == look_at(right, depth + 1).digest;
      }
    }
    if (same) return;
    throw std::invalid_argument(
        game_.facts().name +
        ": two histories print the same state and show the players the same, but do not have the "
        "same future, so they cannot be merged; the state is\n" +
        first.state->printed());
  }

  const Game& game_;
  const PolicyKey key_;
  const MergeLimits limits_;
  const MergeProgress& progress_;
  const bool follows_trails_;
  MergedGame merged_;
  std::unordered_map<Digest, int32_t, DigestHash> known_;  // nodes of the next layer
  std::unordered_map<Digest, int32_t, DigestHash> signals_, looks_;
  std::unordered_map<std::string, int32_t> views_;
  std::vector<Action> events_, legal_;
  std::vector<double> chances_;
  int64_t compared_ = 0;
  int64_t last_size_ = 1;  // nodes of the layer before
};

}  // namespace

MergedGame merge_histories(const Game& game, PolicyKey key, const MergeLimits& limits,
                           const MergeProgress& progress) {
  if (key == PolicyKey::kObservation && game.facts().has_information_states) {
    constexpr int32_t kGames = 2000;
    const std::string untold = untold_information(game, kGames);
    if (!untold.empty()) throw std::invalid_argument(untold);
  }
  return Merger(game, key, limits, progress).run();
}

History MergedGame::history(int32_t node, const std::vector<int32_t>& parents,
                            const std::vector<Action>& events) {
  History found;
  for (; parents[node] != kNothing; node = parents[node]) found.push_back(events[node]);
  return {found.rbegin(), found.rend()};
}

double MergedGame::terminal_histories() const {
  std::vector<double> ways(mover.size(), 0.0);
  ways[0] = 1.0;
  double total = 0.0;
  for (int64_t node = 0; node < num_nodes(); ++node) {
    if (terminal[node] != kNothing) total += ways[node];
    for (int64_t edge = first_edge[node]; edge < first_edge[node + 1]; ++edge) {
      ways[child[edge]] += ways[node];
    }
  }
  return total;
}

void MergedGame::fill_reach(const double* policy, std::vector<double>& reach) const {
  reach.assign(mover.size(), 0.0);
  reach[0] = 1.0;
  for (int64_t node = 0; node < num_nodes(); ++node) {
    const double* const chances = chances_at(node, policy);
    for (int64_t edge = first_edge[node]; edge < first_edge[node + 1]; ++edge) {
      reach[child[edge]] += reach[node] * chances[edge - first_edge[node]];
    }
  }
}

std::vector<double> MergedGame::expected_utilities(const double* policy) const {
  std::vector<double> reach, utilities(num_players, 0.0);
  fill_reach(policy, reach);
  for (int64_t node = 0; node < num_nodes(); ++node) {
    if (terminal[node] == kNothing) continue;
    const double* const row = returns.data() + int64_t{terminal[node]} * num_players;
    for (int32_t player = 0; player < num_players; ++player) {
      utilities[player] += reach[node] * row[player];
    }
  }
  return utilities;
}

}  // namespace nash_ismcts
