// Boards from a log of moves: what happened on which cell, whatever the order in which it did.
//
// Some games describe an information state by a sequence of moves, step after step, each with its
// row and its column as one of all and some marks (whose shot it was, what it hit). Here such steps
// are put on boards: a plane for each mark, which is 1 on the cells whose steps have it. A step may
// cover several cells, to the right or downwards (a ship). How far a sequence has come is a number
// beside the planes. All of it is read from what the player was told in numbers, and from nothing
// else.

#ifndef NASH_ISMCTS_SPIEL_NATIVE_WORLDS_BOARD_H_
#define NASH_ISMCTS_SPIEL_NATIVE_WORLDS_BOARD_H_

#include <cstdint>
#include <vector>

namespace nash_ismcts {

constexpr int64_t kAnyViewer = -1;

// A mark of a step: the cells that it covers are 1 on its plane.
struct BoardMark {
  int64_t offset;  // in the step
  int64_t plane;
  int64_t down, right;  // the direction of the further cells that it covers
  int64_t viewer;       // the player whose tensor it counts in; kAnyViewer: all
};

// Steps of one kind, end to end in a tensor.
struct BoardSteps {
  int64_t start;   // in the tensor
  int64_t width;   // numbers of a step
  int64_t row;     // offset of its row, as one of all
  int64_t column;  // and of its column
  std::vector<BoardMark> marks;
  std::vector<int64_t> lengths;  // cells that each step covers
};

struct Board {
  int64_t rows = 0, columns = 0, planes = 0;
  std::vector<BoardSteps> steps;

  int64_t cells() const { return rows * columns; }

  // One for each kind of steps, then the planes.
  int64_t size() const { return static_cast<int64_t>(steps.size()) + planes * cells(); }

  // Throws std::invalid_argument if something lies outside a tensor of this size.
  void check(int64_t tensor_size) const;

  // Writes shares of steps taken, then planes, row by row, of the tensor of a player; `numbers`
  // must be 0.
  void read(const float* tensor, int64_t player, float* numbers) const;
};

}  // namespace nash_ismcts

#endif  // NASH_ISMCTS_SPIEL_NATIVE_WORLDS_BOARD_H_
