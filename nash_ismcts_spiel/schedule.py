"""Schedules: settings that change from generation to generation by a power law. A plain number is
a constant schedule.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
from typing import Any

from nash_ismcts_spiel.settings import Settings


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Schedule(Settings):
    """`start * generation ** power`, kept between `lowest` and `highest`; generations count from 1.

    Attributes:
      start: the value in generation 1.
      power: 0 keeps it, -0.5 lets it fall as one over the square root.
      lowest: it never falls below this.
      highest: it never rises above this; None is no bound.
    """

    start: float
    power: float = 0.0
    lowest: float = 0.0
    highest: float | None = None

    def __post_init__(self) -> None:
        """Refuses bounds that exclude each other."""
        self.check_types()
        if self.start < 0.0 or self.lowest < 0.0:
            raise ValueError(f"a schedule must not be negative: {self}")
        if self.highest is not None and self.highest < self.lowest:
            raise ValueError(f"highest must not be below lowest in {self}")

    @classmethod
    def from_plain(cls, value: Any) -> Any:
        """A schedule from its settings, or from the number that it always is."""
        if isinstance(value, numbers.Real) and not isinstance(value, bool):
            return cls(start=float(value))
        return super(Schedule, cls).from_plain(value)

    def at(self, generation: int) -> float:
        """The value in a generation."""
        try:
            value = max(self.lowest, self.start * math.pow(generation, self.power))
        except OverflowError:
            value = math.inf
        return value if self.highest is None else min(value, self.highest)
