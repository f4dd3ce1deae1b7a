#include "sets.h"

namespace nash_ismcts {

std::vector<double> lowest_of_set(int64_t above, int64_t wanted) {
  std::vector<double> probabilities;
  double probability = static_cast<double>(wanted) / static_cast<double>(above);
  for (int64_t left = above - 1; left + 1 >= wanted; --left) {
    probabilities.push_back(probability);
    probability *= static_cast<double>(left - wanted + 1) / static_cast<double>(left);
  }
  return probabilities;
}

std::vector<std::pair<Action, double>> next_of_set(const PieceSets& sets, const History& before,
                                                   const std::vector<Action>& elsewhere) {
  const auto place = static_cast<int32_t>(before.size());
  const int32_t set = sets.set[place];
  const bool begins = place == sets.begin[set];
  const auto drawn = before.begin() + sets.begin.front();
  std::vector<std::pair<Action, double>> cards;
  for (const Action card : sets.deck) {
    if (!begins && card <= before.back()) continue;
    if (std::find(drawn, before.end(), card) != before.end()) continue;
    if (std::find(elsewhere.begin(), elsewhere.end(), card) != elsewhere.end()) continue;
    cards.emplace_back(card, 0.0);
  }
  const int64_t wanted = sets.end[set] - place;
  if (wanted > static_cast<int64_t>(cards.size())) return {};
  const std::vector<double> chances = lowest_of_set(static_cast<int64_t>(cards.size()), wanted);
  cards.resize(chances.size());
  for (size_t at = 0; at < cards.size(); ++at) cards[at].second = chances[at];
  return cards;
}

std::vector<Action> known_cards(const PieceSets& sets, const History& events, int32_t player) {
  std::vector<Action> cards;
  for (size_t place = 0; place < sets.set.size() && place < events.size(); ++place) {
    if (sets.knows(player, static_cast<int64_t>(place))) cards.push_back(events[place]);
  }
  return cards;
}

SetProposals::SetProposals(const PieceSets& sets, const Example& example, int32_t player,
                           int32_t place, Action piece)
    : sets_(sets), example_(example), place_(place), piece_(piece) {
  const History& events = example.events;
  const auto dealt = static_cast<int32_t>(sets.set.size());
  const int32_t end = sets.end[sets.set[place]];
  std::vector<Action> taken(events.begin(), events.begin() + end);
  for (int32_t at = place; at < end; ++at) {
    if (events[at] == piece) comes_in_ = false;
    if (events[at] < piece) smaller_.push_back(events[at]);
    if (events[at] > piece) larger_.push_back(events[at]);
  }
  for (int32_t at = end; at < dealt; ++at) {
    if (sets.knows(player, at)) taken.push_back(events[at]);
  }
  std::sort(taken.begin(), taken.end());
  for (const Action value : sets.deck) {
    if (value > piece && !std::binary_search(taken.begin(), taken.end(), value)) {
      outside_.push_back(value);
    }
  }
  const auto middle = std::stable_partition(outside_.begin(), outside_.end(),
                                            [this](Action value) { return is_loose(value); });
  loose_ = middle - outside_.begin();
  const bool elsewhere = comes_in_ && std::binary_search(taken.begin(), taken.end(), piece);
  impossible_ = sets.knows(player, place) || elsewhere;
}

// Whether a value comes up in no event but that of its set.
bool SetProposals::is_loose(Action value) const {
  return std::count(example_.events.begin(), example_.events.end(), value) <= 1;
}

std::vector<History> SetProposals::draw(int32_t limit, Random& random) const {
  std::vector<History> proposed;
  const auto wanted = static_cast<int64_t>(smaller_.size()) - comes_in_;  // from outside
  if (impossible_ || wanted > static_cast<int64_t>(outside_.size())) return proposed;
  const auto dealt = static_cast<int64_t>(sets_.set.size());
  for (int32_t tries = 0; tries < 2 * limit; ++tries) {
    if (static_cast<int32_t>(proposed.size()) == limit) break;
    std::vector<Action> leave = smaller_, enter, outside = outside_;
    if (comes_in_) enter.push_back(piece_);
    if (leave.empty() && comes_in_) leave.push_back(any_of_larger(random));
    for (int64_t loose = loose_; enter.size() < leave.size(); --loose) {
      // Among the loose ones as long as there are some.
      const auto count = loose > 0 ? loose : static_cast<int64_t>(outside.size());
      const int64_t drawn = random.below(count);
      enter.push_back(outside[drawn]);
      outside.erase(outside.begin() + drawn);
    }
    // With all that was done with these cards since; or in the deal alone, where the same numbers
    // mean something else later.
    Example changed = example_;
    for (size_t at = 0; at < leave.size(); ++at) {
      History events = relabelled(changed, place_, leave[at], enter[at]);
      if (tries % 2 == 1) {
        std::copy(example_.events.begin() + dealt, example_.events.end(), events.begin() + dealt);
      }
      changed.events = std::move(events);
    }
    arrange(&sets_, changed.events);
    if (changed.events[place_] == piece_ &&
        std::find(proposed.begin(), proposed.end(), changed.events) == proposed.end()) {
      proposed.push_back(std::move(changed.events));
    }
  }
  return proposed;
}

// One of the events that may stay in the set, a loose one if there is any.
Action SetProposals::any_of_larger(Random& random) const {
  std::vector<Action> loose;
  for (const Action value : larger_) {
    if (is_loose(value)) loose.push_back(value);
  }
  const std::vector<Action>& from = loose.empty() ? larger_ : loose;
  return from[random.below(static_cast<int64_t>(from.size()))];
}

std::vector<History> piece_proposals(const PieceSets* sets, const Example& example, int32_t player,
                                     int32_t place, Action piece, int32_t limit, Random& random) {
  const bool in_set = sets != nullptr && sets->set_at(place) != PieceSets::kNone &&
                      example.events.size() >= sets->set.size();
  if (!in_set) return proposals(example, place, piece, limit, random);
  return SetProposals(*sets, example, player, place, piece).draw(limit, random);
}

}  // namespace nash_ismcts
