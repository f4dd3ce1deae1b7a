// Positions: what is left of a history once only its future matters, for games that forget the order
// of moves (SupportedGame.forgets_order). Histories that lead to the same board, with the same
// knowledge of it, share one position. A position is made once through pyspiel and kept with the
// positions after it, so that looking ahead goes from one to the next without stepping through
// pyspiel again.
//
// A sight is what tells a player's observations apart, given what it has seen and done before.

#ifndef NASH_ISMCTS_SPIEL_GAMES_POSITIONS_H_
#define NASH_ISMCTS_SPIEL_GAMES_POSITIONS_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace nash_ismcts {

using PositionId = int32_t;
constexpr PositionId kUnknown = -1;
constexpr int64_t kMaxStates = 20'000;  // kept at most; others are made again by replaying moves
constexpr int32_t kOver = -4;  // the mover where the game is over; pyspiel's number

class Positions {
 public:
  // `counts_moves`: players are told the number of moves, though their observations do not show it.
  Positions(const pybind11::object& initial_state, int32_t num_players, bool counts_moves);

  int64_t size() const { return static_cast<int64_t>(places_.size()); }
  PositionId start() const { return 0; }
  int32_t mover(PositionId position) const { return places_[position].mover; }
  int32_t sight(PositionId position, int32_t player) const {
    return sights_[static_cast<int64_t>(position) * num_players_ + player];
  }

  // A number for the board, the same for the same board.
  int32_t board(PositionId position) const { return places_[position].board; }

  // Number of moves or chance outcomes that may follow; pyspiel's number of each, in its order.
  int32_t num_actions(PositionId position);
  int64_t action(PositionId position, int32_t edge) const {
    return actions_[places_[position].first + edge];
  }

  // The edge of an action. Throws std::invalid_argument if it is not possible.
  int32_t edge(PositionId position, int64_t action);

  // What a player sees after an edge, which is cheaper than the position after it.
  int32_t sight_after(PositionId position, int32_t edge, int32_t player);

  // Whether the position after an edge is known already.
  bool is_known(PositionId position, int32_t edge) const {
    return after_[places_[position].first + edge] != kUnknown;
  }

  // The position after an edge; num_actions must have been asked for before.
  PositionId after(PositionId position, int32_t edge);

 private:
  struct Place {
    pybind11::object state;  // null if it is not kept
    PositionId parent;       // a position before it, and
    int64_t action;          // what leads from there
    int32_t mover;
    int32_t moves;             // made so far
    int32_t board;             // number of the text that shows it
    int32_t first = kUnknown;  // of its actions, once they are known
    int32_t count = 0;
    int32_t missing = 0;  // positions after it that are not known
  };
  struct Hash {
    size_t operator()(const std::vector<int32_t>& numbers) const;
  };

  PositionId at(const pybind11::object& state, PositionId parent, int64_t edge);
  pybind11::object state_of(PositionId position);
  void keep(PositionId position, const pybind11::object& state);
  pybind11::object state_after(PositionId position, int64_t edge);
  int32_t sight_of(const pybind11::object& state, int32_t player, int32_t moves);
  int32_t number_of(const pybind11::object& text, int32_t moves);

  const int32_t num_players_;
  const bool counts_moves_;
  int64_t states_kept_ = 0;
  std::vector<Place> places_;
  std::vector<int32_t> sights_;    // [positions * players]
  std::vector<int64_t> actions_;   // of all positions
  std::vector<PositionId> after_;  // beside them
  std::vector<int32_t> sights_after_;  // for each player, as far as they are known
  pybind11::object peeked_;        // the state after the edge that was last looked at
  int64_t peeked_edge_ = kUnknown;
  std::unordered_map<std::string, int32_t> texts_;  // all that was ever printed, numbered
  std::unordered_map<std::vector<int32_t>, PositionId, Hash> known_;
  std::string text_;              // buffers
  std::vector<int32_t> printed_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_GAMES_POSITIONS_H_
