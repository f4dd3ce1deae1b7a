"""Where a generation's models come from: the interface, and exact models.

A source gives rows for the search, takes the policies that the search found, and becomes the
models of the next generation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.training.average import AveragePolicy
from nash_ismcts_spiel.training.config import TrainingConfig
from nash_ismcts_spiel.training.table_worker import Tables

Floats = npt.NDArray[np.float64]
ModelKind = Literal["exact", "learned"]
Arrays = Mapping[str, npt.NDArray[np.generic]]


class ModelSource(Protocol):
    """The models of the current generation, and how they learn."""

    def policy(self) -> Floats:
        """P at every information set. [A]"""
        ...

    def tables(self) -> Tables:
        """The models at every information set, from which `rows_of` makes rows for the search."""
        ...

    def learn(
        self, generation: int, found: Floats, information_sets: npt.NDArray[np.int32]
    ) -> None:
        """Takes the search policies of a generation, found at `information_sets`."""
        ...

    def figures(self) -> dict[str, float]:
        """What else there is to say of the current generation, by name."""
        ...

    def arrays(self) -> Arrays:
        """All that a checkpoint must keep."""
        ...

    def restore(self, arrays: Arrays) -> None:
        """Goes back to where `arrays` were taken."""
        ...


def make_models(
    kind: ModelKind, graph: GameGraph, config: TrainingConfig, seed: int
) -> ModelSource:
    """The models of a new run."""
    if kind == "exact":
        return ExactModels(graph, config)
    # Torch takes seconds to import, which exact models should not have to wait for.
    import torch

    from nash_ismcts_spiel.training.learned import LearnedModels

    torch.set_num_threads(1)  # the networks are small: more threads only wait for each other
    return LearnedModels(graph, config, seed)


class ExactModels:
    """P is the average of all search policies, H and V are exact for P."""

    def __init__(self, graph: GameGraph, config: TrainingConfig) -> None:
        """Starts with the uniform policy."""
        self._graph = graph
        self._config = config
        self._average = AveragePolicy(graph)

    def policy(self) -> Floats:
        """P at every information set. [A]"""
        return self._average.mean()

    def tables(self) -> Tables:
        """P; all else follows from it."""
        return {"policy": self.policy()}

    def learn(
        self, generation: int, found: Floats, information_sets: npt.NDArray[np.int32]
    ) -> None:
        """Counts a generation's search policies in the average."""
        weight = float(generation) ** self._config.averaging_power
        explore = self._config.exploration.at(generation)
        self._average.add_reached(found, information_sets, weight, explore)

    def figures(self) -> dict[str, float]:
        """Nothing: exact models have no losses."""
        return {}

    def arrays(self) -> Arrays:
        """The average's sums."""
        return {"weighted_sum": self._average.weighted_sum, "weight": self._average.weight}

    def restore(self, arrays: Arrays) -> None:
        """Goes back to the average whose sums these are."""
        self._average.restore(arrays["weighted_sum"], arrays["weight"])
