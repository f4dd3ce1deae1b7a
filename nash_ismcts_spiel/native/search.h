// A search: simulations in one forest until the root has been visited often enough.
//
// Several simulations of one search may be under way at once; those that wait for a row are kept
// apart by virtual loss. With one at a time a search is the reference engine's, visit for visit.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_SEARCH_H_
#define NASH_ISMCTS_SPIEL_NATIVE_SEARCH_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "simulation.h"

namespace nash_ismcts {

class Search {
 public:
  Search(const SearchConfig& config, int32_t parallel_simulations)
      : config_(config), parallel_(parallel_simulations) {}

  // Prepares to search from an information set until its root has `visits` visits.
  void begin(int32_t information_set, int32_t player, int32_t visits,
             const BitGenerator& generator) {
    waiting_.clear();
    generator_ = &generator;
    target_ = visits;
    tree_ = forest_.tree_at(information_set, player);
  }

  // Drops all trees but those that a search from `information_set` can use.
  void keep(int32_t information_set, int32_t earlier_root) {
    waiting_.clear();
    forest_ = forest_.kept(information_set, earlier_root);
  }

  void forget() {
    waiting_.clear();
    forest_.clear();
  }

  // Runs until the search is over, all simulations under way wait (their requests are added to
  // `requests`), or `budget` simulations are done. Returns whether the search is over.
  bool advance(const GraphView& graph, const Rows& rows, int64_t& budget,
               std::vector<Request>& requests) {
    SearchContext context{graph,    rows,           config_,     *generator_, forest_,
                          buffers_, sample_buffers_, simulations_};
    size_t kept = 0;
    for (size_t index = 0; index < waiting_.size(); ++index) {
      const Request request = waiting_[index].run(context);
      if (request.wanted == Wanted::kNothing) continue;
      requests.push_back(request);
      if (kept != index) waiting_[kept] = std::move(waiting_[index]);
      ++kept;
    }
    waiting_.erase(waiting_.begin() + static_cast<int64_t>(kept), waiting_.end());
    while (static_cast<int32_t>(waiting_.size()) < parallel_ && budget > 0 &&
           root().visits + static_cast<int32_t>(waiting_.size()) < target_) {
      --budget;
      Simulation simulation(tree_, std::move(spare_));
      const Request request = simulation.run(context);
      if (request.wanted == Wanted::kNothing) {
        spare_ = simulation.release();
      } else {
        requests.push_back(request);
        waiting_.push_back(std::move(simulation));
      }
    }
    return waiting_.empty() && root().visits >= target_;
  }

  const ActNode& root() { return forest_.act(root_id()); }
  NodeId root_id() const { return forest_.root(tree_); }
  Forest& forest() { return forest_; }
  const SearchConfig& config() const { return config_; }
  int64_t simulations() const { return simulations_; }

 private:
  SearchConfig config_;
  int32_t parallel_;
  Forest forest_;
  TreeId tree_ = kNone;
  int32_t target_ = 0;
  const BitGenerator* generator_ = nullptr;
  int64_t simulations_ = 0;
  ChoiceBuffers buffers_;
  SampleBuffers sample_buffers_;
  SimulationBuffers spare_;  // of the last simulation, so that none is allocated per simulation
  std::vector<Simulation> waiting_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_SEARCH_H_
