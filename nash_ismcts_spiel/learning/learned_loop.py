"""The loop of learned models: a generation of self-play in shards, then fits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.learning.config import TrainingConfig
from nash_ismcts_spiel.learning.learner import Learner
from nash_ismcts_spiel.learning.loop import Loop
from nash_ismcts_spiel.learning.measure import hidden_divergence, policy_figures
from nash_ismcts_spiel.learning.rows import HiddenRows, PolicyRows, ValueRows
from nash_ismcts_spiel.learning.watch import Progress, Watch
from nash_ismcts_spiel.learning.worker import SelfPlayRows, SelfPlayTask
from nash_ismcts_spiel.learning.workers import Workers
from nash_ismcts_spiel.models.networks.nets import weights_of
from nash_ismcts_spiel.models.networks.tables import TableEvaluator

_FITTING = 1 << 31
"""The shard number from which fitting draws."""


class LearnedLoop(Loop):
    """Training of learned models.

    Attributes:
      games: games played, with search and without.
      searches: information sets searched.
    """

    counted = ("simulations", "games", "searches", "elsewhere_seconds")
    models: Learner

    def __init__(
        self,
        models: Learner,
        config: TrainingConfig,
        seed: int,
        workers: Workers[SelfPlayTask, SelfPlayRows],
        measured: Callable[[], GameGraph | None] = lambda: None,
    ) -> None:
        """Starts before the first generation.

        Args:
          models: what learns.
          config: schedules and settings.
          seed: of all randomness.
          workers: who plays the shards.
          measured: the enumerated graph on which P and H are measured, None if there is none;
            nothing is learned from it.
        """
        super().__init__(seed)
        self.games = 0
        self.searches = 0
        self.models = models
        self._config = config
        self._workers: Workers[SelfPlayTask, SelfPlayRows] = workers
        self._measured = measured

    def step(self, watch: Watch | None = None) -> None:
        """One generation; if it is interrupted while games are played, nothing has changed.

        Raises:
          TimeUpError: the time of `watch` is up; the models must be restored.
        """
        watch = watch or Watch()
        generation = self.generation + 1
        weights = weights_of(self.models.networks)
        tasks = [SelfPlayTask(generation, shard, weights) for shard in range(self._config.shards)]
        shards = self._workers.run(tasks, watch)
        watch.tell(Progress(fitting=True))
        self.models.learn(
            generation,
            PolicyRows.together([shard.policy for shard in shards]),
            ValueRows.together([shard.value for shard in shards]),
            HiddenRows.together([shard.hidden for shard in shards]),
            np.random.default_rng([self._seed, generation, _FITTING]),
            watch,
        )
        self._done(shards)
        self.games += sum(shard.games for shard in shards)
        self.searches += sum(shard.searches for shard in shards)

    def figures(self) -> dict[str, float]:
        """What there is to say of the last generation, by name."""
        counts = {"games": self.games, "searches": self.searches, "rows": len(self.models.buffer)}
        return {**self._against_the_truth(), **counts, **self.models.figures()}

    def _against_the_truth(self) -> dict[str, float]:
        """How exploitable P is, and how far H is from Bayes' rule, where that can be known."""
        graph = self._measured()
        if graph is None:
            return {}
        tables = TableEvaluator(graph, self.models.evaluator())
        divergence = hidden_divergence(graph, tables.policy, tables.beliefs)
        return {**policy_figures(graph, tables.policy), "hidden_divergence": divergence}
