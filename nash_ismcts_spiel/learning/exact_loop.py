"""Training with exact models: search with the current ones, average what was found, repeat.

P is the average of all search policies; H follows from it by Bayes' rule and V by policy
evaluation, over the whole enumerated game. All randomness comes from the seed, the number of the
generation and the number of the shard, so a loop that is restored from a checkpoint goes on as if
it had never stopped.
"""

from __future__ import annotations

import dataclasses
import functools
import threading
import time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.public import public_states
from nash_ismcts_spiel.learning.average import AveragePolicy
from nash_ismcts_spiel.learning.config import MOST_SEARCHES, TrainingConfig
from nash_ismcts_spiel.learning.draws import inclusion_probabilities, systematic_sample
from nash_ismcts_spiel.learning.loop import Loop
from nash_ismcts_spiel.learning.measure import policy_figures
from nash_ismcts_spiel.learning.watch import Watch
from nash_ismcts_spiel.learning.workers import Threads, WorkerKind, Workers, make_workers
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.native.engine import search_everywhere
from nash_ismcts_spiel.native.exact import exact_rows

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

_CHOICE_OF_SETS = 1 << 30
"""The shard number from which the choice of information sets is drawn."""


class ExactModels(AveragePolicy):
    """P as the average of all search policies; H and V follow from it."""

    def __init__(self, graph: GameGraph, config: TrainingConfig) -> None:
        """Starts with the uniform policy."""
        super().__init__(graph)
        self._config = config

    def learn(
        self, generation: int, found: Floats, information_sets: Ints, probabilities: Floats
    ) -> None:
        """Counts the search policies of a generation, found at `information_sets`, which were drawn
        with these probabilities.
        """
        weight = float(generation) ** self._config.averaging_power
        explore = self._config.exploration.at(generation)
        self.add(found, information_sets, weight / probabilities, explore)


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
                self._last = (policy, exact_rows(self._graph, policy))
            return self._last[1]


class ExactLoop(Loop):
    """Training of one policy on an enumerated graph.

    Attributes:
      search_policy: what the last generation's searches found, P where it did not search. [A]
    """

    counted = ("simulations", "elsewhere_seconds")
    learned_on = "exact models of the enumerated game"
    graph: GameGraph
    models: ExactModels

    def __init__(
        self,
        graph: GameGraph,
        config: TrainingConfig,
        seed: int,
        workers: int = 1,
        worker_kind: WorkerKind = "threads",
    ) -> None:
        """Starts before the first generation.

        Args:
          graph: an enumerated graph.
          config: schedules and settings.
          seed: of all randomness.
          workers: how many search shards; more than there are shards are idle.
          worker_kind: what they are.
        """
        if seed < 0 or workers < 1:
            raise ValueError(f"need a seed from 0 and workers from 1, not {seed} and {workers}")
        super().__init__(graph.game, seed)
        self.models = ExactModels(graph, config)
        self.search_policy = self.models.policy()
        self.graph = graph
        self._config = config
        self._workers: Workers[ExactTask, ExactResult]
        if worker_kind == "threads":
            self._workers = Threads(ExactWorker(graph, config, seed), workers)
        else:
            make_worker = functools.partial(ExactWorker.of_game, graph.game.name, config, seed)
            self._workers = make_workers(worker_kind, make_worker, workers)
        self._in_order = _by_public_state(graph) if config.shards > 1 else _all_sets(graph)

    def step(self, watch: Watch | None = None) -> None:
        """One generation, however long it takes; if it is interrupted, nothing has changed."""
        generation = self.generation + 1
        chosen, probabilities = self._choose(generation)
        found, results = self._search(generation, chosen)
        self.models.learn(generation, found, chosen, probabilities)
        self.search_policy = found
        self._done(results)

    def figures(self) -> dict[str, float]:
        """What there is to say of the last generation, by name."""
        return {
            **policy_figures(self.graph, self.models.policy()),
            "exploitability_search": exact.exploitability(self.graph, self.search_policy),
        }

    def policy(self) -> Floats:
        """P. [A]"""
        return self.models.policy()

    def _choose(self, generation: int) -> tuple[Ints, Floats]:
        """The information sets that a generation searches, and the probability of each.

        If not all are, they are drawn by how likely their own players are to play towards them.
        """
        if len(self._in_order) <= MOST_SEARCHES:
            return self._in_order, np.ones(len(self._in_order))
        explore = self._config.exploration.at(generation)
        reach = self.models.own_reach(self.models.policy(), explore)[self._in_order]
        probabilities = inclusion_probabilities(reach, MOST_SEARCHES)
        drawn = systematic_sample(probabilities, self._generator(generation, _CHOICE_OF_SETS))
        return self._in_order[drawn], probabilities[drawn]

    def _search(self, generation: int, chosen: Ints) -> tuple[Floats, list[ExactResult]]:
        policy = self.models.policy()
        parts = np.array_split(chosen, min(self._config.shards, len(chosen)))
        tasks = [ExactTask(generation, shard, part, policy) for shard, part in enumerate(parts)]
        results = self._workers.run(tasks)
        found = np.sum([result.policy for result in results], axis=0)
        if len(chosen) < len(self._in_order):
            found = self._fill_in(found, chosen)
        return found, results

    def _fill_in(self, found: Floats, chosen: Ints) -> Floats:
        """P where nothing was searched."""
        sets = self.graph.information_sets
        searched = np.zeros(len(sets), dtype=bool)
        searched[chosen] = True
        of_actions = np.repeat(searched, np.asarray(sets.action_count))
        return np.where(of_actions, found, self.models.policy())

    def _generator(self, generation: int, shard: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, generation, shard])


def _all_sets(graph: GameGraph) -> Ints:
    return np.arange(len(graph.information_sets), dtype=np.int32)


def _by_public_state(graph: GameGraph) -> Ints:
    """Information sets in the order of their public states.

    Searches in one public state think about the same later ones, so neighbours share trees.
    """
    state = public_states(graph)[np.asarray(graph.information_sets.first_world)]
    return np.argsort(state, kind="stable").astype(np.int32)
