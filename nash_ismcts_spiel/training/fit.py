"""How networks are fitted: one loss per network, Adam, clipped gradients.

Rows are drawn by their frequency to a power. Drawing and initial weights come from generators that
are handed in, so a fit can be repeated exactly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from nash_ismcts_spiel.training.config import NetworkConfig
from nash_ismcts_spiel.training.networks import ResidualNetwork, masked_log_softmax

Floats = npt.NDArray[np.float64]


class Rows:
    """Inputs with targets, and how often each occurred."""

    def __init__(
        self, inputs: Tensor, targets: Tensor, frequency: Floats, mask: Tensor | None = None
    ) -> None:
        """Takes tensors with one row each; rows that never occurred are not drawn."""
        self.inputs = inputs
        self.targets = targets
        self.mask = mask
        self.frequency = frequency


def cross_entropy(network: ResidualNetwork, rows: Rows, drawn: Tensor) -> Tensor:
    """Mean relative entropy of the network's distribution to the targets, in nats.

    The targets' own entropy is subtracted, so 0 is a perfect fit.
    """
    assert rows.mask is not None
    targets = rows.targets[drawn]
    logs = masked_log_softmax(network(rows.inputs[drawn]), rows.mask[drawn])
    terms = torch.special.xlogy(targets, targets) - targets * logs.clamp(min=-1e6)
    mean: Tensor = terms.sum(-1).mean()
    return mean


def squared_error(network: ResidualNetwork, rows: Rows, drawn: Tensor) -> Tensor:
    """Mean squared error of values, in squared value scales."""
    error: Tensor = (network(rows.inputs[drawn]).squeeze(-1) - rows.targets[drawn]).square().mean()
    return error


class Fitter:
    """One network with its optimizer.

    Attributes:
      network: what is fitted.
      optimizer: Adam.
      last_loss: mean loss of the last fit.
    """

    def __init__(
        self,
        network: ResidualNetwork,
        loss: Callable[[ResidualNetwork, Rows, Tensor], Tensor],
        config: NetworkConfig,
    ) -> None:
        """Starts with a fresh optimizer."""
        self.network = network
        self.optimizer = torch.optim.Adam(network.parameters())
        self.last_loss = float("nan")
        self._loss = loss
        self._config = config

    def fit(self, rows: Rows, steps: int, generation: int, rng: np.random.Generator) -> None:
        """Takes some steps; none if no row has occurred."""
        weights = np.where(rows.frequency > 0, rows.frequency, 0.0) ** self._config.frequency_power
        weights[rows.frequency <= 0] = 0.0
        if steps == 0 or weights.sum() == 0.0:
            return
        for group in self.optimizer.param_groups:
            group["lr"] = self._config.learning_rate.at(generation)
        total = 0.0
        ends = np.cumsum(weights / weights.sum())
        for _ in range(steps):
            drawn = np.searchsorted(ends, rng.random(self._config.batch), side="right")
            loss = self._loss(self.network, rows, torch.from_numpy(drawn.clip(max=len(ends) - 1)))
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), self._config.gradient_clip)
            self.optimizer.step()
            total += float(loss.detach())
        self.last_loss = total / steps
