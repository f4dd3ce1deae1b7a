"""What is measured of a run, and when: one line of `metrics.jsonl` per measured generation."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

METRICS = "metrics.jsonl"
_MEASURED_RATIO = 1.05
"""Generations are measured at about this ratio: often at first, then ever more rarely."""


@dataclasses.dataclass(frozen=True, slots=True)
class Metrics:
    """One line of `metrics.jsonl`; exploitability is NashConv / number of players.

    Learned models add their losses, counts of games, searches and rows and, where the game can be
    enumerated, `hidden_divergence` (of H from Bayes' rule, in nats). Games for more than two
    players, or whose utilities do not add up to a constant, add what each player gets and gains
    (`learning/measure.py`).

    Attributes:
      generation: generations done.
      wall_seconds: time spent on generations, measurements and checkpoints left out.
      cpu_seconds: processor time for the same, over all threads.
      simulations: done in all trees; iterations of subgame solvers in ReBeL.
      exploitability_average: of P, the average policy; None if the game is too large for that.
      exploitability_search: of the policy that this generation's searches found, or None.
      figures: everything else, by name.
    """

    generation: int
    wall_seconds: float
    cpu_seconds: float
    simulations: int
    exploitability_average: float | None
    exploitability_search: float | None
    figures: Mapping[str, float]

    def line(self) -> str:
        """The line of `metrics.jsonl`."""
        fixed = {name: getattr(self, name) for name in _FIXED}
        return json.dumps({**fixed, **self.figures})


_FIXED = [field.name for field in dataclasses.fields(Metrics) if field.name != "figures"]


def read_metrics(directory: Path) -> list[Metrics]:
    """The measured generations of a run, oldest first."""
    path = directory / METRICS
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_read(json.loads(line)) for line in lines]


def _read(stored: dict[str, Any]) -> Metrics:
    fixed = {name: stored.pop(name) for name in _FIXED}
    return Metrics(**fixed, figures=stored)


def is_measured(generation: int, ratio: float = _MEASURED_RATIO) -> bool:
    """Whether a power of the ratio lies between the generation before and this one."""
    if generation == 1:
        return True
    step = math.log(ratio)
    return int(math.log(generation) / step) > int(math.log(generation - 1) / step)
