// Hidden pieces: what a player has not seen of the history, drawn one piece at a time.
//
// A piece is a chance outcome or another player's move, in the order of play. A partial world is a
// beginning of a history; it is *alive* if it can still become a world of the information set.
//
// Where the worlds of an information set can be listed (in small games, and where few steps will
// do) a SAMPLE node offers exactly the pieces after which the partial world is alive, and says how
// likely each is. Elsewhere that would take a search per piece, so pieces are proved lazily: a node
// offers all pieces that are not known to be dead, and one is looked at when it is drawn. The proof
// is an example, a complete world with this piece; it is nearly always found by exchanging two
// pieces of an example that is known, or by going through all that can follow the piece
// (completion.h). The latter decides, if it comes to an end. In games where it does, exactly the
// pieces that are alive can be drawn from an information set that is asked about (Graph::ask); all
// others get short searches only.
//
// What cannot be proved within a bounded effort counts as dead and is drawn no more. What was found
// out about a piece is remembered by its place in the history, for this information set and all
// that follow it: a piece that failed there again and again is not offered, unless a long search
// can decide it. What is drawn is always a world of the information set.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_HIDDEN_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_HIDDEN_H_

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../common/flat_map.h"
#include "../common/random.h"
#include "completion.h"
#include "example.h"
#include "graph.h"
#include "tracker.h"

namespace nash_ismcts {

class HiddenHistories {
 public:
  explicit HiddenHistories(Graph& graph) : graph_(graph) {}

  // What is drawn first for an information set: a world, or ~s for a SAMPLE node s.
  int32_t first(int32_t information_set);

  // See Graph::ask.
  void ask(int32_t information_set);

  // See Graph::branch.
  int32_t branch(int32_t sample, int32_t branch);

  // The history of a world of the player's view, found from the view alone. Throws NoWorldFound.
  History find(int32_t player, int32_t view);

  // Whether events can happen and show a player all of its log, and it is to move after them.
  bool explains_all(const Tracker& tracker, const History& events);

  // Collects all worlds of an information set; false if there are more than `limit`, or if that
  // cannot be known for sure.
  bool all_worlds(int32_t information_set, int32_t limit, std::vector<int32_t>& worlds);

  // See Graph::path_to.
  std::vector<std::pair<int32_t, int32_t>> path_to(int32_t world);

  // See Graph::by_exchange and Graph::exchanged_world.
  bool by_exchange(int32_t information_set);
  int32_t exchanged_world(int32_t information_set, Walk& walk);
  History exchanged_history(int32_t information_set, Walk& walk);

  // See Graph::unseen.
  bool unseen(int32_t world, int32_t player);

 private:
  // What is known about the hidden history of one information set.
  struct Knowledge {
    Knowledge(const Tracker& tracker, const Knowledge* earlier)
        : tracker(tracker), earlier(earlier) {}

    Tracker tracker;
    const Knowledge* earlier;                      // of an earlier information set of the player
    std::shared_ptr<const Example> example;        // a world of the set
    int64_t steps = 0;                             // of long searches (completion.h) that are left
    bool failed = false;                           // pieces were buried that may be alive
    FlatMap tries;                                 // by place and piece, see `remember`
    int32_t listed = kMissing;                     // whether its worlds can be listed, once known
    std::unordered_map<int32_t, double> log_mass;  // of partial worlds, see `log_mass`
  };

  // How a SAMPLE node came about.
  struct Origin {
    int32_t parent;                          // the SAMPLE node above, kMissing at the top
    int32_t branch;                          // the branch of the parent
    std::shared_ptr<const Example> example;  // a world with the pieces drawn so far; null where
                                             // worlds are listed
  };

  // What became of a piece that was looked at: a world was found; none was found; there is none.
  enum class Fate { kAlive, kFailed, kDead };

  // An attempt to prove a piece.
  struct Proof {
    std::shared_ptr<const Example> example;  // null unless the piece is alive
    Fate fate;
  };

  // A partial world right after a piece.
  struct Beginning {
    const GameState& state;
    int32_t progress;
    const Example& events;  // up to and with the piece
  };

  // Where a piece would be drawn.
  struct Place {
    int32_t set;
    int32_t world;
    int32_t depth;
    Action piece;
  };

  bool exact();
  Knowledge& knowledge(int32_t set);
  const Knowledge* earlier(int32_t set) const;

  // Worlds that can be listed.
  bool listed(int32_t set);
  double branches(int32_t set) const;
  bool list(const Tracker& tracker, const GameState& state, int32_t progress, int64_t& steps);
  double log_mass(Knowledge& known, int32_t set, int32_t world);
  void add_masses(Knowledge& known, int32_t set);
  bool may_follow(const Knowledge& known, int32_t world, int32_t edge) const;
  int32_t resolve_exactly(int32_t set, int32_t world);

  // Large games.
  int32_t resolve(int32_t set, int32_t world, Origin origin);
  Proof prove(const Place& place, const Example& example);
  Proof exchange(const Place& place, const Example& example, const Beginning& beginning,
                 int32_t limit);
  Proof complete(const Place& place, const Example& example, const Beginning& beginning,
                 CompletionRecord& record);
  std::shared_ptr<const Example> guessed(const Place& place, const Example& example);
  bool decided(const Knowledge& known, int32_t depth) const;
  void rule_out(const Tracker& tracker, const Place& place, int32_t reached);
  bool ruled_out(const Tracker& tracker, int64_t edge) const;
  std::shared_ptr<const Example> checked(const Place& place, const Beginning& beginning,
                                         const History& events);
  void candidates(const Knowledge& known, int32_t world, std::vector<int32_t>& edges) const;
  void remember(const Place& place, Fate fate);
  bool failed(const Knowledge& known, int32_t depth, Action piece) const;
  std::shared_ptr<const Example> example_of(int32_t world, int32_t player) const;
  Place place_of(int32_t sample, int32_t branch) const;
  int32_t bury(int32_t sample, int32_t branch, Fate fate);

  // What exchanges between places of the histories have shown so far, for one player.
  struct ExchangeMemory {
    int32_t pairs = 1;  // to exchange at once
    int32_t next_group = 0;
    std::vector<int32_t> group;            // of each place: an exchange within one was not noticed
    std::unordered_set<uint64_t> noticed;  // pairs of groups, by `between`, exchanged in vain

    // How many of the last replacements explained the log, throughout a history and of one event.
    double replaced = 0.5, replaced_alone = 0.5;

    void join(int32_t one, int32_t other);
    void part(int32_t one, int32_t other);
    uint64_t between(int32_t one, int32_t other) const;
  };

  // What becomes of a proposal.
  enum class Answer : uint8_t { kSame, kTaken, kImpossible, kNoticed, kUnlikely };

  // Exchanges.
  void start(int32_t set, const Knowledge& known, Walk& walk);
  void walk_on(int32_t set, Walk& walk);
  void exchange_step(const Tracker& tracker, Walk& walk);
  void find_places(const Example& example, ExchangeMemory& memory);
  void exchange_pairs(Example& changed, const ExchangeMemory& memory, Walk& walk);
  const std::vector<int32_t>& drawn_places(Random& random) const;
  int32_t draw_place(Random& random) const;
  std::pair<int32_t, int32_t> draw_pair(const Example& example, const ExchangeMemory& memory,
                                        Random& random) const;
  static void learn(double& replaced, Answer answer);
  void replace_step(const Tracker& tracker, Walk& walk);
  void replace_alone_step(const Tracker& tracker, Walk& walk);
  void list_events(const Example& example, int32_t place);
  void replace_event(Example& example, int32_t place, const ExchangeMemory& memory, Random& random);
  bool may_come_to(const Example& example, int32_t place, Action value,
                   const ExchangeMemory& memory) const;
  Answer proposed(const Tracker& tracker, Example changed, Walk& walk);
  Answer replayed(const Tracker& tracker, const Example& proposal, Walk& walk);
  static bool long_history(const Knowledge& known);
  std::vector<double> log_priors(int32_t world) const;

  Graph& graph_;
  int32_t exact_ = kMissing;           // whether the game is small, once known
  std::unordered_set<int32_t> asked_;  // information sets, see `ask`
  CompletionRecord completions_[2];    // of short and of long searches
  // Views of players that cannot come about after an edge of a world; or ~v if v can, but not when
  // it is that player's move. An edge has the number of its row.
  FlatMap ruled_out_rows_;
  std::vector<std::vector<int32_t>> ruled_out_;
  std::unordered_map<int32_t, std::unique_ptr<Knowledge>> knowledge_;  // by information set
  std::vector<Origin> origins_;                                        // by SAMPLE node
  std::vector<Action> events_;
  std::vector<double> probabilities_;
  std::vector<int32_t> edges_;
  std::unordered_map<int32_t, ExchangeMemory> exchanges_;  // by player
  std::vector<int32_t> hidden_places_, loose_places_;      // of the step under way
  std::vector<std::pair<int32_t, int32_t>> touched_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_HIDDEN_H_
