"""The policy targets of all generations, as far as a loss can tell them apart.

The loss of P is a weighted mean of cross entropies over rows (information set, target). Rows of one
information set enter it only by the sum of their weights and by their weighted mean target, so
those two are kept instead of the rows: a buffer that never forgets and never grows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph

Floats = npt.NDArray[np.float64]


class PolicySamples:
    """Sums over all rows so far.

    Attributes:
      weighted_sum: targets times weights. [A]
      weight: weights. [I]
    """

    def __init__(self, graph: GameGraph) -> None:
        """Starts empty."""
        counts = np.asarray(graph.information_sets.action_count)
        self._set_of_action = np.repeat(np.arange(len(counts)), counts)
        self._uniform: Floats = 1.0 / counts[self._set_of_action]
        self.weighted_sum: Floats = np.zeros(len(self._uniform))
        self.weight: Floats = np.zeros(len(counts))

    def add(self, targets: Floats, visits: npt.NDArray[np.int64], weight: float) -> None:
        """Adds a row for each visit of an information set, all with the weight of a generation."""
        counts = weight * visits
        self.weighted_sum = self.weighted_sum + counts[self._set_of_action] * targets
        self.weight = self.weight + counts

    def mean(self) -> Floats:
        """The mean target of each information set, uniform where there is none. [A]"""
        weight = self.weight[self._set_of_action]
        return np.divide(self.weighted_sum, weight, out=self._uniform.copy(), where=weight > 0.0)
