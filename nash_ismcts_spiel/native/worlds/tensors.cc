#include "tensors.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nash_ismcts {

namespace {

// A game numbers its actions and outcomes as it says, or it would write beside its row.
void require_number(Action number, int64_t end, const Game& game, const char* what) {
  if (number >= 0 && number < end) return;
  throw std::invalid_argument(game.facts().name + ": " + what + " " + std::to_string(number) +
                              " is not below " + std::to_string(end) + ", as the game says");
}

}  // namespace

Tensors::Tensors(std::shared_ptr<const Game> game, int64_t slots, bool observations,
                 std::optional<Board> board)
    : game_(std::move(game)),
      facts_(game_->tensor_facts()),
      kind_(observations ? TensorKind::kObservation : facts_.kind),
      size_(observations ? facts_.observation_size : facts_.size),
      remembered_(observations ? 1 : kRemembered),
      board_(std::move(board)),
      players_(game_->facts().num_players),
      slots_(slots),
      pieces_(std::max(facts_.actions, facts_.chance_outcomes)) {
  if (facts_.kind == TensorKind::kNone) {
    throw std::invalid_argument(game_->facts().name +
                                " has neither an information state tensor nor an observation "
                                "tensor to learn from");
  }
  if (observations && facts_.observation_size == 0) {
    throw std::invalid_argument(game_->facts().name + " has no observation tensor");
  }
  if (slots < 0) throw std::invalid_argument("slots must not be negative");
  const bool history = kind_ == TensorKind::kObservation;
  set_inputs_ = players_ + (history ? remembered_ * (size_ + facts_.actions) : size_);
  if (!board_) return;
  if (history) throw std::invalid_argument("a board is read from information states");
  board_->check(size_);
  set_inputs_ = players_ + board_->size();
}

bool Tensors::fits(const Graph& graph) const {
  const Game& other = graph.game();
  return &other == game_.get() || (other.facts().name == game_->facts().name &&
                                   graph.num_players == players_ && other.tensor_facts() == facts_);
}

void Tensors::sets(const Graph& graph, const int32_t* sets, int64_t count, float* rows) const {
  std::fill_n(rows, count * set_inputs_, 0.0f);
  describe(graph, {sets, sets + count}, set_inputs_, rows);
}

void Tensors::samples(const Graph& graph, const int32_t* samples, int64_t count,
                      float* rows) const {
  std::fill_n(rows, count * sample_inputs(), 0.0f);
  std::vector<int32_t> sets(count);
  for (int64_t k = 0; k < count; ++k) sets[k] = graph.samples.information_set[samples[k]];
  describe(graph, sets, sample_inputs(), rows);
  for (int64_t k = 0; k < count; ++k) {
    float* row = rows + k * sample_inputs();
    add_drawn(graph, samples[k], row + set_inputs_);
  }
}

// Describes sets at the beginnings of rows of some width. A state may cost much to come by, so a
// set that stands in a batch twice is copied, and worlds come before those that follow them.
void Tensors::describe(const Graph& graph, const std::vector<int32_t>& sets, int64_t width,
                       float* rows) const {
  std::vector<int64_t> order(sets.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto world = [&](int64_t k) { return graph.information_sets.first_world[sets[k]]; };
  std::sort(order.begin(), order.end(), [&](int64_t one, int64_t other) {
    return std::pair(world(one), one) < std::pair(world(other), other);
  });
  Played played;
  for (size_t k = 0; k < order.size(); ++k) {
    float* row = rows + order[k] * width;
    if (k > 0 && sets[order[k]] == sets[order[k - 1]]) {
      std::copy_n(rows + order[k - 1] * width, set_inputs_, row);
    } else {
      describe_set(graph, sets[order[k]], played, row);
    }
  }
}

namespace {

// The state of a world: the graph's, or played on from the nearest world before it that the graph
// or this batch has one of. What the batch had there is then had here.
const GameState& played_on(const Graph& graph, int32_t world,
                           std::unordered_map<int32_t, std::unique_ptr<GameState>>& played) {
  if (const GameState* kept = graph.kept_state(world)) return *kept;
  History events;
  int32_t at = world;
  while (at != kRoot && graph.kept_state(at) == nullptr && played.count(at) == 0) {
    events.push_back(graph.worlds.last_action[at]);
    at = graph.worlds.parent[at];
  }
  std::unique_ptr<GameState> state;
  const auto found = played.find(at);
  if (found != played.end()) {
    state = std::move(found->second);
    played.erase(found);
  } else {
    state = graph.state(at);
  }
  for (auto event = events.rbegin(); event != events.rend(); ++event) state->apply(*event);
  return *(played[world] = std::move(state));
}

}  // namespace

void Tensors::describe_set(const Graph& graph, int32_t set, Played& played, float* row) const {
  const int32_t player = graph.information_sets.player[set];
  const int32_t world = graph.information_sets.first_world[set];
  row[player] = 1.0f;
  if (kind_ == TensorKind::kObservation) {
    remember(graph, world, player, row + players_);
  } else {
    const GameState& state = played_on(graph, world, played);
    if (!board_) return state.tensor(player, kind_, row + players_, size_);
    std::vector<float> told(size_);
    state.tensor(player, kind_, told.data(), size_);
    board_->read(told.data(), player, row + players_);
  }
}

// The earliest decision is found first, and its state then played on to the present.
void Tensors::remember(const Graph& graph, int32_t world, int32_t player, float* row) const {
  const int64_t width = size_ + facts_.actions;
  History events;                                // since the earliest decision, latest first
  std::array<std::size_t, kRemembered> later{};  // events after each decision, latest first
  int32_t decisions = 1;
  const auto within_action = [&graph](int32_t at) {
    return graph.information_sets.within_action[graph.worlds.information_set[at]] == 1;
  };
  bool present = within_action(world);  // its own tensor tells the parts of the present action
  for (int32_t at = world; at != kRoot && decisions < remembered_;) {
    events.push_back(graph.worlds.last_action[at]);
    at = graph.worlds.parent[at];
    if (graph.worlds.player[at] != player) continue;
    require_number(events.back(), facts_.actions, *game_, "action");
    if (!present) row[decisions * width + size_ + events.back()] += 1.0f;
    if (within_action(at)) continue;
    if (!present) later[decisions++] = events.size();
    present = false;
  }
  events.resize(later[decisions - 1]);
  int32_t at = world;
  for (std::size_t back = 0; back < events.size(); ++back) at = graph.worlds.parent[at];
  const std::unique_ptr<GameState> state = graph.state(at);
  for (int32_t decision = decisions - 1; decision >= 0; --decision) {
    for (; events.size() > later[decision]; events.pop_back()) state->apply(events.back());
    state->tensor(player, kind_, row + decision * width, size_);
  }
}

void Tensors::add_drawn(const Graph& graph, int32_t sample, float* slots) const {
  const int32_t set = graph.samples.information_set[sample];
  History events;
  events_of_others(graph, graph.samples.world[sample], graph.information_sets.player[set], events);
  if (!events.empty() && slots_ == 0) {
    throw std::invalid_argument("pieces are drawn, and there are no slots for them");
  }
  int64_t drawn = 0;
  for (auto piece = events.rbegin(); piece != events.rend(); ++piece, ++drawn) {
    require_number(*piece, pieces_, *game_, "event");
    slots[std::min(drawn, slots_ - 1) * pieces_ + *piece] += 1.0f;
  }
}

void events_of_others(const GraphTables& graph, int32_t world, int32_t player, History& events) {
  events.clear();
  for (; world != kRoot; world = graph.worlds.parent[world]) {
    if (graph.worlds.player[graph.worlds.parent[world]] != player) {
      events.push_back(graph.worlds.last_action[world]);
    }
  }
}

int64_t most_drawn(const Graph& graph) {
  History events;
  std::size_t most = 0;
  for (int64_t sample = 0; sample < graph.samples.size(); ++sample) {
    const int32_t set = graph.samples.information_set[sample];
    events_of_others(graph, graph.samples.world[sample], graph.information_sets.player[set],
                     events);
    most = std::max(most, events.size());
  }
  return static_cast<int64_t>(most);
}

}  // namespace nash_ismcts
