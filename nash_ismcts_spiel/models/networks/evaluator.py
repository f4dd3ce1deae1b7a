"""Networks as an evaluator: rows of any graph of their game, a batch in one pass.

P, V and Vc come from the information set, H and the values of pieces from a SAMPLE node. Values
leave the networks in value scales and this module in the game's units.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.models.networks import torch_check  # noqa: F401  (before torch)

# isort: split
import torch

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.entries import legal_entries, open_entries, pair_entries
from nash_ismcts_spiel.games.splitting import SplitActions
from nash_ismcts_spiel.games.tensors import Tensors
from nash_ismcts_spiel.models import RowsOfArrays
from nash_ismcts_spiel.models.networks.nets import Networks, piece_values

Floats = npt.NDArray[np.float64]


class NetworkEvaluator(RowsOfArrays):
    """P, V, Vc and H by networks.

    Attributes:
      tensors: what the networks see.
      networks: their weights may change; rows that a search has kept do not follow.
      value_scale: what one value scale is worth in the game's units.
      split_actions: whether actions are split on the graphs that it takes.
      numbers_read, numbers_given: inputs and outputs of all rows so far.
    """

    def __init__(self, tensors: Tensors, networks: Networks, value_scale: float) -> None:
        """Takes networks of the sizes that `tensors` says."""
        self.tensors = tensors
        self.networks = networks
        self.value_scale = value_scale
        self.split_actions: SplitActions = tensors.split_actions
        self.numbers_read = 0
        self.numbers_given = 0
        self._device = networks.policy.device

    @torch.inference_mode()
    def flat_information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> tuple[Floats, Floats, Floats]:
        """P, V and Vc of a batch, each end to end."""
        rows, turns = self.tensors.turned_sets(graph, information_sets)
        inputs = self._tensor(rows)
        legal = turns.entries(legal_entries(graph, information_sets))
        values = self._doubles(self.networks.value(inputs)) * self.value_scale
        policy = legal.softmax(self._doubles(self.networks.policy(inputs)))
        self._count(inputs, len(values) + 2 * len(policy))
        return policy, values[:, 0], values[legal.rows, legal.columns + 1]

    @torch.inference_mode()
    def flat_sample_rows(
        self, graph: GameGraph, sample_nodes: Sequence[int]
    ) -> tuple[Floats, Floats]:
        """h of a batch, end to end, and Vc, for each own action one per branch."""
        rows, turns = self.tensors.turned_samples(graph, sample_nodes)
        inputs = self._tensor(rows)
        outputs = self.networks.hidden(inputs)
        pieces = turns.entries(open_entries(graph, sample_nodes))
        beliefs = pieces.softmax(self._doubles(outputs))
        # Few of all pairs are possible, so they are picked out before they are made doubles.
        values = piece_values(outputs, self.tensors.pieces).cpu().numpy()
        picked = values[turns.pairs(pair_entries(graph, sample_nodes))].astype(np.float64)
        self._count(inputs, len(beliefs) + len(picked))
        return beliefs, picked * self.value_scale

    @torch.inference_mode()
    def beliefs(self, graph: GameGraph, sample_nodes: Sequence[int]) -> Floats:
        """h of a batch alone, end to end."""
        rows, turns = self.tensors.turned_samples(graph, sample_nodes)
        outputs = self.networks.hidden(self._tensor(rows))
        pieces = turns.entries(open_entries(graph, sample_nodes))
        return pieces.softmax(self._doubles(outputs))

    def _count(self, inputs: torch.Tensor, given: int) -> None:
        self.numbers_read += inputs.numel()
        self.numbers_given += given

    def _tensor(self, rows: npt.NDArray[np.float32]) -> torch.Tensor:
        return torch.from_numpy(rows).to(self._device)

    def _doubles(self, outputs: torch.Tensor) -> Floats:
        doubles: Floats = outputs.cpu().numpy().astype(np.float64)
        return doubles
