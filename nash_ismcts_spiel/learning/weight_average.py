"""The mean of a network's weights over the latest generations (Polyak averaging).

A fit leaves the weights of P near the average policy that it learns, off by the noise of its last
gradient steps. That noise differs from generation to generation and the mean of the weights has
less of it. Self-play goes on with the latest weights, so that learning does not lag behind.
"""

from __future__ import annotations

import copy

import torch

from nash_ismcts_spiel.models.networks.convolutions import Network


class WeightAverage:
    """A network whose weights follow those of another one.

    Attributes:
      network: with the mean weights.
    """

    def __init__(self, network: Network, share: float) -> None:
        """Starts with the weights of `network`.

        Args:
          network: what learns.
          share: over which part of all generations the mean goes, about: after generation g the
            latest weights count 1 / (share g); they are all that counts if `share` is 0.
        """
        self.network = copy.deepcopy(network)
        self._learning = network
        self._share = share

    @torch.no_grad()
    def add(self, generation: int) -> None:
        """Counts the weights after a generation."""
        latest = 1.0 / max(self._share * generation, 1.0)
        pairs = zip(self.network.parameters(), self._learning.parameters(), strict=True)
        for mean, weights in pairs:
            mean.lerp_(weights, latest)
