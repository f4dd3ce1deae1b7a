#include "merged_response.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace nash_ismcts {

namespace {

constexpr int64_t kProgressInterval = 1 << 16;

// Targets: decisions are their place, ends and continuations are negative, by turns.
int32_t end_target(int32_t terminal) { return -1 - 2 * terminal; }
int32_t continuation_target(int32_t number) { return -2 - 2 * number; }
bool is_end(int32_t target) { return (-1 - target) % 2 == 0; }
int32_t number_in(int32_t target) { return (-1 - target) / 2; }

}  // namespace

MergedResponse::MergedResponse(const MergedGame& game, const double* policy, int32_t responder,
                               const ResponseLimits& limits)
    : game_(game), responder_(responder), limits_(limits) {
  number_decisions();
  number_continuations();
  weights_.assign(node_of_.size(), 0.0);
  first_entry_.assign(1, 0);
  // A continuation is made from those of its children, which come later among the nodes.
  for (auto node = static_cast<int32_t>(game_.num_nodes()) - 1; node >= 0; --node) {
    if (game_.mover[node] != responder_ && game_.terminal[node] < 0) add_continuation(node, policy);
  }
  first_target_.assign(1, 0);
  for (const int32_t node : node_of_) {
    for (int64_t edge = game_.first_edge[node]; edge < game_.first_edge[node + 1]; ++edge) {
      targets_.push_back(target_of(game_.child[edge]));
    }
    first_target_.push_back(static_cast<int64_t>(targets_.size()));
  }
}

void MergedResponse::number_decisions() {
  for (int32_t node = 0; node < game_.num_nodes(); ++node) {
    if (game_.mover[node] == responder_) node_of_.push_back(node);
  }
  std::stable_sort(node_of_.begin(), node_of_.end(), [this](int32_t left, int32_t right) {
    return game_.signal[left] < game_.signal[right];
  });
  place_of_.assign(static_cast<size_t>(game_.num_nodes()), -1);
  for (size_t place = 0; place < node_of_.size(); ++place) {
    place_of_[node_of_[place]] = static_cast<int32_t>(place);
    signal_.push_back(game_.signal[node_of_[place]]);
  }
}

void MergedResponse::number_continuations() {
  int32_t count = 0;
  for (auto node = static_cast<int32_t>(game_.num_nodes()) - 1; node >= 0; --node) {
    if (game_.mover[node] != responder_ && game_.terminal[node] < 0) place_of_[node] = count++;
  }
}

MergedResponse::Target MergedResponse::target_of(int32_t node) const {
  if (game_.terminal[node] >= 0) return end_target(game_.terminal[node]);
  if (game_.mover[node] == responder_) return place_of_[node];
  return continuation_target(place_of_[node]);
}

void MergedResponse::add_continuation(int32_t node, const double* policy) {
  const int64_t first = game_.first_edge[node];
  const double* const row = game_.view[node] < 0 ? game_.chance.data() + first
                                                 : policy + game_.first_action[game_.view[node]];
  double ends = 0.0;
  touched_.clear();
  for (int64_t edge = first; edge < game_.first_edge[node + 1]; ++edge) {
    const double chance = row[edge - first];
    if (chance > 0.0) ends += follow(target_of(game_.child[edge]), chance);
  }
  end_value_.push_back(ends);
  std::sort(touched_.begin(), touched_.end());
  for (const int32_t place : touched_) {
    if (weights_[place] == 0.0) continue;
    entry_place_.push_back(place);
    entry_chance_.push_back(weights_[place]);
    weights_[place] = 0.0;
  }
  first_entry_.push_back(static_cast<int64_t>(entry_place_.size()));
  if (first_entry_.back() > limits_.entries) {
    throw std::invalid_argument("what may follow until player " + std::to_string(responder_) +
                                " moves again has more than " + std::to_string(limits_.entries) +
                                " entries");
  }
}

// Moves weight along: to the responder's next decisions; what the games that end are worth is
// returned.
double MergedResponse::follow(Target target, double weight) {
  if (target >= 0) {
    add(target, weight);
    return 0.0;
  }
  const int32_t number = number_in(target);
  if (is_end(target)) {
    return weight * game_.returns[int64_t{number} * game_.num_players + responder_];
  }
  for (int64_t entry = first_entry_[number]; entry < first_entry_[number + 1]; ++entry) {
    add(entry_place_[entry], weight * entry_chance_[entry]);
  }
  return weight * end_value_[number];
}

double MergedResponse::value(const MergeProgress& progress) {
  progress_ = &progress;
  information_sets_ = 0;
  done_ = 0.0;
  touched_.clear();
  stack_.clear();
  const double ends = follow(target_of(0), 1.0);
  return ends + visit_groups(1.0);
}

// Visits the information sets that the touched decisions make up; returns what they are worth.
double MergedResponse::visit_groups(double share) {
  if (touched_.empty()) {
    done_ += share;
    return 0.0;
  }
  const auto begin = static_cast<int64_t>(stack_.size());
  std::sort(touched_.begin(), touched_.end());
  int64_t groups = 0;
  int32_t last = -1;
  for (const int32_t place : touched_) {
    if (weights_[place] == 0.0) continue;
    stack_.push_back({place, weights_[place]});
    weights_[place] = 0.0;
    groups += signal_[place] != last;
    last = signal_[place];
  }
  touched_.clear();
  const auto end = static_cast<int64_t>(stack_.size());
  double total = 0.0;
  for (int64_t at = begin; at < end;) {
    int64_t after = at + 1;
    while (after < end && signal_[stack_[after].place] == signal_[stack_[at].place]) ++after;
    total += visit(at, after, share / static_cast<double>(groups));
    at = after;
  }
  stack_.resize(static_cast<size_t>(begin));
  return total;
}

// The value of an information set: entries `begin` to `end` of the stack.
double MergedResponse::visit(int64_t begin, int64_t end, double share) {
  if (++information_sets_ % kProgressInterval == 0) (*progress_)(done_);
  if (information_sets_ > limits_.information_sets) {
    throw std::invalid_argument("player " + std::to_string(responder_) + " has more than " +
                                std::to_string(limits_.information_sets) +
                                " information sets to respond at");
  }
  const int32_t first = stack_[begin].place;
  const int64_t actions = first_target_[first + 1] - first_target_[first];
  double best = -std::numeric_limits<double>::infinity();
  for (int64_t action = 0; action < actions; ++action) {
    double total = 0.0;
    for (int64_t at = begin; at < end; ++at) {
      const Entry entry = stack_[at];
      total += follow(targets_[first_target_[entry.place] + action], entry.weight);
    }
    total += visit_groups(share / static_cast<double>(actions));
    best = std::max(best, total);
  }
  return best;
}

}  // namespace nash_ismcts
