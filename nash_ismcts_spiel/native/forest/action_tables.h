// Mean values of actions, learned during one search, whatever hand they were played with.
//
//   T1[player, action], T2[player, previous action, action]: sums and counts of values v
//   mean(T1) = sum / (count + 3),  mean(T2) = (sum + 3 mean(T1)) / (count + 3)
//
// A state forest (state_forest.h) takes the mean of T2 as prior of new nodes and plays games out by
// it. Values are in the game's units, of the player who acts.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_FOREST_ACTION_TABLES_H_
#define NASH_ISMCTS_SPIEL_NATIVE_FOREST_ACTION_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../common/hash.h"
#include "../worlds/game.h"

namespace nash_ismcts {

class ActionTables {
 public:
  // The actions of a player after one previous action.
  struct Row {
    uint64_t alone, after;  // where its entries of T1 and of T2 begin
  };

  Row row(int32_t player, Action previous) const {
    const uint64_t alone = hash_mix(static_cast<uint64_t>(player) + 1);
    return {alone, hash_combine(alone, static_cast<uint64_t>(previous))};
  }

  double mean(const Row& row, Action action) const {
    const Entry& one = at(row.alone, action);
    const Entry& two = at(row.after, action);
    const double alone = one.sum / (one.count + kShrinkage);
    return (two.sum + kShrinkage * alone) / (two.count + kShrinkage);
  }

  void add(const Row& row, Action action, double value) {
    for (const uint64_t begin : {row.alone, row.after}) {
      if (2 * (size_ + 1) > entries_.size()) grow();
      Entry& entry = entries_[place(key(begin, action))];
      if (entry.count == 0.0) ++size_;
      entry = {key(begin, action), entry.sum + value, entry.count + 1.0};
    }
  }

 private:
  static constexpr double kShrinkage = 3.0;

  struct Entry {
    uint64_t key = 0;
    double sum = 0.0, count = 0.0;  // count 0: the entry is free
  };

  static uint64_t key(uint64_t begin, Action action) {
    return begin + static_cast<uint64_t>(action) * 0xd1b54a32d192ed03ULL;
  }

  // Where a key is, or where it would go.
  size_t place(uint64_t key) const {
    const size_t mask = entries_.size() - 1;
    size_t at = static_cast<size_t>(key >> 32) & mask;
    while (entries_[at].count > 0.0 && entries_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  const Entry& at(uint64_t begin, Action action) const {
    return entries_[place(key(begin, action))];
  }

  void grow() {
    std::vector<Entry> entries(2 * entries_.size());
    entries.swap(entries_);
    for (const Entry& entry : entries) {
      if (entry.count > 0.0) entries_[place(entry.key)] = entry;
    }
  }

  std::vector<Entry> entries_ = std::vector<Entry>(1 << 8);  // a power of two in size
  size_t size_ = 0;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_FOREST_ACTION_TABLES_H_
