// A hash map from 64-bit keys but the largest to 32-bit numbers in two flat arrays. It allocates
// only to grow, and `clear` keeps its memory: forests are made and dropped once per search.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_COMMON_FLAT_MAP_H_
#define NASH_ISMCTS_SPIEL_NATIVE_COMMON_FLAT_MAP_H_

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace nash_ismcts {

class FlatMap {
 public:
  static constexpr int32_t kAbsent = -1;

  int64_t size() const { return size_; }

  // The number stored for a key, kAbsent if there is none.
  int32_t find(uint64_t key) const {
    if (keys_.empty() || key == kEmpty) return kAbsent;
    const size_t at = position(key);
    return keys_[at] == key ? values_[at] : kAbsent;
  }

  void insert(uint64_t key, int32_t value) {
    if (key == kEmpty) throw std::invalid_argument("this key says that a place is free");
    if (2 * (size_ + 1) > static_cast<int64_t>(keys_.size())) grow();
    const size_t at = position(key);
    if (keys_[at] != key) ++size_;
    keys_[at] = key;
    values_[at] = value;
  }

  void clear() {
    std::fill(keys_.begin(), keys_.end(), kEmpty);
    size_ = 0;
  }

 private:
  static constexpr uint64_t kEmpty = ~uint64_t{0};

  // Where a key is, or where it would go.
  size_t position(uint64_t key) const {
    const size_t mask = keys_.size() - 1;
    size_t at = static_cast<size_t>((key * 0x9E3779B97F4A7C15ull) >> 20) & mask;
    while (keys_[at] != kEmpty && keys_[at] != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<uint64_t> keys(std::max<size_t>(64, 2 * keys_.size()), kEmpty);
    std::vector<int32_t> values(keys.size());
    std::swap(keys, keys_);
    std::swap(values, values_);
    for (size_t old = 0; old < keys.size(); ++old) {
      if (keys[old] == kEmpty) continue;
      const size_t at = position(keys[old]);
      keys_[at] = keys[old];
      values_[at] = values[old];
    }
  }

  std::vector<uint64_t> keys_;
  std::vector<int32_t> values_;
  int64_t size_ = 0;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_COMMON_FLAT_MAP_H_
