// Boards from logs of moves, by hand.

#include "worlds/board.h"

#include <stdexcept>
#include <vector>

#include "check.h"

namespace nash_ismcts {
namespace {

// Two rows of three cells. A number that says nothing; then two steps, each with a row, a column
// and two marks: the first covers a second cell to the right, the second is the first player's.
Board small() {
  Board board{2, 3, 2, {}};
  board.steps.push_back({1, 7, 0, 2, {{5, 0, 0, 1, kAnyViewer}, {6, 1, 0, 0, 0}}, {2, 1}});
  return board;
}

constexpr int64_t kSize = 15;

std::vector<float> read(const std::vector<float>& tensor, int64_t player) {
  std::vector<float> numbers(small().size(), 0.0f);
  small().read(tensor.data(), player, numbers.data());
  return numbers;
}

TEST(steps_mark_their_cells) {
  const std::vector<float> one = {9,
                                  /*row*/ 0,
                                  1,
                                  /*column*/ 0,
                                  1,
                                  0,
                                  /*marks*/ 1,
                                  1,
                                  /*none*/ 0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0};
  CHECK(read(one, 0) == std::vector<float>({.5f, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0}));
  CHECK(read(one, 1) == std::vector<float>({.5f, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0}));
  const std::vector<float> edge = {9,
                                   /*row*/ 1,
                                   0,
                                   /*column*/ 0,
                                   0,
                                   1,
                                   /*marks*/ 1,
                                   0,
                                   /*row*/ 1,
                                   0,
                                   /*column*/ 1,
                                   0,
                                   0,
                                   /*marks*/ 1,
                                   0};
  CHECK(read(edge, 0) == std::vector<float>({1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(boards_beyond_their_tensors_are_refused) {
  small().check(kSize);
  CHECK_THROWS(small().check(kSize - 1), std::invalid_argument);
  Board other = small();
  other.planes = 1;
  CHECK_THROWS(other.check(kSize), std::invalid_argument);
}

}  // namespace
}  // namespace nash_ismcts
