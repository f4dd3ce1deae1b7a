// A search: simulations in one forest until the root has been visited often enough, or a limit is
// reached.
//
// Several simulations of one search may be under way at once; those that wait for a row are kept
// apart by virtual loss. With one at a time a search is the reference engine's, visit for visit.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_SEARCH_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_SEARCH_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "simulation.h"

namespace nash_ismcts {

// Why a search is over.
enum class Stopped : int32_t { kNot, kVisits, kSeconds, kWorlds };

class Search {
 public:
  Search(const SearchConfig& config, int32_t parallel_simulations)
      : config_(config), parallel_(parallel_simulations) {}

  // Prepares to search from an information set until its root has `visits` visits.
  void begin(int32_t information_set, int32_t player, int32_t visits, const Limits& limits,
             const BitGenerator& generator) {
    waiting_.clear();
    generator_ = &generator;
    target_ = visits;
    limits_ = limits;
    stopped_ = Stopped::kNot;
    tree_ = forest_.tree_at(information_set, player);
  }

  // Drops all trees but those that a search from `information_set` can use.
  void keep(int32_t information_set, int32_t earlier_root) {
    waiting_.clear();
    forest_ = forest_.kept(information_set, earlier_root);
    pools_.keep(forest_.pooled_sets());
  }

  void forget() {
    waiting_.clear();
    pools_.clear();
    forest_.clear();
  }

  // Runs until the search is over, all simulations under way wait (their requests are added to
  // `requests`), `budget` simulations are done or `turn_end` is reached; then `paused` says so, the
  // requests are not complete, and the search has to go on before others do. Returns whether it is
  // over.
  bool advance(Graph& graph, Rows& rows, RowSource* source, int64_t& budget,
               Clock::time_point turn_end, std::vector<Request>& requests) {
    limits_.turn_end = turn_end;
    if (!graph.enumerated()) graph.set_deadline(limits_.deadline);
    const size_t requests_before = requests.size();
    SearchContext context{graph,        rows,    source,   config_,
                          *generator_,  forest_, buffers_, sample_buffers_,
                          simulations_, limits_, pools_};
    // One that a turn has stopped goes on before any other: no clock changes their order.
    paused_ = false;
    size_t kept = 0;
    for (size_t index = 0; index < waiting_.size(); ++index) {
      const Request request = paused_ ? Request{} : run(waiting_[index], context);
      if (!paused_ && request.wanted == Wanted::kNothing) continue;
      paused_ = paused_ || request.wanted == Wanted::kTurn;
      if (!paused_) requests.push_back(request);
      if (kept != index) waiting_[kept] = std::move(waiting_[index]);
      ++kept;
    }
    waiting_.erase(waiting_.begin() + static_cast<int64_t>(kept), waiting_.end());
    while (!paused_ && static_cast<int32_t>(waiting_.size()) < parallel_ && budget > 0 &&
           stopped_ == Stopped::kNot &&
           root().visits + static_cast<int32_t>(waiting_.size()) < target_) {
      --budget;
      Simulation simulation(tree_, std::move(spare_));
      const Request request = run(simulation, context);
      if (request.wanted == Wanted::kNothing) {
        spare_ = simulation.release();
        continue;
      }
      paused_ = request.wanted == Wanted::kTurn;
      if (!paused_) requests.push_back(request);
      waiting_.push_back(std::move(simulation));
    }
    if (!over(graph)) return false;
    requests.resize(requests_before);
    return true;
  }

  ActNode& root() { return forest_.act(root_id()); }
  NodeId root_id() const { return forest_.root(tree_); }
  // The ACT node of an information set in the root's tree, kNone if the tree has not been there.
  NodeId own_node(int32_t information_set) const {
    return forest_.find_act_node(tree_, information_set);
  }
  Forest& forest() { return forest_; }
  const SearchConfig& config() const { return config_; }
  int64_t simulations() const { return simulations_; }
  Stopped stopped() const { return stopped_; }
  bool paused() const { return paused_; }

 private:
  // A simulation whose time runs out while the graph grows waits for the end like any other.
  Request run(Simulation& simulation, SearchContext& context) {
    try {
      return simulation.run(context);
    } catch (const OutOfTime&) {
      return {Wanted::kTurn, 0};
    }
  }

  // Whether the search has ended by now; simulations under way are then given up.
  bool over(const Graph& graph) {
    if (waiting_.empty() && root().visits >= target_) {
      stopped_ = Stopped::kVisits;
    } else if (limits_.out_of_worlds(graph)) {
      stopped_ = Stopped::kWorlds;
    } else if (limits_.out_of_time()) {
      stopped_ = Stopped::kSeconds;
    }
    if (stopped_ == Stopped::kNot) return false;
    for (Simulation& simulation : waiting_) simulation.abandon(forest_);
    waiting_.clear();
    return true;
  }

  SearchConfig config_;
  int32_t parallel_;
  Forest forest_;
  TreeId tree_ = kNone;
  int32_t target_ = 0;
  Limits limits_;
  Stopped stopped_ = Stopped::kNot;
  bool paused_ = false;  // a turn has ended within a simulation
  const BitGenerator* generator_ = nullptr;
  int64_t simulations_ = 0;
  ChoiceBuffers buffers_;
  SampleBuffers sample_buffers_;
  Pools pools_;
  SimulationBuffers spare_;  // of the last simulation, so that none is allocated per simulation
  std::vector<Simulation> waiting_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_SEARCH_H_
