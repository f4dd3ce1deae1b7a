"""A shard of a generation's self-play: what a worker does.

All randomness comes from the seed and the numbers of generation and shard. The graph of a shard is
its own, or that of the whole game, so the rows do not depend on which worker played it, when, or
how often it was tried.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping

import numpy as np
import torch

from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.games.tensors import Tensors
from nash_ismcts_spiel.learning.bounds import Bounds
from nash_ismcts_spiel.learning.config import MEGABYTE, TrainingConfig
from nash_ismcts_spiel.learning.loops import whole_graph
from nash_ismcts_spiel.learning.rows import HiddenRows, PolicyRows, ValueRows
from nash_ismcts_spiel.learning.self_play import SelfPlay
from nash_ismcts_spiel.learning.watch import Watch
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.networks.nets import Numbers, load_weights, make_networks


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
        self._tensors = Tensors(
            self._game,
            split_actions=config.search.split_actions,
            inputs=config.networks.inputs,
            turned=config.networks.turned,
        )
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
            play.learn_at_once(learner.prior_games)
        policy = play.search_games(
            search_games, self._config.search_config(task.generation), learner.side_by_side
        )
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
            searches=self._config.most_searches / self._config.shards,
        )

    def _share(self, games: int, shard: int) -> int:
        """The shard's part of a generation's games, the first shards one more if it must be."""
        shards = self._config.shards
        return max(1, games // shards + (shard < games % shards))
