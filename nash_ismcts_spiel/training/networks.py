"""The networks: P and V over an information set, H over a SAMPLE node. Torch lives from here on.

Units are residual, with layer normalisation and leaky activations: constant first targets kill
plain rectified units for good. Values come out in value scales (see SearchConfig).
"""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor, nn

from nash_ismcts_spiel.training.config import NetworkConfig

MASKED = -1e9


class ResidualNetwork(nn.Module):
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
        hidden = self.into(rows)
        for block in self.blocks:
            hidden = hidden + block(hidden)
        out: Tensor = self.out(hidden)
        return out


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Log probabilities over the entries that are allowed."""
    return torch.log_softmax(logits.masked_fill(~mask, MASKED), dim=-1)


@dataclasses.dataclass(frozen=True, slots=True)
class Networks:
    """All networks of a generation.

    Attributes:
      policy: P, logits of all actions of the game.
      value: V, in value scales.
      hidden: H, logits of all pieces of the game.
    """

    policy: ResidualNetwork
    value: ResidualNetwork
    hidden: ResidualNetwork

    def by_name(self) -> dict[str, ResidualNetwork]:
        """The networks with their names."""
        return {"policy": self.policy, "value": self.value, "hidden": self.hidden}


def make_networks(
    set_inputs: int, sample_inputs: int, actions: int, pieces: int, config: NetworkConfig, seed: int
) -> Networks:
    """Networks of the given sizes with random weights drawn from the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Networks(
            policy=ResidualNetwork(set_inputs, actions, config),
            value=ResidualNetwork(set_inputs, 1, config),
            hidden=ResidualNetwork(sample_inputs, pieces, config),
        )
