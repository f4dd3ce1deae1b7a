#include "board.h"

#include <algorithm>
#include <stdexcept>

namespace nash_ismcts {

namespace {

// Which of `count` numbers is not 0; count if none is.
int64_t one_of(const float* numbers, int64_t count) {
  return std::find_if(numbers, numbers + count, [](float number) { return number != 0.0f; }) -
         numbers;
}

void require(bool holds) {
  if (!holds) throw std::invalid_argument("a board lies outside the tensor that it is read from");
}

}  // namespace

void Board::check(int64_t tensor_size) const {
  require(rows > 0 && columns > 0 && planes > 0);
  for (const BoardSteps& kind : steps) {
    const auto count = static_cast<int64_t>(kind.lengths.size());
    require(kind.start >= 0 && kind.width > 0 && count > 0);
    require(kind.start <= tensor_size && count <= (tensor_size - kind.start) / kind.width);
    require(kind.row >= 0 && kind.row + rows <= kind.width);
    require(kind.column >= 0 && kind.column + columns <= kind.width);
    for (const BoardMark& mark : kind.marks) {
      require(mark.offset >= 0 && mark.offset < kind.width);
      require(mark.plane >= 0 && mark.plane < planes);
      require(mark.down >= 0 && mark.right >= 0);
    }
  }
}

void Board::read(const float* tensor, int64_t player, float* numbers) const {
  float* const boards = numbers + steps.size();
  for (size_t k = 0; k < steps.size(); ++k) {
    const BoardSteps& kind = steps[k];
    const auto count = static_cast<int64_t>(kind.lengths.size());
    int64_t taken = 0;
    for (int64_t number = 0; number < count; ++number) {
      const float* step = tensor + kind.start + number * kind.width;
      const int64_t row = one_of(step + kind.row, rows);
      const int64_t column = one_of(step + kind.column, columns);
      if (row == rows || column == columns) continue;
      ++taken;
      for (const BoardMark& mark : kind.marks) {
        const bool seen = mark.viewer == kAnyViewer || mark.viewer == player;
        if (!seen || step[mark.offset] == 0.0f) continue;
        for (int64_t part = 0; part < kind.lengths[number]; ++part) {
          const int64_t at_row = row + part * mark.down, at_column = column + part * mark.right;
          if (at_row >= rows || at_column >= columns) break;
          boards[(mark.plane * rows + at_row) * columns + at_column] = 1.0f;
        }
      }
    }
    numbers[k] = static_cast<float>(taken) / static_cast<float>(count);
  }
}

}  // namespace nash_ismcts
