"""How networks are fitted: one loss per network, Adam, clipped gradients.

Rows are drawn by their frequency to a power. Drawing and initial weights come from generators that
are handed in, so a fit can be repeated exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

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
    """Relative entropy of the network's distribution to each target, in nats.

    The targets' own entropy is subtracted, so 0 is a perfect fit.
    """
    assert rows.mask is not None
    targets = rows.targets[drawn]
    logs = masked_log_softmax(network(rows.inputs[drawn]), rows.mask[drawn])
    terms = torch.special.xlogy(targets, targets) - targets * logs.clamp(min=-1e6)
    losses: Tensor = terms.sum(-1)
    return losses


def squared_error(network: ResidualNetwork, rows: Rows, drawn: Tensor) -> Tensor:
    """Squared errors of values, in squared value scales."""
    errors: Tensor = (network(rows.inputs[drawn])[:, 0] - rows.targets[drawn]).square()
    return errors


class Drawable(Protocol):
    """Rows of any kind that can be drawn from."""

    @property
    def frequency(self) -> Floats:
        """How often each occurred. [rows]"""
        ...


RowsType = TypeVar("RowsType", bound=Drawable)


class Fitter(Generic[RowsType]):
    """One network with its optimizer.

    Attributes:
      network: what is fitted.
      optimizer: Adam.
      last_loss: mean loss of the last fit.
    """

    def __init__(
        self,
        network: ResidualNetwork,
        loss: Callable[[ResidualNetwork, RowsType, Tensor], Tensor],
        config: NetworkConfig,
    ) -> None:
        """Starts with a fresh optimizer."""
        self.network = network
        self.optimizer = torch.optim.Adam(network.parameters())
        self.last_loss = float("nan")
        self._loss = loss
        self._config = config

    def state(self) -> dict[str, Any]:
        """Weights, optimizer and last loss, for a checkpoint."""
        return {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "last_loss": self.last_loss,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Goes back to a state."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.last_loss = state["last_loss"]

    def fit(self, rows: RowsType, steps: int, generation: int, rng: np.random.Generator) -> None:
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
            drawn = drawn.clip(max=len(ends) - 1)
            loss = self._loss(self.network, rows, torch.from_numpy(drawn)).mean()
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), self._config.gradient_clip)
            self.optimizer.step()
            total += float(loss.detach())
        self.last_loss = total / steps
