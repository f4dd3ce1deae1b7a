"""A small torch network as an evaluator, untrained: what it costs is what is measured with it.

P, V and Vc come from the information state tensor; beliefs and the values of pieces from that
tensor and the pieces drawn so far. Rows of one batch are evaluated in one forward pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from nash_ismcts_spiel.evaluation import InformationSetRow, SampleRow
from nash_ismcts_spiel.games import GameGraph

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


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
        self._features: _Features | None = None

    @torch.inference_mode()
    def flat_information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> tuple[Floats, Floats, Floats]:
        """P, V and Vc, one information set after another."""
        features = self._of(graph)
        ids = np.asarray(information_sets)
        features.know_sets(ids)
        outputs = self._sets(torch.from_numpy(features.sets[ids])).numpy().astype(np.float64)
        legal = features.legal[ids]
        values = np.tanh(outputs[:, self._actions :])
        policy = _distributions(outputs[:, : self._actions], legal)
        return policy[legal], values[:, -1], values[:, :-1][legal]

    @torch.inference_mode()
    def flat_sample_rows(
        self, graph: GameGraph, sample_nodes: Sequence[int]
    ) -> tuple[Floats, Floats]:
        """Beliefs and Vc (the same for every own action), one SAMPLE node after another."""
        features = self._of(graph)
        ids = np.asarray(sample_nodes)
        features.know_samples(ids)
        inputs = np.empty((len(ids), self._inputs + self._pieces), dtype=np.float32)
        inputs[:, : self._inputs] = features.sets[features.owner[ids]]
        inputs[:, self._inputs :] = features.drawn[ids]
        outputs = self._samples(torch.from_numpy(inputs)).numpy().astype(np.float64)
        open_pieces = features.pieces[ids]
        beliefs = _distributions(outputs[:, : self._pieces], open_pieces)
        values, owned = np.tanh(outputs[:, self._pieces :]), features.owned[ids]
        repeated = values.repeat(owned, axis=0)[open_pieces.repeat(owned, axis=0)]
        return beliefs[open_pieces], repeated

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        policy, value, child_values = self.flat_information_set_rows(graph, information_sets)
        counts = [graph.information_sets.action_count[i] for i in information_sets]
        ends = np.cumsum(counts)[:-1]
        rows = np.split(policy, ends), value.tolist(), np.split(child_values, ends)
        return list(map(InformationSetRow, *rows))

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        beliefs, child_values = self.flat_sample_rows(graph, sample_nodes)
        counts = np.array([graph.samples.branch_count[s] for s in sample_nodes])
        owned = self._of(graph).owned[np.asarray(sample_nodes)]
        blocks = np.split(child_values, np.cumsum(counts * owned)[:-1])
        values = [block.reshape(own, -1) for block, own in zip(blocks, owned, strict=True)]
        return list(map(SampleRow, np.split(beliefs, np.cumsum(counts)[:-1]), values))

    def _of(self, graph: GameGraph) -> _Features:
        if self._features is None or self._features.graph is not graph:
            self._features = _Features(graph, self._inputs, self._actions, self._pieces)
        return self._features


class _Features:
    """What the networks read of a graph, by information set and by SAMPLE node.

    It belongs to the graph, not to the weights, and is kept.

    Attributes:
      graph: whose features these are.
      sets: information state tensors. [I, inputs]
      legal: which actions are legal. [I, actions]
      drawn: how often each piece was drawn before a SAMPLE node. [S, pieces]
      pieces: which pieces may come next. [S, pieces]
      owner: whose hidden state is drawn, an information set. [S]
      owned: number of own actions. [S]
    """

    def __init__(self, graph: GameGraph, inputs: int, actions: int, pieces: int) -> None:
        self.graph = graph
        self.sets = np.zeros((0, inputs), dtype=np.float32)
        self.legal = np.zeros((0, actions), dtype=np.bool_)
        self.drawn = np.zeros((0, pieces), dtype=np.float32)
        self.pieces = np.zeros((0, pieces), dtype=np.bool_)
        self.owner, self.owned = np.zeros((2, 0), dtype=np.int64)
        self._set_known, self._sample_known = np.zeros((2, 0), dtype=np.bool_)

    def know_sets(self, ids: Numbers) -> None:
        """Makes the features of these information sets, if they are new."""
        count = len(self.graph.information_sets)
        if len(self._set_known) < count:
            self.sets, self.legal = _longer(self.sets, count), _longer(self.legal, count)
            self._set_known = _longer(self._set_known, count)
        known = self._set_known[ids]
        if not known.all():
            for information_set in ids[~known].tolist():
                self._add_set(information_set)

    def know_samples(self, ids: Numbers) -> None:
        """Makes the features of these SAMPLE nodes, if they are new."""
        count = len(self.graph.samples)
        if len(self._sample_known) < count:
            self.drawn, self.pieces = _longer(self.drawn, count), _longer(self.pieces, count)
            self.owner, self.owned = _longer(self.owner, count), _longer(self.owned, count)
            self._sample_known = _longer(self._sample_known, count)
        known = self._sample_known[ids]
        if not known.all():
            for node in ids[~known].tolist():
                self._add_sample(node)

    def _add_set(self, information_set: int) -> None:
        graph = self.graph
        state = graph.state(graph.information_sets.first_world[information_set])
        player = graph.information_sets.player[information_set]
        self.sets[information_set] = state.information_state_tensor(player)
        self.legal[information_set, graph.legal_actions(information_set)] = True
        self._set_known[information_set] = True

    def _add_sample(self, node: int) -> None:
        samples, worlds = self.graph.samples, self.graph.worlds
        owner, count = samples.information_set[node], samples.branch_count[node]
        self.know_sets(np.array([owner]))
        for piece in self.graph.history(samples.world[node]):
            self.drawn[node, piece] += 1.0
        first, start = samples.first_branch[node], worlds.first_edge[samples.world[node]]
        edges = samples.edge[first : first + count]
        pieces = [worlds.edge_action[start + edge] for edge in edges]
        assert pieces == sorted(pieces)  # as flags are read
        self.pieces[node, pieces] = True
        self.owner[node] = owner
        self.owned[node] = self.graph.information_sets.action_count[owner]
        self._sample_known[node] = True


def _longer(rows: np.ndarray, count: int) -> np.ndarray:
    """Rows with room for at least `count`, and for as many again before it is used up."""
    longer = np.zeros((2 * count, *rows.shape[1:]), dtype=rows.dtype)
    longer[: len(rows)] = rows
    return longer


def _layers(inputs: int, width: int, outputs: int) -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, width), torch.nn.ReLU(),
        torch.nn.Linear(width, width), torch.nn.ReLU(),
        torch.nn.Linear(width, outputs),
    )  # fmt: skip


def _distributions(logits: Floats, real: Flags) -> Floats:
    """Each row's distribution over its own columns, 0 elsewhere."""
    weights = np.where(real, logits, -np.inf)
    weights -= weights.max(axis=1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights
