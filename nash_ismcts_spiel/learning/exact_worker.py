"""A shard of a generation's searches with exact models: what a worker does.

Exact models follow from P alone, so a task carries nothing else.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.learning.config import TrainingConfig
from nash_ismcts_spiel.learning.watch import Watch
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import search_everywhere
from nash_ismcts_spiel.native.exact import exact_rows

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, slots=True)
class ExactTask:
    """A shard that is to be searched.

    Attributes:
      generation: of the searches.
      shard: its number.
      information_sets: where to search.
      policy: P at every information set. [A]
    """

    generation: int
    shard: int
    information_sets: npt.NDArray[np.int32]
    policy: Floats


class ExactResult(NamedTuple):
    """What was found.

    Attributes:
      policy: the root policies, 0 where nothing was searched. [A]
      simulations: in all trees.
      cpu_seconds: processor time that it took.
    """

    policy: Floats
    simulations: int
    cpu_seconds: float


class ExactWorker:
    """Searches shards of one run."""

    def __init__(self, graph: GameGraph, config: TrainingConfig, seed: int) -> None:
        """Takes an enumerated graph."""
        self._graph = graph
        self._config = config
        self._seed = seed
        self._last: tuple[Floats, _core.Rows] | None = None
        self._lock = threading.Lock()

    @classmethod
    def of_game(cls, game: str, config: TrainingConfig, seed: int) -> ExactWorker:
        """A worker with a graph of its own."""
        return cls(
            GameGraph.enumerate(game, split_actions=config.search.split_actions), config, seed
        )

    def run(self, task: ExactTask, watch: Watch | None = None) -> ExactResult:
        """Searches a shard; that is short, so nobody is told of it and time is not looked at."""
        started = time.thread_time()
        rng = np.random.default_rng([self._seed, task.generation, task.shard])
        config = self._config.search_config(task.generation)
        rows = self._rows(task.policy)
        found, simulations = search_everywhere(
            self._graph, rows, config, rng, task.information_sets
        )
        return ExactResult(found, simulations, time.thread_time() - started)

    def _rows(self, policy: Floats) -> _core.Rows:
        """Rows of a policy; shards of one generation in one process share them."""
        with self._lock:
            if self._last is None or self._last[0] is not policy:
                rows = exact_rows(self._graph, policy, self._config.forgetful_values)
                self._last = (policy, rows)
            return self._last[1]
