// Deals: beginnings of games in which chance deals different cards from one deck, and the hands
// that they make: places of a deal among which cards can be exchanged, and nobody ever notices.
//
// Nothing is known of a game by its name. What chance does is read from random openings; which
// places belong to one hand, and who knows a hand, is found and checked by random games that are
// played twice, with two deals that differ by such an exchange. All draws have fixed seeds.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_DEAL_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_DEAL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "game.h"

namespace nash_ismcts {

// How the cards of a deal make hands.
struct Deal {
  int32_t first = 0;          // events of chance before the deal
  std::vector<int32_t> hand;  // of each place of the deal; numbered from 0, by their first places
};

// What is known of a deal once it was tried.
struct CheckedDeal {
  Deal deal;
  std::vector<Action> deck;  // ascending
  std::vector<std::vector<uint8_t>>
      known;  // by hand and player: it knows the hand when it first moves
};

// The deal at the beginning of a game, checked as below. None if chance deals no cards there, if
// the number of cards varies, if no two places belong to one hand, or if that would take too long
// to find out.
std::optional<CheckedDeal> find_deal(const Game& game);

// Tries whether a game begins with a deal whose hands are sets. Throws std::invalid_argument if it
// does not, or if somebody notices that cards of one hand were exchanged: by what it is shown, by
// what can be done or by the returns.
CheckedDeal check_deal(const Game& game, const Deal& deal);

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_DEAL_H_
