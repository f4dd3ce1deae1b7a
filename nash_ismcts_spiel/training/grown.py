"""Learning in games that are not enumerated: a generation of self-play shards, then fits.

P learns the buffer of all search policies; H learns what was hidden in this generation's policy
games only; V and Vc learn their results. All networks go on from the generation before.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.games.tensors import Tensors
from nash_ismcts_spiel.training.config import MEGABYTE, GrownConfig, TrainingConfig
from nash_ismcts_spiel.training.fit import Fitter
from nash_ismcts_spiel.training.grown_worker import GrownTask, ShardRows, weights_of
from nash_ismcts_spiel.training.losses import hidden_loss, policy_loss, value_loss
from nash_ismcts_spiel.training.models import Arrays
from nash_ismcts_spiel.training.network_evaluator import NetworkEvaluator
from nash_ismcts_spiel.training.networks import Sizes, load_state, make_networks
from nash_ismcts_spiel.training.rows import HiddenRows, PolicyRows, ValueRows
from nash_ismcts_spiel.training.samples import PolicyBuffer
from nash_ismcts_spiel.training.watch import Progress, Watch
from nash_ismcts_spiel.training.workers import Workers

_LEARNING = 1 << 31
"""The shard number from which fitting draws."""

_COUNTERS = ("simulations", "games", "searches", "elsewhere_seconds")


class GrownModels:
    """P, V, Vc and H as networks, with what they learn from.

    Attributes:
      tensors: what the networks see.
      networks: the current ones.
      buffer: policy targets of all generations.
    """

    def __init__(self, game: SupportedGame, config: TrainingConfig, seed: int) -> None:
        """Starts with random weights drawn from the seed."""
        self.tensors = Tensors(
            game,
            split_actions=config.search.split_actions,
            hidden_order=config.search.hidden_order,
        )
        self.networks = make_networks(self.tensors, config.networks, seed)
        self.buffer = PolicyBuffer(config.grown.buffer, _buffer_rows(self.tensors, config.grown))
        self._config = config
        self._scale = game.value_scale()
        self._foreseen: dict[str, float] = {}
        networks = self.networks
        self._policy = Fitter(networks.policy, policy_loss, config.networks)
        self._value = Fitter(networks.value, value_loss, config.networks)
        self._hidden = Fitter(networks.hidden, hidden_loss, config.networks)
        self._fitters: dict[str, Fitter[Any]] = {
            "policy": self._policy,
            "value": self._value,
            "hidden": self._hidden,
        }

    @property
    def sizes(self) -> Sizes:
        """Inputs and outputs of the networks."""
        return self.tensors

    def evaluator(self) -> NetworkEvaluator:
        """The current networks as an evaluator."""
        return NetworkEvaluator(self.tensors, self.networks, self._scale)

    def learn(
        self,
        generation: int,
        policy: PolicyRows,
        value: ValueRows,
        hidden: HiddenRows,
        rng: np.random.Generator,
        watch: Watch | None = None,
    ) -> None:
        """Takes the rows of a generation; how well they were foreseen is said in the figures.

        If time is up meanwhile, the models are neither the old nor the new ones.
        """
        look = (watch or Watch()).check
        power = self._config.networks.frequency_power
        value, hidden = value.to_the_power(power), hidden.to_the_power(power)
        foreseen = {
            "new_loss_policy": self._policy.loss(policy.to_the_power(power)),
            "new_loss_value": self._value.loss(value),
            "new_loss_hidden": self._hidden.loss(hidden),
        }
        steps = self._config.grown.steps
        weight = float(generation) ** self._config.averaging_power
        self.buffer.add(policy, weight, rng)
        self._policy.fit(self.buffer.rows().to_the_power(power), steps, generation, rng, look)
        self._hidden.fit(hidden, steps, generation, rng, look)
        self._value.fit(value, steps, generation, rng, look)
        self._foreseen = foreseen

    def figures(self) -> dict[str, float]:
        """Losses of the last generation: while fitting, and on its rows before they were fitted.

        The latter are losses on rows that no network had seen; that of P is how far searches moved
        away from it.
        """
        losses = {f"loss_{name}": fitter.last_loss for name, fitter in self._fitters.items()}
        return {**losses, **self._foreseen}

    def arrays(self) -> Arrays:
        """Buffer, weights and optimizers."""
        stored = {name: fitter.state() for name, fitter in self._fitters.items()}
        buffer = io.BytesIO()
        torch.save(stored, buffer)
        networks = np.frombuffer(buffer.getvalue(), dtype=np.uint8)
        return {**self.buffer.arrays(), "networks": networks}

    def restore(self, arrays: Arrays) -> None:
        """Goes back to where `arrays` were taken."""
        self.buffer.restore(arrays)
        stored = load_state(arrays["networks"].tobytes())
        for name, fitter in self._fitters.items():
            fitter.restore(stored[name])


def _buffer_rows(tensors: Tensors, config: GrownConfig) -> int:
    """Rows that a buffer holds, by their number and by what they take."""
    each = PolicyRows.bytes_of(tensors.set_inputs, tensors.actions)
    return max(1, min(config.buffer_rows, int(config.buffer_megabytes * MEGABYTE / each)))


class GrownLoop:
    """The generation loop of a game that is not enumerated.

    Attributes:
      generation: generations done.
      simulations: simulations done, in all trees.
      games: games played, with search and without.
      searches: information sets searched.
      elsewhere_seconds: processor time that other processes took for them.
      models: the current models.
    """

    def __init__(
        self,
        models: GrownModels,
        config: TrainingConfig,
        seed: int,
        workers: Workers[GrownTask, ShardRows],
    ) -> None:
        """Starts before the first generation; `workers` play the shards."""
        self.generation = 0
        self.simulations = 0
        self.games = 0
        self.searches = 0
        self.elsewhere_seconds = 0.0
        self.models = models
        self._config = config
        self._seed = seed
        self._workers = workers

    def step(self, watch: Watch | None = None) -> None:
        """One generation; if it is interrupted while games are played, nothing has changed.

        Raises:
          TimeUpError: the time of `watch` is up; the models must be restored.
        """
        watch = watch or Watch()
        generation = self.generation + 1
        weights = weights_of(self.models.networks)
        tasks = [GrownTask(generation, shard, weights) for shard in range(self._config.shards)]
        shards = self._workers.run(tasks, watch)
        watch.tell(Progress(fitting=True))
        self.models.learn(
            generation,
            PolicyRows.together([shard.policy for shard in shards]),
            ValueRows.together([shard.value for shard in shards]),
            HiddenRows.together([shard.hidden for shard in shards]),
            np.random.default_rng([self._seed, generation, _LEARNING]),
            watch,
        )
        self.generation = generation
        self.simulations += sum(shard.simulations for shard in shards)
        self.games += sum(shard.games for shard in shards)
        self.searches += sum(shard.searches for shard in shards)
        if self._workers.elsewhere:
            self.elsewhere_seconds += sum(shard.cpu_seconds for shard in shards)

    def counters(self) -> dict[str, float]:
        """What a checkpoint keeps of the loop, beside the number of generations."""
        return {name: getattr(self, name) for name in _COUNTERS}

    def restore(self, generation: int, counters: Mapping[str, float]) -> None:
        """Goes on after `generation`; the models must have been restored."""
        self.generation = generation
        for name in _COUNTERS:
            setattr(self, name, counters[name])

    def figures(self) -> dict[str, float]:
        """What there is to say of the last generation, by name."""
        counts = {"games": self.games, "searches": self.searches, "rows": len(self.models.buffer)}
        return {**counts, **self.models.figures()}

    def close(self) -> None:
        """Lets go of the workers."""
        self._workers.close()
