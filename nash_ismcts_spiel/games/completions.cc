#include "completions.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace nash_ismcts {

namespace {

constexpr int64_t kNoAction = -1;

uint64_t pair_key(int32_t progress, int64_t action) {
  return static_cast<uint64_t>(progress) << 32 | static_cast<uint32_t>(action);
}

bool is_later(const std::unordered_map<int64_t, int32_t>& at, int64_t action, int32_t progress) {
  const auto found = at.find(action);
  return found != at.end() && found->second > progress;
}

}  // namespace

Completions::Completions(std::shared_ptr<Positions> positions, pybind11::object effort,
                         int32_t player, const World& world, std::shared_ptr<Completions> earlier)
    : positions_(std::move(positions)),
      effort_(std::move(effort)),
      player_(player),
      earlier_(std::move(earlier)),
      allowance_(effort_.attr("allowance").cast<int64_t>()) {
  learn(world);
}

// Takes the log from a world of the information set, and the world as an example of how it comes
// about.
void Completions::learn(const World& world) {
  Partial here{positions_->start(), 0};
  std::vector<Partial> passed{here};
  log_.push_back({kNoAction, positions_->sight(here.position, player_)});
  for (const int64_t action : world) {
    const PositionId before = here.position;
    const bool acted = positions_->mover(before) == player_;
    helped_.insert(pair_key(here.progress, action), 1);
    here.position = positions_->after(before, positions_->edge(before, action));
    const int32_t sight = positions_->sight(here.position, player_);
    if (acted || sight != log_.back().sight) {
      log_.push_back({acted ? action : kNoAction, sight});
      ++here.progress;
    }
    if (acted) {
      const bool taken = positions_->board(before) != positions_->board(here.position);
      (taken ? taken_at_ : met_at_)[action] = here.progress;
    }
    passed.push_back(here);
  }
  for (const Partial& partial : passed) {
    judge(partial, Verdict::kAlive);
  }
}

// Goes on by an edge; false if that contradicts the log.
bool Completions::step(const Partial& here, int32_t edge, Partial& there) {
  const bool acted = positions_->mover(here.position) == player_;
  const int32_t sight = positions_->sight_after(here.position, edge, player_);
  there.progress = here.progress;
  if (acted || sight != log_[here.progress].sight) {
    if (here.progress == last()) return false;
    const int64_t action = acted ? positions_->action(here.position, edge) : kNoAction;
    const Entry& next = log_[++there.progress];
    if (next.sight != sight || next.action != action) return false;
  }
  there.position = positions_->after(here.position, edge);
  return positions_->mover(there.position) != kOver;
}

// What may happen next, as edges: the player's own move as logged; of anything else first moves to
// cells that the player will find taken, then those to known positions and those that helped in the
// example, last those to cells that the player will take itself, and what is to be avoided.
std::vector<int32_t> Completions::events(const Partial& here, int64_t avoided) {
  const int32_t count = positions_->num_actions(here.position);
  std::vector<std::pair<int32_t, int32_t>> ranked;
  if (positions_->mover(here.position) == player_) {
    const int64_t own = here.progress == last() ? kNoAction : log_[here.progress + 1].action;
    for (int32_t edge = 0; edge < count; ++edge) {
      if (positions_->action(here.position, edge) == own) return {edge};
    }
    return {};
  }
  for (int32_t edge = 0; edge < count; ++edge) {
    const int64_t action = positions_->action(here.position, edge);
    const bool avoid = action == avoided || is_later(taken_at_, action, here.progress);
    const bool met = is_later(met_at_, action, here.progress);
    const bool helped = helped_.find(pair_key(here.progress, action)) != FlatMap::kAbsent;
    const bool known = positions_->is_known(here.position, edge);
    ranked.emplace_back((avoid ? 8 : 0) + (met ? 0 : 4) + (known ? 0 : 2) +
                            (helped ? 0 : 1),
                        edge);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<int32_t> edges;
  for (const auto& [rank, edge] : ranked) edges.push_back(edge);
  return edges;
}

void Completions::judge(const Partial& here, Verdict verdict) {
  verdicts_.insert(key(here), static_cast<int32_t>(verdict));
}

bool Completions::is_alive(const Partial& here) const {
  return verdicts_.find(key(here)) == static_cast<int32_t>(Verdict::kAlive);
}

bool Completions::is_dead(const Partial& here) const {
  for (const Completions* each = this; each != nullptr; each = each->earlier_.get()) {
    if (each->verdicts_.find(key(here)) == static_cast<int32_t>(Verdict::kDead)) return true;
  }
  return false;
}

// Depth first; gives up, without a verdict, when the effort is spent.
bool Completions::can_be_completed(const Partial& here, int64_t& effort) {
  if (is_alive(here)) return true;
  if (is_dead(here)) return false;
  bool alive = is_complete(here);
  if (!alive) {
    const std::vector<int32_t> edges = events(here, kNoAction);
    Partial there;
    for (const int32_t edge : edges) {
      alive = alive || (positions_->is_known(here.position, edge) && step(here, edge, there) &&
                        is_alive(there));
    }
    for (const int32_t edge : edges) {
      if (alive) break;
      if (--effort < 0) return false;
      alive = step(here, edge, there) && can_be_completed(there, effort);
    }
    if (!alive && effort < 0) return false;
  }
  judge(here, alive ? Verdict::kAlive : Verdict::kDead);
  return alive;
}

std::vector<int32_t> Completions::open_edges(const World& partial) {
  Partial here{positions_->start(), 0};
  for (const int64_t action : partial) {
    Partial there;
    if (!step(here, positions_->edge(here.position, action), there)) {
      throw std::invalid_argument("the partial world contradicts what the player saw");
    }
    here = there;
  }
  std::vector<int32_t> open = events(here, kNoAction);
  if (open.size() == 1) return open;  // the player's own move, say: it must be the one
  const auto is_closed = [&](int32_t edge) {
    Partial there;
    if (!step(here, edge, there)) return true;
    const int64_t granted = std::max(allowance_, kBoundedEffort);
    int64_t left = granted;
    const bool alive = can_be_completed(there, left);
    account(granted - left);
    return !alive;
  };
  open.erase(std::remove_if(open.begin(), open.end(), is_closed), open.end());
  std::sort(open.begin(), open.end());
  return open;
}

// Number of worlds below a partial world; stops early where it no longer matters.
int64_t Completions::count(const Partial& here, Survey& survey, int64_t& effort) {
  if (is_dead(here)) return 0;
  const auto known = survey.worlds.find(key(here));
  if (known != survey.worlds.end()) {
    survey.total += known->second;
    return known->second;
  }
  int64_t worlds = 0;
  if (is_complete(here)) {
    const PositionId after =
        positions_->after(here.position, positions_->edge(here.position, survey.action));
    const int32_t sight = positions_->sight(after, player_);
    if (survey.sight == kUnknown) survey.sight = sight;
    survey.differs = positions_->mover(after) != player_ || sight != survey.sight;
    worlds = 1;
    ++survey.total;
  } else {
    for (const int32_t edge : events(here, survey.action)) {
      if (--effort < 0) return worlds;
      Partial there;
      if (step(here, edge, there)) worlds += count(there, survey, effort);
      if (worlds > 0) judge(here, Verdict::kAlive);
      if (survey.differs || survey.total > survey.limit) return worlds;
    }
    if (effort < 0) return worlds;
  }
  judge(here, worlds > 0 ? Verdict::kAlive : Verdict::kDead);
  survey.worlds.emplace(key(here), worlds);
  return worlds;
}

bool Completions::surely_moves_on(int64_t action, int64_t limit) {
  if (too_many_worlds_) return false;
  Survey survey{action, limit};
  const int64_t granted = std::max(allowance_, kBoundedEffort);
  int64_t left = granted;
  count({positions_->start(), 0}, survey, left);
  account(granted - left);
  if (survey.differs) return false;
  too_many_worlds_ = survey.total > limit || left < 0;
  return !too_many_worlds_;
}

void Completions::account(int64_t spent) {
  if (allowance_ > 0 && spent >= allowance_) effort_.attr("exhausted")();
  allowance_ -= spent;
}

}  // namespace nash_ismcts
