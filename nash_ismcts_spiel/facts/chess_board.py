"""Boards and moves of OpenSpiel's games of the chess family, as facts need them.

Squares are numbered by rank and file, a1 is 0 and b1 is 1. Pieces are letters of FEN. Distances are
numbers of moves on an empty board, for pieces of one colour.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

SIDE = 8
"""Squares are numbered as on a board of this size, also on smaller ones."""

FAR = 9
"""A distance that is too long."""

PASS = 0
"""The action of who passes, in games that allow it."""

_DESTINATIONS = 73
_UNDERPROMOTIONS = 9
_LEFT_CASTLING, _RIGHT_CASTLING = 4672, 4673
_STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
_SLANTED = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_KNIGHT = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (2, -1), (2, 1), (1, -2), (1, 2))


class Step(NamedTuple):
    """Where a move begins and ends, and what a pawn becomes on the last rank."""

    start: int
    end: int
    promoted: str


@functools.cache
def step_of(action: int, white: bool, size: int) -> Step:
    """What a number of an action means, for one colour on a board of a size."""
    rank = 0 if white else size - 1
    if action == PASS:
        return Step(-1, -1, "q")
    if action in (_LEFT_CASTLING, _RIGHT_CASTLING):
        end = 2 if action == _LEFT_CASTLING else 6
        return Step(rank * SIDE + 4, rank * SIDE + end, "q")
    square, way = divmod(action, _DESTINATIONS)
    file, own_rank = divmod(square, SIDE)
    promoted = "q"
    if way < _UNDERPROMOTIONS:
        right, up = (0, 1, -1)[way % 3], 1
        promoted = "rbn"[way // 3]
    else:
        right, up = _offset(way - _UNDERPROMOTIONS)
    end_rank = own_rank + up
    if not white:
        own_rank, end_rank = size - 1 - own_rank, size - 1 - end_rank
    return Step(own_rank * SIDE + file, end_rank * SIDE + file + right, promoted)


def _offset(way: int) -> tuple[int, int]:
    kind, number = divmod(way, 2 * (SIDE - 1))
    if kind == 4:
        return _KNIGHT[number]
    length = number - (SIDE - 1) if number < SIDE - 1 else number - (SIDE - 2)
    return ((0, length), (length, 0), (length, length), (length, -length))[kind]


def pieces_of(fen: str, white: bool) -> dict[int, str]:
    """Squares and kinds (small letters) of the pieces of one colour."""
    found = {}
    ranks = fen.split(" ", 1)[0].split("/")
    for rank, row in zip(range(len(ranks) - 1, -1, -1), ranks, strict=True):
        square = rank * SIDE
        for letter in row:
            if letter.isdigit():
                square += int(letter)
                continue
            if letter.isalpha() and letter.isupper() == white:
                found[square] = letter.lower()
            square += 1
    return found


def distance(kind: str, start: int, end: int, white: bool) -> int:
    """Moves that a piece needs on an empty board; pawns may take."""
    return _distances(kind, start, white).get(end, FAR)


@functools.cache
def _distances(kind: str, start: int, white: bool) -> dict[int, int]:
    found, pending = {start: 0}, [start]
    for square in pending:
        for up, right in _ways(kind, square // SIDE, white):
            file, rank = square % SIDE + right, square // SIDE + up
            there = rank * SIDE + file
            if 0 <= file < SIDE and 0 <= rank < SIDE and there not in found:
                found[there] = found[square] + 1
                pending.append(there)
    return found


def _ways(kind: str, rank: int, white: bool) -> list[tuple[int, int]]:
    """Ranks up and files right of one move from a rank."""
    if kind == "n":
        return list(_KNIGHT)
    if kind == "p":
        up, first = (1, 1) if white else (-1, SIDE - 2)
        return [(up, 0), (up, -1), (up, 1), *[(2 * up, 0)] * (rank == first)]
    lines = {"r": _STRAIGHT, "b": _SLANTED}.get(kind, _STRAIGHT + _SLANTED)
    return [
        (k * up, k * right) for up, right in lines for k in range(1, 2 if kind == "k" else SIDE)
    ]


@functools.cache
def between(start: int, end: int) -> frozenset[int]:
    """The squares between two squares on a rank, file or diagonal; none if they are on none."""
    right, up = end % SIDE - start % SIDE, end // SIDE - start // SIDE
    length = max(abs(right), abs(up))
    if length < 2 or abs(right) not in (0, length) or abs(up) not in (0, length):
        return frozenset()
    step = (up * SIDE + right) // length
    return frozenset(range(start + step, end, step))
