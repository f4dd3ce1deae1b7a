"""Battleship: where the other player's ships are.

Shots and their results are shown, so all that is hidden is the other player's placement. A ship
explains the shots at its cells if the last of its cells to be hit (if all were) was reported sunk,
and all shots before that as hits. Any placement of ships that do not overlap will do in which each
ship explains the shots at its cells and all hits belong to ships. Sets of cells are bits of a
number: bit k is cell number k, row by row.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nash_ismcts_spiel.facts.log import Look

_SHOT = re.compile(r"/(opp)?shot_(\d+)_(\d+)(?::([WHS]))?")


class _Board(NamedTuple):
    """Parameters of the game."""

    height: int
    width: int
    lengths: tuple[int, ...]


class _Placement(NamedTuple):
    """Where one ship can be: the action that puts it there, and its cells as bits."""

    action: int
    cells: int


class _Told(NamedTuple):
    """What a player knows of both players' actions.

    Attributes:
      placed: its own placements, in order.
      shots: its shots, by cell number, and their results.
      shots_at_it: cells that the other player shot at.
    """

    placed: list[int]
    shots: list[tuple[int, str]]
    shots_at_it: list[int]


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[list[int]]:
    """Yields histories with placements of the other player's ships that explain all shots."""
    parameters = game.get_parameters()
    lengths = tuple(int(size) for size in re.findall(r"\d+", parameters["ship_sizes"]))
    board = _Board(parameters["board_height"], parameters["board_width"], lengths)
    told = _read(board, log)
    events = len(told.placed) + len(told.shots)
    hidden = min(events + player, len(lengths))  # ships that the other player has placed
    options = [_options(board, length, told.shots) for length in lengths]
    hits = _bits(cell for cell, result in told.shots if result != "W")
    while True:
        ships = _place(options, {}, hits, rng)
        if ships is None:
            return
        theirs = [ships[number] for number in range(hidden)] + told.shots_at_it
        own = told.placed + [cell for cell, _ in told.shots]
        yield _alternating(own, theirs, player)


def _read(board: _Board, log: Sequence[Look]) -> _Told:
    actions = [look.action for look in log if look.action is not None]
    told = _Told(actions[: len(board.lengths)], [], [])
    for other, row, column, result in _SHOT.findall(log[-1].shown):
        cell = int(row) * board.width + int(column)
        if other:
            told.shots_at_it.append(cell)
        else:
            told.shots.append((cell, result))
    return told


def _alternating(own: list[int], theirs: list[int], player: int) -> list[int]:
    """Both players' actions in the order of play."""
    first, second = (own, theirs) if player == 0 else (theirs, own)
    return [
        actions[turn]
        for turn in range(max(len(first), len(second)))
        for actions in (first, second)
        if turn < len(actions)
    ]


def _bits(cells: Iterable[int]) -> int:
    """A set of cells."""
    bits = 0
    for cell in cells:
        bits |= 1 << cell
    return bits


@functools.lru_cache(maxsize=64)
def _placements(board: _Board, length: int) -> tuple[_Placement, ...]:
    """Where a ship can be on an empty board."""
    cells = board.height * board.width
    found = []
    for shift, down, right in ((cells, 0, 1), (2 * cells, 1, 0)):
        if length == 1 and down:
            continue  # a ship of one cell is placed one way only
        step = down * board.width + right
        for row in range(board.height - down * (length - 1)):
            for column in range(board.width - right * (length - 1)):
                corner = row * board.width + column
                covered = _bits(corner + step * k for k in range(length))
                found.append(_Placement(shift + corner, covered))
    return tuple(found)


def _options(board: _Board, length: int, shots: list[tuple[int, str]]) -> list[_Placement]:
    """Where a ship can be so that it explains the shots at its cells."""
    water = _bits(cell for cell, result in shots if result == "W")
    hits = [(1 << cell, result) for cell, result in shots if result != "W"]
    hit = _bits(cell for cell, result in shots if result != "W")
    return [
        placement
        for placement in _placements(board, length)
        if not placement.cells & water
        and (not placement.cells & hit or _explains(placement.cells, hits))
    ]


def _explains(cells: int, hits: list[tuple[int, str]]) -> bool:
    """Whether a ship on some cells would be hit with the results that were reported."""
    hit = 0
    for cell, result in hits:
        if cell & cells:
            hit |= cell
            if result != ("S" if hit == cells else "H"):
                return False
    return True


def _place(
    options: list[list[_Placement]],
    placed: dict[int, int],
    hits: int,
    rng: np.random.Generator,
) -> dict[int, int] | None:
    """Actions by number of the ship, None if the hits cannot be explained.

    The hit that fewest ships can explain is explained first, then the other ships are placed.
    """
    left = [number for number in range(len(options)) if number not in placed]
    room = sum(options[number][0].cells.bit_count() for number in left if options[number])
    if not left or hits.bit_count() > room:
        return None if hits else placed
    if hits:
        covering = [
            [(n, p) for n in left for p in options[n] if p.cells >> cell & 1]
            for cell in range(hits.bit_length())
            if hits >> cell & 1
        ]
        choices = min(covering, key=len)
    else:
        number = min(left, key=lambda each: len(options[each]))
        choices = [(number, placement) for placement in options[number]]
    for choice in rng.permutation(len(choices)):
        number, placement = choices[choice]
        taken = placement.cells
        free = [[each for each in ship if not each.cells & taken] for ship in options]
        found = _place(free, {**placed, number: placement.action}, hits & ~taken, rng)
        if found is not None:
            return found
    return None
