// Views: what one player has seen and done so far, interned, so that equal knowledge has one
// number.
//
// A view is a chain of own actions and of what the player was shown. One rule decides when a player
// is shown something, for every game:
// - where a game has information states, a player looks at its own decisions only. What it knows is
//   the chain of its information states there and of its own actions, which is perfect recall and
//   nothing finer: the order in which chance dealt a hand is not in it unless the game's own
//   information state says so;
// - where a game only has observations, which forget, a player looks after every event, and what it
//   sees is added when it changed. A player cannot count events that showed it nothing.
// At its own decisions a player also knows its legal actions, which some games show nowhere else. A
// look that tells only these is one look with the one before.
// Two worlds belong to one information set exactly if the player to move has the same view in both.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_VIEWS_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_VIEWS_H_

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "../common/grouped.h"
#include "../common/hash.h"
#include "game.h"

namespace nash_ismcts {

constexpr int32_t kNoView = -1;
constexpr Action kNoAction = -1;

// One entry of a player's log: an own action (or kNoAction) and what was shown after it.
using LogEntry = std::pair<Action, std::string>;

constexpr const char* kLegalActions = "\nlegal actions:";

// Adds a player's legal actions to what it is shown.
inline void add_legal_actions(std::string& text, const std::vector<Action>& legal) {
  constexpr size_t kDigits = 20;  // of the longest number, with its sign
  text.reserve(text.size() + std::strlen(kLegalActions) + 4 * legal.size());
  text += kLegalActions;
  for (const Action action : legal) {
    char digits[1 + kDigits] = {' '};
    text.append(digits, std::to_chars(digits + 1, digits + 1 + kDigits, action).ptr);
  }
}

// What a player knows at its own decision from looking at it: its information state, and its legal
// actions, which the caller may know already (and whole ones, where these are parts of actions).
inline std::string decision_text(const GameState& state, int32_t player,
                                 const std::vector<Action>& legal) {
  std::string text = state.shown(player);
  add_legal_actions(text, legal);
  return text += state.whole_options();
}

inline std::string decision_text(const GameState& state, int32_t player) {
  std::vector<Action> legal;
  state.legal_actions(legal);
  return decision_text(state, player, legal);
}

// Whether the text of a look begins with what is shown, and tells at most legal actions beside it.
inline bool look_shows(const std::string& text, const std::string& shown) {
  if (text.compare(0, shown.size(), shown) != 0) return false;
  return text.size() == shown.size() ||
         text.compare(shown.size(), std::strlen(kLegalActions), kLegalActions) == 0;
}

// Whether decision_text is `text`, at a state that shows `shown`: legal actions are asked for only
// if all else is the same.
inline bool decision_text_is(const GameState& state, std::string shown, const std::string& text) {
  if (text.size() == shown.size() || !look_shows(text, shown)) return false;
  std::vector<Action> legal;
  state.legal_actions(legal);
  add_legal_actions(shown, legal);
  return (shown += state.whole_options()) == text;
}

class ViewTable {
 public:
  // Starts with the views of `num_players` players that know nothing yet, numbers 0 to n - 1.
  explicit ViewTable(int32_t num_players) {
    for (int32_t player = 0; player < num_players; ++player) {
      add(kNoView, kNoAction, false, "", hash_combine(0x9e3779b97f4a7c15ULL, player));
    }
  }

  int32_t start(int32_t player) const { return player; }

  // The view after an own action.
  int32_t acted(int32_t view, Action action) { return intern(view, action, true, kNothing); }

  // The view after a look at the game.
  int32_t seen(int32_t view, const std::string& shown) {
    return intern(view, kNoAction, false, shown);
  }

  // The view after a look that adds nothing if the same was seen last.
  int32_t looked(int32_t view, const std::string& shown) {
    if (is_look(view) && text_[view] == shown) return view;
    return seen(view, shown);
  }

  // The view after a look at an own decision, with its decision_text.
  int32_t decided(int32_t view, const std::string& text) {
    return seen(is_look(view) && look_shows(text, text_[view]) ? parent_[view] : view, text);
  }

  // Whether a view ends with something that was shown, not with an own action.
  bool is_look(int32_t view) const { return parent_[view] != kNoView && !is_action_[view]; }
  bool is_action(int32_t view) const { return is_action_[view]; }
  int32_t parent(int32_t view) const { return parent_[view]; }
  int32_t depth(int32_t view) const { return depth_[view]; }  // its place in its own chain
  Action action(int32_t view) const { return action_[view]; }
  const std::string& text(int32_t view) const { return text_[view]; }
  int64_t size() const { return static_cast<int64_t>(parent_.size()); }

  // A hash of the whole log and its player, the same in every graph of the game.
  uint64_t hash(int32_t view) const { return hash_[view]; }

  // The number of an own action or a look below a view, kNoView if it was never met.
  int32_t find_acted(int32_t view, Action action) const {
    return find(view, action, true, kNothing, hash_of(view, action, true, kNothing));
  }
  int32_t find_seen(int32_t view, const std::string& shown) const {
    return find(view, kNoAction, false, shown, hash_of(view, kNoAction, false, shown));
  }

  // All views on the way to a view, itself included, oldest first.
  std::vector<int32_t> chain(int32_t view) const {
    std::vector<int32_t> views;
    for (; view != kNoView; view = parent_[view]) views.push_back(view);
    return {views.rbegin(), views.rend()};
  }

  // The entries of a view, oldest first.
  std::vector<LogEntry> log(int32_t view) const {
    std::vector<LogEntry> entries;
    Action action = kNoAction;
    for (const int32_t each : chain(view)) {
      if (is_action_[each]) action = action_[each];
      if (!is_look(each)) continue;
      entries.emplace_back(action, text_[each]);
      action = kNoAction;
    }
    return entries;
  }

  // The view that a log describes.
  int32_t of_log(int32_t player, const std::vector<LogEntry>& entries) {
    int32_t view = start(player);
    for (const auto& [action, shown] : entries) {
      if (action != kNoAction) view = acted(view, action);
      view = seen(view, shown);
    }
    return view;
  }

 private:
  static const std::string kNothing;

  uint64_t hash_of(int32_t parent, Action action, bool is_action, const std::string& text) const {
    uint64_t hash = hash_combine(hash_[parent], static_cast<uint64_t>(action) * 2 + is_action);
    return hash_bytes(hash, text.data(), text.size());
  }

  int32_t find(int32_t parent, Action action, bool is_action, const std::string& text,
               uint64_t hash) const {
    if (slots_.empty()) return kNoView;
    for (uint64_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const int32_t view = slots_[slot];
      if (view == kNoView) return kNoView;
      if (hash_[view] == hash && parent_[view] == parent && action_[view] == action &&
          is_action_[view] == is_action && text_[view] == text) {
        return view;
      }
    }
  }

  int32_t intern(int32_t parent, Action action, bool is_action, const std::string& text) {
    const uint64_t hash = hash_of(parent, action, is_action, text);
    const int32_t found = find(parent, action, is_action, text, hash);
    return found != kNoView ? found : add(parent, action, is_action, text, hash);
  }

  int32_t add(int32_t parent, Action action, bool is_action, const std::string& text,
              uint64_t hash) {
    const int32_t view = next_row(parent_.size());
    parent_.push_back(parent);
    depth_.push_back(parent == kNoView ? 0 : depth_[parent] + 1);
    action_.push_back(action);
    is_action_.push_back(is_action);
    text_.push_back(text);
    hash_.push_back(hash);
    if (slots_.size() < 2 * parent_.size()) {
      rehash();
    } else {
      place(view);
    }
    return view;
  }

  void place(int32_t view) {
    uint64_t slot = hash_[view] & mask_;
    while (slots_[slot] != kNoView) slot = (slot + 1) & mask_;
    slots_[slot] = view;
  }

  void rehash() {
    const uint64_t size = slots_.empty() ? 64 : slots_.size() * 2;
    slots_.assign(size, kNoView);
    mask_ = size - 1;
    for (int32_t view = 0; view < static_cast<int32_t>(parent_.size()); ++view) place(view);
  }

  std::vector<int32_t> parent_;
  std::vector<int32_t> depth_;
  std::vector<Action> action_;
  std::vector<uint8_t> is_action_;
  std::vector<std::string> text_;
  std::vector<uint64_t> hash_;
  std::vector<int32_t> slots_;  // open addressing, a power of two in size
  uint64_t mask_ = 0;
};

inline const std::string ViewTable::kNothing;

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_VIEWS_H_
