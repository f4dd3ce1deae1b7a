"""What a player knows as planes over the cells of a board, in games for which that is known.

Some games describe an information state by a sequence of all moves. A network would have to learn
for every step of it anew what a move means. On a board it sees what happened on which cell,
whatever the order: a plane is 1 on the cells that have a mark and 0 elsewhere. Planes are read from
the player's own information state tensor alone (`native/worlds/board.h`), and beside them how far
each kind of moves has come, as a share. Actions are cells of the same board, plane after plane, so
that networks can be convolutions. Networks ask for it with `networks.inputs="board"`; a game that
is not here is described by its tensors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from nash_ismcts_spiel.native import _core


class Mark(NamedTuple):
    """A number of a step that is 1 if the step has a mark.

    Attributes:
      offset: its place in the step.
      plane: where the cells of the step are marked.
      down, right: the direction in which the step covers further cells.
      viewer: the player in whose tensor it counts; -1 for all.
    """

    offset: int
    plane: int
    down: int = 0
    right: int = 0
    viewer: int = -1


class Steps(NamedTuple):
    """Moves of one kind, end to end in an information state tensor.

    Attributes:
      start: where the first one begins.
      width: numbers of each.
      row, column: where its row and its column stand in it, each as one of all.
      marks: what it may be marked with.
      lengths: how many cells each one covers.
    """

    start: int
    width: int
    row: int
    column: int
    marks: tuple[Mark, ...]
    lengths: tuple[int, ...]


class Board(NamedTuple):
    """Planes over the cells of a board.

    Attributes:
      rows, columns: its size.
      planes: how many there are.
      steps: what they are read from.
    """

    rows: int
    columns: int
    planes: int
    steps: tuple[Steps, ...]

    def native(self) -> _core.Board:
        """The same for compiled code."""
        board = _core.Board(self.rows, self.columns, self.planes)
        for kind in self.steps:
            board.add_steps(*kind)
        return board


def board_of(game: Any) -> Board:
    """The board of a pyspiel game.

    Raises:
      ValueError: none is known.
    """
    kind = game.get_type().short_name
    if kind not in _MAKERS:
        raise ValueError(f"no board of {kind} is known; there are those of {', '.join(_MAKERS)}")
    return _MAKERS[kind](game)


def _ships(game: Any) -> Board:
    """Battleship: own ships, the other's shots, and own shots that met water, hit or sank.

    Its tensor begins with five numbers of whose turn it is. Then come the own placements, each
    lying or standing, then its row and column; then all shots, each the first player's or the
    second one's, its row and column, and of own ones what they met. Actions are shots and
    ships that lie or stand, by cell.
    """
    parameters = game.get_parameters()
    rows, columns = int(parameters["board_height"]), int(parameters["board_width"])
    lengths = tuple(int(size) for size in re.findall(r"\d+", parameters["ship_sizes"]))
    shots = 2 * int(parameters["num_shots"])
    turn, kinds, players, results = 5, 2, 2, 3
    lying, standing = Mark(0, 0, right=1), Mark(1, 0, down=1)
    placements = Steps(
        turn, kinds + rows + columns, kinds, kinds + rows, (lying, standing), lengths
    )
    shots_start = turn + len(lengths) * placements.width
    result = players + rows + columns
    of_others = (Mark(1, 1, viewer=0), Mark(0, 1, viewer=1))
    marks = (*of_others, *(Mark(result + k, 2 + k) for k in range(results)))
    width = result + results
    fired = Steps(shots_start, width, players, players + rows, marks, (1,) * shots)
    assert shots_start + shots * width == game.information_state_tensor_size()
    return Board(rows, columns, 2 + results, (placements, fired))


_MAKERS: Mapping[str, Callable[[Any], Board]] = {"battleship": _ships}
