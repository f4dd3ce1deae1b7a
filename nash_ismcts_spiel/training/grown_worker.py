"""A shard of a generation's self-play in a game that is not enumerated: what a worker does.

All randomness comes from the seed and the numbers of generation and shard, and a shard's graph is
its own, so the rows do not depend on which worker played it, when, or how often it was tried.
"""

from __future__ import annotations

import dataclasses
import io
import time

import numpy as np
import torch

from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.games.tensors import Tensors
from nash_ismcts_spiel.training.bounds import Bounds
from nash_ismcts_spiel.training.config import MEGABYTE, TrainingConfig
from nash_ismcts_spiel.training.grown_play import GrownPlay
from nash_ismcts_spiel.training.network_evaluator import NetworkEvaluator
from nash_ismcts_spiel.training.networks import Networks, load_state, make_networks
from nash_ismcts_spiel.training.rows import HiddenRows, PolicyRows, ValueRows
from nash_ismcts_spiel.training.watch import Watch


@dataclasses.dataclass(frozen=True, slots=True)
class GrownTask:
    """A shard that is to be played.

    Attributes:
      generation: of the games.
      shard: its number.
      weights: of all networks, as `weights_of` writes them.
    """

    generation: int
    shard: int
    weights: bytes


@dataclasses.dataclass(frozen=True, slots=True)
class ShardRows:
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


class GrownWorker:
    """Plays shards of one run."""

    def __init__(self, game: str, config: TrainingConfig, seed: int) -> None:
        """Prepares networks without weights."""
        torch.set_num_threads(1)
        self._game = support(game)
        self._config = config
        self._seed = seed
        self._tensors = Tensors(
            self._game,
            split_actions=config.search.split_actions,
            hidden_order=config.search.hidden_order,
        )
        self._networks = make_networks(self._tensors, config.networks, seed)
        self._scale = self._game.value_scale()

    def run(self, task: GrownTask, watch: Watch | None = None) -> ShardRows:
        """Plays the search games and the policy games of a shard."""
        started = time.thread_time()
        grown = self._config.grown
        load_weights(self._networks, task.weights)
        evaluator = NetworkEvaluator(self._tensors, self._networks, self._scale)
        rng = np.random.default_rng([self._seed, task.generation, task.shard])
        search_games = self._share(grown.search_games, task.shard)
        policy_games = self._share(grown.policy_games, task.shard)
        play = GrownPlay(
            self._game,
            evaluator,
            self._config.networks,
            rng,
            self._bounds(),
            watch,
            search_games + policy_games,
        )
        value, hidden = play.policy_games(policy_games, grown.hidden_share)
        if play.is_small():
            play.learn_at_once(grown.prior_games)
        policy = play.search_games(
            search_games, self._config.search_config(task.generation), grown.side_by_side
        )
        assert play.searches is not None
        searches, simulations = len(play.searches.found), play.searches.simulations
        used = time.thread_time() - started
        return ShardRows(policy, value, hidden, play.games, searches, simulations, used)

    def _bounds(self) -> Bounds:
        """A shard's part of a generation's bounds."""
        each = MEGABYTE / self._config.shards
        grown = self._config.grown
        return Bounds(
            search=grown.search_megabytes * each,
            rows=grown.rows_megabytes * each,
            sets=grown.most_sets / self._config.shards,
            searches=grown.most_searches / self._config.shards,
        )

    def _share(self, games: int, shard: int) -> int:
        """The shard's part of a generation's games, the first shards one more if it must be."""
        shards = self._config.shards
        return max(1, games // shards + (shard < games % shards))


def weights_of(networks: Networks) -> bytes:
    """The weights of all networks, to be read by `load_weights`."""
    buffer = io.BytesIO()
    torch.save({name: net.state_dict() for name, net in networks.by_name().items()}, buffer)
    return buffer.getvalue()


def load_weights(networks: Networks, weights: bytes) -> None:
    """Takes over weights that `weights_of` wrote; nothing in them is executed."""
    stored = load_state(weights)
    for name, network in networks.by_name().items():
        network.load_state_dict(stored[name])
