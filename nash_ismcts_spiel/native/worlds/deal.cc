#include "deal.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "../common/random.h"

namespace nash_ismcts {

namespace {

constexpr int32_t kOpenings = 4;      // random openings that have to agree
constexpr int32_t kMostEvents = 400;  // of a random opening, or of a random game after its deal
constexpr int32_t kGroupTrials = 2;   // random games to tell whether two places make one hand
constexpr std::chrono::seconds kTooLong{5};      // to find hands
constexpr int32_t kHandTrials = 4;               // random games to check all hands
constexpr std::chrono::milliseconds kLong{500};  // after which one such game has to do
constexpr int32_t kKnownTrials = 16;             // deals to tell whether a player knows a hand
constexpr int64_t kMostWork = 1 << 18;           // events that are played to find hands
constexpr double kAlike = 1e-9;

using Hands = std::vector<std::vector<int32_t>>;  // the places of each hand

struct Opening {
  History before;            // events up to the deal
  std::vector<Action> deck;  // ascending
  int32_t cards = 0;         // dealt
};

// The events that can happen at a state; their probabilities if chance makes them.
void list(const GameState& state, std::vector<Action>& events, std::vector<double>& probabilities) {
  probabilities.clear();
  if (state.player() == kChancePlayer) {
    state.chance_outcomes(events, probabilities);
  } else {
    state.legal_actions(events);
  }
}

class DealTrials {
 public:
  explicit DealTrials(const Game& game)
      : game_(game),
        players_(game.facts().num_players),
        looks_at_decisions_(game.facts().has_information_states),
        random_(0) {}

  // A random opening, with the longest run of events that deal different cards from one deck.
  Opening opening();

  // Such an opening if all openings have the same deal; without cards if not.
  Opening common_opening();

  bool exchangeable(int32_t place, int32_t other, int32_t events);
  bool are_sets(const Hands& hands);
  bool knows(int32_t player, const std::vector<int32_t>& places);
  bool takes_too_long() const {
    return work_ > kMostWork || std::chrono::steady_clock::now() - started_ > kTooLong;
  }

 private:
  enum class Look {
    kNone,
    kSame,
    kOther
  };  // there was none, it showed the same, or something else
  using States = std::pair<std::unique_ptr<GameState>, std::unique_ptr<GameState>>;

  std::vector<Action> random_cards(Opening& found);
  States after_deals(const Opening& found, const std::vector<Action>& one,
                     const std::vector<Action>& other) const;
  bool same_game(const States& states, int32_t events, bool thorough);
  Look first_look(const States& states, int32_t player);
  bool looks_alike(const States& states, bool thorough) const;

  const Game& game_;
  int32_t players_;
  bool looks_at_decisions_;
  Random random_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  int64_t work_ = 0;
  std::vector<Action> events_, others_;
  std::vector<double> probabilities_, other_probabilities_;
};

Opening DealTrials::opening() {
  const std::unique_ptr<GameState> state = game_.initial_state();
  Opening best;
  History history;
  std::vector<Action> deck, left;
  int32_t begun = 0;
  for (int32_t at = 0; at < kMostEvents && state->player() == kChancePlayer; ++at) {
    state->chance_outcomes(events_, probabilities_);
    std::sort(events_.begin(), events_.end());
    const auto [least, most] = std::minmax_element(probabilities_.begin(), probabilities_.end());
    const bool uniform = *most - *least < kAlike;
    if (!uniform) {
      left.clear();
      begun = at + 1;
    } else if (events_ != left) {
      deck = left = events_;
      begun = at;
    }
    if (uniform && at + 1 - begun > best.cards) {
      best.before.assign(history.begin(), history.begin() + begun);
      best.deck = deck;
      best.cards = at + 1 - begun;
    }
    state->chance_outcomes(events_, probabilities_);
    double remaining = random_.uniform();
    size_t drawn = 0;
    while (drawn + 1 < events_.size() && (remaining -= probabilities_[drawn]) >= 0.0) ++drawn;
    history.push_back(events_[drawn]);
    left.erase(std::remove(left.begin(), left.end(), events_[drawn]), left.end());
    state->apply(events_[drawn]);
  }
  return best;
}

Opening DealTrials::common_opening() {
  Opening found = opening();
  for (int32_t trial = 1; trial < kOpenings; ++trial) {
    const Opening other = opening();
    if (other.cards != found.cards || other.deck != found.deck ||
        other.before.size() != found.before.size()) {
      return {};
    }
  }
  return found;
}

// Cards for all places of a deal; the events before it are drawn anew.
std::vector<Action> DealTrials::random_cards(Opening& found) {
  if (!found.before.empty()) found = opening();
  std::vector<Action> cards = found.deck;
  for (size_t at = cards.size(); at > 1; --at) {
    std::swap(cards[at - 1], cards[random_.below(static_cast<int64_t>(at))]);
  }
  return cards;
}

DealTrials::States DealTrials::after_deals(const Opening& found, const std::vector<Action>& one,
                                           const std::vector<Action>& other) const {
  States states{game_.initial_state(), game_.initial_state()};
  for (const Action event : found.before) {
    states.first->apply(event);
    states.second->apply(event);
  }
  for (int32_t place = 0; place < found.cards; ++place) {
    states.first->apply(one[place]);
    states.second->apply(other[place]);
  }
  return states;
}

bool DealTrials::looks_alike(const States& states, bool thorough) const {
  const int32_t mover = states.first->player();
  if (looks_at_decisions_ && mover < 0) return true;
  for (int32_t player = 0; player < players_; ++player) {
    if (looks_at_decisions_ && !thorough && player != mover) continue;
    if (states.first->shown(player) != states.second->shown(player)) return false;
  }
  return true;
}

// Whether a random game that is played on from two states, for some events, is the same game. A
// thorough look asks all players about everything they are shown, and for the returns.
bool DealTrials::same_game(const States& states, int32_t events, bool thorough) {
  for (int32_t at = 0; at < events; ++at, ++work_) {
    const int32_t mover = states.first->player();
    if (states.second->player() != mover) return false;
    if (mover == kTerminalPlayer) {
      return !thorough || states.first->returns() == states.second->returns();
    }
    if (!looks_alike(states, thorough)) return false;
    list(*states.first, events_, probabilities_);
    list(*states.second, others_, other_probabilities_);
    if (events_ != others_ || probabilities_ != other_probabilities_) return false;
    const Action event = events_[random_.below(static_cast<int64_t>(events_.size()))];
    states.first->apply(event);
    states.second->apply(event);
  }
  return true;
}

bool DealTrials::exchangeable(int32_t place, int32_t other, int32_t events) {
  Opening found = opening();
  for (int32_t trial = 0; trial < kGroupTrials; ++trial) {
    const std::vector<Action> cards = random_cards(found);
    std::vector<Action> exchanged = cards;
    std::swap(exchanged[place], exchanged[other]);
    if (!same_game(after_deals(found, cards, exchanged), events, false)) return false;
  }
  return true;
}

// Whether nobody notices when the cards of each hand are shuffled.
bool DealTrials::are_sets(const Hands& hands) {
  const auto started = std::chrono::steady_clock::now();
  Opening found = opening();
  for (int32_t trial = 0; trial < kHandTrials; ++trial) {
    if (trial > 0 && std::chrono::steady_clock::now() - started > kLong) break;
    const std::vector<Action> cards = random_cards(found);
    std::vector<Action> shuffled = cards;
    for (const std::vector<int32_t>& places : hands) {
      for (size_t at = places.size(); at > 1; --at) {
        std::swap(shuffled[places[at - 1]],
                  shuffled[places[random_.below(static_cast<int64_t>(at))]]);
      }
    }
    if (!same_game(after_deals(found, cards, shuffled), kMostEvents, true)) return false;
  }
  return true;
}

// Plays two states on until a player looks for the first time. Others move alike, as far as they
// can.
DealTrials::Look DealTrials::first_look(const States& states, int32_t player) {
  for (int32_t at = 0; at < kMostEvents; ++at, ++work_) {
    const int32_t mover = states.first->player();
    if (mover == kTerminalPlayer || states.second->player() != mover) return Look::kNone;
    if (!looks_at_decisions_ || mover == player) {
      return states.first->shown(player) == states.second->shown(player) ? Look::kSame
                                                                         : Look::kOther;
    }
    list(*states.first, events_, probabilities_);
    list(*states.second, others_, other_probabilities_);
    std::vector<Action> both;
    std::set_intersection(events_.begin(), events_.end(), others_.begin(), others_.end(),
                          std::back_inserter(both));
    if (both.empty()) return Look::kNone;
    const Action event = both[random_.below(static_cast<int64_t>(both.size()))];
    states.first->apply(event);
    states.second->apply(event);
  }
  return Look::kNone;
}

// Whether a player notices each exchange of a card of a hand for another card when it first looks.
bool DealTrials::knows(int32_t player, const std::vector<int32_t>& places) {
  Opening found = opening();
  const auto size = static_cast<int64_t>(found.deck.size());
  if (size == static_cast<int64_t>(places.size())) return true;
  int32_t noticed = 0;
  for (int32_t trial = 0; trial < kKnownTrials; ++trial) {
    const std::vector<Action> cards = random_cards(found);
    std::vector<Action> exchanged = cards;
    const int32_t place = places[random_.below(static_cast<int64_t>(places.size()))];
    int64_t other = place;
    while (std::binary_search(places.begin(), places.end(), other)) other = random_.below(size);
    std::swap(exchanged[place], exchanged[other]);
    const Look look = first_look(after_deals(found, cards, exchanged), player);
    if (look == Look::kSame) return false;
    noticed += look == Look::kOther;
  }
  return 2 * noticed >= kKnownTrials;
}

Hands places_of_hands(const std::vector<int32_t>& hand) {
  Hands places;
  for (size_t place = 0; place < hand.size(); ++place) {
    const auto number = static_cast<size_t>(hand[place]);
    if (number > places.size()) {
      throw std::invalid_argument("hands of a deal are numbered from 0, by their first places");
    }
    if (number == places.size()) places.emplace_back();
    places[number].push_back(static_cast<int32_t>(place));
  }
  return places;
}

// Puts each place of a deal into the first hand with which it can exchange cards in games of some
// length; false if that takes too long.
bool group_places(DealTrials& trials, int32_t events, Deal& deal) {
  std::vector<int32_t> last;  // place of each hand so far
  const auto cards = static_cast<int32_t>(deal.hand.size());
  for (int32_t place = 0; place < cards; ++place) {
    size_t hand = 0;
    while (hand < last.size() && !trials.exchangeable(last[hand], place, events)) {
      ++hand;
      if (trials.takes_too_long()) return false;
    }
    if (hand == last.size()) last.emplace_back();
    last[hand] = place;
    deal.hand[place] = static_cast<int32_t>(hand);
  }
  return true;
}

CheckedDeal with_knowledge(DealTrials& trials, const Opening& found, const Deal& deal,
                           const Hands& hands, int32_t players) {
  CheckedDeal checked{deal, found.deck, {}};
  for (const std::vector<int32_t>& places : hands) {
    checked.known.emplace_back();
    for (int32_t player = 0; player < players; ++player) {
      checked.known.back().push_back(trials.knows(player, places));
    }
  }
  return checked;
}

}  // namespace

std::optional<CheckedDeal> find_deal(const Game& game) {
  if (game.facts().perfect_information) return std::nullopt;
  DealTrials trials(game);
  const Opening found = trials.common_opening();
  if (found.cards < 2) return std::nullopt;
  const int32_t players = game.facts().num_players;
  // Most players see their hands soon, and the ends of some games take long.
  for (const int32_t events : {players, kMostEvents}) {
    Deal deal{static_cast<int32_t>(found.before.size()), std::vector<int32_t>(found.cards)};
    if (!group_places(trials, events, deal)) return std::nullopt;
    const Hands hands = places_of_hands(deal.hand);
    if (hands.size() == deal.hand.size()) return std::nullopt;
    if (trials.are_sets(hands)) return with_knowledge(trials, found, deal, hands, players);
  }
  return std::nullopt;
}

CheckedDeal check_deal(const Game& game, const Deal& deal) {
  const std::string& name = game.facts().name;
  DealTrials trials(game);
  const Opening found = trials.common_opening();
  const Hands hands = places_of_hands(deal.hand);
  if (deal.hand.empty() || static_cast<int32_t>(found.before.size()) != deal.first ||
      found.cards != static_cast<int32_t>(deal.hand.size())) {
    throw std::invalid_argument(name + " does not begin with a deal of " +
                                std::to_string(deal.hand.size()) + " different cards after " +
                                std::to_string(deal.first) + " other events");
  }
  if (!trials.are_sets(hands)) {
    throw std::invalid_argument(name +
                                ": the hands of the deal are no sets, since it matters which "
                                "card of a hand is dealt first");
  }
  return with_knowledge(trials, found, deal, hands, game.facts().num_players);
}

}  // namespace nash_ismcts
