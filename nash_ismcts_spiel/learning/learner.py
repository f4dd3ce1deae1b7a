"""P, V, Vc and H as networks, and what they learn from.

P learns the buffer of all search policies; H learns what was hidden in this generation's policy
games only; V and Vc learn bootstrapped targets from the same games. All networks go on from the
generation before. Whoever plays or measures P gets the mean of its weights over the latest
generations.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nash_ismcts_spiel.files import Arrays
from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.games.tensors import Tensors
from nash_ismcts_spiel.learning.buffer import PolicyBuffer
from nash_ismcts_spiel.learning.config import MEGABYTE, LearnerConfig, TrainingConfig
from nash_ismcts_spiel.learning.fit import Fitter
from nash_ismcts_spiel.learning.losses import advantage_slope, hidden_loss, policy_loss, value_loss
from nash_ismcts_spiel.learning.rows import HiddenRows, PolicyRows, ValueRows
from nash_ismcts_spiel.learning.watch import Watch
from nash_ismcts_spiel.learning.weight_average import WeightAverage
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.networks.nets import (
    Networks,
    inside,
    load_weights,
    make_networks,
    outside,
    weights_of,
)

_MEAN_POLICY = "mean_policy"
"""The name of P's mean weights in a checkpoint."""

_MOST_ROWS = 100_000
"""Policy targets that are kept at most, however small they are."""


class Learner:
    """P, V, Vc and H as networks, with what they learn from.

    Attributes:
      game: what is played.
      tensors: what the networks see.
      networks: the current ones, which self-play goes on with.
      buffer: policy targets of all generations.
    """

    def __init__(self, game: SupportedGame, config: TrainingConfig, seed: int) -> None:
        """Starts with random weights drawn from the seed."""
        self.game = game
        self.tensors = config.networks.tensors(game, config.search.split_actions)
        self.networks = make_networks(self.tensors, config.networks, seed)
        capacity = buffer_rows(self.tensors, config.learner)
        self.buffer = PolicyBuffer(capacity)
        self._config = config
        self._scale = game.value_scale()
        self._foreseen: dict[str, float] = {}
        networks = self.networks
        self._mean_policy = WeightAverage(networks.policy, config.learner.policy_average)
        self._policy = Fitter(networks.policy, policy_loss, config.learner)
        self._value = Fitter(networks.value, value_loss, config.learner)
        self._hidden = Fitter(networks.hidden, hidden_loss, config.learner)
        self._fitters: dict[str, Fitter[Any]] = {
            "policy": self._policy,
            "value": self._value,
            "hidden": self._hidden,
        }

    @property
    def playing(self) -> Networks:
        """The current networks for whoever does not learn: P with its mean weights."""
        return Networks(self._mean_policy.network, self.networks.value, self.networks.hidden)

    def evaluator(self) -> NetworkEvaluator:
        """The networks for play as an evaluator."""
        return NetworkEvaluator(self.tensors, self.playing, self._scale)

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
        value, hidden = value.favouring_rare(), hidden.favouring_rare()
        foreseen = {
            "new_loss_policy": self._policy.loss(policy.favouring_rare()),
            "new_loss_value": self._value.loss(value),
            "new_loss_hidden": self._hidden.loss(hidden),
            "advantage_slope": advantage_slope(self.networks.value, value),
        }
        weight = float(generation) ** self._config.averaging_power
        self.buffer.add(policy, weight, rng)
        replays = self._config.learner.policy_replays
        most_draws = replays * len(policy.frequency) if replays > 0.0 else math.inf
        targets = self.buffer.rows().favouring_rare()
        self._policy.fit(targets, generation, rng, look, most_draws)
        self._hidden.fit(hidden, generation, rng, look)
        self._value.fit(value, generation, rng, look)
        self._mean_policy.add(generation)
        self._foreseen = foreseen

    def figures(self) -> dict[str, float]:
        """Losses of the last generation: while fitting, and on its rows before they were fitted.

        The latter are losses on rows that no network had seen; that of P is how far searches moved
        away from it. With them goes the slope of what actions brought on Vc's advantages.
        """
        losses = {f"loss_{name}": fitter.last_loss for name, fitter in self._fitters.items()}
        return {**losses, **self._foreseen}

    def arrays(self) -> Arrays:
        """Buffer, weights and optimizers."""
        mean = weights_of(self._mean_policy.network)
        found = self.buffer.arrays() | outside(_MEAN_POLICY, mean)
        for name, fitter in self._fitters.items():
            found |= outside(name, fitter.arrays())
        return found

    def restore(self, arrays: Arrays) -> None:
        """Goes back to where `arrays` were taken."""
        self.buffer.restore(arrays, self.tensors.set_inputs, self.tensors.actions)
        for name, fitter in self._fitters.items():
            fitter.restore(inside(arrays, name))
        load_weights(self._mean_policy.network, inside(arrays, _MEAN_POLICY))


def buffer_rows(tensors: Tensors, config: LearnerConfig) -> int:
    """Rows that a buffer holds, by their number and by what they take."""
    each = PolicyRows.bytes_of(tensors.set_inputs, tensors.actions)
    return max(1, min(_MOST_ROWS, int(config.buffer_megabytes * MEGABYTE / each)))
