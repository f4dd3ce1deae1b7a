// The parts of the search for a world (finder.h): attempts, and the class that makes and changes
// them. Only finder*.cc include this.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_FINDER_ATTEMPT_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_FINDER_ATTEMPT_H_

#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../common/hash.h"
#include "../common/random.h"
#include "example.h"
#include "game.h"
#include "tracker.h"

namespace nash_ismcts {

// A hash of a history.
inline uint64_t hash_of(const History& events) {
  uint64_t hash = 0;
  for (const Action event : events) hash = hash_combine(hash, static_cast<uint64_t>(event));
  return hash;
}

constexpr int32_t kHintReplays = 1500;  // histories that are tried to make an event possible
constexpr int64_t kFar = std::numeric_limits<int64_t>::max() / 4;

// A history that explains the log up to `progress`, and how far it is from explaining more.
struct Attempt {
  History events;
  std::vector<int8_t> movers;
  std::vector<std::shared_ptr<const std::vector<Action>>> choices;  // where each event was added
  std::vector<int32_t> progresses;                          // the progress before each event
  std::vector<uint64_t> hashes;                             // of the events up to each one
  std::vector<std::shared_ptr<const GameState>> snapshots;  // states along the way, see `step`
  int32_t progress = 0;
  int64_t distance = kFar;           // from what is shown at the end to what should be shown next
  bool contradicted = false;         // after the last event
  std::unique_ptr<GameState> state;  // after the events

  bool better_than(const Attempt& other) const {
    if (progress != other.progress) return progress > other.progress;
    if (distance != other.distance) return distance < other.distance;
    return contradicted < other.contradicted;
  }

  // A hash of the events and one more.
  uint64_t hash_with(Action event) const {
    return hash_combine(hashes.empty() ? 0 : hashes.back(), static_cast<uint64_t>(event));
  }
};

class Finder {
 public:
  Finder(const Game& game, const Tracker& tracker, Random& random,
         std::chrono::steady_clock::time_point deadline)
      : game_(game),
        tracker_(tracker),
        random_(random),
        deadline_(deadline),
        looks_at_all_(!game.facts().has_information_states) {}

  // A world that begins as `start` does, or that is made by changing it; false if none was found.
  bool run(const History& start, int64_t effort, History& found);

  // A beginning of the history that explained most of the log in all runs; all of it, and how much
  // of the log it explains.
  History promising();
  const History& best() const { return best_; }
  int32_t best_progress() const { return best_progress_; }

  // What is left of the effort of the last run.
  int64_t effort_left() const { return effort_; }

 private:
  // A history that should explain the log, and how far it can be followed.
  struct Plan {
    History events;
    int32_t reached = 0;          // events that can happen
    std::vector<Action> instead;  // what can happen where the next event cannot
    int32_t changes = 0;          // since the attempt that it was made from
    int32_t freed = 0;            // how often all that could happen instead was exchanged
    size_t tried = 0;             // how many of its changes were tried
    std::vector<std::pair<Action, Action>> exchanges;  // that may help, in the order of trying
    int64_t score() const;
  };

  // A search for a change of an attempt after which one more event can happen.
  struct Mending {
    const Attempt& attempt;
    std::vector<int8_t> movers;
    std::vector<Action> values;  // of chance events
    std::vector<Plan> open;      // a heap
    std::unordered_set<uint64_t> known;
    std::unordered_map<Action, int32_t> failures;  // exchanges of a value that contradict the log
    int32_t replays;                               // that are left
  };

  // Attempts (finder.cc).
  void pay();
  void pay_look(const std::string& shown) const;
  Attempt beginning();
  Attempt replay(const Attempt& like, const History& events);
  Attempt followed(const Attempt& like, const History& events);
  Attempt truncated(const Attempt& attempt, size_t length);
  Attempt copy(const Attempt& attempt) const { return copy_state(attempt, *attempt.state); }
  static Attempt copy_state(const Attempt& attempt, const GameState& state);
  bool step(Attempt& attempt, Action event);
  int64_t distance(const GameState& state, int32_t progress) const;
  void events_now(const Attempt& attempt, std::vector<Action>& events);
  void shuffle(std::vector<Action>& values);
  static std::set<Action> chance_values(const Attempt& attempt);
  std::vector<Action> hidden_values(const Attempt& attempt, const std::vector<Action>& without);

  // Adding events (finder_extend.cc).
  bool extend(Attempt& attempt);
  bool extend_own(Attempt& attempt);
  void settle(Attempt& attempt);
  bool claim(Attempt& attempt);
  void keep_near(Attempt& attempt);
  bool steer(Attempt& attempt, int32_t replays);
  void learn_words(const GameState& state);
  static std::string last_word(const std::string& text);
  std::vector<Action> hinted_events(const Attempt& attempt);
  Action best_event(const Attempt& attempt);
  Action fitting_event(const Attempt& attempt, std::vector<Action>& events);
  void least_tried_first(const Attempt& attempt, std::vector<Action>& events);
  Action closest_event(const Attempt& attempt, const std::vector<Action>& events,
                       const std::set<Action>& needed);
  bool agrees(const Attempt& attempt, Action event);

  // Making an event possible by exchanging earlier ones (finder_mend.cc).
  bool mend(Attempt& attempt, Action wanted, int32_t replays);
  bool change(Mending& mending, Plan& plan, std::vector<Plan>& changed, Attempt& reached);
  bool follow(Mending& mending, Plan& plan, Attempt& reached);
  void list_exchanges(const Mending& mending, Plan& plan);
  std::vector<History> exchanged(const Mending& mending, const Plan& plan, Action one,
                                 Action other) const;

  // Changing an attempt that contradicts the log (finder_repair.cc).
  bool repair(Attempt& attempt);
  bool resample(Attempt& attempt, int32_t depth, int32_t tries);
  bool roll_forward(Attempt& attempt, const Attempt& before);
  std::vector<std::pair<Action, Action>> shuffled_pairs(const std::vector<Action>& values);
  void exchange_pairs(Attempt& attempt, bool whole);
  bool improve(Attempt& attempt);
  bool improve_event(Attempt& attempt, int32_t at);
  std::vector<History> changes(const Attempt& attempt, int32_t at, Action value) const;
  void wander(Attempt& attempt);

  const Game& game_;
  const Tracker& tracker_;
  Random& random_;
  std::chrono::steady_clock::time_point deadline_;
  bool looks_at_all_;  // the player looks after every event
  History best_;       // of all runs, without the event that contradicts the log
  int32_t best_progress_ = kContradiction;
  mutable uint64_t shown_hash_ = 0;  // of what the player was shown where a distance was measured
  mutable int64_t effort_ = 0;
  int64_t floor_ = 0;  // where `improve` stops
  int64_t paid_ = 0;
  std::unique_ptr<Attempt> near_;  // with an event that a hint asked for, if it contradicts the log
  uint64_t settled_hash_ = 0;      // of what the player was shown where this was done last
  int32_t useless_ = 0;      // how often hidden values were exchanged for nothing, in this run
  std::set<Action> wanted_;  // values that the player should be shown next, as far as known
  int32_t wanted_progress_ = kContradiction;
  std::map<Action, std::string> words_;          // how outcomes of chance are written
  std::unordered_map<uint64_t, int32_t> tried_;  // how often events were added, by their history
  std::vector<Action> events_;
  std::vector<double> probabilities_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_FINDER_ATTEMPT_H_
