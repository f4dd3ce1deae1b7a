"""The networks: P, V and Vc over an information set, H and Vc over a SAMPLE node. Torch lives from
here on. Outputs grow with the vocabularies of actions and pieces, never with their product or with
the number of hidden states: the value of a piece after an own action is a sum of the piece's own
value and a few products of a factor of the piece with a factor of the action.

Where an information set is described by a board, P and V are convolutions (`convolutions.py`).

Units are residual, with layer normalisation and leaky activations: constant first targets kill
plain rectified units for good. Values come out in value scales (see SearchConfig).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.models.networks import torch_check  # noqa: F401  (before torch)

# isort: split
import torch
from torch import Tensor, nn
from torch.nn import functional

from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.convolutions import BoardNetwork, Network

Numbers = npt.NDArray[Any]

MASKED = -1e9
MOST_WEIGHT = 1e6
"""Largest weight that is taken over: with less, no layer's outputs leave the range of floats."""
FACTORS = 4
"""How many products tell the values of a piece after different own actions apart."""


class ResidualNetwork(Network):
    """A linear layer, residual blocks, and a linear layer out."""

    def __init__(self, inputs: int, outputs: int, config: NetworkConfig) -> None:
        """Makes it with random weights."""
        super().__init__()
        self.into = nn.Linear(inputs, config.width)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.LayerNorm(config.width),
                nn.LeakyReLU(),
                nn.Linear(config.width, config.width),
            )
            for _ in range(config.depth)
        )
        self.out = nn.Sequential(
            nn.LayerNorm(config.width), nn.LeakyReLU(), nn.Linear(config.width, outputs)
        )

    def forward(self, rows: Tensor) -> Tensor:
        """Outputs of a batch. [rows, outputs]"""
        hidden = functional.linear(rows, self.into.weight, self.into.bias)
        for block in self.blocks:
            hidden = hidden + _normalised_layer(hidden, block)
        return _normalised_layer(hidden, self.out)


def _normalised_layer(rows: Tensor, layer: nn.Module) -> Tensor:
    """Normalisation, activation and a linear layer; the calls of modules would cost as much as what
    they compute.
    """
    norm, _, linear = layer.children()
    assert isinstance(norm, nn.LayerNorm) and isinstance(linear, nn.Linear)
    normalised = functional.layer_norm(rows, norm.normalized_shape, norm.weight, norm.bias)
    return functional.linear(functional.leaky_relu(normalised), linear.weight, linear.bias)


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Log probabilities over the entries that are allowed."""
    return torch.log_softmax(logits.masked_fill(~mask, MASKED), dim=-1)


def piece_values(outputs: Tensor, pieces: int) -> Tensor:
    """Vc(I, a, pieces) from H's outputs, in value scales. [rows, actions, pieces]"""
    rows = len(outputs)
    ends = [pieces, 2 * pieces, (2 + FACTORS) * pieces]
    _, base, of_pieces, of_actions = torch.tensor_split(outputs, ends, dim=1)
    of_actions = of_actions.reshape(rows, -1, FACTORS)
    products = of_actions @ of_pieces.reshape(rows, FACTORS, pieces)
    values: Tensor = base[:, None, :] + products
    return values


class Sizes(Protocol):
    """What a game asks of networks.

    Attributes:
      set_inputs: numbers that describe an information set.
      sample_inputs: numbers that describe a SAMPLE node.
      actions: size of the vocabulary of actions.
      pieces: size of the vocabulary of pieces.
      planes, rows, columns: of the board at the end of an information set's row; 0 without one.
    """

    set_inputs: int
    sample_inputs: int
    actions: int
    pieces: int
    planes: int
    rows: int
    columns: int


class Networks(nn.Module):
    """All networks of a generation.

    Attributes:
      policy: P, logits of all actions of the game.
      value: V first, then Vc of all actions of the game, in value scales.
      hidden: H, logits of all pieces of the game, then what `piece_values` reads.
    """

    def __init__(self, policy: Network, value: Network, hidden: Network) -> None:
        """Takes the networks."""
        super().__init__()
        self.policy, self.value, self.hidden = policy, value, hidden


def make_networks(sizes: Sizes, config: NetworkConfig, seed: int) -> Networks:
    """Networks with random weights drawn from the seed."""
    device = device_of(config)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)  # weights are drawn on the CPU, so they do not depend on the device
        return _on_cpu(sizes, config).to(device)


def _on_cpu(sizes: Sizes, config: NetworkConfig) -> Networks:
    of_pieces = sizes.pieces + FACTORS * (sizes.pieces + sizes.actions)
    return Networks(
        policy=_set_network(sizes, 0, config),
        value=_set_network(sizes, 1, config),
        hidden=ResidualNetwork(sizes.sample_inputs, sizes.pieces + of_pieces, config),
    )


def _set_network(sizes: Sizes, numbers: int, config: NetworkConfig) -> Network:
    """A network over information sets: some numbers, then one for each action."""
    if sizes.planes == 0:
        return ResidualNetwork(sizes.set_inputs, numbers + sizes.actions, config)
    shape = (sizes.planes, sizes.rows, sizes.columns)
    return BoardNetwork(sizes.set_inputs, shape, numbers, sizes.actions, config)


def device_of(config: NetworkConfig) -> torch.device:
    """Where the networks compute.

    Raises:
      ValueError: torch knows no such device, or it is not there.
    """
    try:
        device = torch.device(config.device)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"torch cannot compute on {config.device!r}: {reason}") from None
    return device


def weights_of(network: nn.Module) -> dict[str, Numbers]:
    """The weights of a network, or of several, by name; copies."""
    return {name: array_of(tensor) for name, tensor in network.state_dict().items()}


def array_of(tensor: Tensor) -> Numbers:
    """A copy of a tensor."""
    copied: Numbers = tensor.detach().cpu().numpy().copy()
    return copied


def inside(arrays: Mapping[str, Numbers], name: str) -> dict[str, Numbers]:
    """The arrays whose names begin with `name` and a dot, without that."""
    prefix = f"{name}."
    return {k.removeprefix(prefix): array for k, array in arrays.items() if k.startswith(prefix)}


def outside(name: str, arrays: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """The arrays with `name` and a dot before their names."""
    return {f"{name}.{key}": array for key, array in arrays.items()}


def load_weights(network: nn.Module, arrays: Mapping[str, Numbers]) -> None:
    """Takes over what `weights_of` gave.

    Raises:
      ValueError: they are not finite, or so large that outputs would not be.
      RuntimeError: they are those of another network.
    """
    refuse_infinite(arrays, MOST_WEIGHT)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})


def refuse_infinite(arrays: Mapping[str, Numbers], most: float = math.inf) -> None:
    """Raises ValueError if a number is NaN, infinite, or beyond `most`."""
    for array in arrays.values():
        largest = float(np.abs(array).max(initial=0.0))  # NaN if one of them is
        if not (math.isfinite(largest) and largest <= most):
            raise ValueError(f"a weight of its networks is {largest:g}")


def refuse_others(sizes: Sizes, config: NetworkConfig, weights: Mapping[str, Numbers]) -> None:
    """Raises ValueError unless weights are those of such networks, which need not be made."""
    with torch.device("meta"):
        made = _on_cpu(sizes, config).state_dict()
    if {name: tuple(tensor.shape) for name, tensor in made.items()} != {
        name: array.shape for name, array in weights.items()
    }:
        raise ValueError("its weights are not those of networks of its sizes")
