"""Cooperative box pushing, in its turn-based form: where both agents and the boxes are.

An agent is shown only what is on the square in front of it, not even whether its own action
succeeded. Many copies of the game are played at once (a particle filter on arrays): what is hidden
in a turn is drawn, copies in which the player would be shown something else are dropped, and the
others take their places. The histories of the last copies are proposed; if none is left, more
copies are played.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games.guides.log import Look

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_SIZE = 8
_OUTSIDE = _SIZE * _SIZE
"""The square that stands for all squares outside the board."""

_FIELD, _SMALL, _BIG, _AGENT, _WALL = range(5)
_SHOWN = {
    "field": _FIELD,
    "small box": _SMALL,
    "big box": _BIG,
    "other agent": _AGENT,
    "wall": _WALL,
}
_TURN_LEFT, _TURN_RIGHT, _FORWARD, _STAY = range(4)
_FAILURE = 0.1
"""How likely an action fails."""

_COPIES = (500, 4000, 16000)
_TURN = re.compile(r"Current player: 0\n(.*)$")


def _neighbours() -> Numbers:
    """The square in front of one who stands on a square and looks north, east, south or west."""
    found = np.full((_OUTSIDE + 1, 4), _OUTSIDE)
    for row in range(_SIZE):
        for column in range(_SIZE):
            for way, (down, right) in enumerate(((-1, 0), (0, 1), (1, 0), (0, -1))):
                if 0 <= row + down < _SIZE and 0 <= column + right < _SIZE:
                    there = (row + down) * _SIZE + column + right
                    found[row * _SIZE + column, way] = there
    return found


_AHEAD = _neighbours()


@dataclasses.dataclass
class _Copies:
    """Many copies of the game.

    Attributes:
      field: what is on each square, by copy.
      square: where each agent is, by agent.
      way: where it looks.
    """

    field: Numbers
    square: list[Numbers]
    way: list[Numbers]

    @classmethod
    def at_start(cls, count: int) -> _Copies:
        """All as in the beginning."""
        field = np.full((count, _OUTSIDE + 1), _FIELD)
        field[:, [25, 30]] = _SMALL
        field[:, [27, 28]] = _BIG
        field[:, [49, 54]] = _AGENT
        field[:, _OUTSIDE] = _WALL
        return cls(
            field,
            [np.full(count, square) for square in (49, 54)],
            [np.full(count, way) for way in (1, 3)],
        )

    def chosen(self, which: Numbers) -> _Copies:
        """Some of the copies, or several of one."""
        return _Copies(
            self.field[which],
            [square[which] for square in self.square],
            [way[which] for way in self.way],
        )

    def seen(self, player: int) -> Numbers:
        """What is in front of an agent."""
        copies = np.arange(len(self.field))
        ahead: Numbers = self.field[copies, _AHEAD[self.square[player], self.way[player]]]
        return ahead

    def push_together(self, both: Mask) -> Mask:
        """Both agents push the big box; where that ended the game."""
        ahead = [_AHEAD[self.square[p], self.way[p]] for p in (0, 1)]
        beyond = [_AHEAD[ahead[p], self.way[p]] for p in (0, 1)]
        copies = np.arange(len(self.field))
        for p in (0, 1):
            both = both & (self.field[copies, ahead[p]] == _BIG)
            both &= self.field[copies, beyond[p]] == _FIELD
        for squares, content in ((beyond, _BIG), (self.square, _FIELD), (ahead, _AGENT)):
            for p in (0, 1):
                self.field[copies[both], squares[p][both]] = content
        for p in (0, 1):
            self.square[p] = np.where(both, ahead[p], self.square[p])
        won: Mask = both & (beyond[0] < _SIZE) & (ahead[0] >= _SIZE)
        return won

    def act(self, player: int, action: Numbers, able: Mask) -> None:
        """An agent turns or goes forward by itself, where it is able to."""
        turn = np.where(action == _TURN_LEFT, 3, np.where(action == _TURN_RIGHT, 1, 0))
        self.way[player] = (self.way[player] + turn * able) % 4
        copies = np.flatnonzero(able & (action == _FORWARD))
        here, way = self.square[player][copies], self.way[player][copies]
        ahead = _AHEAD[here, way]
        beyond = _AHEAD[ahead, way]
        content = self.field[copies, ahead]
        pushes = (content == _SMALL) & (self.field[copies, beyond] == _FIELD)
        self.field[copies[pushes], beyond[pushes]] = _SMALL
        goes = pushes | (content == _FIELD)
        self.field[copies[goes], here[goes]] = _FIELD
        self.field[copies[goes], ahead[goes]] = _AGENT
        self.square[player][copies[goes]] = ahead[goes]


def guide(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[list[int]]:
    """Yields histories of copies in which the player is shown what it was shown."""
    turns = [match.group(1) for match in (_TURN.match(look.shown) for look in log) if match]
    if not all(shown in _SHOWN for shown in turns):
        return  # the whole board is shown
    own = [look.action for look in log if look.action is not None]
    wanted = [_SHOWN[shown] for shown in turns[1 : len(own) + 1]]
    for count in _COPIES:
        events, parents = _play(player, own, wanted, count, rng)
        tried = 16 if len(events) == len(own) else 0
        for last in rng.permutation(count)[:tried]:
            history: list[int] = []
            for turn in reversed(range(len(events))):
                last = parents[turn][last]
                history = [int(event) for event in events[turn][:, last]] + history
            yield history + ([int(rng.integers(4))] if player == 1 else [])


def _play(
    player: int, own: list[int], wanted: list[int], count: int, rng: np.random.Generator
) -> tuple[list[Numbers], list[Numbers]]:
    """The events of each turn by copy, and for each copy after the turn, which it was during it;
    nothing if no copy is left.
    """
    copies = _Copies.at_start(count)
    all_events, parents = [], []
    for action, shown in zip(own, wanted, strict=True):
        events = np.stack([
            *rng.integers(4, size=(2, count)),
            *(rng.random((2, count)) < _FAILURE),
            2 + rng.integers(2, size=count),
        ])  # fmt: skip
        events[player] = action
        over = _turn(copies, events)
        alive = np.flatnonzero((copies.seen(player) == shown) & ~over)
        if len(alive) == 0:
            return [], []
        which = np.concatenate([alive, rng.choice(alive, count - len(alive))])
        copies = copies.chosen(which)
        all_events.append(events)
        parents.append(which)
    return all_events, parents


def _turn(copies: _Copies, events: Numbers) -> Mask:
    """Plays a turn in all copies; where that ended the game."""
    able = events[2:4] == 0
    forward = (events[:2] == _FORWARD) & able
    over = copies.push_together(forward[0] & forward[1])
    for step in (0, 1):
        for agent in (0, 1):
            turn = (events[4] + step) % 2 == agent
            copies.act(agent, events[agent], able[agent] & turn)
    return over
