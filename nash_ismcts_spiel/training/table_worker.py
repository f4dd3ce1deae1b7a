"""A shard of a generation's searches in an enumerated game: what a worker does.

Models reach the search as tables over the whole graph, so a worker in another process needs no
networks: it rebuilds the rows from the tables.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import search_everywhere
from nash_ismcts_spiel.native.models import exact_rows
from nash_ismcts_spiel.training.config import TrainingConfig
from nash_ismcts_spiel.training.watch import Watch

Floats = npt.NDArray[np.float64]
Tables = Mapping[str, Floats]
"""`policy` [A], and for learned models also `value` [I] and `beliefs` [B]."""


@dataclasses.dataclass(frozen=True, slots=True)
class TableTask:
    """A shard that is to be searched.

    Attributes:
      generation: of the searches.
      shard: its number.
      information_sets: where to search.
      tables: the models.
    """

    generation: int
    shard: int
    information_sets: npt.NDArray[np.int32]
    tables: Tables


class TableResult(NamedTuple):
    """What was found.

    Attributes:
      policy: the root policies, 0 where nothing was searched. [A]
      simulations: in all trees.
      cpu_seconds: processor time that it took.
    """

    policy: Floats
    simulations: int
    cpu_seconds: float


class TableWorker:
    """Searches shards of one run."""

    def __init__(self, graph: GameGraph, config: TrainingConfig, seed: int) -> None:
        """Takes an enumerated graph."""
        self._graph = graph
        self._config = config
        self._seed = seed
        self._last: tuple[Tables, _core.Rows] | None = None
        self._lock = threading.Lock()

    @classmethod
    def of_game(cls, game: str, config: TrainingConfig, seed: int) -> TableWorker:
        """A worker with a graph of its own."""
        graph = GameGraph.enumerate(
            game,
            split_actions=config.search.split_actions,
            hidden_order=config.search.hidden_order,
        )
        return cls(graph, config, seed)

    def run(self, task: TableTask, watch: Watch | None = None) -> TableResult:
        """Searches a shard; that is short, so nobody is told of it and time is not looked at."""
        started = time.thread_time()
        rng = np.random.default_rng([self._seed, task.generation, task.shard])
        config = self._config.search_config(task.generation)
        rows = self._rows(task.tables)
        found, simulations = search_everywhere(
            self._graph, rows, config, rng, task.information_sets
        )
        return TableResult(found, simulations, time.thread_time() - started)

    def _rows(self, tables: Tables) -> _core.Rows:
        """Rows of the tables; shards of one generation in one process share them."""
        with self._lock:
            if self._last is None or self._last[0] is not tables:
                self._last = (tables, rows_of(self._graph, tables, self._config.forgetful_values))
            return self._last[1]


def rows_of(graph: GameGraph, tables: Tables, forgetful: bool) -> _core.Rows:
    """What a search reads of models that are given as tables."""
    if "value" not in tables:
        return exact_rows(graph, tables["policy"], forgetful)
    graph.resolve()
    rows = _core.Rows()
    rows.put_lookahead(graph, tables["policy"], tables["value"], tables["beliefs"])
    return rows
