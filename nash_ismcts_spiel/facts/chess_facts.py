"""Choosing hidden moves in games of the chess family so that later sightings come true.

A log is read as *facts*: at a look, a piece of the other player is on a square (of a kind, or of
any), or none is. In an imagined world, each move of the other player is scored by the facts to
come: how many moves its pieces need to be where they are seen next, against how many it has until
then, and whether a piece leaves, or enters, a square that says otherwise.
"""

from __future__ import annotations

import bisect
import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.facts.chess_board import FAR, Step, distance, pieces_of, step_of

ANY = "*"
"""Some piece of the other player."""

NONE = "-"
"""No piece of the other player."""

_HORIZON = 9
"""Moves ahead that are planned for."""

_LATE = 6.0
"""What each move costs that comes too late for a fact, against 1 for the noise."""

_SLOW = 1.0
"""What it costs that all moves until a fact are needed for it."""


class Need(NamedTuple):
    """What a square holds from one look to another one."""

    square: int
    kind: str
    first: int
    last: int


class Way(NamedTuple):
    """How a piece on a square can make a fact true: moves that come too late, and moves in all."""

    late: int
    length: int
    square: int


_NO_WAY = Way(FAR, FAR, -1)


class Facts:
    """What a log says of the other player's pieces.

    Attributes:
      white: the other player's colour.
      size: of the board.
    """

    def __init__(self, white: bool, size: int, looks: int) -> None:
        """No facts yet of a log with a number of looks."""
        self.white = white
        self.size = size
        self._when: dict[int, list[int]] = {}
        self._what: dict[int, list[str]] = {}
        # How many moves were made up to each look.
        self._made = [0] * (looks + 2)
        self._costs: dict[tuple[int, str], npt.NDArray[np.float64]] = {}
        self.needs = functools.cache(self._needs)

    def add(self, look: int, square: int, kind: str) -> None:
        """A square holds something at a look; looks come in order."""
        when, what = self._when.setdefault(square, []), self._what.setdefault(square, [])
        if when and when[-1] == look:
            if what[-1] in (NONE, ANY):
                what[-1] = kind
            return
        when.append(look)
        what.append(kind)

    def set_moves(self, moves: Sequence[int]) -> None:
        """The looks before which the other player makes a move that changes the board. All facts
        must be there.
        """
        for look in range(1, len(self._made)):
            self._made[look] = self._made[look - 1] + (look in moves)
        for square, what in self._what.items():
            when = self._when[square]
            for at in range(len(what) - 2, -1, -1):
                few = self.moves(when[at], when[at + 1]) < 2
                if what[at] == ANY and what[at + 1] != NONE and few:
                    what[at] = what[at + 1]  # no time for a piece to leave and one to come

    def moves(self, after: int, until: int) -> int:
        """Moves after one look, up to another one."""
        return max(0, self._made[until] - self._made[after])

    def _needs(self, look: int) -> tuple[dict[int, Need], list[Need]]:
        """By square, the next fact from a look on; and all pieces that are seen next."""
        found, seen = {}, []
        for square, when in self._when.items():
            at = bisect.bisect_left(when, look)
            if at == len(when):
                continue
            found[square] = need = self._run(square, at)
            if need.kind == NONE:
                at = bisect.bisect_right(when, need.last)
                need = self._run(square, at) if at < len(when) else need
            if need.kind != NONE and self.moves(look, need.first) <= _HORIZON:
                seen.append(need)
        return found, seen

    def _run(self, square: int, at: int) -> Need:
        """A fact, and for how long it is the same."""
        when, what = self._when[square], self._what[square]
        last = at
        while last + 1 < len(when) and what[last + 1] == what[at]:
            last += 1
        return Need(square, what[at], when[at], when[last])

    def ordered(
        self, fen: str, actions: list[int], look: int, heat: float, rng: np.random.Generator
    ) -> list[int]:
        """Moves of the other player after which a look comes, in an order of preference, with
        noise of some strength.
        """
        known = (look, fen)  # copies of a world are scored once
        if known not in self._costs:
            self._costs[known] = self._scored(fen, actions, look)
        order = np.argsort(self._costs[known] - heat * rng.gumbel(size=len(actions)))
        return [actions[which] for which in order]

    def _scored(self, fen: str, actions: list[int], look: int) -> npt.NDArray[np.float64]:
        """What each move costs before a look: ways to make facts true that are left after it."""
        pieces = pieces_of(fen, self.white)
        needs, seen = self.needs(look)
        missing = []
        for need in seen:
            if not fits(need.kind, pieces.get(need.square)):
                ways = [
                    self._way(kind, square, need, self._free(kind, square, look))
                    for square, kind in pieces.items()
                    if fits(need.kind, kind)
                ]
                missing.append((need, [*sorted(ways)[:2], _NO_WAY, _NO_WAY]))
        leaving = {
            square: self._away(look, needs[square])
            for square, kind in pieces.items()
            if square in needs and not fits(needs[square].kind, kind)
        }
        steps = [step_of(action, self.white, self.size) for action in actions]
        return np.array([self._cost(step, pieces, look, missing, leaving, needs) for step in steps])

    def _free(self, kind: str, square: int, look: int) -> int:
        """The look after which a piece may leave its square."""
        here = self.needs(look)[0].get(square)
        return max(look, here.last) if here is not None and fits(here.kind, kind) else look

    def _way(self, kind: str, square: int, need: Need, free: int) -> Way:
        """The way of a piece on a square to where it is needed, from a look on."""
        length = distance(kind, square, need.square, self.white)
        moves = self.moves(free, need.first) if need.first > free else 0
        return Way(max(0, length - moves), length, square)

    def _away(self, look: int, need: Need) -> tuple[int, Way]:
        """A piece has to leave a square before something else is seen there; when that is."""
        return need.first, Way(int(self.moves(look, need.first) < 1), 1, need.square)

    def _cost(
        self, step: Step, pieces: dict[int, str], look: int,
        missing: list[tuple[Need, list[Way]]], leaving: dict[int, tuple[int, Way]],
        needs: dict[int, Need],
    ) -> float:  # fmt: skip
        kind = before = pieces.get(step.start)
        if kind == "p" and step.end // 8 in (0, self.size - 1):
            kind = step.promoted
        ways = [away for square, away in leaving.items() if square != step.start]
        for need, others in missing:
            way = others[others[0].square == step.start]
            if kind is not None and fits(need.kind, kind):
                way = min(way, self._way(kind, step.end, need, look))
            ways.append((need.first, way))
        left, entered = needs.get(step.start), needs.get(step.end)
        if kind is not None and left is not None and left.kind != NONE and fits(left.kind, before):
            ways.append((left.first, self._way(kind, step.end, left, look)))
        if kind is not None and entered is not None and not fits(entered.kind, kind):
            ways.append(self._away(look, entered))
        cost, made, over = 0.0, 0, 0
        for first, way in sorted(ways):
            moves = self.moves(look, first)
            made += way.length
            over = max(over, made - moves)
            cost += _SLOW * way.length / (moves + 1) + _LATE * way.late
        return cost + _LATE * over


def fits(wanted: str, kind: str | None) -> bool:
    """Whether a piece (None if there is none) is what a fact says."""
    if kind is None or wanted == NONE:
        return kind is None and wanted == NONE
    return wanted in (ANY, kind)
