"""Networks evaluated over all rows of an enumerated graph at once, as tables for the search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.training.features import Features
from nash_ismcts_spiel.training.networks import Networks, ResidualNetwork, masked_log_softmax
from nash_ismcts_spiel.training.table_worker import Tables

Floats = npt.NDArray[np.float64]


class NetworkTables:
    """What networks say of one graph.

    Attributes:
      features: what they see of it.
      sets, samples: inputs of all rows, where the networks compute. [I, inputs], [S, inputs]
      legal, open: masks beside them. [I, actions], [S, pieces]
    """

    def __init__(self, graph: GameGraph, device: torch.device | str = "cpu") -> None:
        """Describes an enumerated graph."""
        self.features = Features(graph)
        self.sets = torch.from_numpy(self.features.sets).to(device)
        self.samples = torch.from_numpy(self.features.samples).to(device)
        self.legal = torch.from_numpy(self.features.legal).to(device)
        self.open = torch.from_numpy(self.features.open).to(device)
        self._scale = graph.value_scale

    def all(self, networks: Networks) -> Tables:
        """P, V and H."""
        return {
            "policy": self.policy(networks.policy),
            "value": self.value(networks.value),
            "beliefs": self.beliefs(networks.hidden),
        }

    @torch.inference_mode()
    def policy(self, network: ResidualNetwork) -> Floats:
        """P at every information set. [A]"""
        logs = masked_log_softmax(network(self.sets), self.legal)
        return _picked(logs, self.features.action_rows, self.features.action_columns)

    @torch.inference_mode()
    def beliefs(self, network: ResidualNetwork) -> Floats:
        """H at every SAMPLE node. [B]"""
        logs = masked_log_softmax(network(self.samples), self.open)
        return _picked(logs, self.features.branch_rows, self.features.branch_columns)

    @torch.inference_mode()
    def value(self, network: ResidualNetwork) -> Floats:
        """V at every information set, in the game's units. [I]"""
        values = network(self.sets)[:, 0].double().cpu().numpy()
        return np.asarray(values * self._scale, dtype=np.float64)


def _picked(
    logs: torch.Tensor, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]
) -> Floats:
    """The entries of a table, which add up to 1 per row in double precision."""
    probabilities = logs.double().exp().cpu().numpy()[rows, columns]
    totals = np.bincount(rows, probabilities)
    return np.asarray(probabilities / totals[rows], dtype=np.float64)
