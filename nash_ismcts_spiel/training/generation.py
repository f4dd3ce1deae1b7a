"""The generation loop of enumerated games: search with the current models, learn from what was
found, repeat.

It is the same for exact and for learned models; they differ in their `ModelSource`. All randomness
comes from the seed, the number of the generation and the number of the shard, so a loop that is
restored from a checkpoint goes on as if it had never stopped.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.public import public_states
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.training.config import TrainingConfig
from nash_ismcts_spiel.training.metrics import by_player
from nash_ismcts_spiel.training.models import ModelSource
from nash_ismcts_spiel.training.table_worker import TableResult, TableTask, TableWorker
from nash_ismcts_spiel.training.watch import Watch
from nash_ismcts_spiel.training.workers import Threads, WorkerKind, Workers, make_workers

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

_CHOICE_OF_SETS = 1 << 30
"""The shard number from which the choice of information sets is drawn."""


class GenerationLoop:
    """Training of one policy on an enumerated graph.

    Attributes:
      generation: generations done.
      simulations: simulations done, in all trees.
      elsewhere_seconds: processor time that workers in other processes took.
      models: the current models.
      search_policy: what the last generation's searches found, P where it did not search. [A]
    """

    def __init__(
        self,
        graph: GameGraph,
        models: ModelSource,
        config: TrainingConfig,
        seed: int,
        workers: int = 1,
        worker_kind: WorkerKind = "threads",
    ) -> None:
        """Starts before the first generation.

        Args:
          graph: an enumerated graph.
          models: where models come from.
          config: schedules and settings.
          seed: of all randomness.
          workers: how many search shards; more than there are shards are idle.
          worker_kind: what they are.
        """
        if seed < 0 or workers < 1:
            raise ValueError(f"need a seed from 0 and workers from 1, not {seed} and {workers}")
        self.generation = 0
        self.simulations = 0
        self.elsewhere_seconds = 0.0
        self.models = models
        self.search_policy = models.policy()
        self._graph = graph
        self._config = config
        self._seed = seed
        self._workers: Workers[TableTask, TableResult]
        if worker_kind == "threads":
            self._workers = Threads(TableWorker(graph, config, seed), workers)
        else:
            make_worker = functools.partial(TableWorker.of_game, graph.game.name, config, seed)
            self._workers = make_workers(worker_kind, make_worker, workers)
        self._in_order = _by_public_state(graph) if config.shards > 1 else _all_sets(graph)

    def step(self, watch: Watch | None = None) -> None:
        """One generation, however long it takes; if it is interrupted, nothing has changed."""
        generation = self.generation + 1
        chosen = self._choose(generation)
        found, results = self._search(generation, chosen)
        self.models.learn(generation, found, chosen)
        self.search_policy = found
        self.generation = generation
        self.simulations += sum(result.simulations for result in results)
        if self._workers.elsewhere:
            self.elsewhere_seconds += sum(result.cpu_seconds for result in results)

    def counters(self) -> dict[str, float]:
        """What a checkpoint keeps of the loop, beside the number of generations."""
        return {
            "simulations": self.simulations,
            "elsewhere_seconds": self.elsewhere_seconds,
        }

    def restore(self, generation: int, counters: Mapping[str, float]) -> None:
        """Goes on after `generation`; the models must have been restored."""
        self.generation = generation
        self.simulations = int(counters["simulations"])
        self.elsewhere_seconds = counters["elsewhere_seconds"]

    def figures(self) -> dict[str, float]:
        """What there is to say of the last generation, by name."""
        average = exact.nash_conv(self._graph, self.models.policy())
        return {
            "exploitability_average": average.exploitability,
            "exploitability_search": exact.exploitability(self._graph, self.search_policy),
            **({} if self._graph.game.two_player_constant_sum else by_player(average)),
            **self.models.figures(),
        }

    def close(self) -> None:
        """Lets go of the workers."""
        self._workers.close()

    def _choose(self, generation: int) -> Ints:
        """The information sets that a generation searches."""
        share = self._config.searched_share
        if share >= 1.0:
            return self._in_order
        count = max(1, round(share * len(self._in_order)))
        rng = self._generator(generation, _CHOICE_OF_SETS)
        kept = np.sort(rng.choice(len(self._in_order), count, replace=False))
        return self._in_order[kept]

    def _search(self, generation: int, chosen: Ints) -> tuple[Floats, list[TableResult]]:
        tables = self.models.tables()
        parts = np.array_split(chosen, min(self._config.shards, len(chosen)))
        tasks = [TableTask(generation, shard, part, tables) for shard, part in enumerate(parts)]
        results = self._workers.run(tasks)
        found = np.sum([result.policy for result in results], axis=0)
        if len(chosen) < len(self._in_order):
            found = self._fill_in(found, chosen)
        return found, results

    def _fill_in(self, found: Floats, chosen: Ints) -> Floats:
        """P where nothing was searched."""
        sets = self._graph.information_sets
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
