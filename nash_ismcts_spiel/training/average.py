"""The average policy: the mean of all search policies, weighted by own reach.

A policy that is played with its moves drawn from the mean over generations is, at an information
set, the mean weighted by how likely each generation's policy was to play towards it. Where a
policy does not go by itself it still counts a little (exploration), or its values would go stale.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import exact

Floats = npt.NDArray[np.float64]


class AveragePolicy:
    """A running mean per information set of an enumerated graph.

    Attributes:
      weighted_sum: sum of policies times weights. [A]
      weight: sum of weights. [I]
    """

    def __init__(self, graph: GameGraph) -> None:
        """Starts empty: uniform."""
        self._graph = graph
        counts = np.asarray(graph.information_sets.action_count)
        self._set_of_action = np.repeat(np.arange(len(counts)), counts)
        self._uniform: Floats = 1.0 / counts[self._set_of_action]
        self.weighted_sum: Floats = np.zeros(len(self._uniform))
        self.weight: Floats = np.zeros(len(counts))

    def policy(self) -> Floats:
        """The mean, uniform where nothing was added yet. [A]"""
        weight = self.weight[self._set_of_action]
        return np.divide(self.weighted_sum, weight, out=self._uniform.copy(), where=weight > 0.0)

    def add(
        self, policy: Floats, information_sets: npt.NDArray[np.int32], weight: float, explore: float
    ) -> None:
        """Counts a policy at the information sets where it was found by search.

        Args:
          policy: of all players, at all information sets. [A]
          information_sets: where it counts.
          weight: of this policy against others.
          explore: share of uniform play in the own reach.
        """
        exploring = (1.0 - explore) * policy + explore * self._uniform
        counts = np.zeros(len(self.weight))
        counts[information_sets] = weight
        counts *= exact.own_reach(self._graph, exploring)
        # New arrays, so that whoever keeps the old ones for a checkpoint keeps them whole.
        self.weighted_sum = self.weighted_sum + counts[self._set_of_action] * policy
        self.weight = self.weight + counts
