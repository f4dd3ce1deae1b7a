"""The average policy: the mean of all search policies, weighted by own reach.

A policy that is played with its moves drawn from the mean over generations is, at an information
set, the mean weighted by how likely each generation's policy was to play towards it. Where a
policy does not go by itself it still counts a little (exploration), or its values would go stale.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.files import Arrays
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import uniform_table
from nash_ismcts_spiel.native import exact

Floats = npt.NDArray[np.float64]

_TOLERANCE = 1e-6
"""By how much sums of distributions may miss their weight, as a share of it."""


class AveragePolicy:
    """A running mean of policies, weighted by own reach.

    Attributes:
      weighted_sum: sum of policies times weights. [A]
      weight: sum of weights. [I]
    """

    def __init__(self, graph: GameGraph) -> None:
        """Starts empty, on an enumerated graph."""
        self._graph = graph
        counts = np.asarray(graph.information_sets.action_count)
        self._set_of_action = np.repeat(np.arange(len(counts)), counts)
        self._uniform: Floats = uniform_table(graph)
        self.weighted_sum: Floats = np.zeros(len(self._uniform))
        self.weight: Floats = np.zeros(len(counts))

    def policy(self) -> Floats:
        """The mean policy, uniform where nothing was added yet. [A]"""
        weight = self.weight[self._set_of_action]
        return np.divide(self.weighted_sum, weight, out=self._uniform.copy(), where=weight > 0.0)

    def own_reach(self, policy: Floats, explore: float) -> Floats:
        """How likely each information set's player is to play towards it, exploring. [I]"""
        exploring = (1.0 - explore) * policy + explore * self._uniform
        return exact.own_reach(self._graph, exploring)

    def add(
        self,
        policy: Floats,
        information_sets: npt.NDArray[np.int32],
        weight: float | Floats,
        explore: float,
    ) -> None:
        """Counts a policy at the information sets where it was found by search.

        Args:
          policy: of all players, at all information sets. [A]
          information_sets: where it counts.
          weight: of this policy against others, at all of these sets or at each.
          explore: share of uniform play in the own reach.
        """
        counts = np.zeros(len(self.weight))
        counts[information_sets] = weight
        counts *= self.own_reach(policy, explore)
        # New arrays, so that whoever keeps the old ones for a checkpoint keeps them whole.
        self.weighted_sum = self.weighted_sum + counts[self._set_of_action] * policy
        self.weight = self.weight + counts

    def arrays(self) -> Arrays:
        """All that a checkpoint must keep."""
        return {"weighted_sum": self.weighted_sum, "weight": self.weight}

    def restore(self, arrays: Arrays) -> None:
        """Goes back to where `arrays` were taken.

        Raises:
          ValueError: they are those of another game, or not sums of distributions.
        """
        weighted_sum, weight = arrays["weighted_sum"], arrays["weight"]
        if weighted_sum.shape != self.weighted_sum.shape or weight.shape != self.weight.shape:
            raise ValueError(f"the checkpoint is not one of {self._graph.game.name}")
        sums = np.array(weighted_sum, dtype=np.float64)
        weights = np.array(weight, dtype=np.float64)
        totals = np.bincount(self._set_of_action, sums, len(weights))
        with np.errstate(invalid="ignore"):  # infinity, which is refused like all that is too much
            off = np.abs(totals - weights)
        # Written so that NaN fails.
        if not (np.all(sums >= 0.0) and np.all(off <= _TOLERANCE * weights)):
            raise ValueError("its sums of policies are not those of distributions")
        self.weighted_sum, self.weight = sums, weights
