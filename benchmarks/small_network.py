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

SetFeatures = tuple[np.ndarray, np.ndarray]
SampleFeatures = tuple[np.ndarray, np.ndarray, int]


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
        self._of_sets: dict[int, SetFeatures] = {}
        self._of_samples: dict[int, SampleFeatures] = {}
        self._owner: GameGraph | None = None

    @torch.inference_mode()
    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        features = [self._set_features(graph, i) for i in information_sets]
        inputs = torch.from_numpy(np.stack([tensor for tensor, _ in features]))
        outputs = self._sets(inputs).numpy().astype(np.float64)
        logits, values = outputs[:, : self._actions], outputs[:, self._actions : -1]
        rows = _split(logits, values, [legal for _, legal in features])
        return list(map(InformationSetRow, rows[0], np.tanh(outputs[:, -1]).tolist(), rows[1]))

    @torch.inference_mode()
    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        features = [self._sample_features(graph, node) for node in sample_nodes]
        inputs = torch.from_numpy(np.stack([tensor for tensor, _, _ in features]))
        outputs = self._samples(inputs).numpy().astype(np.float64)
        logits, values = outputs[:, : self._pieces], outputs[:, self._pieces :]
        rows = zip(*_split(logits, values, [pieces for _, pieces, _ in features]), strict=True)
        return [
            SampleRow(beliefs, value[None].repeat(actions, axis=0))
            for (beliefs, value), (_, _, actions) in zip(rows, features, strict=True)
        ]

    def _set_features(self, graph: GameGraph, information_set: int) -> SetFeatures:
        """Input and legal actions; they belong to the graph, not to the weights, and are kept."""
        if graph is not self._owner:
            self._owner, self._of_sets, self._of_samples = graph, {}, {}
        found = self._of_sets.get(information_set)
        if found is None:
            state = graph.state(graph.information_sets.first_world[information_set])
            player = graph.information_sets.player[information_set]
            tensor = np.asarray(state.information_state_tensor(player), dtype=np.float32)
            found = tensor, np.array(graph.legal_actions(information_set))
            self._of_sets[information_set] = found
        return found

    def _sample_features(self, graph: GameGraph, node: int) -> SampleFeatures:
        """Input (with the pieces drawn so far), next pieces, and number of own actions; kept."""
        samples, worlds = graph.samples, graph.worlds
        tensor, legal = self._set_features(graph, samples.information_set[node])
        found = self._of_samples.get(node)
        if found is None:
            drawn = np.zeros(self._pieces, dtype=np.float32)
            for piece in graph.history(samples.world[node]):
                drawn[piece] += 1.0
            first, start = samples.first_branch[node], worlds.first_edge[samples.world[node]]
            edges = samples.edge[first : first + samples.branch_count[node]]
            pieces = np.array([worlds.edge_action[start + edge] for edge in edges])
            found = np.concatenate([tensor, drawn]), pieces, len(legal)
            self._of_samples[node] = found
        return found


def _layers(inputs: int, width: int, outputs: int) -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, width), torch.nn.ReLU(),
        torch.nn.Linear(width, width), torch.nn.ReLU(),
        torch.nn.Linear(width, outputs),
    )  # fmt: skip


def _split(
    logits: np.ndarray, values: np.ndarray, columns: Sequence[np.ndarray]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Each row's distribution over its own columns, and the values there."""
    counts = [len(row) for row in columns]
    ends = np.cumsum(counts)
    starts = ends - counts
    at = np.repeat(np.arange(len(counts)), counts), np.concatenate(columns)
    picked = logits[at]
    weights = np.exp(picked - np.repeat(np.maximum.reduceat(picked, starts), counts))
    weights /= np.repeat(np.add.reduceat(weights, starts), counts)
    bounded = np.tanh(values[at])
    spans = list(zip(starts.tolist(), ends.tolist(), strict=True))
    return [weights[a:b] for a, b in spans], [bounded[a:b] for a, b in spans]
