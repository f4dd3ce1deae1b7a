"""The value network: what each slot of both players is worth at a public belief state.

It sees which future a public state has, as a learned vector, and both players' beliefs. What comes
out is corrected by half of what the players' values, weighted by their beliefs, add up to: in a
zero-sum game that is 0. Inside, values are in value scales (standard deviation of returns).
"""

from __future__ import annotations

import numpy as np

from nash_ismcts_spiel.models.networks import torch_check  # noqa: F401  (before torch)

# isort: split
import torch
from torch import Tensor, nn

from nash_ismcts_spiel.baselines.rebel.config import RebelConfig
from nash_ismcts_spiel.baselines.rebel.public_tree import PLAYERS, Floats, Ints, PublicTree


class ValueNetwork(nn.Module):
    """Hidden layers with layer normalisation, as in the paper, and a linear layer out."""

    def __init__(self, futures: int, slots: int, config: RebelConfig) -> None:
        """Makes it with random weights; `slots` is the width of a player's beliefs."""
        super().__init__()
        self.slots = slots
        self.future = nn.Embedding(futures, config.width)
        self.beliefs = nn.Linear(PLAYERS * slots, config.width)
        layers: list[nn.Module] = [nn.LayerNorm(config.width), nn.GELU()]
        for _ in range(config.layers - 1):
            layers += [nn.Linear(config.width, config.width), nn.LayerNorm(config.width), nn.GELU()]
        self.hidden = nn.Sequential(*layers)
        self.out = nn.Linear(config.width, PLAYERS * slots)

    def forward(self, futures: Tensor, beliefs: Tensor) -> Tensor:
        """Values of a batch of futures [R] with beliefs [R, 2, slots]. [R, 2, slots]"""
        flat = beliefs.flatten(1)
        values = self.out(self.hidden(self.future(futures) + self.beliefs(flat)))
        # Either player's beliefs add up to 1, so this takes off half the excess of each side.
        excess = (values * flat).sum(dim=1, keepdim=True)
        corrected: Tensor = (values - excess / PLAYERS).unflatten(1, (PLAYERS, self.slots))
        return corrected


def make_network(tree: PublicTree, config: RebelConfig, seed: int) -> ValueNetwork:
    """A network with random weights drawn from the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ValueNetwork(tree.num_futures, tree.width, config)


class NetworkLeaves:
    """Leaf values by a network."""

    def __init__(self, tree: PublicTree, network: ValueNetwork) -> None:
        """Asks the network as it is at the time of each call."""
        self._network = network
        self._future = torch.from_numpy(tree.future.astype(np.int64))
        self._scale = tree.graph.value_scale

    @torch.inference_mode()
    def __call__(self, player: int, states: Ints, beliefs: Floats) -> Floats:
        """Values of the player's slots. [R, width]"""
        values = self._network(self._future[states], torch.from_numpy(beliefs).float())
        found: Floats = values[:, player].double().numpy() * self._scale
        return found
