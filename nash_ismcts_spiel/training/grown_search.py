"""Searches of one shard on a graph that grows: in trees of their own, or all in one forest.

In a large game searches have little in common: each has trees of its own, many are under way at
once so that networks evaluate their rows together, and their work is bounded. It is counted in
bytes, `NUMBER_BYTES` for each number that a network reads or gives for a search: that is about what
it costs in time, in games of any size, and depends on nothing but the searches.

In a small game what one search has found out another one needs: they come one after another in one
forest, and rows that a search waits for are evaluated with all others that are missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.evaluation import Models
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import new_search, search_in_forest, search_together
from nash_ismcts_spiel.native.models import NativeModels
from nash_ismcts_spiel.training.grown_rows import NUMBER_BYTES
from nash_ismcts_spiel.training.network_evaluator import NetworkEvaluator

Floats = npt.NDArray[np.float64]
Between = Callable[[Sequence[_core.Search]], None]

FIRST_SEARCHES = 8
"""Searches that tell what a search takes."""

_MOST_KEPT = 64_000_000
"""Numbers (of 8 bytes) in rows that searches keep for later ones; beyond that they are dropped."""

_MOST_TOGETHER = 4096
"""Rows that are evaluated at once for searches in one forest."""


class Searches(Protocol):
    """Searches each information set at most once.

    Attributes:
      found: the root policy of each information set that was searched.
    """

    found: dict[int, Floats]

    @property
    def simulations(self) -> int:
        """Done in all trees of all searches."""
        ...

    def search(self, wanted: Iterable[int]) -> None:
        """Searches what was not searched yet, in this order."""
        ...


class SharedSearches:
    """Searches one after another in one forest."""

    def __init__(
        self,
        models: NativeModels,
        config: SearchConfig,
        rng: np.random.Generator,
        between: Between,
    ) -> None:
        """Starts with nothing found; `between` is called whenever some searches are over."""
        self.found: dict[int, Floats] = {}
        self._models = models
        self._visits = config.visits
        self._rng = rng
        self._between = between
        self._search = new_search(models.graph, config)

    @property
    def simulations(self) -> int:
        """Done in all trees."""
        return self._search.simulations

    def search(self, wanted: Iterable[int]) -> None:
        """Searches what was not searched yet, in this order."""
        sets = np.array([n for n in dict.fromkeys(wanted) if n not in self.found], dtype=np.int32)
        policy = search_in_forest(
            self._models.graph,
            self._models.rows,
            self._search,
            sets,
            self._visits,
            self._rng,
            self._provide,
            lambda: self._between([self._search]),
        )
        first = self._models.graph.information_sets.first_action
        count = self._models.graph.information_sets.action_count
        for number in sets.tolist():
            self.found[number] = policy[first[number] : first[number] + count[number]]

    def _provide(self, sets: npt.NDArray[np.int32], samples: npt.NDArray[np.int32]) -> None:
        """Evaluates what is waited for, and with it what else the graph has without a row."""
        graph, rows = self._models.graph, self._models.rows
        if len(sets) > 0:
            missing = _missing(rows.has_information_set, len(graph.information_sets), sets)
            self._models.provide(missing, missing[:0])
        if len(samples) > 0:
            missing = _missing(rows.has_sample, len(graph.samples), samples)
            self._models.provide(missing[:0], missing)


def _missing(
    has: npt.NDArray[np.uint8], count: int, wanted: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """The latest rows that are missing, with those that are wanted."""
    known = np.zeros(count, dtype=np.bool_)
    known[: len(has)] = has
    missing = np.flatnonzero(~known)[-_MOST_TOGETHER:]
    return np.union1d(missing, wanted).astype(np.int32)


class BoundedSearches:
    """Searches side by side, each in trees of its own, until they have taken so many bytes."""

    def __init__(
        self,
        graph: GameGraph,
        evaluator: NetworkEvaluator,
        config: SearchConfig,
        rng: np.random.Generator,
        width: int,
        most_bytes: float,
        between: Between,
    ) -> None:
        """Starts with nothing found.

        Args:
          graph: where to search.
          evaluator: the models.
          config: how to search.
          rng: of all randomness; it is consumed.
          width: most searches that are under way at once.
          most_bytes: what they may take.
          between: is called after each batch of rows.
        """
        self.found: dict[int, Floats] = {}
        self.simulations = 0
        self._graph = graph
        self._evaluator = evaluator
        self._config = config
        self._rng = rng
        self._width = width
        self._most_bytes = most_bytes
        self._between = between
        self._models = NativeModels(Models(graph, evaluator))
        self._kept = 0
        self._read = 0
        self._given = 0

    def fitting(self) -> float:
        """How many searches fit in all, if all are like those so far."""
        return self._most_bytes / max(self._bytes() / max(len(self.found), 1), 1.0)

    def search(self, wanted: Iterable[int]) -> None:
        """Searches what was not searched yet, in this order, as long as there is room."""
        sets = [number for number in dict.fromkeys(wanted) if number not in self.found]
        while sets and (count := self._together()):
            self._search_now(sets[:count])
            sets = sets[count:]

    def _search_now(self, sets: Sequence[int]) -> None:
        read, given = self._evaluator.numbers_read, self._evaluator.numbers_given
        rngs = self._rng.spawn(len(sets))
        results = search_together(
            self._models, self._config, sets, rngs, self._width, self._between
        )
        for number, result in zip(sets, results, strict=True):
            self.found[number] = np.array(result.policy)
            self.simulations += result.simulations
        self._read += self._evaluator.numbers_read - read
        self._given += self._evaluator.numbers_given - given
        self._kept += self._evaluator.numbers_given - given
        if self._kept > _MOST_KEPT:
            self._models = NativeModels(Models(self._graph, self._evaluator))
            self._kept = 0

    def _together(self) -> int:
        """How many searches may begin, by the room that is left and by what they keep."""
        if self._most_bytes == math.inf:
            return 1 << 30
        if not self.found:
            return FIRST_SEARCHES
        left = self.fitting() * (1.0 - self._bytes() / self._most_bytes)
        kept = _MOST_KEPT * len(self.found) / max(self._given, 1)
        return max(0, int(min(left, max(kept, 1.0), 2 * self._width)))

    def _bytes(self) -> float:
        return float(NUMBER_BYTES * (self._read + self._given))
