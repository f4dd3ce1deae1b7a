"""A small torch network as an evaluator, untrained: what it costs is what is measured with it.

P, V and Vc come from what a player knows; beliefs and the values of pieces from that and from how
often each piece was drawn so far. Rows of one batch are evaluated in one forward pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.entries import legal_entries, open_entries, pair_entries
from nash_ismcts_spiel.games.tensors import Tensors
from nash_ismcts_spiel.models import RowsOfArrays

Floats = npt.NDArray[np.float64]


class SmallNetwork(RowsOfArrays):
    """Two hidden layers of `width` units for information sets, two for SAMPLE nodes."""

    def __init__(self, game: Any, width: int = 128, seed: int = 0) -> None:
        """Makes networks with random weights."""
        torch.manual_seed(seed)
        self._tensors = tensors = Tensors(support(game), slots=1)  # one slot counts pieces
        self._sets = _layers(tensors.set_inputs, width, 2 * tensors.actions + 1)
        self._samples = _layers(tensors.sample_inputs, width, 2 * tensors.pieces)

    @torch.inference_mode()
    def flat_information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> tuple[Floats, Floats, Floats]:
        """P, V and Vc, one information set after another."""
        outputs = _outputs(self._sets, self._tensors.sets(graph, information_sets))
        legal = legal_entries(graph, information_sets)
        actions = self._tensors.actions
        child_values = np.tanh(outputs[legal.rows, legal.columns + actions])
        return legal.softmax(outputs), np.tanh(outputs[:, 2 * actions]), child_values

    @torch.inference_mode()
    def flat_sample_rows(
        self, graph: GameGraph, sample_nodes: Sequence[int]
    ) -> tuple[Floats, Floats]:
        """Beliefs and Vc (the same for every own action), one SAMPLE node after another."""
        outputs = _outputs(self._samples, self._tensors.samples(graph, sample_nodes))
        beliefs = open_entries(graph, sample_nodes).softmax(outputs)
        rows, _, pieces = pair_entries(graph, sample_nodes)
        return beliefs, np.tanh(outputs[:, self._tensors.pieces :])[rows, pieces]


def _outputs(network: torch.nn.Module, inputs: npt.NDArray[np.float32]) -> Floats:
    outputs: Floats = network(torch.from_numpy(inputs)).numpy().astype(np.float64)
    return outputs


def _layers(inputs: int, width: int, outputs: int) -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, width), torch.nn.ReLU(),
        torch.nn.Linear(width, width), torch.nn.ReLU(),
        torch.nn.Linear(width, outputs),
    )  # fmt: skip
