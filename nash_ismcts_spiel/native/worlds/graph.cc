// How a game graph grows: a row for each world that somebody steps to.
//
// A recent world keeps its state until all its children are made. The state of any other world is
// had by replaying events from the nearest ancestor that has one.

#include "graph.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "../common/grouped.h"
#include "../common/random.h"
#include "hidden.h"

namespace nash_ismcts {

namespace {

constexpr int64_t kKeptStates = 1 << 14;
constexpr int64_t kKeptHeavyStates = 1 << 10;
constexpr std::chrono::microseconds kHeavy(5);  // to copy one; most take half of one
constexpr int32_t kCopies = 8;

// How many states are kept. What takes long to copy is large, and takes memory: states of some
// games hold tables of their own (gin_rummy), and Python's are objects. Whether a state is kept or
// made again changes no result, so a clock may decide it.
int64_t states_to_keep(const GameState& state) {
  Clock::duration fastest = Clock::duration::max();
  for (int32_t copy = 0; copy < kCopies; ++copy) {
    const Clock::time_point before = Clock::now();
    state.clone();
    fastest = std::min(fastest, Clock::now() - before);
  }
  return fastest > kHeavy ? kKeptHeavyStates : kKeptStates;
}

}  // namespace

Graph::Graph(std::shared_ptr<const Game> game)
    : game_(std::move(game)),
      views_(game_->facts().num_players),
      hidden_(std::make_unique<HiddenHistories>(*this)) {
  num_players = game_->facts().num_players;
  std::unique_ptr<GameState> start = game_->initial_state();
  kept_.assign(states_to_keep(*start), kMissing);
  add_world(*start, kMissing, kMissing);
  keep_state(kRoot, std::move(start));
}

Graph::~Graph() = default;

int32_t Graph::child(int32_t world, int32_t edge) {
  const int64_t position = worlds.first_edge[world] + edge;
  const int32_t found = worlds.edge_child[position];
  if (found != kMissing) return found;
  std::unique_ptr<GameState> after;
  const bool last = missing_children_[world] == 1 && states_[world] != nullptr;
  after = last ? std::move(states_[world]) : state(world);  // the last child takes the state over
  after->apply(worlds.edge_action[position]);
  const int32_t added = add_world(*after, world, position);
  keep_state(added, std::move(after));
  return added;
}

int32_t Graph::edge_of(int32_t world, Action action) const {
  const auto first = worlds.edge_action.begin() + worlds.first_edge[world];
  const auto last = first + worlds.edge_count[world];
  const auto found = std::find(first, last, action);
  return found == last ? kMissing : static_cast<int32_t>(found - first);
}

// One state is taken along: worlds on the way are seldom stepped from again and keep none.
int32_t Graph::follow(const History& history) {
  int32_t world = kRoot;
  std::unique_ptr<GameState> state;
  for (const Action event : history) {
    const int32_t edge = edge_of(world, event);
    if (edge == kMissing) {
      throw std::invalid_argument(game_->facts().name + ": event " + std::to_string(event) +
                                  " cannot happen after " + std::to_string(worlds.depth[world]) +
                                  " events of the history");
    }
    const int64_t position = worlds.first_edge[world] + edge;
    if (!state && worlds.edge_child[position] != kMissing) {
      world = worlds.edge_child[position];
      continue;
    }
    if (!state) state = this->state(world);
    state->apply(event);
    world = add_world(*state, world, position);
  }
  if (state) keep_state(world, std::move(state));
  return world;
}

History Graph::history(int32_t world) const {
  History events(worlds.depth[world]);
  for (; world != kRoot; world = worlds.parent[world]) {
    events[worlds.depth[world] - 1] = worlds.last_action[world];
  }
  return events;
}

const GameState* Graph::kept_state(int32_t world) const {
  return states_.empty() ? nullptr : states_[world].get();
}

std::unique_ptr<GameState> Graph::state(int32_t world) const {
  History events;
  const auto kept = [this](int32_t at) { return !states_.empty() && states_[at] != nullptr; };
  for (; !kept(world) && world != kRoot; world = worlds.parent[world]) {
    events.push_back(worlds.last_action[world]);
  }
  std::unique_ptr<GameState> state = kept(world) ? states_[world]->clone() : game_->initial_state();
  for (auto event = events.rbegin(); event != events.rend(); ++event) state->apply(*event);
  return state;
}

int32_t Graph::view_along(const History& history, int32_t player, bool to_move) {
  std::unique_ptr<GameState> state = game_->initial_view();
  std::vector<Action> legal;
  std::vector<double> probabilities;
  int32_t view = view_after(*state, views_.start(player), player);
  const auto step = [&](Action event) {
    if (!can_happen(*state, event, legal, probabilities)) {
      throw std::invalid_argument(game_->facts().name + ": the history has an event " +
                                  std::to_string(event) + " that cannot happen");
    }
    if (state->player() == player) view = views_.acted(view, event);
    state->apply(event);
    if (state->player() != kTerminalPlayer) view = view_after(*state, view, player);
  };
  for (const Action event : history) step(event);
  while (to_move && state->player() >= 0 && state->player() != player) {
    state->legal_actions(legal);
    step(legal.front());
  }
  return view;
}

int32_t Graph::view_after(const GameState& state, int32_t view, int32_t player) {
  if (state.player() == player) return views_.decided(view, decision_text(state, player));
  if (game_->facts().has_information_states) return view;
  return views_.looked(view, state.shown(player));
}

int32_t Graph::set_of_view(int32_t view) const {
  return view < static_cast<int32_t>(set_of_view_.size()) ? set_of_view_[view] : kMissing;
}

int32_t Graph::find(int32_t player, int32_t view) {
  const int32_t known = set_of_view(view);
  if (known != kMissing) return known;
  return worlds.information_set[follow(hidden_->find(player, view))];
}

int32_t Graph::offer(int32_t player, int32_t view, const History& history) {
  if (!hidden_->explains_all(Tracker(*game_, views_, player, view), history)) return kMissing;
  const int32_t world = follow(history);
  const int32_t set = worlds.information_set[world];
  std::vector<int32_t>& known = offered_[set];
  if (std::find(known.begin(), known.end(), world) == known.end()) known.push_back(world);
  return set;
}

const std::vector<int32_t>& Graph::offered(int32_t set) const {
  static const std::vector<int32_t> none;
  const auto found = offered_.find(set);
  return found == offered_.end() ? none : found->second;
}

void Graph::ask(int32_t set) { hidden_->ask(set); }

uint64_t Graph::knowledge_hash(int32_t set) const {
  if (!game_->facts().perfect_information) return views_.hash(information_sets.view[set]);
  uint64_t hash = 0;
  for (const Action event : history(information_sets.first_world[set])) {
    hash = hash_combine(hash, static_cast<uint64_t>(event));
  }
  return hash;
}

int32_t Graph::hidden(int32_t set) {
  if (information_sets.hidden[set] == kUnresolved) {
    const int32_t target = game_->facts().perfect_information ? information_sets.first_world[set]
                                                              : hidden_->first(set);
    information_sets.hidden[set] = target;
  }
  return information_sets.hidden[set];
}

int32_t Graph::branch(int32_t sample, int32_t branch) { return hidden_->branch(sample, branch); }

std::vector<std::pair<int32_t, int32_t>> Graph::path_to(int32_t world) {
  if (game_->facts().perfect_information) return {};
  return hidden_->path_to(world);
}

bool Graph::by_exchange(int32_t set) { return hidden_->by_exchange(set); }

int32_t Graph::exchanged_world(int32_t set, Walk& walk) {
  return hidden_->exchanged_world(set, walk);
}

History Graph::exchanged_history(int32_t set, Walk& walk) {
  return hidden_->exchanged_history(set, walk);
}

int32_t Graph::own_next(int32_t set, int32_t action) {
  const int64_t position = information_sets.first_action[set] + action;
  if (information_sets.own_next[position] == kUnresolved) {
    const int32_t following = find_own_next(set, action);
    information_sets.own_next[position] = following;
  }
  return information_sets.own_next[position];
}

int32_t Graph::find_own_next(int32_t set, int32_t action) {
  if (whole_count(set, action) > 1.0) {  // the player goes on with its action whatever is hidden
    return worlds.information_set[child(information_sets.first_world[set], action)];
  }
  std::vector<int32_t> all;
  if (enumerated_) {
    all = worlds_of_set_[set];
  } else if (game_->facts().perfect_information) {
    all = {information_sets.first_world[set]};
  } else if (!hidden_->all_worlds(set, kOwnNextLimit, all)) {
    return kMissing;
  }
  if (static_cast<int32_t>(all.size()) > kOwnNextLimit) return kMissing;
  int32_t following = kMissing;
  for (const int32_t world : all) {
    const int32_t after = child(world, action);
    const int32_t reached = worlds.information_set[after];
    if (worlds.player[after] != information_sets.player[set]) return kMissing;
    if (following != kMissing && following != reached) return kMissing;
    following = reached;
  }
  return following;
}

bool Graph::unseen(int32_t world, int32_t player) {
  const int64_t position = static_cast<int64_t>(world) * num_players + player;
  if (worlds.unseen[position] == kUnresolved) {
    const bool found = hidden_->unseen(world, player);
    worlds.unseen[position] = found;
  }
  return worlds.unseen[position] == 1;
}

void Graph::uniform_policy(int32_t set, double* policy) const {
  const int32_t count = information_sets.action_count[set];
  double total = 0.0;
  for (int32_t action = 0; action < count; ++action) {
    policy[action] = whole_count(set, action);
    total += policy[action];
  }
  for (int32_t action = 0; action < count; ++action) policy[action] /= total;
}

std::vector<std::pair<Action, History>> Graph::whole_actions(int32_t set) {
  std::vector<std::pair<Action, History>> actions;
  state(information_sets.first_world[set])->whole_actions(actions);
  return actions;
}

// All that may fail (a game's own code) comes before the first column is touched.
int32_t Graph::add_world(const GameState& state, int32_t parent, int64_t position) {
  const int32_t world = next_row(worlds.size());
  const int32_t player = state.player();
  const Action event = parent == kMissing ? kNoAction : worlds.edge_action[position];
  events_.clear();
  probabilities_.clear();
  world_views_.assign(num_players, kNoView);
  std::vector<double> returns;
  int32_t set = kMissing;
  if (player == kTerminalPlayer) {
    returns = state.returns();
  } else {
    state.events(player, events_, probabilities_);
    if (player >= 0) {
      state.whole_counts(probabilities_);
      probabilities_.resize(events_.size(), 0.0);
    }
    find_views(state, player, world, parent, event);
    if (player >= 0) {
      set = information_set_at(world, player, world_views_[player], state.within_action());
    }
  }
  const double log_prior =
      parent == kMissing ? 0.0 : worlds.log_prior[parent] + log_chance_of(parent, position);
  if (parent != kMissing) {
    worlds.edge_child[position] = world;
    --missing_children_[parent];
  }
  const bool terminal = player == kTerminalPlayer;
  worlds.kind.push_back(terminal ? kTerminal : player == kChancePlayer ? kChance : kDecision);
  worlds.player.push_back(player >= 0 ? player : kMissing);
  worlds.information_set.push_back(set);
  worlds.parent.push_back(parent);
  worlds.last_action.push_back(event);
  worlds.depth.push_back(parent == kMissing ? 0 : worlds.depth[parent] + 1);
  worlds.first_edge.push_back(next_row(worlds.num_edges()));
  worlds.edge_count.push_back(static_cast<int32_t>(events_.size()));
  worlds.utility_row.push_back(terminal ? next_row(worlds.utilities.size() / num_players)
                                        : kMissing);
  worlds.view.insert(worlds.view.end(), world_views_.begin(), world_views_.end());
  worlds.unseen.resize(worlds.unseen.size() + num_players, kUnresolved);
  worlds.edge_action.insert(worlds.edge_action.end(), events_.begin(), events_.end());
  worlds.edge_probability.insert(worlds.edge_probability.end(), probabilities_.begin(),
                                 probabilities_.end());
  worlds.edge_child.resize(worlds.edge_child.size() + events_.size(), kMissing);
  worlds.utilities.insert(worlds.utilities.end(), returns.begin(), returns.end());
  worlds.log_prior.push_back(log_prior);
  missing_children_.push_back(static_cast<int32_t>(events_.size()));
  states_.emplace_back();
  return world;
}

// Keeps a state for as long as it is among the most recent ones, if anything can follow it.
void Graph::keep_state(int32_t world, std::unique_ptr<GameState> state) {
  if (worlds.kind[world] == kTerminal) return;
  int32_t& slot = kept_[world % static_cast<int64_t>(kept_.size())];
  if (slot != kMissing) states_[slot].reset();
  slot = world;
  states_[world] = std::move(state);
}

// What each player knows at a new world with the events events_, into world_views_.
void Graph::find_views(const GameState& state, int32_t mover, int32_t world, int32_t parent,
                       Action event) {
  if (game_->facts().perfect_information) {
    world_views_.assign(num_players, world);
    return;
  }
  for (int32_t player = 0; player < num_players; ++player) {
    int32_t view = views_.start(player);
    if (parent != kMissing) {
      view = worlds.view[static_cast<int64_t>(parent) * num_players + player];
      if (worlds.player[parent] == player) view = views_.acted(view, event);
    }
    if (player == mover) {
      view = views_.decided(view, decision_text(state, player, events_));
    } else if (!game_->facts().has_information_states) {
      view = views_.looked(view, state.shown(player));
    }
    world_views_[player] = view;
  }
}

// The information set of a player with a view whose legal actions are in events_, new if need be.
int32_t Graph::information_set_at(int32_t world, int32_t player, int32_t view, bool within_action) {
  const std::vector<Action>& legal = events_;
  if (view >= static_cast<int32_t>(set_of_view_.size())) {
    set_of_view_.resize(view + 1 + view / 2, kMissing);
  }
  auto& sets = information_sets;
  const int32_t found = set_of_view_[view];
  if (found != kMissing) {
    const auto first = sets.action.begin() + sets.first_action[found];
    if (sets.action_count[found] == static_cast<int32_t>(legal.size()) &&
        std::equal(legal.begin(), legal.end(), first)) {
      return found;
    }
    throw std::invalid_argument(game_->facts().name +
                                ": legal actions differ inside one information set of player " +
                                std::to_string(player) + ", which is shown " + views_.text(view));
  }
  const int32_t set = next_row(sets.size());
  set_of_view_[view] = set;
  sets.player.push_back(player);
  sets.view.push_back(view);
  sets.first_world.push_back(world);
  sets.first_action.push_back(next_row(sets.num_actions()));
  sets.action_count.push_back(static_cast<int32_t>(legal.size()));
  sets.hidden.push_back(kUnresolved);
  sets.within_action.push_back(within_action);
  sets.action.insert(sets.action.end(), legal.begin(), legal.end());
  sets.own_next.resize(sets.action.size(), kUnresolved);
  return set;
}

int32_t Graph::add_sample(int32_t set, int32_t world, const std::vector<int32_t>& edges) {
  const int32_t sample = next_row(samples.size());
  samples.information_set.push_back(set);
  samples.world.push_back(world);
  samples.first_branch.push_back(next_row(samples.num_branches()));
  samples.branch_count.push_back(static_cast<int32_t>(edges.size()));
  samples.edge.insert(samples.edge.end(), edges.begin(), edges.end());
  samples.target.resize(samples.edge.size(), kUnresolved);
  samples.log_mass.resize(samples.edge.size(), std::numeric_limits<double>::quiet_NaN());
  return sample;
}

}  // namespace nash_ismcts
