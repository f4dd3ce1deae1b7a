#include "spiel_game.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace nash_ismcts {

static_assert(kChancePlayer == open_spiel::kChancePlayerId);
static_assert(kTerminalPlayer == open_spiel::kTerminalPlayerId);

std::unique_ptr<GameState> SpielState::clone() const {
  return std::make_unique<SpielState>(state_->Clone(), has_information_states_, memory_);
}

template <typename Value, typename Make>
Value FirstMoves::remembered(std::unordered_map<std::string, Value>& memory, std::string key,
                             const Make& make) {
  {
    const std::lock_guard<std::mutex> lock(one_at_a_time_);
    const auto found = memory.find(key);
    if (found != memory.end()) return found->second;
  }
  Value made = make();
  const std::lock_guard<std::mutex> lock(one_at_a_time_);
  if (memory.size() >= kMost) memory.clear();
  memory.emplace(std::move(key), made);
  return made;
}

std::vector<Action> FirstMoves::legal_actions(const open_spiel::State& state) {
  const open_spiel::Player mover = state.CurrentPlayer();
  return remembered(legal_, std::to_string(mover) + " " + state.InformationStateString(mover),
                    [&state] { return state.LegalActions(); });
}

void FirstMoves::apply(std::unique_ptr<open_spiel::State>& state, Action action) {
  std::string history;
  for (const Action event : state->History()) history += std::to_string(event) + " ";
  state = remembered(states_, history + std::to_string(action), [&] {
            state->ApplyAction(action);
            return std::shared_ptr<const open_spiel::State>(std::move(state));
          })->Clone();
}

void SpielState::legal_actions(std::vector<Action>& actions) const {
  const bool known = memory_ != nullptr && memory_->covers(*state_);
  actions = known ? memory_->legal_actions(*state_) : state_->LegalActions();
  if (actions.empty()) require_end("no legal action where a player is to move");
}

void SpielState::chance_outcomes(std::vector<Action>& outcomes,
                                 std::vector<double>& probabilities) const {
  outcomes.clear();
  probabilities.clear();
  for (const auto& [outcome, probability] : state_->ChanceOutcomes()) {
    if (probability <= 0.0) continue;
    outcomes.push_back(outcome);
    probabilities.push_back(probability);
  }
  if (outcomes.empty()) require_end("no outcome where chance is to move");
}

void SpielState::require_end(const char* problem) const {
  if (state_->IsTerminal()) return;
  throw std::invalid_argument(state_->GetGame()->ToString() + ": there is " + problem + ", after " +
                              std::to_string(state_->FullHistory().size()) +
                              " events, so the game cannot be played to its end");
}

double SpielState::chance_of(Action outcome) const {
  for (const auto& [possible, probability] : state_->ChanceOutcomes()) {
    if (possible == outcome) return probability;
  }
  return 0.0;
}

std::string SpielState::describe(Action event) const {
  return state_->ActionToString(state_->CurrentPlayer(), event);
}

std::string SpielState::shown(int32_t player) const {
  return has_information_states_ ? state_->InformationStateString(player)
                                 : state_->ObservationString(player);
}

void SpielState::tensor(int32_t player, TensorKind kind, float* numbers, int64_t size) const {
  std::fill_n(numbers, size, 0.0f);  // games may set only what is not 0
  const auto values = absl::MakeSpan(numbers, static_cast<std::size_t>(size));
  if (kind == TensorKind::kInformationState) {
    state_->InformationStateTensor(player, values);
  } else {
    state_->ObservationTensor(player, values);
  }
}

namespace {

// Moves of a game from its beginning on that take long. In battleship a placement is legal if all
// further ships can be placed somewhere, which is tried out, also when it is made.
int64_t dear_moves(const open_spiel::Game& game) {
  if (game.GetType().short_name != "battleship") return 0;
  const std::string sizes = game.GetParameters().at("ship_sizes").string_value();
  return 2 * (std::count(sizes.begin(), sizes.end(), ';') + 1);
}

// The start of the same game without what makes its utilities costly; none if nothing does. In
// bridge the deal is solved as soon as it is known, in a quarter of a second.
std::unique_ptr<open_spiel::State> cheap_start(const open_spiel::Game& game) {
  constexpr char kSolved[] = "use_double_dummy_result";
  if (game.GetType().short_name != "bridge") return nullptr;
  open_spiel::GameParameters parameters = game.GetParameters();
  if (!parameters.at(kSolved).bool_value()) return nullptr;
  parameters["name"] = open_spiel::GameParameter(std::string("bridge"));
  parameters[kSolved] = open_spiel::GameParameter(false);
  return open_spiel::LoadGame(parameters)->NewInitialState();
}

}  // namespace

SpielGame::SpielGame(std::shared_ptr<const open_spiel::Game> game, GameFacts facts)
    : Game(std::move(facts)),
      game_(std::move(game)),
      start_(game_->NewInitialState()),
      cheap_(cheap_start(*game_)) {
  const int64_t moves = dear_moves(*game_);
  if (moves > 0) memory_ = std::make_shared<FirstMoves>(moves);
}

std::unique_ptr<GameState> SpielGame::initial_state() const {
  return std::make_unique<SpielState>(start_->Clone(), facts().has_information_states, memory_);
}

std::unique_ptr<GameState> SpielGame::initial_view() const {
  if (cheap_ == nullptr) return initial_state();
  return std::make_unique<SpielState>(cheap_->Clone(), facts().has_information_states, memory_);
}

TensorFacts SpielGame::tensor_facts() const {
  TensorFacts facts;
  facts.actions = game_->NumDistinctActions();
  facts.chance_outcomes = game_->MaxChanceOutcomes();
  const open_spiel::GameType type = game_->GetType();
  if (type.provides_observation_tensor) facts.observation_size = game_->ObservationTensorSize();
  if (type.provides_information_state_tensor) {
    facts.kind = TensorKind::kInformationState;
    facts.size = game_->InformationStateTensorSize();
  } else if (type.provides_observation_tensor) {
    facts.kind = TensorKind::kObservation;
    facts.size = facts.observation_size;
  }
  return facts;
}

std::shared_ptr<Game> load_spiel_game(const std::string& name, bool perfect_information,
                                      bool has_information_states, bool needs_gil) {
  std::shared_ptr<const open_spiel::Game> game = open_spiel::LoadGame(name);
  if (game->GetType().dynamics != open_spiel::GameType::Dynamics::kSequential) {
    throw std::invalid_argument(name + " is not a game in which one player moves at a time");
  }
  GameFacts facts{name, game->NumPlayers(), perfect_information, has_information_states, needs_gil};
  return std::make_shared<SpielGame>(std::move(game), std::move(facts));
}

}  // namespace nash_ismcts
