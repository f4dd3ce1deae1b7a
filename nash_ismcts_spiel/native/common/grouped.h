// Row numbers of tables that grow, and rows grouped by a key.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_COMMON_GROUPED_H_
#define NASH_ISMCTS_SPIEL_NATIVE_COMMON_GROUPED_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace nash_ismcts {

// The size of a table as the number of its next row; rows are numbered in 32 bits.
template <typename Size>
int32_t next_row(Size size) {
  if (static_cast<uint64_t>(size) > std::numeric_limits<int32_t>::max()) {
    throw std::length_error("a table has more rows than can be numbered");
  }
  return static_cast<int32_t>(size);
}

// The entries of a list by their keys: those of key k are the members from first[k] to first[k +
// 1], in ascending order. Negative keys are left out.
struct Grouped {
  Grouped(const std::vector<int32_t>& keys, int64_t num_keys) : first(num_keys + 1, 0) {
    next_row(keys.size());
    for (const int32_t key : keys) {
      if (key >= 0) ++first[key + 1];
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    members.resize(first.back());
    std::vector<int64_t> next(first.begin(), first.end() - 1);
    for (size_t entry = 0; entry < keys.size(); ++entry) {
      if (keys[entry] >= 0) members[next[keys[entry]]++] = static_cast<int32_t>(entry);
    }
  }

  std::vector<int64_t> first;
  std::vector<int32_t> members;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_COMMON_GROUPED_H_
