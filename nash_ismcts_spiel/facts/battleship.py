"""Facts of battleship. Shots and their results are shown, so all that is hidden is the other
player's placement.

A ship explains the shots at its cells if the last of its cells to be hit (if all were) was reported
sunk, and all shots before that as hits. Any placement of ships that do not overlap will do in which
each ship explains the shots at its cells and all hits belong to ships. Sets of cells are bits of a
number: bit k is cell number k, row by row.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.facts.log import Look, own_actions

_SHOT = re.compile(r"/(opp)?shot_(\d+)_(\d+)(?::([WHS]))?")

Option = tuple[int, int]
"""Where a ship can be: the action that puts it there, and its cells."""
Shot = tuple[int, str]
"""A cell number and what was reported."""


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[list[int]]:
    """Histories with placements of the other player's ships that explain all shots."""
    parameters = game.get_parameters()
    height, width = parameters["board_height"], parameters["board_width"]
    lengths = [int(size) for size in re.findall(r"\d+", parameters["ship_sizes"])]
    own = own_actions(log)[: len(lengths)]
    shots: list[Shot] = []
    shots_at_it: list[int] = []
    for other, row, column, result in _SHOT.findall(log[-1].shown):
        cell = int(row) * width + int(column)
        if other:
            shots_at_it.append(cell)
        else:
            shots.append((cell, result))
    own += [cell for cell, _ in shots]
    hidden = min(len(own) + player, len(lengths))  # ships that the other player has placed
    hits = sum(1 << cell for cell in {cell for cell, result in shots if result != "W"})
    options = [
        [option for option in _options(height, width, length) if _explains(option[1], shots)]
        for length in lengths
    ]
    while (ships := _place(options, {}, hits, rng)) is not None:
        theirs = [ships[number] for number in range(hidden)] + shots_at_it
        history: list[int] = []
        for turn in range(len(own) + len(theirs)):
            acting = own if turn % 2 == player else theirs
            history += acting[turn // 2 : turn // 2 + 1]
        yield history


@functools.lru_cache(maxsize=64)
def _options(height: int, width: int, length: int) -> tuple[Option, ...]:
    """Where a ship can be on an empty board. A ship of one cell is placed one way only."""
    found = []
    for way, (down, right) in enumerate(((0, 1), (1, 0))[: 1 + (length > 1)]):
        for row in range(height - down * (length - 1)):
            for column in range(width - right * (length - 1)):
                corner = row * width + column
                cells = sum(1 << corner + (down * width + right) * k for k in range(length))
                found.append(((1 + way) * height * width + corner, cells))
    return tuple(found)


def _explains(cells: int, shots: list[Shot]) -> bool:
    """Whether a ship on some cells would be shot at with the results that were reported."""
    hit = 0
    for cell, result in shots:
        if cells >> cell & 1:
            hit |= 1 << cell
            if result != ("S" if hit == cells else "H"):
                return False
    return True


def _place(
    options: list[list[Option]], placed: dict[int, int], hits: int, rng: np.random.Generator
) -> dict[int, int] | None:
    """Actions by number of the ship, None if the hits cannot be explained.

    The hit that fewest ships can explain is explained first, then the other ships are placed.
    """
    left = [number for number in range(len(options)) if number not in placed]
    room = sum(options[number][0][1].bit_count() for number in left if options[number])
    if not left or hits.bit_count() > room:
        return None if hits else placed
    if hits:
        covering = [
            [(n, option) for n in left for option in options[n] if option[1] >> cell & 1]
            for cell in range(hits.bit_length())
            if hits >> cell & 1
        ]
        choices = min(covering, key=len)
    else:
        number = min(left, key=lambda each: len(options[each]))
        choices = [(number, option) for option in options[number]]
    for choice in rng.permutation(len(choices)):
        number, (action, taken) = choices[choice]
        free = [[option for option in ship if not option[1] & taken] for ship in options]
        found = _place(free, {**placed, number: action}, hits & ~taken, rng)
        if found is not None:
            return found
    return None
