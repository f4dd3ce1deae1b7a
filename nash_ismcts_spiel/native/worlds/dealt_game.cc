#include "dealt_game.h"

#include <algorithm>
#include <stdexcept>

#include "sets.h"

namespace nash_ismcts {

DealtLayout::DealtLayout(const CheckedDeal& checked)
    : first(checked.deal.first), cards(static_cast<int32_t>(checked.deal.hand.size())) {
  const std::vector<int32_t>& hand = checked.deal.hand;
  const int32_t hands = 1 + *std::max_element(hand.begin(), hand.end());
  sets.deck = checked.deck;
  sets.known = checked.known;
  sets.set.assign(first, PieceSets::kNone);
  for (int32_t number = 0; number < hands; ++number) {
    sets.begin.push_back(static_cast<int32_t>(sets.set.size()));
    for (int32_t place = 0; place < cards; ++place) {
      if (hand[place] != number) continue;
      inner_place.push_back(place);
      sets.set.push_back(number);
    }
    sets.end.push_back(static_cast<int32_t>(sets.set.size()));
  }
}

std::unique_ptr<GameState> DealtState::clone() const {
  auto copy = std::make_unique<DealtState>(inner_->clone(), layout_);
  copy->events_ = events_;
  copy->hand_ = hand_;
  return copy;
}

void DealtState::apply(Action event) {
  const bool deals = dealing();
  if (events_ < layout_->first + layout_->cards) ++events_;
  if (!deals) return inner_->apply(event);
  hand_.push_back(event);
  if (dealing()) return;
  std::vector<Action> cards(hand_.size());
  for (size_t at = 0; at < hand_.size(); ++at) cards[layout_->inner_place[at]] = hand_[at];
  hand_.clear();
  for (const Action card : cards) inner_->apply(card);
}

void DealtState::chance_outcomes(std::vector<Action>& outcomes,
                                 std::vector<double>& probabilities) const {
  if (!dealing()) return inner_->chance_outcomes(outcomes, probabilities);
  History before(layout_->first);  // what came before the deal does not matter
  before.insert(before.end(), hand_.begin(), hand_.end());
  outcomes.clear();
  probabilities.clear();
  for (const auto& [card, probability] : next_of_set(layout_->sets, before, {})) {
    outcomes.push_back(card);
    probabilities.push_back(probability);
  }
}

History DealtGame::by_hand(const History& history) const {
  History events = history;
  if (static_cast<int32_t>(events.size()) <= layout_->first) return events;
  if (static_cast<int32_t>(events.size()) < layout_->first + layout_->cards) {
    throw std::invalid_argument(facts().name + ": the history ends within the deal, after " +
                                std::to_string(events.size()) + " events");
  }
  for (int32_t at = 0; at < layout_->cards; ++at) {
    events[layout_->first + at] = history[layout_->first + layout_->inner_place[at]];
  }
  arrange(&layout_->sets, events);
  return events;
}

std::pair<History, History> DealtGame::in_play(const History& history) const {
  const auto first = history.begin() + std::min<int64_t>(layout_->first, history.size());
  if (static_cast<int32_t>(history.size()) < layout_->first + layout_->cards) {
    return {{history.begin(), first}, {first, history.end()}};
  }
  History events = history;
  for (int32_t at = 0; at < layout_->cards; ++at) {
    events[layout_->first + layout_->inner_place[at]] = history[layout_->first + at];
  }
  return {std::move(events), {}};
}

}  // namespace nash_ismcts
