"""The losses of the heads, one function each, and their sums per network.

Distributions are compared by relative entropy in nats, values by squared error in squared value
scales. Each gives the loss of every row that was drawn.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from nash_ismcts_spiel.training.networks import (
    ResidualNetwork,
    masked_log_softmax,
    piece_values,
)
from nash_ismcts_spiel.training.rows import HiddenRows, PolicyRows, ValueRows


def policy_loss(network: ResidualNetwork, rows: PolicyRows, drawn: Tensor) -> Tensor:
    """P against search policies; their own entropy is subtracted, so 0 is a perfect fit."""
    targets = _drawn(network, rows.targets, drawn)
    outputs = network(_drawn(network, rows.inputs, drawn))
    logs = masked_log_softmax(outputs, _drawn(network, rows.mask, drawn))
    terms = torch.special.xlogy(targets, targets) - targets * logs.clamp(min=-1e6)
    losses: Tensor = terms.sum(-1)
    return losses


def value_loss(network: ResidualNetwork, rows: ValueRows, drawn: Tensor) -> Tensor:
    """V and Vc against the results of games, where those are unbiased."""
    outputs = network(_drawn(network, rows.inputs, drawn))
    results = _drawn(network, rows.results, drawn)
    actions = _drawn(network, rows.actions, drawn)
    chosen = outputs[:, 1:].gather(1, actions[:, None]).squeeze(1)
    of_value = _weighted(outputs[:, 0], results, _drawn(network, rows.value_weights, drawn))
    of_child = _weighted(chosen, results, _drawn(network, rows.child_weights, drawn))
    return of_value + of_child


def hidden_loss(network: ResidualNetwork, rows: HiddenRows, drawn: Tensor) -> Tensor:
    """H against what was hidden, and the values of pieces against results."""
    outputs = network(_drawn(network, rows.inputs, drawn))
    mask = _drawn(network, rows.mask, drawn)
    pieces = _drawn(network, rows.pieces, drawn)
    logs = masked_log_softmax(outputs[:, : mask.shape[1]], mask)
    values = piece_values(outputs, mask.shape[1])
    chosen = values[torch.arange(len(drawn)), _drawn(network, rows.actions, drawn), pieces]
    results = _drawn(network, rows.results, drawn)
    of_values = _weighted(chosen, results, _drawn(network, rows.child_weights, drawn))
    return of_values - logs.gather(1, pieces[:, None]).squeeze(1)


def _weighted(values: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Squared errors by weight; rows without weight add nothing."""
    return weights * (values - targets).square()


def _drawn(network: ResidualNetwork, column: npt.NDArray[np.generic], drawn: Tensor) -> Tensor:
    """The drawn entries of a column, where the network computes."""
    return torch.from_numpy(column)[drawn].to(network.device)
