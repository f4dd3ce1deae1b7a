"""A small torch network as an evaluator, untrained: what it costs is what is measured with it.

P, V and Vc come from the information state tensor; beliefs and the values of pieces from that
tensor and the pieces drawn so far. Rows of one batch are evaluated in one forward pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from nash_ismcts_spiel.evaluation import InformationSetRow, SampleRow
from nash_ismcts_spiel.games import GameGraph


class SmallNetwork:
    """Two hidden layers of `width` units for information sets, two for SAMPLE nodes."""

    def __init__(self, game: Any, width: int = 128, seed: int = 0) -> None:
        """Makes networks with random weights."""
        torch.manual_seed(seed)
        self._inputs = int(np.prod(game.information_state_tensor_shape()))
        self._actions = game.num_distinct_actions()
        self._pieces = max(self._actions, game.max_chance_outcomes())
        self._sets = _layers(self._inputs, width, 2 * self._actions + 1)
        self._samples = _layers(self._inputs + self._pieces, width, 2 * self._pieces)
        self._tensors: dict[int, np.ndarray] = {}
        self._owner: GameGraph | None = None

    @torch.inference_mode()
    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        inputs = np.stack([self._tensor(graph, i) for i in information_sets])
        outputs = self._sets(torch.from_numpy(inputs)).numpy().astype(np.float64)
        rows: list[InformationSetRow] = []
        for output, information_set in zip(outputs, information_sets, strict=True):
            legal = graph.legal_actions(information_set)
            policy = _softmax(output[legal])
            values = np.tanh(output[self._actions : -1][legal])
            rows.append(InformationSetRow(policy, float(np.tanh(output[-1])), values.tolist()))
        return rows

    @torch.inference_mode()
    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        samples, worlds, sets = graph.samples, graph.worlds, graph.information_sets
        inputs = np.zeros((len(sample_nodes), self._inputs + self._pieces), dtype=np.float32)
        for row, node in enumerate(sample_nodes):
            inputs[row, : self._inputs] = self._tensor(graph, samples.information_set[node])
            for piece in graph.history(samples.world[node]):
                inputs[row, self._inputs + piece] += 1.0
        outputs = self._samples(torch.from_numpy(inputs)).numpy().astype(np.float64)
        rows: list[SampleRow] = []
        for output, node in zip(outputs, sample_nodes, strict=True):
            first, count = samples.first_branch[node], samples.branch_count[node]
            start = worlds.first_edge[samples.world[node]]
            pieces = [worlds.edge_action[start + e] for e in samples.edge[first : first + count]]
            values = np.tanh(output[self._pieces :][pieces]).tolist()
            own = sets.action_count[samples.information_set[node]]
            rows.append(SampleRow(_softmax(output[: self._pieces][pieces]), [values] * own))
        return rows

    def _tensor(self, graph: GameGraph, information_set: int) -> np.ndarray:
        """The player's information state tensor; it belongs to the graph, not to the weights."""
        if graph is not self._owner:
            self._owner, self._tensors = graph, {}
        tensor = self._tensors.get(information_set)
        if tensor is None:
            state = graph.state(graph.information_sets.first_world[information_set])
            player = graph.information_sets.player[information_set]
            tensor = np.asarray(state.information_state_tensor(player), dtype=np.float32)
            self._tensors[information_set] = tensor
        return tensor


def _layers(inputs: int, width: int, outputs: int) -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, width), torch.nn.ReLU(),
        torch.nn.Linear(width, width), torch.nn.ReLU(),
        torch.nn.Linear(width, outputs),
    )  # fmt: skip


def _softmax(logits: np.ndarray) -> list[float]:
    weights = np.exp(logits - logits.max())
    return list((weights / weights.sum()).tolist())
