// Matching events against what a player knows: how much of its log a history explains so far.
//
// A log is the chain of views that leads to a player's view (views.h). *Progress* is the number of
// the last view of the chain that the events so far have brought about. A history is a world of the
// information set once the whole chain is explained and the player is to move. Nothing is interned
// here, so candidates that fail leave no trace.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_TRACKER_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_TRACKER_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "game.h"
#include "views.h"

namespace nash_ismcts {

constexpr int32_t kContradiction = -1;  // progress of a history that cannot explain the log

// Whether an event can happen at a state.
inline bool can_happen(const GameState& state, Action event, std::vector<Action>& events,
                       std::vector<double>& probabilities) {
  state.events(state.player(), events, probabilities);
  return std::find(events.begin(), events.end(), event) != events.end();
}

class Tracker {
 public:
  Tracker(const Game& game, const ViewTable& views, int32_t player, int32_t view)
      : views_(&views),
        looks_at_all_(!game.facts().has_information_states),
        player_(player),
        chain_(views.chain(view)) {}

  int32_t player() const { return player_; }
  int32_t last() const { return static_cast<int32_t>(chain_.size()) - 1; }

  // Progress at the start of the game.
  int32_t start(const GameState& state) const { return look(state, 0); }

  // The own action that the log has next, kNoAction if it does not say that the player acts.
  Action own_action(int32_t progress) const {
    return progress < last() && views_->is_action(chain_[progress + 1])
               ? views_->action(chain_[progress + 1])
               : kNoAction;
  }

  // Progress after an event, which was the player's own if `acted`.
  int32_t after(const GameState& state, bool acted, Action event, int32_t progress) const {
    if (state.player() == kTerminalPlayer) return kContradiction;
    if (acted) {
      if (own_action(progress) != event) return kContradiction;
      ++progress;
    }
    return look(state, progress);
  }

  bool complete(const GameState& state, int32_t progress) const {
    return progress == last() && state.player() == player_;
  }

  // Progress of a player's view, kContradiction if the view is not on the way.
  int32_t progress_of(int32_t view) const {
    if (view == kNoView) return kContradiction;
    const int32_t depth = views_->depth(view);
    if (depth > last()) return kContradiction;
    const int32_t known = chain_[depth];
    // A look may tell legal actions in the log that it does not tell before the player's turn.
    const bool same = known == view || (views_->is_look(view) && views_->is_look(known) &&
                                        views_->parent(view) == views_->parent(known) &&
                                        look_shows(views_->text(known), views_->text(view)));
    return same ? depth : kContradiction;
  }

  // The view of the log with some progress.
  int32_t view_at(int32_t progress) const { return chain_[progress]; }

  // What the player is shown last.
  const std::string& last_shown() const { return views_->text(chain_.back()); }

 private:
  int32_t look(const GameState& state, int32_t progress) const {
    const bool decides = state.player() == player_;
    if (!decides && !looks_at_all_) return progress;
    const std::string shown = state.shown(player_);
    const auto agrees = [&](int32_t view) {
      const std::string& text = views_->text(view);
      return decides ? decision_text_is(state, shown, text) : look_shows(text, shown);
    };
    if (views_->is_look(chain_[progress]) && agrees(chain_[progress])) return progress;
    return next_is_look(progress) && agrees(chain_[progress + 1]) ? progress + 1 : kContradiction;
  }

  bool next_is_look(int32_t progress) const {
    return progress < last() && !views_->is_action(chain_[progress + 1]);
  }

  const ViewTable* views_;
  bool looks_at_all_;  // not only at its own decisions
  int32_t player_;
  std::vector<int32_t> chain_;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_TRACKER_H_
