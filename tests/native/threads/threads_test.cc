// Searches side by side, as Python threads run them once they have let go of the GIL: on one
// settled graph with one set of rows, and on graphs of their own with one game. `make test-threads`
// builds this with the thread sanitizer; what is found must also be what one thread finds alone.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "../check.h"
#include "../kuhn.h"
#include "common/random.h"
#include "exact/merged_response.h"
#include "play/games.h"
#include "search/row_source.h"
#include "search/search.h"
#include "worlds/graph.h"
#include "worlds/merged_game.h"

namespace nash_ismcts {
namespace {

constexpr int kThreads = 4;
constexpr int32_t kVisits = 200;
constexpr int64_t kKuhnWorlds = 58;

using Counts = std::vector<int64_t>;

// Numbers for a search, in the layout of numpy's generators.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : random_(seed) {
    generator_ = {&random_, [](void* state) { return of(state).next(); },
                  [](void* state) { return static_cast<uint32_t>(of(state).next() >> 32); },
                  [](void* state) { return of(state).uniform(); },
                  [](void* state) { return of(state).next(); }};
  }
  const BitGenerator& generator() const { return generator_; }

 private:
  static Random& of(void* state) { return *static_cast<Random*>(state); }

  Random random_;
  BitGenerator generator_;
};

// Runs a job once alone and then in several threads at once; all must find the same.
void check_side_by_side(const std::function<Counts(int)>& job) {
  std::vector<Counts> alone, together(kThreads);
  for (int seed = 0; seed < kThreads; ++seed) alone.push_back(job(seed));
  std::vector<std::thread> threads;
  for (int seed = 0; seed < kThreads; ++seed) {
    threads.emplace_back([&job, &together, seed] { together[seed] = job(seed); });
  }
  for (std::thread& thread : threads) thread.join();
  for (int seed = 0; seed < kThreads; ++seed) {
    CHECK(!alone[seed].empty());
    CHECK(alone[seed] == together[seed]);
  }
}

// Adds what a search found at its root: simulations in all trees, and visits of each action.
void add_visits(Search& search, Counts& found) {
  const ActNode& root = search.root();
  found.push_back(search.simulations());
  for (int32_t action = 0; action < root.count; ++action) {
    found.push_back(search.forest().action_slots(root)[action].visits);
  }
}

// Searches all information sets that a graph has, one after another.
Counts searched(Graph& graph, Rows& rows, RowSource* source, uint64_t seed) {
  Numbers numbers(seed);
  Search search(SearchConfig{}, 1);
  std::vector<Request> requests;
  Counts found;
  const int64_t sets = graph.information_sets.size();
  for (int32_t set = 0; set < sets; ++set) {
    search.begin(set, graph.information_sets.player[set], kVisits, {}, numbers.generator());
    int64_t budget = 1'000'000;
    CHECK(search.advance(graph, rows, source, budget, Clock::time_point::max(), requests));
    add_visits(search, found);
  }
  return found;
}

std::unique_ptr<Graph> settled(std::shared_ptr<const Game> game) {
  auto graph = std::make_unique<Graph>(std::move(game));
  graph->enumerate(kKuhnWorlds);
  graph->resolve();
  return graph;
}

Rows uniform_rows(Graph& graph) {
  Rows rows;
  UniformRows source(0.0);
  rows.fit(graph);
  for (int32_t set = 0; set < graph.information_sets.size(); ++set) {
    source.set_row(graph, rows, set, kMissing);
  }
  for (int32_t sample = 0; sample < graph.samples.size(); ++sample) {
    source.sample_row(graph, rows, sample);
  }
  return rows;
}

TEST(searches_share_a_settled_graph_and_its_rows) {
  const std::unique_ptr<Graph> graph = settled(std::make_shared<KuhnGame>());
  Rows rows = uniform_rows(*graph);
  CHECK_EQ(graph->information_sets.size(), 12);
  check_side_by_side([&](int seed) { return searched(*graph, rows, nullptr, seed); });
}

TEST(searches_on_growing_graphs_share_a_game) {
  const auto game = std::make_shared<const KuhnGame>();
  check_side_by_side([&](int seed) {
    Graph graph(game);
    CHECK(graph.find(0, graph.view_along({0, 1}, 0, false)) >= 0);
    Rows rows;
    RolloutRows source(1, 8, static_cast<uint64_t>(seed));
    return searched(graph, rows, &source, seed);
  });
}

TEST(searches_share_a_source) {
  const auto game = std::make_shared<const KuhnGame>();
  RolloutRows source(4, 8, 1);
  check_side_by_side([&](int seed) {
    Graph graph(game);
    CHECK(graph.find(0, graph.view_along({0, 1}, 0, false)) >= 0);
    Rows rows;
    return searched(graph, rows, &source, seed);
  });
}

// Searches with several simulations at once, whose rows come when they are asked for, in turns of a
// given length.
Counts searched_in_turns(Graph& graph, const Rows& all, Clock::duration turn) {
  Rows rows = all;
  std::fill(rows.has_information_set.begin(), rows.has_information_set.end(), 0);
  std::fill(rows.has_policy.begin(), rows.has_policy.end(), 0);
  std::fill(rows.has_sample.begin(), rows.has_sample.end(), 0);
  Numbers numbers(1);
  Search search(SearchConfig{}, 8);
  search.begin(0, graph.information_sets.player[0], 8 * kVisits, {}, numbers.generator());
  int64_t budget = 1'000'000;
  std::vector<Request> requests;
  while (!search.advance(graph, rows, nullptr, budget, Clock::now() + turn, requests)) {
    if (!search.paused()) {
      for (const Request& request : requests) {
        if (request.wanted == Wanted::kSampleRow) rows.has_sample[request.row] = 1;
        if (request.wanted != Wanted::kSetRow) continue;
        rows.has_information_set[request.row] = rows.has_policy[request.row] = 1;
      }
    }
    requests.clear();
  }
  Counts found;
  add_visits(search, found);
  return found;
}

TEST(turns_do_not_change_what_is_found) {
  const std::unique_ptr<Graph> graph = settled(std::make_shared<KuhnGame>());
  const Rows rows = uniform_rows(*graph);
  CHECK(searched_in_turns(*graph, rows, std::chrono::hours(1)) ==
        searched_in_turns(*graph, rows, std::chrono::hours(-1)));
}

TEST(games_are_played_side_by_side) {
  const auto game = std::make_shared<const KuhnGame>();
  check_side_by_side([&](int seed) {
    const std::unique_ptr<Graph> graph = settled(game);
    const Rows rows = uniform_rows(*graph);
    Random random(static_cast<uint64_t>(seed));
    Games games({0, 0.5, 0.0});
    games.start(1000);
    std::vector<int32_t> wanted;
    games.advance(*graph, rows, rows, random, wanted);
    CHECK(games.over() && wanted.empty());
    TargetSums sums;
    sums.fit(*graph);
    games.add_values(*graph, rows, sums);
    return sums.visits;
  });
}

TEST(best_responses_share_a_merged_game) {
  const MergedGame merged =
      merge_histories(KuhnGame(), PolicyKey::kInformationState, {1000, 1000}, [](double) {});
  const std::vector<double> policy(merged.actions.size(), 0.5);
  check_side_by_side([&](int seed) {
    MergedResponse response(merged, policy.data(), seed % 2, {100'000, 100'000});
    const double gained = 48.0 * response.value([](double) {});  // a whole number in Kuhn poker
    return Counts{static_cast<int64_t>(gained + (gained < 0.0 ? -0.5 : 0.5)),
                  response.information_sets()};
  });
}

}  // namespace
}  // namespace nash_ismcts
