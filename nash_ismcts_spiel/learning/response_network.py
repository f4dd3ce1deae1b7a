"""The value network of a learned response: V and Vc of what its player is shown.

It learns the values of a response tree by the rows and the loss of the other value networks. Values
leave it in the game's units.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from nash_ismcts_spiel.learning.config import MEGABYTE, LearnerConfig
from nash_ismcts_spiel.learning.draws import inclusion_probabilities, systematic_sample
from nash_ismcts_spiel.learning.fit import Fitter
from nash_ismcts_spiel.learning.losses import value_loss
from nash_ismcts_spiel.learning.response_tree import ResponseTree
from nash_ismcts_spiel.learning.row_maker import NUMBER_BYTES, ranges
from nash_ismcts_spiel.learning.rows import FREQUENCY_POWER, ValueRows
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.nets import ResidualNetwork

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

_LEARNER = LearnerConfig(batch=1024)
"""How the network is fitted."""

_BATCH = 16_384
"""Information sets that are valued at once."""


class ResponseNetwork:
    """A value network of one seat.

    Attributes:
      fitted: whether it has learned anything.
    """

    def __init__(self, inputs: int, actions: int, scale: float, seed: int) -> None:
        """Random weights.

        Args:
          inputs: numbers that describe an information set.
          actions: size of the vocabulary of actions.
          scale: what one value scale is worth in the game's units.
          seed: of the weights.
        """
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = ResidualNetwork(inputs, 1 + actions, NetworkConfig())
        self.fitted = False
        self._fitter: Fitter[ValueRows] = Fitter(network, value_loss, _LEARNER)
        self._actions = actions
        self._scale = scale

    @torch.inference_mode()
    def action_values(self, numbers: Singles) -> Floats:
        """Vc of all actions of the game. [rows, actions]"""
        network = self._fitter.network
        parts = [
            network(torch.from_numpy(numbers[k : k + _BATCH]).to(network.device))[:, 1:]
            for k in range(0, len(numbers), _BATCH)
        ]
        values = torch.cat(parts).cpu().numpy().astype(np.float64)
        return np.asarray(values * self._scale, dtype=np.float64)

    def write_priors(self, tree: ResponseTree, begin: int) -> None:
        """Values the choices of all information sets from one on; where nobody has backed up yet,
        that is what they are worth.
        """
        for first in range(begin, len(tree), _BATCH):
            sets = np.arange(first, min(first + _BATCH, len(tree)))
            values = self.action_values(tree.numbers.all[sets])
            widths = tree.width.all[sets]
            choices = ranges(tree.first.all[sets], widths)
            found = values[np.repeat(np.arange(len(sets)), widths), tree.action.all[choices]]
            tree.prior.all[choices] = found
            new = np.isneginf(tree.value.all[choices])
            tree.value.all[choices[new]] = found[new]

    def fit(self, tree: ResponseTree, generation: int, rng: np.random.Generator) -> None:
        """Learns what the tree knows, at so many information sets as its steps have room for."""
        visits = tree.visits.all.astype(np.float64)
        sets = np.flatnonzero(visits > 0.0)
        inputs = tree.numbers.all.shape[1]
        bytes_each = NUMBER_BYTES * (inputs + 2 * self._actions)
        room = int(_LEARNER.rows_megabytes * MEGABYTE / bytes_each)
        room = max(1, min(room, _LEARNER.steps * _LEARNER.batch))
        frequency = visits[sets] ** FREQUENCY_POWER
        if len(sets) > room:
            chances = inclusion_probabilities(frequency, room)
            drawn = systematic_sample(chances, rng)
            sets, frequency = sets[drawn], frequency[drawn] / chances[drawn]
        self._fitter.fit(self._rows(tree, sets, frequency), generation, rng)
        self.fitted = True

    def _rows(self, tree: ResponseTree, sets: Ints, frequency: Floats) -> ValueRows:
        """V, and Vc of choices that were taken, by the root of how often, in value scales."""
        widths = tree.width.all[sets]
        choices = ranges(tree.first.all[sets], widths)
        rows, columns = np.repeat(np.arange(len(sets)), widths), tree.action.all[choices]
        games = tree.games.all[choices]
        taken = games > 0.0
        means = tree.total.all[choices] / np.where(taken, games, 1.0)
        shares = np.sqrt(games)
        shares /= np.maximum(np.bincount(rows, shares, len(sets)), 1e-9)[rows]
        mask = np.zeros((len(sets), self._actions), dtype=np.bool_)
        mask[rows, columns] = True
        targets = np.zeros((len(sets), 1 + self._actions), dtype=np.float32)
        weights = np.zeros_like(targets)
        targets[:, 0] = tree.best_values(sets) / self._scale
        weights[:, 0] = 1.0
        targets[rows, 1 + columns] = means / self._scale
        weights[rows, 1 + columns] = shares
        return ValueRows(tree.numbers.all[sets], mask, frequency, targets, weights)
