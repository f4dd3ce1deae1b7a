#include "split_game.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "../common/hash.h"
#include "../common/random.h"
#include "tracker.h"

namespace nash_ismcts {

namespace {

constexpr const char* kSubActions = "\nsub-actions:";

[[noreturn]] void cannot_happen(Action event) {
  throw std::invalid_argument("event " + std::to_string(event) + " cannot happen");
}

}  // namespace

Codes::Codes(const std::vector<int32_t>& lengths, std::vector<int32_t> digits)
    : first_(lengths.size() + 1, 0), digits_(std::move(digits)), rank_(lengths.size()) {
  for (size_t event = 0; event < lengths.size(); ++event) {
    if (lengths[event] < 1) {
      throw std::invalid_argument("the code of event " + std::to_string(event) + " is empty");
    }
    first_[event + 1] = first_[event] + lengths[event];
  }
  if (first_.back() != static_cast<int64_t>(digits_.size())) {
    throw std::invalid_argument("codes have " + std::to_string(digits_.size()) + " digits, not " +
                                std::to_string(first_.back()));
  }
  for (Action event = 0; event < size(); ++event) {
    for (int32_t at = 0, least = 0; at < length(event); least = digit(event, at++)) {
      if (digit(event, at) < least) {
        throw std::invalid_argument("digits of event " + std::to_string(event) +
                                    " are negative or decrease");
      }
      vocabulary_ = std::max(vocabulary_, digit(event, at) + 1);
    }
  }
  std::vector<int32_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  const auto code = [this](int32_t event) { return digits_.begin() + first_[event]; };
  std::sort(order.begin(), order.end(), [&](int32_t one, int32_t other) {
    return std::lexicographical_compare(code(one), code(one + 1), code(other), code(other + 1));
  });
  for (size_t at = 0; at < order.size(); ++at) {
    rank_[order[at]] = static_cast<int32_t>(at);
    if (at == 0) continue;
    // In this order a code stands before the next one that begins with it.
    const int32_t before = order[at - 1], event = order[at];
    if (length(before) <= length(event) &&
        std::equal(code(before), code(before + 1), code(event))) {
      throw std::invalid_argument("the code of event " + std::to_string(event) +
                                  " begins with that of event " + std::to_string(before));
    }
  }
}

std::unique_ptr<GameState> SplitState::clone() const {
  auto copy = std::make_unique<SplitState>(inner_->clone(), actions_, outcomes_);
  copy->begun_ = begun_;
  copy->options_ = options_;
  copy->range_ = range_;
  return copy;
}

// Fills options_ unless they are there; false where events are not split.
bool SplitState::load() const {
  if (options_) return true;
  const int32_t player = inner_->player();
  const std::shared_ptr<const Codes>& codes = player == kChancePlayer ? outcomes_ : actions_;
  if (player == kTerminalPlayer || !codes) return false;
  std::vector<Action> events;
  std::vector<double> probabilities;
  if (player == kChancePlayer) {
    inner_->chance_outcomes(events, probabilities);
  } else {
    inner_->legal_actions(events);
  }
  std::vector<int32_t> order(events.size());
  std::iota(order.begin(), order.end(), 0);
  for (const Action event : events) {
    if (event < 0 || event >= codes->size()) {
      throw std::invalid_argument("event " + std::to_string(event) + " has no code");
    }
  }
  std::sort(order.begin(), order.end(), [&](int32_t one, int32_t other) {
    return codes->rank(events[one]) < codes->rank(events[other]);
  });
  auto options = std::make_shared<Options>();
  options->codes = codes;
  options->events.reserve(order.size());
  for (const int32_t at : order) {
    options->events.push_back(static_cast<int32_t>(events[at]));
    options->hash = hash_combine(options->hash, static_cast<uint64_t>(events[at]));
    if (!probabilities.empty()) options->probabilities.push_back(probabilities[at]);
  }
  options_ = std::move(options);
  range_ = {0, static_cast<int32_t>(order.size()), 0};
  skip_forced(range_);
  return true;
}

// The part of a range that goes on with a digit.
SplitState::Range SplitState::after(const Range& range, Action digit) const {
  const auto first = options_->events.begin();
  const auto begin = std::partition_point(
      first + range.begin, first + range.end,
      [&](int32_t event) { return options_->codes->digit(event, range.depth) < digit; });
  const auto end = std::partition_point(begin, first + range.end, [&](int32_t event) {
    return options_->codes->digit(event, range.depth) == digit;
  });
  Range part{static_cast<int32_t>(begin - first), static_cast<int32_t>(end - first),
             range.depth + 1};
  skip_forced(part);
  return part;
}

// Codes in order agree wherever the first and the last do.
void SplitState::skip_forced(Range& range) const {
  if (range.size() < 2) return;
  while (digit_at(range.begin, range.depth) == digit_at(range.end - 1, range.depth)) ++range.depth;
}

double SplitState::probability(const Range& range) const {
  const auto first = options_->probabilities.begin();
  return std::accumulate(first + range.begin, first + range.end, 0.0);
}

void SplitState::legal_actions(std::vector<Action>& digits) const {
  if (!load()) return inner_->legal_actions(digits);
  digits.clear();
  for_each_digit(range_, [&](int32_t digit, const Range&) { digits.push_back(digit); });
}

void SplitState::chance_outcomes(std::vector<Action>& digits,
                                 std::vector<double>& probabilities) const {
  if (!load()) return inner_->chance_outcomes(digits, probabilities);
  digits.clear();
  probabilities.clear();
  const double total = probability(range_);
  for_each_digit(range_, [&](int32_t digit, const Range& part) {
    digits.push_back(digit);
    probabilities.push_back(probability(part) / total);
  });
}

std::string SplitState::shown(int32_t player) const {
  std::string text = inner_->shown(player);
  if (!begun_ || inner_->player() != player) return text;
  text += kSubActions;
  for (const Action digit : prefix()) (text += ' ') += std::to_string(digit);
  return text;
}

void SplitState::tensor(int32_t player, TensorKind kind, float* numbers, int64_t size) const {
  const int64_t inner = size - actions_->vocabulary();
  inner_->tensor(player, kind, numbers, inner);
  std::fill_n(numbers + inner, actions_->vocabulary(), 0.0f);
  if (inner_->player() != player) return;
  for (const Action digit : prefix()) numbers[inner + digit] += 1.0f;
}

std::string SplitState::describe(Action digit) const {
  if (!load()) return inner_->describe(digit);
  const Range part = after(range_, digit);
  return part.size() == 1 ? inner_->describe(options_->events[part.begin]) : std::string();
}

// Players know their whole legal actions, of which sub-actions do not tell all.
std::string SplitState::whole_options() const {
  if (begun_ || !load()) return {};
  int32_t digits = 0;
  for_each_digit(range_, [&digits](int32_t, const Range&) { ++digits; });
  if (digits == range_.size()) return {};
  return " of " + std::to_string(range_.size()) + '/' + std::to_string(options_->hash);
}

void SplitState::whole_counts(std::vector<double>& counts) const {
  counts.clear();
  if (!load()) return;
  for_each_digit(range_, [&](int32_t, const Range& part) {
    counts.push_back(static_cast<double>(part.size()));
  });
}

void SplitState::whole_actions(std::vector<std::pair<Action, History>>& actions) const {
  if (!load()) return GameState::whole_actions(actions);
  actions.clear();
  for (int32_t at = range_.begin; at < range_.end; ++at) {
    actions.emplace_back(options_->events[at], way_to(options_->events[at]));
  }
  std::sort(actions.begin(), actions.end());
}

GameState& SplitState::undivided(Random& random) {
  if (begun_) {
    load();
    int32_t at = range_.begin + static_cast<int32_t>(random.below(range_.size()));
    if (!options_->probabilities.empty()) {
      double remaining = random.uniform() * probability(range_);
      for (at = range_.begin; at < range_.end - 1; ++at) {
        remaining -= options_->probabilities[at];
        if (remaining < 0.0) break;
      }
    }
    finish(at);
  }
  options_.reset();  // who plays on here changes the inner state
  return *inner_;
}

void SplitState::finish(int32_t at) {
  inner_->apply(options_->events[at]);
  options_.reset();
  begun_ = false;
}

Action SplitState::apply_part(Action digit) {
  if (!load()) {
    inner_->apply(digit);
    return digit;
  }
  const Range part = after(range_, digit);
  if (part.size() == 0) {
    throw std::invalid_argument("sub-action " + std::to_string(digit) + " is not legal");
  }
  range_ = part;
  begun_ = true;
  if (part.size() > 1) return kUnfinished;
  const Action event = options_->events[part.begin];
  finish(part.begin);
  return event;
}

History SplitState::way_to(Action event) const {
  if (!load()) {
    std::vector<Action> events;
    std::vector<double> probabilities;
    if (!can_happen(*inner_, event, events, probabilities)) cannot_happen(event);
    return {event};
  }
  const auto& events = options_->events;
  const auto last = events.begin() + range_.end;
  const bool has_code = event >= 0 && event < options_->codes->size();
  const auto found =
      !has_code ? last
                : std::partition_point(events.begin() + range_.begin, last, [&](int32_t each) {
                    return options_->codes->rank(each) < options_->codes->rank(event);
                  });
  if (found == last || *found != event) cannot_happen(event);
  History digits;
  Range range = range_;
  do {
    digits.push_back(options_->codes->digit(event, range.depth));
    range = after(range, digits.back());
  } while (range.size() > 1);
  return digits;
}

History SplitState::prefix() const {
  History digits;
  if (!begun_ || !load()) return digits;
  for (int32_t at = 0; at < range_.depth; ++at) digits.push_back(digit_at(range_.begin, at));
  return digits;
}

TensorFacts SplitGame::tensor_facts() const {
  TensorFacts facts = inner_->tensor_facts();
  if (facts.kind != TensorKind::kNone) facts.size += actions_->vocabulary();
  if (facts.observation_size > 0) facts.observation_size += actions_->vocabulary();
  facts.actions = actions_->vocabulary();
  if (outcomes_) facts.chance_outcomes = outcomes_->vocabulary();
  return facts;
}

History SplitGame::split(const History& history) const {
  const std::unique_ptr<SplitState> state = start();
  History digits;
  for (const Action event : history) {
    for (const Action digit : state->way_to(event)) {
      state->apply(digit);
      digits.push_back(digit);
    }
  }
  return digits;
}

std::pair<History, History> SplitGame::whole(const History& digits) const {
  const std::unique_ptr<SplitState> state = start();
  History events;
  for (const Action digit : digits) {
    const Action event = state->apply_part(digit);
    if (event != SplitState::kUnfinished) events.push_back(event);
  }
  return {std::move(events), state->prefix()};
}

}  // namespace nash_ismcts
