"""The networks: P, V and Vc over an information set, H and Vc over a SAMPLE node. Torch lives from
here on. Outputs grow with the vocabularies of actions and pieces, never with their product or with
the number of hidden states: the value of a piece after an own action is a sum of the piece's own
value and a few products of a factor of the piece with a factor of the action.

Where an information set is described by a board, P and V are convolutions (`convolutions.py`).

Units are residual, with layer normalisation and leaky activations: constant first targets kill
plain rectified units for good. Values come out in value scales (see SearchConfig).
"""

from __future__ import annotations

import dataclasses
import io
import math
import zipfile
from collections.abc import Mapping
from typing import Any, Protocol

from nash_ismcts_spiel.models.networks import torch_check  # noqa: F401  (before torch)

# isort: split
import torch
from torch import Tensor, nn
from torch.nn import functional

from nash_ismcts_spiel.files import stored_members
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.convolutions import BoardNetwork, Network, weight_count

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


@dataclasses.dataclass(frozen=True, slots=True)
class Networks:
    """All networks of a generation.

    Attributes:
      policy: P, logits of all actions of the game.
      value: V first, then Vc of all actions of the game, in value scales.
      hidden: H, logits of all pieces of the game, then what `piece_values` reads.
    """

    policy: Network
    value: Network
    hidden: ResidualNetwork

    def by_name(self) -> dict[str, Network]:
        """The networks with their names."""
        return {"policy": self.policy, "value": self.value, "hidden": self.hidden}


def make_networks(sizes: Sizes, config: NetworkConfig, seed: int) -> Networks:
    """Networks with random weights drawn from the seed."""
    actions, pieces, device = sizes.actions, sizes.pieces, device_of(config)
    of_pieces = pieces + FACTORS * (pieces + actions)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)  # weights are drawn on the CPU, so they do not depend on the device
        return Networks(
            policy=_set_network(sizes, 0, config).to(device),
            value=_set_network(sizes, 1, config).to(device),
            hidden=ResidualNetwork(sizes.sample_inputs, pieces + of_pieces, config).to(device),
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


def load_state(stored: bytes) -> dict[str, Any]:
    """What `torch.save` wrote, from any device; nothing in it is executed or unpacked.

    Raises:
      ValueError: it is something else, or a number in it is not finite.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(stored)) as archive:
            stored_members(archive, len(stored))
        state = torch.load(io.BytesIO(stored), map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises whatever it likes where bytes are wrong
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(f"its networks cannot be read: {reason}") from error
    if not isinstance(state, dict):
        raise ValueError("its networks have no names")
    _refuse_infinite(state)
    return state


def restore_network(network: nn.Module, state: Mapping[str, Any]) -> None:
    """Takes over the weights of a network.

    Raises:
      ValueError: they are not finite, or so large that outputs would not be.
      RuntimeError: they are those of another network.
    """
    _refuse_infinite(state, MOST_WEIGHT)
    network.load_state_dict(state)


def _refuse_infinite(state: Any, most: float = math.inf) -> None:
    """Raises ValueError if a number in a state is NaN, infinite, or beyond `most`."""
    waiting = [state]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Mapping):
            waiting += each.values()
        elif isinstance(each, list | tuple):
            waiting += each
        elif isinstance(each, Tensor):
            _check_tensor(each, most)


def _check_tensor(tensor: Tensor, most: float) -> None:
    if tensor.numel() == 0:
        return
    if tensor.layout != torch.strided or not tensor.is_contiguous():
        raise ValueError("its weights are not plain numbers")  # they might claim any size
    largest = float(tensor.detach().abs().max())  # NaN if one of them is
    if not (math.isfinite(largest) and largest <= most):
        raise ValueError(f"a weight of its networks is {largest:g}")


def weights_of(networks: Networks) -> bytes:
    """The weights of all networks, to be read by `load_weights`."""
    buffer = io.BytesIO()
    torch.save({name: net.state_dict() for name, net in networks.by_name().items()}, buffer)
    return buffer.getvalue()


def load_weights(networks: Networks, weights: bytes) -> None:
    """Takes over weights that `weights_of` wrote; nothing in them is executed.

    Raises:
      ValueError, KeyError or RuntimeError: they are something else, or not finite.
    """
    stored = load_state(weights)
    for name, network in networks.by_name().items():
        restore_network(network, stored[name])


def least_bytes(sizes: Sizes, config: NetworkConfig) -> int:
    """Bytes that the weights of such networks take, computed without making them."""
    of_pieces = sizes.pieces + FACTORS * (sizes.pieces + sizes.actions)
    weights = _residual_weights(sizes.sample_inputs, sizes.pieces + of_pieces, config)
    for numbers in (0, 1):
        if sizes.planes == 0:
            weights += _residual_weights(sizes.set_inputs, numbers + sizes.actions, config)
        else:
            shape = (sizes.planes, sizes.rows, sizes.columns)
            weights += weight_count(sizes.set_inputs, shape, numbers, sizes.actions, config)
    return 4 * weights


def _residual_weights(inputs: int, outputs: int, config: NetworkConfig) -> int:
    width = config.width
    layer = 2 * width + width * (width + 1)
    return (inputs + 1) * width + config.depth * layer + 2 * width + (width + 1) * outputs
