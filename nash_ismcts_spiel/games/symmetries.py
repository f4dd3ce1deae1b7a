"""Symmetries of square boards, as networks see them: turns and reflections of rows of numbers.

A symmetry is a permutation of cells, which are the game's actions, after which a game is the same
game. It permutes the numbers that describe what a player knows. A network that is shown every row
turned to a standard one, its canonical form, has as many times fewer rows to learn, and treats
boards that look alike alike. Which symmetries a game has is found out by playing: random games are
replayed with their cells permuted, and have to be legal, end alike and be described by permuted
numbers. Which number goes where is read off half of the games and has to hold in the other half;
where a row has numbers that are not whole, or the game has chance, there are none.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.graph import GameGraph

Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Describe = Callable[[GameGraph, Sequence[int]], Singles]
"""Rows of information sets of a graph. [rows, numbers]"""

_GAMES = 60
"""Random games by which symmetries are found, and as many by which they are checked."""

_LARGEST_WEIGHT = 1 << 30
"""Of a number in what rows are compared by. Sums of these with small whole numbers are exact."""


class Symmetries(NamedTuple):
    """All symmetries of a game that were found; the first one changes nothing.

    Attributes:
      cells: where each action goes. [symmetries, actions]
      numbers: which number of a row comes to stand in each place. [symmetries, numbers]
      weights: what a row's images are compared by is the product of the row with them.
        [numbers, symmetries]
    """

    cells: Ints
    numbers: Ints
    weights: npt.NDArray[np.float64]

    def standard(self, rows: Singles) -> Ints:
        """Which symmetry turns each row to the image that stands for all of them. [rows]"""
        found: Ints = (rows.astype(np.float64) @ self.weights).argmin(axis=1)
        return found

    @property
    def fingerprint(self) -> str:
        """What tells whether rows are turned as they were when networks learned from them."""
        digest = hashlib.sha256()
        for numbers in (self.cells, self.numbers, self.weights.T):
            digest.update(np.ascontiguousarray(numbers, dtype="<i8").tobytes())
        return digest.hexdigest()[:16]


def find_symmetries(
    game: SupportedGame, graph: Callable[[], GameGraph], describe: Describe
) -> Symmetries | None:
    """The symmetries of a game; None if there are none.

    Args:
      game: the game.
      graph: makes a new graph of it.
      describe: rows of information sets of such a graph.
    """
    games, candidates = _played(game)
    if not candidates:
        return None
    actions = int(game.pyspiel_game.num_distinct_actions())
    grown = graph()
    learned, checked = (_decisions(part) for part in (games[:_GAMES], games[_GAMES:]))
    rows, other_rows = (_described(grown, describe, each) for each in (learned, checked))
    if not (np.mod(rows, 1.0) == 0.0).all():
        return None
    cells, numbers = [np.arange(actions)], [np.arange(rows.shape[1])]
    for candidate in candidates:
        turned, other = (
            _described(grown, describe, [[candidate[event] for event in h] for h in histories])
            for histories in (learned, checked)
        )
        found = _matching(rows, turned, _by_planes(candidate, rows.shape[1]).tolist())
        if found is not None and (other_rows[:, found] == other).all():
            cells.append(np.array(candidate))
            numbers.append(found)
    if len(cells) == 1:
        return None
    rng = np.random.default_rng(0)
    weights = np.array(rng.integers(1, _LARGEST_WEIGHT, rows.shape[1]), dtype=np.float64)
    by_image = np.stack([weights[np.argsort(each)] for each in numbers], axis=1)
    return Symmetries(np.stack(cells), np.stack(numbers), by_image)


def _played(game: SupportedGame) -> tuple[list[list[int]], list[tuple[int, ...]]]:
    """Random games, and the symmetries of a square that leave all of them the same."""
    found = square_symmetries(int(game.pyspiel_game.num_distinct_actions()))
    if game.pyspiel_game.get_type().chance_mode.name != "DETERMINISTIC" or not found:
        return [], []
    rng = np.random.default_rng(0)
    games = [_random_game(game, rng) for _ in range(2 * _GAMES)]
    same = [cells for cells in found if all(_is_same_game(game, each, cells) for each in games)]
    return games, same


def square_symmetries(actions: int) -> list[tuple[int, ...]]:
    """Turns and reflections of a square board, without the one that changes nothing.

    Actions are its cells, row by row; one more action may follow, such as to pass.
    """
    side = math.isqrt(actions)
    if side < 2 or actions - side * side > 1:
        return []
    found = []
    for number in range(1, 8):
        cells = []
        for cell in range(side * side):
            row, column = divmod(cell, side)
            for _ in range(number % 4):
                row, column = column, side - 1 - row
            cells.append(row * side + (side - 1 - column if number >= 4 else column))
        found.append((*cells, *range(side * side, actions)))
    return found


def _random_game(game: SupportedGame, rng: np.random.Generator) -> list[int]:
    state, events = game.initial_state(), []
    while not state.is_terminal():
        events.append(int(rng.choice(state.legal_actions())))
        state.apply_action(events[-1])
    return events


def _decisions(games: Sequence[Sequence[int]]) -> list[list[int]]:
    """Histories at which somebody was to move, each once."""
    found = {tuple(events[:length]) for events in games for length in range(len(events))}
    return [list(history) for history in sorted(found)]


def _described(graph: GameGraph, describe: Describe, histories: Sequence[Sequence[int]]) -> Singles:
    sets = [int(graph.worlds.information_set[graph.follow(each)]) for each in histories]
    return describe(graph, sets)


def _is_same_game(game: SupportedGame, events: Sequence[int], cells: Sequence[int]) -> bool:
    """Whether a game has the same moves, movers and utilities with its cells permuted."""
    state, turned = game.initial_state(), game.initial_state()
    for event in events:
        if not same_moves(state, turned, cells):
            return False
        state.apply_action(event)
        turned.apply_action(cells[event])
    return bool(turned.is_terminal()) and state.returns() == turned.returns()


def same_moves(state: Any, turned: Any, cells: Sequence[int]) -> bool:
    """Whether a state that is not over and its image have the same mover and actions."""
    if turned.is_terminal() or turned.current_player() != state.current_player():
        return False
    images = sorted(cells[action] for action in state.legal_actions())
    return bool(images == turned.legal_actions())


def _by_planes(cells: Sequence[int], size: int) -> Ints:
    """Where the numbers of a turned row come from, if rows end with planes of cells."""
    first = size % len(cells)
    planes = np.arange(first, size).reshape(-1, len(cells))
    return np.concatenate([np.arange(first), planes[:, np.argsort(cells)].ravel()])


def _matching(rows: Singles, turned: Singles, expected: Sequence[int]) -> Ints | None:
    """Which column of `rows` each column of `turned` is, each used once; None if there is none.

    Of columns that are the same in all rows the expected one is taken, if it is left.
    """
    left: dict[bytes, list[int]] = {}
    for place, column in enumerate(rows.T):
        left.setdefault(column.tobytes(), []).append(place)
    wanted = [left.get(column.tobytes(), []) for column in turned.T]
    found = np.full(len(wanted), -1, dtype=np.int64)
    for place, there in enumerate(wanted):
        if expected[place] in there:
            there.remove(expected[place])
            found[place] = expected[place]
    for place in np.flatnonzero(found < 0).tolist():
        if not wanted[place]:
            return None
        found[place] = wanted[place].pop(0)
    return found
