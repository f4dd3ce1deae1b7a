"""Networks as an evaluator: rows of any graph of their game, a batch in one pass.

P, V and Vc come from the information set, H and the values of pieces from a SAMPLE node. Values
leave the networks in value scales and this module in the game's units.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from nash_ismcts_spiel.evaluation import InformationSetRow, SampleRow
from nash_ismcts_spiel.evaluation.checks import sample_rows, set_rows
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.tensors import Tensors
from nash_ismcts_spiel.training.feature_table import Entries, FeatureTable
from nash_ismcts_spiel.training.networks import Networks, piece_values

Floats = npt.NDArray[np.float64]


class NetworkEvaluator:
    """P, V, Vc and H by networks.

    Attributes:
      tensors: what the networks see.
      networks: their weights may change; rows that a search has kept do not follow.
      value_scale: what one value scale is worth in the game's units.
    """

    def __init__(self, tensors: Tensors, networks: Networks, value_scale: float) -> None:
        """Takes networks of the sizes that `tensors` says."""
        self.tensors = tensors
        self.networks = networks
        self.value_scale = value_scale
        self._device = networks.policy.device
        self._tables: weakref.WeakKeyDictionary[GameGraph, FeatureTable] = (
            weakref.WeakKeyDictionary()
        )

    def features(self, graph: GameGraph) -> FeatureTable:
        """What the networks see of a graph."""
        table = self._tables.get(graph)
        if table is None:
            table = self._tables[graph] = FeatureTable(self.tensors)
        return table

    @torch.inference_mode()
    def flat_information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> tuple[Floats, Floats, Floats]:
        """P, V and Vc of a batch, each end to end."""
        table = self.features(graph)
        inputs = self._tensor(table.sets(graph, information_sets))
        legal = table.legal(graph, information_sets)
        values = self._doubles(self.networks.value(inputs)) * self.value_scale
        policy = _softmax(self._doubles(self.networks.policy(inputs)), legal)
        return policy, values[:, 0], values[legal.rows, legal.columns + 1]

    @torch.inference_mode()
    def flat_sample_rows(
        self, graph: GameGraph, sample_nodes: Sequence[int]
    ) -> tuple[Floats, Floats]:
        """h of a batch, end to end, and Vc, for each own action one per branch."""
        table = self.features(graph)
        outputs = self.networks.hidden(self._tensor(table.samples(graph, sample_nodes)))
        branches = table.open(graph, sample_nodes)
        owners = [graph.samples.information_set[node] for node in sample_nodes]
        legal = table.legal(graph, owners)
        values = piece_values(outputs, self.tensors.pieces)
        # All pairs of a row's own actions and its branches, action by action.
        actions, pieces = _pairs(legal, branches)
        rows = np.repeat(np.arange(len(owners)), legal.counts * branches.counts)
        child_values = self._doubles(values)[rows, actions, pieces] * self.value_scale
        return _softmax(self._doubles(outputs), branches), child_values

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        counts = self.features(graph).legal(graph, information_sets).counts
        return set_rows(*self.flat_information_set_rows(graph, information_sets), counts)

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        table = self.features(graph)
        owners = [graph.samples.information_set[node] for node in sample_nodes]
        counts = table.open(graph, sample_nodes).counts
        owned = table.legal(graph, owners).counts
        return sample_rows(*self.flat_sample_rows(graph, sample_nodes), counts, owned)

    def _tensor(self, rows: npt.NDArray[np.float32]) -> torch.Tensor:
        return torch.from_numpy(rows).to(self._device)

    def _doubles(self, outputs: torch.Tensor) -> Floats:
        doubles: Floats = outputs.cpu().numpy().astype(np.float64)
        return doubles


def _softmax(logits: Floats, entries: Entries) -> Floats:
    """Each row's distribution over its own entries, end to end."""
    picked = logits[entries.rows, entries.columns]
    starts = np.cumsum(entries.counts) - entries.counts
    weights = np.exp(picked - np.maximum.reduceat(picked, starts)[entries.rows])
    totals = np.add.reduceat(weights, starts)
    return np.asarray(weights / totals[entries.rows], dtype=np.float64)


def _pairs(
    outer: Entries, inner: Entries
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Columns of all pairs (outer entry, inner entry) of each row, outer by outer."""
    repeats = inner.counts[outer.rows]
    firsts = np.repeat((np.cumsum(inner.counts) - inner.counts)[outer.rows], repeats)
    ends = np.cumsum(repeats)
    within = np.arange(ends[-1]) - np.repeat(ends - repeats, repeats)
    return np.repeat(outer.columns, repeats), inner.columns[firsts + within]
