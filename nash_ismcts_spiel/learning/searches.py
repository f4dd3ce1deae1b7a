"""Searches of one shard on a graph that grows: in trees of their own, or all in one forest.

In a large game searches have little in common: each has trees of its own, many are under way at
once so that networks evaluate their rows together, and their work is bounded. It is counted in
bytes, `NUMBER_BYTES` for each number that a network reads or gives for a search: that is about what
it costs in time, in games of any size, and depends on nothing but the searches. Where hidden states
are drawn by the prior, each simulation draws one, which counts as a row that H would have read; and
where an information set has more actions than visits, the target is a soft step from P,
P(a)^.9 exp(20 Q(a) / value scale), since shares of visits would be 0 for most actions, and P would
soon give up whatever it happens to like less.

In a small game what one search has found out another one needs: they come one after another in one
forest, and rows that a search waits for are evaluated with all others that are missing.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.learning.row_maker import NUMBER_BYTES
from nash_ismcts_spiel.models import Models
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.prior_beliefs import PriorBeliefs
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import ForestSearch, search_together
from nash_ismcts_spiel.native.models import NativeModels

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int32]
Between = Callable[[Sequence[_core.Search]], None]

_SIDE_BY_SIDE = 256
"""Searches that are under way at once, whose rows are evaluated together."""

FIRST_SEARCHES = 8
"""Searches that tell what a search takes."""

_SOFT_STEP: Mapping[str, Any] = {
    "root_rule": "quantal_step",
    "quantal_share": 0.1,
    "temperature": 0.005,
}
"""Of targets where there are more actions than visits."""

_MOST_KEPT = 64_000_000
"""Numbers (of 8 bytes) in rows that searches keep for later ones; beyond that they are dropped."""

_MOST_TOGETHER = 4096
"""Rows that are evaluated at once for searches in one forest."""

_LOOK_AHEAD = 8
"""Events after an information set that is waited for, within which rows are evaluated with it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """How much a shard plays at most: counted and never timed, so that a run stays a function of
    its seed.

    Attributes:
      search: bytes that searches take, see `BoundedSearches`.
      rows: bytes of rows for V, and as many for H.
      sets: information sets at which P is evaluated in policy games.
      searches: of information sets in a small game.
    """

    search: float = math.inf
    rows: float = math.inf
    sets: float = math.inf
    searches: float = math.inf


class SharedSearches:
    """Searches one after another in one forest.

    Attributes:
      found: the root policy of each information set that was searched; none is searched twice.
    """

    def __init__(
        self,
        models: NativeModels,
        config: SearchConfig,
        rng: np.random.Generator,
        most: float,
        between: Between,
    ) -> None:
        """Starts with nothing found.

        Args:
          models: of the graph to search.
          config: how to search.
          rng: of all randomness; it is consumed.
          most: searches that there is room for.
          between: is called whenever some searches are over.
        """
        self.found: dict[int, Floats] = {}
        self._models = models
        self._most = most
        self._between = between
        self._forest = ForestSearch(models.graph, config, rng)
        self._looked_at = 0  # information sets whose first SAMPLE nodes are made

    @property
    def simulations(self) -> int:
        """Done in all trees."""
        return self._forest.search.simulations

    def fitting(self) -> float:
        """How many searches there is room for in all."""
        return self._most

    def search(self, wanted: Iterable[int]) -> None:
        """Searches what was not searched yet, in this order."""
        sets = [number for number in dict.fromkeys(wanted) if number not in self.found]
        self._evaluate_all()
        self._forest.begin(np.array(sets, dtype=np.int32))
        while not self._forest.over:
            self._provide(*self._forest.advance(self._models.rows))
            self._between([self._forest.search])
        self.found |= self._forest.found()

    def _provide(self, sets: Numbers, samples: Numbers) -> None:
        """Evaluates what is waited for, and with it what comes soon after it."""
        if len(sets) + len(samples) > 0:
            _core.look_ahead(self._models.graph, sets, _LOOK_AHEAD, _MOST_TOGETHER)
            self._evaluate_all()

    def _evaluate_all(self) -> None:
        """Evaluates all rows of the graph that are missing, and before that makes the first SAMPLE
        node of each information set.
        """
        graph = self._models.graph
        known = len(graph.information_sets)
        new = np.arange(self._looked_at, known, dtype=np.int32)
        _core.look_ahead(graph, new, 0, len(new))
        self._looked_at = known
        self._models.provide_missing(
            np.arange(known, dtype=np.int32), np.arange(len(graph.samples), dtype=np.int32)
        )


class BoundedSearches:
    """Searches side by side, each in trees of its own, until they have taken so many bytes.

    Attributes:
      found: as of `SharedSearches`.
      simulations: done in all trees of all searches.
    """

    def __init__(
        self,
        graph: GameGraph,
        evaluator: NetworkEvaluator,
        config: SearchConfig,
        rng: np.random.Generator,
        most_bytes: float,
        between: Between,
        prior_beliefs: bool = False,
    ) -> None:
        """Starts with nothing found.

        Args:
          graph: where to search.
          evaluator: the models.
          config: how to search.
          rng: of all randomness; it is consumed.
          most_bytes: what they may take.
          between: is called after each batch of rows.
          prior_beliefs: whether hidden pieces are drawn by their prior and not by H.
        """
        self.found: dict[int, Floats] = {}
        self.simulations = 0
        self._graph = graph
        self._evaluator = evaluator
        self._config = config
        self._rng = rng
        self._most_bytes = most_bytes
        self._between = between
        self._searched = PriorBeliefs(evaluator) if prior_beliefs else evaluator
        self._models = NativeModels(Models(graph, self._searched))
        self._kept = 0
        self._read = 0
        self._given = 0
        self._prior_beliefs = prior_beliefs
        self._drawn_inputs = evaluator.tensors.sample_inputs if prior_beliefs else 0

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
        rngs = dict(zip(sets, self._rng.spawn(len(sets)), strict=True))
        for config, part in self._by_rule(sets):
            drawing = [rngs[number] for number in part]
            results = search_together(
                self._models, config, part, drawing, _SIDE_BY_SIDE, self._between
            )
            for number, result in zip(part, results, strict=True):
                self.found[number] = np.array(result.policy)
                self.simulations += result.simulations
                self._read += self._drawn_inputs * result.simulations
        self._read += self._evaluator.numbers_read - read
        self._given += self._evaluator.numbers_given - given
        self._kept += self._evaluator.numbers_given - given
        if self._kept > _MOST_KEPT:
            self._models = NativeModels(Models(self._graph, self._searched))
            self._kept = 0

    def _by_rule(self, sets: Sequence[int]) -> list[tuple[SearchConfig, Sequence[int]]]:
        """The information sets by how their targets are made."""
        if not self._prior_beliefs:
            return [(self._config, sets)]
        actions = self._graph.information_sets.action_count
        many = [number for number in sets if actions[number] > self._config.budget]
        few = [number for number in sets if actions[number] <= self._config.budget]
        step = dataclasses.replace(self._config, **_SOFT_STEP)
        return [(config, part) for config, part in ((self._config, few), (step, many)) if part]

    def _together(self) -> int:
        """How many searches may begin, by the room that is left and by what they keep."""
        if self._most_bytes == math.inf:
            return 1 << 30
        if not self.found:
            return FIRST_SEARCHES
        left = self.fitting() * (1.0 - self._bytes() / self._most_bytes)
        kept = _MOST_KEPT * len(self.found) / max(self._given, 1)
        return max(0, int(min(left, max(kept, 1.0), 2 * _SIDE_BY_SIDE)))

    def _bytes(self) -> float:
        return float(NUMBER_BYTES * (self._read + self._given))
