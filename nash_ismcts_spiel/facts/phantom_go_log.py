"""What a log of phantom go says of the other player's stones (for `phantom_go.py`).

A look shows the player's own stones, stones of the other player that it has met, whether the last
move was valid, and how many stones it captured. From all looks follows for each point when there
was a stone of the other player, when there was none, and so when it can have been put there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nash_ismcts_spiel.facts.log import Look


class Seen(NamedTuple):
    """One look: points with own and with known stones of the other player, and the last move."""

    own: frozenset[int]
    other: frozenset[int]
    valid: bool
    passed: bool
    captured: int


class Window(NamedTuple):
    """When the other player may put a stone on a point: after one look and up to another one.

    Attributes:
      after: the number of a look.
      until: the number of a look.
      needed: there has to be a stone then; else nobody cares.
    """

    after: int
    until: int
    needed: bool


class Reading:
    """A log of phantom go, read for where the other player has to play and when."""

    def __init__(
        self, size: int, player: int, log: Sequence[Look], rng: np.random.Generator
    ) -> None:
        """Reads a player's log; `rng` decides where it leaves a choice."""
        self.size = size
        self.log = log
        self.rng = rng
        self.seen = [self.read_look(look.shown, player) for look in log]
        self.facts: dict[int, list[tuple[int, str]]] = {p: [] for p in range(size * size)}
        for number in range(1, len(log)):
            self._read(number)
        self.windows = {point: self._windows(facts) for point, facts in self.facts.items()}
        self.needs = sorted(
            (window.until, point, window)
            for point, windows in self.windows.items()
            for window in windows
            if window.needed
        )
        self.moves = self._moves(player)

    def read_look(self, shown: str, player: int) -> Seen:
        """What a player is shown."""
        rows = [line.split()[1] for line in shown.split("\n")[: self.size]]
        board = "".join(reversed(rows))
        colours = "XO" if player == 0 else "OX"
        captured = re.search(r"(\d+) stones were captured", shown)
        return Seen(
            frozenset(point for point, stone in enumerate(board) if stone == colours[0]),
            frozenset(point for point, stone in enumerate(board) if stone == colours[1]),
            "was valid" in shown,
            "was a pass" in shown,
            int(captured.group(1)) if captured else 0,
        )

    def neighbours(self, point: int) -> list[int]:
        """The points beside a point."""
        row, column = divmod(point, self.size)
        beside = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [r * self.size + c for r, c in beside if 0 <= r < self.size and 0 <= c < self.size]

    def group(self, point: int, stones: frozenset[int]) -> set[int]:
        """The points of `stones` that are connected with a point."""
        found, pending = {point}, [point]
        while pending:
            for beside in self.neighbours(pending.pop()):
                if beside in stones and beside not in found:
                    found.add(beside)
                    pending.append(beside)
        return found

    def around(self, points: set[int] | frozenset[int]) -> set[int]:
        """The points beside some points."""
        return {beside for point in points for beside in self.neighbours(point)} - points

    def _note(self, points: set[int] | frozenset[int], number: int, fact: str) -> None:
        for point in points:
            self.facts[point].append((number, fact))

    def _windows(self, facts: list[tuple[int, str]]) -> list[Window]:
        """When the other player may put a stone on a point, oldest first."""
        windows, empty, since = [], True, 0
        for number, fact in facts:
            if fact == "taken" and empty:
                windows.append(Window(since, number, True))
            empty, since = fact == "emptied", number
        if empty:
            windows.append(Window(since, len(self.log), False))
        return windows

    def _read(self, number: int) -> None:
        before, now, action = self.seen[number - 1], self.seen[number], self.log[number].action
        if action is None:
            lost = before.own - now.own
            self._note(self.around(lost), number, "taken")
            self._note(lost, number, "emptied")
        elif action < self.size * self.size and now.valid:
            captured = self._captured(number, action)
            self._note(captured, number, "taken")
            self._note(captured, number, "emptied")
            self._note({action}, number, "own")
        elif action in now.other:
            self._note({action}, number, "taken")
        elif action < self.size * self.size:
            self._note(self._surrounding(number, action), number, "taken")
            self._note({action}, number, "emptied")

    def _captured(self, number: int, action: int) -> set[int]:
        """Stones that an own move captured: areas beside it without an own stone, full of them."""
        before, now = self.seen[number - 1], self.seen[number]
        known = before.other - now.other  # stones that are not there any more
        others = frozenset(range(self.size * self.size)) - now.own
        areas: list[set[int]] = []
        for point in self.neighbours(action):
            if point in others and not any(point in area for area in areas):
                areas.append(self.group(point, others))
        areas = [area for area in areas if not area & now.other]
        unions: list[set[int]] = [set()]
        for which in self.rng.permutation(len(areas)):
            unions += [each | areas[which] for each in unions]
        fitting = [each for each in unions if len(each) == now.captured and known <= each]
        return fitting[0] if fitting else set()

    def _surrounding(self, number: int, action: int) -> set[int]:
        """Stones all round an empty point, if that is why an own move there was not allowed."""
        before = self.seen[number - 1]
        last = self.seen[number - 2] if number > 1 else before
        if before.captured == 1 and action in last.own:
            return set()  # the player may not take back at once
        return self.around(self.group(action, before.own))

    def _moves(self, player: int) -> list[int]:
        """The looks at which, or before which unseen, the other player puts a stone."""
        found = []
        for number in range(1, len(self.log)):
            now, before = self.seen[number], self.seen[number - 1]
            if self.log[number].action is None:
                if now.valid and not now.passed:
                    found.append(number)
            elif before.valid and (self.log[number - 1].action is not None or number == player):
                found.append(number)
        return found

    def played_after(self, point: int, number: int) -> bool:
        """Whether the next that is known of a point is that the player takes it, and no stones."""
        for when, fact in self.facts[point]:
            if when >= number:
                return fact == "own" and self.seen[when].captured == 0
        return False

    def window(self, point: int, number: int) -> Window | None:
        """The window of a point in which a move just before a look falls."""
        for window in self.windows[point]:
            if window.after < number <= window.until:
                return window
        return None
