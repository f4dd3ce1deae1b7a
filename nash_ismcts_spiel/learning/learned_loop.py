"""The loop of learned models: a generation of self-play in shards, then fits.

All randomness comes from the seed and the numbers of generation and shard. The graph of a shard is
its own, or that of the whole game, so the rows do not depend on which worker played it, when, or
how often it was tried.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Mapping

import numpy as np
import torch

from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.learning.config import MEGABYTE, MOST_SEARCHES, TrainingConfig
from nash_ismcts_spiel.learning.learner import Learner
from nash_ismcts_spiel.learning.loop import Floats, Loop
from nash_ismcts_spiel.learning.loops import learns_enumerated, measured_graph, whole_graph
from nash_ismcts_spiel.learning.measure import hidden_divergence, policy_figures
from nash_ismcts_spiel.learning.rows import HiddenRows, PolicyRows, ValueRows
from nash_ismcts_spiel.learning.searches import Bounds
from nash_ismcts_spiel.learning.self_play import SelfPlay
from nash_ismcts_spiel.learning.watch import Progress, Watch
from nash_ismcts_spiel.learning.workers import Workers
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.networks.nets import Numbers, load_weights, make_networks, weights_of
from nash_ismcts_spiel.models.networks.tables import TableEvaluator

_ON_TABLES = "learned, networks evaluated over the enumerated game"
_FITTING = 1 << 31
"""The shard number from which fitting draws."""


@dataclasses.dataclass(frozen=True, slots=True)
class SelfPlayTask:
    """A shard that is to be played.

    Attributes:
      generation: of the games.
      shard: its number.
      weights: of all networks, as `weights_of` gives them.
    """

    generation: int
    shard: int
    weights: Mapping[str, Numbers]


@dataclasses.dataclass(frozen=True, slots=True)
class SelfPlayRows:
    """What was played.

    Attributes:
      policy, value, hidden: rows for the networks.
      games: games played, with search and without.
      searches: information sets searched.
      simulations: in all trees of these searches.
      cpu_seconds: processor time that it took.
    """

    policy: PolicyRows
    value: ValueRows
    hidden: HiddenRows
    games: int
    searches: int
    simulations: int
    cpu_seconds: float


class SelfPlayWorker:
    """Plays shards of one run."""

    def __init__(
        self, game: str, config: TrainingConfig, seed: int, enumerated: bool = False
    ) -> None:
        """Prepares networks without weights, and the whole game if it is to be enumerated."""
        torch.set_num_threads(1)
        self._game = support(game)
        self._seed = seed
        self._tensors = config.networks.tensors(self._game, config.search.split_actions)
        self._config = config.for_inputs(self._tensors.sample_inputs)
        self._networks = make_networks(self._tensors, config.networks, seed)
        self._scale = self._game.value_scale()
        self._graph = whole_graph(self._game, config) if enumerated else None

    def run(self, task: SelfPlayTask, watch: Watch | None = None) -> SelfPlayRows:
        """Plays the search games and the policy games of a shard."""
        started = time.thread_time()
        learner = self._config.learner
        load_weights(self._networks, task.weights)
        evaluator = NetworkEvaluator(self._tensors, self._networks, self._scale)
        rng = np.random.default_rng([self._seed, task.generation, task.shard])
        search_games = self._share(learner.search_games, task.shard)
        policy_games = self._share(learner.policy_games, task.shard)
        play = SelfPlay(
            self._game,
            evaluator,
            learner,
            rng,
            self._bounds(),
            watch,
            search_games + policy_games,
            self._graph,
            self._config.networks.beliefs == "prior",
        )
        value, hidden = play.policy_games(policy_games, learner.hidden_share)
        if play.is_small():
            play.learn_at_once()
        policy = play.search_games(search_games, self._config.search_config(task.generation))
        assert play.searches is not None
        searches, simulations = len(play.searches.found), play.searches.simulations
        used = time.thread_time() - started
        return SelfPlayRows(policy, value, hidden, play.games, searches, simulations, used)

    def _bounds(self) -> Bounds:
        """A shard's part of a generation's bounds."""
        each = MEGABYTE / self._config.shards
        learner = self._config.learner
        return Bounds(
            search=learner.search_megabytes * each,
            rows=learner.rows_megabytes * each,
            sets=learner.most_sets / self._config.shards,
            searches=MOST_SEARCHES / self._config.shards,
        )

    def _share(self, games: int, shard: int) -> int:
        """The shard's part of a generation's games, the first shards one more if it must be."""
        shards = self._config.shards
        return max(1, games // shards + (shard < games % shards))


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
    ) -> None:
        """Starts before the first generation.

        Args:
          models: what learns.
          config: schedules and settings.
          seed: of all randomness.
          workers: who plays the shards.
        """
        super().__init__(models.game, seed)
        self.games = 0
        self.searches = 0
        self.models = models
        self._config = config
        enumerated = learns_enumerated(models.game, config)
        self.learned_on = _ON_TABLES if enumerated else "learned on graphs that grow"
        self._workers: Workers[SelfPlayTask, SelfPlayRows] = workers

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

    @functools.cached_property
    def graph(self) -> GameGraph | None:  # type: ignore[override]  # made when it is asked for
        """The enumerated graph on which P and H are measured; nothing is learned from it."""
        return measured_graph(self.game, self._config)

    def policy(self) -> Floats:
        """P, with its mean weights. [A]"""
        return self._tables().policy

    def figures(self) -> dict[str, float]:
        """What there is to say of the last generation, by name."""
        counts = {"games": self.games, "searches": self.searches, "rows": len(self.models.buffer)}
        return {**self._against_the_truth(), **counts, **self.models.figures()}

    def _against_the_truth(self) -> dict[str, float]:
        """How exploitable P is, and how far H is from Bayes' rule, where that can be known."""
        if self.graph is None:
            return {}
        tables = self._tables()
        divergence = hidden_divergence(tables.graph, tables.policy, tables.beliefs)
        return {**policy_figures(tables.graph, tables.policy), "hidden_divergence": divergence}

    def _tables(self) -> TableEvaluator:
        """The networks at every information set."""
        return TableEvaluator(self.whole(), self.models.evaluator())
