"""Choosing hidden moves in games of the chess family so that later sightings come true.

A log is read by the guide of a game as *facts*: at a look, a piece of the other player is on a
square (of a kind, or of any), or none is. In an imagined world, each move of the other player is
scored by the facts to come: how many moves its pieces need to be where they are seen next, against
how many it has until then, and whether a piece leaves, or enters, a square that says otherwise.
"""

from __future__ import annotations

import bisect
import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.facts.chess_board import (
    FAR,
    SIDE,
    between,
    distance,
    pieces_of,
    step_of,
)

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
        # How many moves were made up to each look: by pawns, and by other pieces.
        self._made = ([0] * (looks + 2), [0] * (looks + 2))
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

    def set_moves(self, moves: Sequence[tuple[int, bool, bool]]) -> None:
        """The looks before which the other player makes a move, and whether a pawn, and whether
        another piece can have made it. All facts must be there.
        """
        by_look = {look: able for look, *able in moves}
        for kind, made in enumerate(self._made):
            for look in range(1, len(made)):
                made[look] = made[look - 1] + (look in by_look and by_look[look][kind])
        for square, what in self._what.items():
            when = self._when[square]
            for at in range(len(what) - 2, -1, -1):
                after = self.moves("p", when[at], when[at + 1])
                after = max(after, self.moves("q", when[at], when[at + 1]))
                if what[at] == ANY and what[at + 1] != NONE and after < 2:
                    what[at] = what[at + 1]  # no time for a piece to leave and one to come

    def moves(self, kind: str, after: int, until: int) -> int:
        """Moves that a kind of piece can make after one look, up to another one."""
        made = self._made[kind != "p"]
        return made[until] - made[after]

    def _needs(self, look: int) -> tuple[dict[int, Need], list[Need]]:
        """By square, the next fact from a look on; and all pieces that are seen next, in order."""
        found, seen = {}, []
        for square, when in self._when.items():
            at = bisect.bisect_left(when, look)
            if at == len(when):
                continue
            found[square] = need = self._run(square, at)
            if need.kind == NONE:
                at = bisect.bisect_right(when, need.last)
                need = self._run(square, at) if at < len(when) else need
            if need.kind != NONE:
                if self.moves(need.kind, look, need.first) <= _HORIZON:
                    seen.append(need)
        return found, sorted(seen, key=lambda need: need.first)

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
            scoring = _Scoring(self, fen, look)
            self._costs[known] = np.array([scoring.cost(action) for action in actions])
        order = np.argsort(self._costs[known] - heat * rng.gumbel(size=len(actions)))
        return [actions[which] for which in order]


class _Way(NamedTuple):
    """How a piece on a square can make a fact true after this move."""

    late: int
    length: int
    square: int
    pawn: bool
    path: frozenset[int] = frozenset()

    def order(self) -> tuple[int, int, int]:
        """What is compared: the least is best."""
        return self.late, self.length, self.square


class _Scoring:
    """What moves of the other player cost in one world, before a look."""

    def __init__(self, facts: Facts, fen: str, look: int) -> None:
        self.facts = facts
        self.pieces = pieces = pieces_of(fen, facts.white)
        self.taken = pieces.keys() | pieces_of(fen, not facts.white).keys()
        self.look = look
        self.needs, seen = facts.needs(look)
        self.missing = [
            (need, self._ways(need))
            for need in seen
            if not fits(need.kind, pieces.get(need.square))
        ]
        self.leaving = {
            square: self._away(kind, square)
            for square, kind in pieces.items()
            if square in self.needs and not fits(self.needs[square].kind, kind)
        }
        ways = [(need.first, ways[0]) for need, ways in self.missing]
        self.usual = self._total([*ways, *self.leaving.values()])

    def _away(self, kind: str, square: int) -> tuple[int, _Way]:
        """A piece has to leave a square before something else is seen there; when it is seen."""
        first = self.needs[square].first
        late = self.facts.moves(kind, self.look, first) < 1
        return first, _Way(int(late), 1, square, kind == "p")

    def _ways(self, need: Need) -> list[_Way]:
        """The best pieces to make a fact true after this move."""
        found = []
        for square, kind in self.pieces.items():
            if fits(need.kind, kind):
                here, free = self.needs.get(square), self.look
                if here is not None and fits(here.kind, kind):
                    free = max(free, here.last)  # it is seen to stay until then
                found.append(self._way(kind, square, need, free))
        return [*sorted(found, key=_Way.order)[:2], _NO_WAY, _NO_WAY]

    def _way(self, kind: str, square: int, need: Need, free: int) -> _Way:
        """The way of a piece on a square, which is free to move after a look."""
        length = distance(kind, square, need.square, self.facts.white)
        moves = self.facts.moves(kind, free, need.first) if need.first > free else 0
        path = between(square, need.square) if kind in "rbq" and length == 1 else _NOWHERE
        length += not path.isdisjoint(self.taken)
        return _Way(max(0, length - moves), length, square, kind == "p", path)

    def cost(self, action: int) -> float:
        """What a move costs: ways that are left after it, above all if time is short."""
        step = step_of(action, self.facts.white, self.facts.size)
        before = self.pieces.get(step.start)
        if before is None:
            return self.usual  # a move that changes nothing, such as a pass
        kind = before
        if kind == "p" and step.end // SIDE in (0, self.facts.size - 1):
            kind = step.promoted
        ways: list[tuple[int, _Way]] = []
        changed = False
        for need, others in self.missing:
            way = others[0]
            if way.square == step.start:
                way, changed = others[1], True
            if step.end in way.path and way.length == 1:
                way, changed = way._replace(late=way.late + 1, length=2), True
            if fits(need.kind, kind):
                moved = self._way(kind, step.end, need, self.look)
                if moved.order() < way.order():
                    way, changed = moved, True
            ways.append((need.first, way))
        left, entered = self.needs.get(step.start), self.needs.get(step.end)
        if left is not None and left.kind != NONE and fits(left.kind, before):
            ways.append((left.first, self._way(kind, step.end, left, self.look)))
            changed = True
        if entered is not None and not fits(entered.kind, kind):
            ways.append(self._away(kind, step.end))
            changed = True
        if step.start in self.leaving:
            changed = True
        if not changed:
            return self.usual
        ways += [away for square, away in self.leaving.items() if square != step.start]
        return self._total(ways)

    def _total(self, ways: list[tuple[int, _Way]]) -> float:
        ways.sort(key=lambda each: each[0])
        cost, made, over = 0.0, [0, 0], [0, 0]
        for first, way in ways:
            moves = self.facts.moves("p" if way.pawn else "q", self.look, first)
            made[way.pawn] += way.length
            over[way.pawn] = max(over[way.pawn], made[way.pawn] - moves)
            cost += _SLOW * way.length / (moves + 1) + _LATE * way.late
        return cost + _LATE * (over[0] + over[1])


_NOWHERE: frozenset[int] = frozenset()
_NO_WAY = _Way(FAR, FAR, -1, False)


def fits(wanted: str, kind: str | None) -> bool:
    """Whether a piece (None if there is none) is what a fact says."""
    if kind is None or wanted == NONE:
        return kind is None and wanted == NONE
    return wanted in (ANY, kind)
