"""A generation that is watched: how far it has come, and that it ends when its time is up.

Time is wall time. What is reported is for the eye only: nothing that is learned depends on it, and
a generation that runs out of time is dropped, so results stay a function of the seed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

_REPORT_SECONDS = 0.25
"""Time between two reports."""


class TimeUpError(Exception):
    """The time of a training was up inside a generation."""


class Progress(NamedTuple):
    """How far a generation has come.

    Attributes:
      games: games finished, with search and without.
      games_planned: games to be played; bounds may end them earlier.
      searches: information sets searched.
      searches_planned: about how many there will be; 0 if that is not known.
      simulations: in all trees of these searches.
      fitting: whether the games are over and the networks learn.
    """

    games: int = 0
    games_planned: int = 0
    searches: int = 0
    searches_planned: int = 0
    simulations: int = 0
    fitting: bool = False

    def parts(self, seconds: float) -> list[str]:
        """In words, for a generation that began so many seconds ago."""
        if self.fitting:
            return ["fitting"]
        planned = f"/{self.searches_planned:,}" if self.searches_planned else ""
        return [
            f"games {self.games:,}/{self.games_planned:,}",
            f"searches {self.searches:,}{planned}",
            f"{self.simulations / max(seconds, 1e-9):,.0f} simulations/s",
        ]


class Watch:
    """Watches one generation, or one of its shards."""

    def __init__(
        self,
        deadline: float | None = None,
        report: Callable[[Progress], None] | None = None,
    ) -> None:
        """Takes when time is up, by `time.monotonic`, and who is told of progress; None is never
        and nobody.
        """
        self.deadline = deadline
        self._report = report
        self._next_report = 0.0
        self._parts: dict[int, Progress] = {}

    def check(self) -> None:
        """Raises TimeUpError if time is up."""
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise TimeUpError

    def is_due(self) -> bool:
        """Whether somebody waits for a report."""
        return self._report is not None and time.monotonic() >= self._next_report

    def tell(self, progress: Progress) -> None:
        """Reports, whether it is due or not."""
        self._next_report = time.monotonic() + _REPORT_SECONDS
        if self._report is not None:
            self._report(progress)

    def part(self, number: int) -> Watch:
        """The watch of a shard; what it is told adds up over all shards."""
        if self._report is None:
            return self
        return Watch(self.deadline, lambda progress: self.tell_part(number, progress))

    def tell_part(self, number: int, progress: Progress) -> None:
        """Reports the sum over shards, of which one has come so far."""
        self._parts[number] = progress
        self.tell(Progress(*(sum(column) for column in zip(*self._parts.values(), strict=True))))
