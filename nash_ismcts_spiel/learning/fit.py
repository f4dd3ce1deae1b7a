"""How networks are fitted: one loss per network, Adam, clipped gradients.

Rows are drawn by their frequency. Drawing and initial weights come from generators that
are handed in, so a fit can be repeated exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from nash_ismcts_spiel.learning.config import LearnerConfig
from nash_ismcts_spiel.learning.draws import inclusion_probabilities
from nash_ismcts_spiel.learning.rows import LearningRows
from nash_ismcts_spiel.models.networks.convolutions import Network
from nash_ismcts_spiel.models.networks.nets import (
    Numbers,
    array_of,
    inside,
    load_weights,
    outside,
    refuse_infinite,
    weights_of,
)

Floats = npt.NDArray[np.float64]

_LEAST_STEPS = 8
"""Steps of a fit, however few rows there are: each moves a network a little only."""

_LARGEST_GRADIENT = 1.0
"""Norm beyond which a step's gradient is made shorter."""


class Draws:
    """Batches in which no row is twice, and what the rows count for in a mean over all rows.

    A row's chance to be in a batch is in proportion to its weight as long as that is below 1, and
    it counts for its weight over its chance; so the mean is unbiased, and exact if a batch has room
    for all rows.
    """

    def __init__(self, weights: Floats, batch: int) -> None:
        """Takes a weight per row; rows without weight are not drawn."""
        self._rows = np.flatnonzero(weights > 0.0)
        share = weights[self._rows] / weights[self._rows].sum()
        chance = inclusion_probabilities(share, min(batch, len(share)))
        self._ends = np.cumsum(chance)
        self._counts = torch.from_numpy((share / chance).astype(np.float32))
        self._indices = torch.from_numpy(self._rows)
        self._batch = min(batch, len(share))

    def draw(self, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
        """Rows of a batch, and what each counts for."""
        if self._batch == len(self._rows):
            return self._indices, self._counts
        points = rng.random() + np.arange(self._batch)
        drawn = np.searchsorted(self._ends, points, side="right").clip(max=len(self._rows) - 1)
        picked = torch.from_numpy(drawn)
        return self._indices[picked], self._counts[picked]


RowsType = TypeVar("RowsType", bound=LearningRows)


class Fitter(Generic[RowsType]):
    """One network with its optimizer.

    Attributes:
      network: what is fitted.
      optimizer: Adam.
      last_loss: mean loss of the last fit.
    """

    def __init__(
        self,
        network: Network,
        loss: Callable[[Network, RowsType, Tensor], Tensor],
        config: LearnerConfig,
    ) -> None:
        """Starts with a fresh optimizer."""
        self.network = network
        self._parameters = list(network.parameters())
        self.optimizer = torch.optim.Adam(self._parameters, fused=True)
        self.last_loss = float("nan")
        self._loss = loss
        self._config = config

    def arrays(self) -> dict[str, Numbers]:
        """Weights, Adam's moments and last loss, for a checkpoint; copies."""
        found = outside("network", weights_of(self.network))
        return found | adam_arrays(self.optimizer) | {"last_loss": np.array(self.last_loss)}

    def restore(self, arrays: Mapping[str, Numbers]) -> None:
        """Goes back to where `arrays` were taken.

        Raises:
          ValueError, KeyError or RuntimeError: they are those of another network, or absurd.
        """
        load_weights(self.network, inside(arrays, "network"))
        restore_adam(self.optimizer, inside(arrays, "adam"))
        self.last_loss = float(arrays["last_loss"])

    @torch.inference_mode()
    def loss(self, rows: RowsType) -> float:
        """Mean loss over rows by how much they count, without learning from them."""
        drawn = torch.from_numpy(np.flatnonzero(rows.frequency > 0.0))
        counts = torch.from_numpy(rows.frequency[rows.frequency > 0.0].astype(np.float32))
        if len(drawn) == 0:
            return float("nan")
        losses = self._loss(self.network, rows, drawn)
        return float((losses.cpu() @ counts) / counts.sum())

    def fit(
        self,
        rows: RowsType,
        generation: int,
        rng: np.random.Generator,
        before_step: Callable[[], None] | None = None,
        most_draws: float = math.inf,
    ) -> None:
        """Goes through the rows some times, or takes as many steps as the config allows or as draw
        `most_draws` rows; none if no row has occurred. `before_step` may raise to end it.
        """
        if not rows.frequency.any():
            return
        batch = self._config.batch
        epochs = self._config.epochs * len(rows.frequency) / batch
        steps = min(self._config.steps, max(_LEAST_STEPS, math.ceil(epochs)))
        steps = max(1, round(min(most_draws / batch, steps)))
        for group in self.optimizer.param_groups:
            group["lr"] = self._config.learning_rate.at(generation)
        total = 0.0
        draws = Draws(rows.frequency, self._config.batch)
        for _ in range(steps):
            if before_step is not None:
                before_step()
            drawn, counts = draws.draw(rng)
            loss = self._loss(self.network, rows, drawn) @ counts.to(self.network.device)
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self._parameters, _LARGEST_GRADIENT)
            self.optimizer.step()
            total += float(loss.detach())
        self.last_loss = total / steps


def adam_arrays(optimizer: torch.optim.Adam) -> dict[str, Numbers]:
    """Steps and moments of each parameter by its number; copies. What else Adam has is settings."""
    state = optimizer.state_dict()["state"]
    moments = ((k, name, tensor) for k, each in state.items() for name, tensor in each.items())
    return {f"adam.{k}.{name}": array_of(tensor) for k, name, tensor in moments}


def restore_adam(optimizer: torch.optim.Adam, arrays: Mapping[str, Numbers]) -> None:
    """Takes over what `adam_arrays` gave.

    Raises:
      ValueError: it is that of other parameters, or not finite.
    """
    refuse_infinite(arrays)
    parameters = optimizer.param_groups[0]["params"]
    state: dict[int, dict[str, Tensor]] = {}
    for key, array in arrays.items():
        number, _, name = key.partition(".")
        at = int(number)
        due = () if name == "step" else tuple(parameters[at].shape)
        if array.shape != due:
            raise ValueError(f"{name} of a parameter has shape {array.shape}, not {due}")
        state.setdefault(at, {})[name] = torch.from_numpy(array)
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
