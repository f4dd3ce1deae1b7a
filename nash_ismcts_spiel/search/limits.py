"""The bounds of a search besides its visits: time, and the size of the graph."""

from __future__ import annotations

import dataclasses
import time
from typing import Literal

from nash_ismcts_spiel.games import GameGraph

StoppedBy = Literal["visits", "seconds", "worlds", "no_world"]


class LimitReachedError(Exception):
    """A limit was reached in the middle of a simulation, which is then given up.

    Attributes:
      stopped_by: which limit.
    """

    def __init__(self, stopped_by: StoppedBy) -> None:
        """Says which limit."""
        super().__init__(stopped_by)
        self.stopped_by: StoppedBy = stopped_by


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """When a search has to end with the policy that it has.

    Attributes:
      deadline: by `time.perf_counter`; None if time is not limited.
      max_worlds: size of the graph at which it ends; None if that is not limited.
    """

    deadline: float | None = None
    max_worlds: int | None = None

    def check(self, graph: GameGraph) -> None:
        """Raises LimitReachedError if a limit is reached."""
        if self.max_worlds is not None and len(graph.worlds) >= self.max_worlds:
            raise LimitReachedError("worlds")
        if self.deadline is not None and time.perf_counter() >= self.deadline:
            raise LimitReachedError("seconds")
