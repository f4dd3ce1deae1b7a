"""Searches of one shard on a graph that grows: which of them fit into a bounded amount of work.

Work is counted in bytes, `NUMBER_BYTES` for each number that a network reads or gives for a search:
that is about what it costs in time, in games of any size, and depends on nothing but the searches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.evaluation import Models
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import search_together
from nash_ismcts_spiel.native.models import NativeModels
from nash_ismcts_spiel.training.grown_rows import NUMBER_BYTES
from nash_ismcts_spiel.training.network_evaluator import NetworkEvaluator

Floats = npt.NDArray[np.float64]

FIRST_SEARCHES = 8
"""Searches that tell what a search takes."""

_MOST_KEPT = 64_000_000
"""Numbers (of 8 bytes) in rows that searches keep for later ones; beyond that they are dropped."""


class BoundedSearches:
    """Searches each information set at most once, until they have taken so many bytes.

    Attributes:
      found: the root policy of each information set that was searched.
      simulations: done in all trees of all searches.
    """

    def __init__(
        self,
        graph: GameGraph,
        evaluator: NetworkEvaluator,
        rng: np.random.Generator,
        most_bytes: float,
        between: Callable[[Sequence[_core.Search]], None],
    ) -> None:
        """Starts with nothing found; `between` is called after each batch of rows."""
        self.found: dict[int, Floats] = {}
        self.simulations = 0
        self._graph = graph
        self._evaluator = evaluator
        self._rng = rng
        self._most_bytes = most_bytes
        self._between = between
        self._models = NativeModels(Models(graph, evaluator))
        self._kept = 0
        self._read = 0
        self._given = 0

    def __len__(self) -> int:
        """Information sets searched."""
        return len(self.found)

    def fitting(self) -> float:
        """How many searches fit in all, if all are like those so far."""
        return self._most_bytes / max(self._bytes() / max(len(self), 1), 1.0)

    def search(self, wanted: Iterable[int], config: SearchConfig, width: int) -> None:
        """Searches what was not searched yet, in this order, as long as there is room.

        At most `width` searches are under way at once.
        """
        sets = [number for number in dict.fromkeys(wanted) if number not in self.found]
        while sets and (count := self._together(width)):
            self._search_now(sets[:count], config, width)
            sets = sets[count:]

    def _search_now(self, sets: Sequence[int], config: SearchConfig, width: int) -> None:
        read, given = self._evaluator.numbers_read, self._evaluator.numbers_given
        rngs = self._rng.spawn(len(sets))
        results = search_together(self._models, config, sets, rngs, width, self._between)
        for number, result in zip(sets, results, strict=True):
            self.found[number] = np.array(result.policy)
            self.simulations += result.simulations
        self._read += self._evaluator.numbers_read - read
        self._given += self._evaluator.numbers_given - given
        self._kept += self._evaluator.numbers_given - given
        if self._kept > _MOST_KEPT:
            self._models = NativeModels(Models(self._graph, self._evaluator))
            self._kept = 0

    def _together(self, width: int) -> int:
        """How many searches may begin, by the room that is left and by what they keep."""
        if self._most_bytes == math.inf:
            return 1 << 30
        if not self.found:
            return FIRST_SEARCHES
        left = self.fitting() * (1.0 - self._bytes() / self._most_bytes)
        kept = _MOST_KEPT * len(self) / max(self._given, 1)
        return max(0, int(min(left, max(kept, 1.0), 2 * width)))

    def _bytes(self) -> float:
        return float(NUMBER_BYTES * (self._read + self._given))
