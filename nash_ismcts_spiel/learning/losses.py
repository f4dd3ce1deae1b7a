"""The losses of the heads, one function each, and their sums per network.

Distributions are compared by relative entropy in nats, values by squared error in squared value
scales. Each gives the loss of every row that was drawn.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from nash_ismcts_spiel.learning.rows import HiddenRows, PolicyRows, ValueRows
from nash_ismcts_spiel.models.networks.convolutions import Network
from nash_ismcts_spiel.models.networks.nets import masked_log_softmax, piece_values


def policy_loss(network: Network, rows: PolicyRows, drawn: Tensor) -> Tensor:
    """P against search policies."""
    outputs = network(_drawn(network, rows.inputs, drawn))
    mask = _drawn(network, rows.mask, drawn)
    return _relative_entropy(outputs, mask, _drawn(network, rows.targets, drawn))


def value_loss(network: Network, rows: ValueRows, drawn: Tensor) -> Tensor:
    """V and Vc against bootstrapped targets."""
    errors = network(_drawn(network, rows.inputs, drawn)) - _drawn(network, rows.targets, drawn)
    losses: Tensor = (_drawn(network, rows.weights, drawn) * errors.square()).sum(-1)
    return losses


@torch.inference_mode()
def advantage_slope(network: Network, rows: ValueRows) -> float:
    """The slope of what actions brought on what Vc had said of them, both less their row's mean.

    1 if differences between actions are as large as Vc says, below 1 if it overrates them; not a
    number if no row has two actions that were taken.
    """
    drawn = torch.from_numpy(np.flatnonzero(rows.frequency > 0.0))
    weights = _drawn(network, rows.weights, drawn)[:, 1:]
    columns = network(_drawn(network, rows.inputs, drawn)), _drawn(network, rows.targets, drawn)
    said, brought = (
        values[:, 1:] - (weights * values[:, 1:]).sum(-1, keepdim=True) for values in columns
    )
    weights = weights * _drawn(network, rows.frequency, drawn)[:, None]
    return float((weights * said * brought).sum() / (weights * said.square()).sum())


def hidden_loss(network: Network, rows: HiddenRows, drawn: Tensor) -> Tensor:
    """H against what was hidden, and the values of pieces against bootstrapped targets."""
    outputs = network(_drawn(network, rows.inputs, drawn))
    mask = _drawn(network, rows.mask, drawn)
    pieces = mask.shape[1]
    of_beliefs = _relative_entropy(outputs[:, :pieces], mask, _drawn(network, rows.targets, drawn))
    found, places = rows.entries_of(drawn.numpy())
    entries, owners = torch.from_numpy(found), torch.from_numpy(places).to(network.device)
    values = piece_values(outputs, pieces)[
        owners,
        _drawn(network, rows.entry_actions, entries),
        _drawn(network, rows.entry_pieces, entries),
    ]
    errors = values - _drawn(network, rows.entry_targets, entries)
    weighted = _drawn(network, rows.entry_weights, entries) * errors.square()
    return of_beliefs.index_add(0, owners, weighted)


def _relative_entropy(logits: Tensor, mask: Tensor, targets: Tensor) -> Tensor:
    """Of a network's distributions to targets; 0 is a perfect fit."""
    logs = masked_log_softmax(logits, mask)
    terms = torch.special.xlogy(targets, targets) - targets * logs.clamp(min=-1e6)
    losses: Tensor = terms.sum(-1)
    return losses


def _drawn(network: Network, column: npt.NDArray[np.generic], drawn: Tensor) -> Tensor:
    """The drawn entries of a column, where the network computes."""
    return torch.from_numpy(column)[drawn].to(network.device)
