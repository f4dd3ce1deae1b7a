// The worlds and information sets of a TableArena that a forest has met, with what it found there.
//
// They are numbered in the order in which they were met (*slots*); rows are those of the arena.
// Values are utilities in the game's units, one per player: v if all play pi, v_P if all play P.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_FOREST_MET_WORLDS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_FOREST_MET_WORLDS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "../common/flat_map.h"
#include "settings.h"
#include "table_arena.h"

namespace nash_ismcts {

struct MetWorld {
  int32_t row;
  int32_t parent;                  // slot, kMissing at the start
  int32_t edge;                    // of the parent
  int32_t set;                     // slot of the mover's information set, kMissing without one
  int32_t moved;                   // where `ratio` has the move that led here, kMissing if chance
  int32_t mover;                   // whose move that was
  bool seen = false;               // the set counts it
  int32_t first_child = kMissing;  // in the table of children, once somebody has moved on from here
};

// A world that its mover's set counts, with what the set reads of it again and again.
struct SeenWorld {
  int32_t slot;
  int32_t first_child;  // in the table of children
  int64_t first_move;   // of the others on the way here, in the table of moves
  int32_t move_count;
  double belief;  // H
};

struct MetSet {
  int32_t row;
  int32_t player;
  int32_t first;  // in columns by action
  int32_t count;
  int64_t updates = 0;    // N
  double averaged = 0.0;  // sum of weights of the mean
  bool frozen = false;    // what is played here is settled
  bool moving = false;    // its mean is being taken
  std::vector<SeenWorld> seen;
};

class MetWorlds {
 public:
  MetWorlds(std::shared_ptr<const TableArena> arena, std::shared_ptr<const TableModels> models,
            bool has_prior_values)
      : arena_(std::move(arena)),
        models_(std::move(models)),
        has_prior_values_(has_prior_values),
        players_(arena_->num_players()) {}

  const TableArena& arena() const { return *arena_; }
  const TableModels& models() const { return *models_; }
  const Graph& graph() const { return arena_->graph(); }

  MetWorld& world(int32_t slot) { return worlds_[slot]; }
  const MetWorld& world(int32_t slot) const { return worlds_[slot]; }
  MetSet& set(int32_t slot) { return sets_[slot]; }
  double num_sets() const { return static_cast<double>(sets_.size()); }
  const MetSet& set(int32_t slot) const { return sets_[slot]; }

  // The set of a row, kMissing if it was not met.
  int32_t find_set(int32_t row) const { return set_slots_.find(static_cast<uint64_t>(row)); }

  // The world of a row, met now if it was not; the way to it is met with it.
  int32_t slot_of(int32_t row) {
    const int32_t found = world_slots_.find(static_cast<uint64_t>(row));
    if (found >= 0) return found;
    const int32_t before = graph().worlds.parent[row];
    if (before == kMissing) return add_world(row, kMissing, 0);
    return child(slot_of(before), arena_->edge(row));
  }

  int32_t child(int32_t slot, int32_t edge) {
    expand(slot);
    const int32_t at = worlds_[slot].first_child + edge;
    if (children_[at] == kMissing) {
      const int32_t met = add_world(row_after(worlds_[slot], edge), slot, edge);
      children_[at] = met;
    }
    return children_[at];
  }

  bool has_met(const MetWorld& world, int32_t edge) const {
    return children_[world.first_child + edge] != kMissing;
  }

  void expand(int32_t slot) {
    if (worlds_[slot].first_child != kMissing) return;
    worlds_[slot].first_child = static_cast<int32_t>(children_.size());
    children_.resize(children_.size() + graph().worlds.edge_count[worlds_[slot].row], kMissing);
  }

  // The mover's set counts a world from now on.
  void see(int32_t slot) {
    expand(slot);
    MetWorld& world = worlds_[slot];
    world.seen = true;
    MetSet& set = sets_[world.set];
    const auto first = static_cast<int64_t>(moves_.size());
    for (int32_t at = slot; at != kMissing; at = worlds_[at].parent) {
      const MetWorld& before = worlds_[at];
      if (before.moved != kMissing && before.mover != set.player) moves_.push_back(before.moved);
    }
    set.seen.push_back({slot, world.first_child, first, static_cast<int32_t>(moves_.size() - first),
                        belief(world.row, set.player)});
  }

  // v and v_P of a world that was met. [n]
  double* value(int32_t slot) { return values.data() + int64_t{slot} * players_; }

  // The values of the world after an edge; those of the models where nobody has been. [n]
  const double* value_after(int32_t slot, int32_t first_child, int32_t edge,
                            const std::vector<double>& column) const {
    const int32_t child = children_[first_child + edge];
    if (child != kMissing) return column.data() + int64_t{child} * players_;
    return model_value_after(slot, edge);
  }
  const double* model_value_after(int32_t slot, int32_t edge) const {
    return models_->values.data() + int64_t{row_after(worlds_[slot], edge)} * players_;
  }

  // rho: how much likelier the others' moves on the way to a world are than under P.
  double played_ratio(const SeenWorld& world) const {
    double product = 1.0;
    const int32_t* const moves = moves_.data() + world.first_move;
    for (int32_t at = 0; at < world.move_count; ++at) product *= ratio[moves[at]];
    return product;
  }

  // P at a set. [actions]
  const double* prior(const MetSet& set) const {
    return models_->policy.data() + graph().information_sets.first_action[set.row];
  }
  // Vc at a set. [actions]
  const double* child_values(const MetSet& set) const {
    return models_->child_values.data() + graph().information_sets.first_action[set.row];
  }
  // H of a world, given what a player knows there.
  double belief(int32_t row, int32_t player) const {
    return models_->beliefs[int64_t{row} * players_ + player];
  }

  std::vector<double> values, prior_values;  // v and v_P, by world [slots * n]
  std::vector<double> policy, ratio;         // pi and pi / P, by action of a set
  std::vector<double> advantage, mean;       // Qbar, and weighted sums of pi
  std::vector<int64_t> tried;                // how often simulations took an action

 private:
  int32_t row_after(const MetWorld& world, int32_t edge) const {
    return graph().worlds.edge_child[graph().worlds.first_edge[world.row] + edge];
  }

  int32_t add_world(int32_t row, int32_t parent, int32_t edge) {
    const auto slot = static_cast<int32_t>(worlds_.size());
    const bool decides = graph().worlds.kind[row] == kDecision;
    const int32_t set = decides ? set_of(graph().worlds.information_set[row]) : kMissing;
    const int32_t before = parent == kMissing ? kMissing : worlds_[parent].set;
    const bool moved = before != kMissing;
    worlds_.push_back({row, parent, edge, set, moved ? sets_[before].first + edge : kMissing,
                       moved ? sets_[before].player : kMissing});
    const double* const value = models_->values.data() + int64_t{row} * players_;
    values.insert(values.end(), value, value + players_);
    if (has_prior_values_) prior_values.insert(prior_values.end(), value, value + players_);
    world_slots_.insert(static_cast<uint64_t>(row), slot);
    return slot;
  }

  int32_t set_of(int32_t row) {
    const int32_t found = find_set(row);
    if (found >= 0) return found;
    const auto slot = static_cast<int32_t>(sets_.size());
    const auto& sets = graph().information_sets;
    sets_.push_back(
        {row, sets.player[row], static_cast<int32_t>(policy.size()), sets.action_count[row]});
    const double* const prior = this->prior(sets_.back());
    policy.insert(policy.end(), prior, prior + sets_.back().count);
    ratio.resize(policy.size(), 1.0);
    advantage.resize(policy.size(), 0.0);
    mean.resize(policy.size(), 0.0);
    tried.resize(policy.size(), 0);
    set_slots_.insert(static_cast<uint64_t>(row), slot);
    return slot;
  }

  std::shared_ptr<const TableArena> arena_;
  std::shared_ptr<const TableModels> models_;
  bool has_prior_values_;
  int32_t players_;
  std::vector<MetWorld> worlds_;
  std::vector<MetSet> sets_;
  FlatMap world_slots_, set_slots_;  // by row
  std::vector<int32_t> children_;    // slots, kMissing where nobody has been
  std::vector<int32_t> moves_;       // of the others before seen worlds, as places in `ratio`
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_FOREST_MET_WORLDS_H_
