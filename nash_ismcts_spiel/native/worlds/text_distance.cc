#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "finder.h"

namespace nash_ismcts {

namespace {

constexpr int64_t kLongText = 96;

int64_t levenshtein(const char* one, int64_t rows, const char* other, int64_t columns) {
  std::vector<int64_t> above(columns + 1);
  for (int64_t column = 0; column <= columns; ++column) above[column] = column;
  for (int64_t row = 1; row <= rows; ++row) {
    int64_t diagonal = above[0];
    above[0] = row;
    for (int64_t column = 1; column <= columns; ++column) {
      const int64_t changed = diagonal + (one[row - 1] != other[column - 1]);
      diagonal = above[column];
      above[column] = std::min({above[column] + 1, above[column - 1] + 1, changed});
    }
  }
  return above[columns];
}

int64_t pair_distance(const char* one, int64_t length, const char* other, int64_t other_length) {
  std::array<int32_t, 4096> counts{};
  const auto pair = [](const char* text, int64_t at) {
    return (static_cast<unsigned char>(text[at]) * 61 + static_cast<unsigned char>(text[at + 1])) %
           4096;
  };
  for (int64_t at = 0; at + 1 < length; ++at) ++counts[pair(one, at)];
  for (int64_t at = 0; at + 1 < other_length; ++at) --counts[pair(other, at)];
  int64_t total = 1;  // the texts differ
  for (const int32_t count : counts) total += std::abs(count);
  return total;
}

// The distance of two texts that differ, without their common ends.
int64_t trimmed_distance(std::string_view one, std::string_view other) {
  while (!one.empty() && !other.empty() && one.front() == other.front()) {
    one.remove_prefix(1);
    other.remove_prefix(1);
  }
  while (!one.empty() && !other.empty() && one.back() == other.back()) {
    one.remove_suffix(1);
    other.remove_suffix(1);
  }
  const auto length = static_cast<int64_t>(one.size());
  const auto other_length = static_cast<int64_t>(other.size());
  if (length == 0 || other_length == 0) return length + other_length;
  if (std::max(length, other_length) > kLongText) {
    return pair_distance(one.data(), length, other.data(), other_length);
  }
  return levenshtein(one.data(), length, other.data(), other_length);
}

std::string_view next_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

int64_t text_distance(const std::string& one, const std::string& other) {
  if (one == other) return 0;
  const bool aligned =
      std::count(one.begin(), one.end(), '\n') == std::count(other.begin(), other.end(), '\n');
  int64_t total = 0;
  std::string_view lines(one), other_lines(other);
  while (!lines.empty() || !other_lines.empty()) {
    const std::string_view line = next_line(lines), other_line = next_line(other_lines);
    if (line != other_line) total += trimmed_distance(line, other_line);
  }
  return aligned ? total : std::min(total, trimmed_distance(one, other));
}

}  // namespace nash_ismcts
