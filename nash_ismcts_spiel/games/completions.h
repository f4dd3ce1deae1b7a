// Looking ahead over positions: can a partial world still explain what a player saw?
//
// As games/lookahead.py, for games that forget the order of moves. What is found out about a partial
// world (a position and how much of the player's log it explains, its progress) holds for all
// histories that lead there.

#ifndef NASH_ISMCTS_SPIEL_GAMES_COMPLETIONS_H_
#define NASH_ISMCTS_SPIEL_GAMES_COMPLETIONS_H_

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "../native/flat_map.h"
#include "positions.h"

namespace nash_ismcts {

class Completions {
 public:
  using World = std::vector<int64_t>;  // pyspiel's numbers of what has happened

  // Events tried for one piece once the allowance of its information set is used up.
  static constexpr int64_t kBoundedEffort = 100;

  // Explains what `player` has seen and done on the way to `world`, one of its information set. What
  // cannot explain an `earlier` part of it cannot do so.
  Completions(std::shared_ptr<Positions> positions, pybind11::object effort, int32_t player,
              const World& world, std::shared_ptr<Completions> earlier);

  // Number of log entries.
  int32_t num_entries() const { return static_cast<int32_t>(log_.size()); }

  // The edges of a consistent partial world after which it can still be completed.
  std::vector<int32_t> open_edges(const World& partial);

  // Whether in all worlds the player moves again after an own action and sees the same. False if
  // there are more than `limit` worlds, or too many to find them all.
  bool surely_moves_on(int64_t action, int64_t limit);

 private:
  struct Entry {
    int64_t action;  // of the player itself, or kNoAction
    int32_t sight;
  };
  struct Partial {
    PositionId position;
    int32_t progress;
  };
  struct Survey {
    int64_t action;
    int64_t limit;
    int32_t sight = kUnknown;  // after the action, in the first world
    bool differs = false;      // some world disagrees
    int64_t total = 0;         // worlds counted so far
    std::unordered_map<uint64_t, int64_t> worlds;  // below partial worlds
  };
  enum class Verdict : int32_t { kDead, kAlive };

  static uint64_t key(const Partial& here) {
    return static_cast<uint64_t>(here.progress) << 32 | static_cast<uint32_t>(here.position);
  }
  int32_t last() const { return num_entries() - 1; }
  bool is_complete(const Partial& here) const {
    return here.progress == last() && positions_->mover(here.position) == player_;
  }
  void learn(const World& world);
  bool step(const Partial& here, int32_t edge, Partial& there);
  std::vector<int32_t> events(const Partial& here, int64_t avoided);
  void judge(const Partial& here, Verdict verdict);
  bool is_alive(const Partial& here) const;
  bool is_dead(const Partial& here) const;
  bool can_be_completed(const Partial& here, int64_t& effort);
  int64_t count(const Partial& here, Survey& survey, int64_t& effort);
  void account(int64_t spent);

  std::shared_ptr<Positions> positions_;
  pybind11::object effort_;  // an Effort of games/lookahead.py
  const int32_t player_;
  std::shared_ptr<Completions> earlier_;
  int64_t allowance_;
  bool too_many_worlds_ = false;
  std::vector<Entry> log_;
  std::unordered_map<int64_t, int32_t> taken_at_;  // cells by the progress at which they are taken
  std::unordered_map<int64_t, int32_t> met_at_;    // by the player, or tried by it in vain
  FlatMap helped_;                                 // (progress, action) of the example
  FlatMap verdicts_;                               // of partial worlds
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_GAMES_COMPLETIONS_H_
