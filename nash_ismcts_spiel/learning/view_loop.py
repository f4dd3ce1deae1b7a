"""Training over views, for games too large to be enumerated whose histories merge.

A generation is one sweep of the merged game (`native/exact/merged_sweeps.h`); P is the mean of what
all sweeps played. Nothing is drawn, so there is one result for all seeds. The schedules look at the
generation alone: a run may end after any, and be resumed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.files import Arrays
from nash_ismcts_spiel.games.merged import MergedGame
from nash_ismcts_spiel.learning.config import TrainingConfig
from nash_ismcts_spiel.learning.loop import Loop
from nash_ismcts_spiel.learning.measure import figures_of
from nash_ismcts_spiel.learning.watch import Watch
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.schedule import Schedule

Floats = npt.NDArray[np.float64]

_STEP = Schedule(start=2.0, power=-0.5)
"""Eta of a sweep, per value scale."""
_TEMPERATURE = Schedule(start=0.3, power=-0.7, lowest=0.003)
"""Alpha of a sweep, in value scales."""
_STATE = ("logits", "values", "policy_sums")


class ViewModels:
    """P as the mean of all sweeps, and what the next one starts from."""

    def __init__(self, merged: MergedGame) -> None:
        """Starts with the uniform policy."""
        self.sweeps = _core.MergedSweeps(merged.native)

    def policy(self) -> Floats:
        """P at every view, in the order of the merged game's views. [A]"""
        return self.sweeps.average_policy()

    def arrays(self) -> Arrays:
        """All that a checkpoint must keep."""
        return dict(zip(_STATE, self.sweeps.state(), strict=True))

    def restore(self, arrays: Arrays) -> None:
        """Goes back to where `arrays` were taken."""
        self.sweeps.restore(*(np.asarray(arrays[name], np.float64) for name in _STATE))


class ViewLoop(Loop):
    """Training of one policy over views; `simulations` counts nodes of the game that sweeps visit.

    It is measured rarely, which takes as long as a thousand sweeps.
    """

    measured_ratio = 4.0
    merged: MergedGame
    models: ViewModels

    def __init__(self, merged: MergedGame, config: TrainingConfig) -> None:
        """Starts before the first sweep."""
        super().__init__(merged.game)
        self.merged = merged
        self.learned_on = f"exact models of {len(merged.views):,} views"
        self.models = ViewModels(merged)
        self._config = config
        self._scale = merged.game.value_scale()

    def step(self, watch: Watch | None = None) -> None:
        """One sweep, which takes milliseconds."""
        self.generation += 1
        self.models.sweeps.sweep(
            _STEP.at(self.generation) / self._scale,
            _TEMPERATURE.at(self.generation) * self._scale,
            float(self.generation) ** self._config.averaging_power,
        )
        self.simulations += self.merged.native.num_nodes

    def figures(self) -> dict[str, float]:
        """What there is to say of P, by name."""
        found, _ = exact.merged_nash_conv(self.merged, self.models.policy())
        return figures_of(self.merged.game, found)

    def policy(self) -> Floats:
        """P. [A]"""
        return self.models.policy()
