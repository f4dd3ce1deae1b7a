"""Phantom go: where the other player's stones are.

A player sees its own stones, whether the last move was valid and how many stones it captured. Its
own moves tell that points were empty or taken at that time, and captures tell more: when stones
are captured, all their neighbours are stones of the other colour. So a log is first read as a list
of points and times, *where the other player must have had a stone when*, and where it must not have
played because the player itself plays there next. Then worlds are taken forward in which the other
player puts stones where they are needed, in time, and elsewhere on points that nobody cares about.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.facts.log import Look
from nash_ismcts_spiel.facts.particles import histories
from nash_ismcts_spiel.facts.phantom_go_log import Reading

_READINGS = 2
"""How often a log is read, since a reading has to choose what was captured."""

_TRIES = 10
"""Moves that are tried in one place."""


def facts(
    game: Any, player: int, log: Sequence[Look], rng: np.random.Generator
) -> Iterator[list[int] | None]:
    """Histories in which the other player's stones are where they have to be."""
    for _ in range(_READINGS):
        reading = Reading(game.get_parameters()["board_size"], player, log, rng)
        yield from histories(game, player, log, _Choice(reading, player, rng), rng)


class _Choice:
    """What the other player does in imagined worlds.

    Attributes:
      reading: what the log of the player says.
      player: whose log it is.
    """

    def __init__(self, reading: Reading, player: int, rng: np.random.Generator) -> None:
        self.reading = reading
        self.player = player
        self.rng = rng
        self.heat = 1.0

    def events(self, state: Any, number: int) -> Iterable[int]:
        """Moves of the other player, best first; the look with a number is the next one."""
        reading = self.reading
        legal = state.legal_actions()
        if number < len(reading.log) and reading.log[number].action is None:
            now = reading.seen[number]
            if now.passed:
                return [reading.size * reading.size]
            if not now.valid:  # most often, it met a stone that it did not know of
                met = [action for action in legal if action in reading.seen[number].own]
                others = [action for action in legal if action not in reading.seen[number].own]
                return [*self._shuffled(met)[:1], *self._shuffled(others)[:_TRIES]]
        return self._placed(state, number, legal[:-1])

    def _shuffled(self, actions: list[int]) -> list[int]:
        return [actions[which] for which in self.rng.permutation(len(actions))]

    def _placed(self, state: Any, number: int, legal: list[int]) -> Iterator[int]:
        """Points where a stone is needed, in time, and points that nobody cares about."""
        reading = self.reading
        shown = state.observation_string(1 - self.player)
        theirs = reading.read_look(shown, 1 - self.player).own
        needed: list[int] = []
        free: list[int] = []
        for point in legal:
            window = None if point in theirs else reading.window(point, number)
            if window is not None:
                (needed if window.needed else free).append(point)
        urgent = set(self._urgent(theirs, number))
        if urgent:
            needed = [point for point in needed if point in urgent]
            yield from self._safest(self._shuffled(needed)[:_TRIES], theirs, number)
            return
        slots = len(reading.moves) - bisect.bisect_left(reading.moves, number)
        first = self.rng.random() * max(slots, 1) < len(needed)
        wanted, other = self._shuffled(needed)[:_TRIES], self._shuffled(free)[:_TRIES]
        yield from self._safest([*wanted, *other] if first else [*other, *wanted], theirs, number)

    def _safest(self, points: list[int], theirs: frozenset[int], number: int) -> Iterator[int]:
        """The same points, those last that take the last liberty of a point where the player plays
        later.
        """
        last = []
        for point in points:
            if self._smothers(point, theirs, number):
                last.append(point)
            else:
                yield point
        yield from last

    def _smothers(self, point: int, theirs: frozenset[int], number: int) -> bool:
        """Whether a stone takes the last liberty of a point where the player plays later."""
        reading = self.reading
        return any(
            reading.played_after(beside, number)
            and all(p == point or p in theirs for p in reading.neighbours(beside))
            for beside in reading.neighbours(point)
        )

    def _urgent(self, theirs: frozenset[int], number: int) -> list[int]:
        """Points that take all moves which are left until the last of them is needed."""
        moves = self.reading.moves
        start = bisect.bisect_left(moves, number)
        points: list[int] = []
        for until, point, window in self.reading.needs:
            if until < number or (window.after < number and point in theirs):
                continue
            points.append(point)
            if len(points) >= bisect.bisect_right(moves, until) - start:
                return points
        return []
