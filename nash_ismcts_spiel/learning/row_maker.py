"""Rows for networks from games that were counted on a graph that grows; `rows.py` says which."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.entries import legal_entries, open_entries, pair_entries
from nash_ismcts_spiel.games.tensors import Tensors
from nash_ismcts_spiel.learning.rows import HiddenRows, PolicyRows, ValueRows
from nash_ismcts_spiel.native import _core

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
NUMBER_BYTES = 4


class RowMaker:
    """Makes rows from what was counted on one graph."""

    def __init__(self, graph: GameGraph, tensors: Tensors, value_scale: float) -> None:
        """Takes what networks see, and what one value scale is worth in the game's units."""
        self._graph = graph
        self._tensors = tensors
        self._value_scale = value_scale

    @property
    def value_bytes(self) -> int:
        """What a row for V takes."""
        return NUMBER_BYTES * (self._tensors.set_inputs + 2 * self._tensors.actions)

    @property
    def hidden_bytes(self) -> int:
        """What a row for H takes."""
        return NUMBER_BYTES * (self._tensors.sample_inputs + self._tensors.pieces)

    def policy(self, visits: Mapping[int, float], found: Mapping[int, Floats]) -> PolicyRows:
        """What searches found, counted by visits."""
        sets = np.fromiter(visits, dtype=np.int32)
        inputs, turns = self._tensors.turned_sets(self._graph, sets)
        legal = turns.entries(legal_entries(self._graph, sets))
        mask = legal.mask(self._tensors.actions)
        targets = np.zeros(mask.shape, dtype=np.float32)
        targets[legal.rows, legal.columns] = np.concatenate([found[int(s)] for s in sets])
        frequency = np.fromiter(visits.values(), dtype=np.float64)
        return PolicyRows(inputs, mask, frequency, targets)

    def value(self, sums: _core.TargetSums, policy: Floats) -> ValueRows:
        """A row per information set that explorers came to; `policy` is P. [A]"""
        visits = sums.visits
        sets = np.flatnonzero(visits > 0).astype(np.int32)
        inputs, turns = self._tensors.turned_sets(self._graph, sets)
        legal = turns.entries(legal_entries(self._graph, sets))
        first = np.asarray(self._graph.information_sets.first_action, dtype=np.int64)[sets]
        actions = ranges(first, legal.counts)
        weights = sums.action_weights[actions]
        child_values = _means(sums.action_values[actions], weights)
        shares = np.where(weights > 0.0, policy[actions], 0.0)
        followed = _sums(legal.rows, shares, len(sets))
        values = _means(_sums(legal.rows, shares * child_values, len(sets)), followed)
        taken = (weights > 0.0).astype(np.float64)
        mask = legal.mask(self._tensors.actions)
        targets = np.zeros((len(sets), 1 + self._tensors.actions), dtype=np.float32)
        counts = np.zeros_like(targets)
        targets[:, 0] = values / self._value_scale
        counts[:, 0] = followed > 0.0
        targets[legal.rows, 1 + legal.columns] = child_values / self._value_scale
        alike = np.maximum(_sums(legal.rows, taken, len(sets)), 1.0)
        counts[legal.rows, 1 + legal.columns] = taken / alike[legal.rows]
        return ValueRows(inputs, mask, visits[sets].astype(np.float64), targets, counts)

    def hidden(self, sums: _core.TargetSums) -> HiddenRows:
        """A row per SAMPLE node that what was hidden went through."""
        samples = self._graph.samples
        nodes = np.flatnonzero(sums.piece_first >= 0).astype(np.int32)
        inputs, turns = self._tensors.turned_samples(self._graph, nodes)
        pieces = turns.entries(open_entries(self._graph, nodes))
        first = np.asarray(samples.first_branch, dtype=np.int64)[nodes]
        weights = sums.branch_weights[ranges(first, pieces.counts)]
        totals = _sums(pieces.rows, weights, len(nodes))
        mask = pieces.mask(self._tensors.pieces)
        targets = np.zeros(mask.shape, dtype=np.float32)
        targets[pieces.rows, pieces.columns] = _means(weights, totals[pieces.rows])
        pairs = turns.pairs(pair_entries(self._graph, nodes))
        sizes = np.bincount(pairs.rows, minlength=len(nodes))
        listed = ranges(sums.piece_first[nodes], sizes)
        met = np.flatnonzero(sums.piece_weights[listed] > 0.0)
        listed = listed[met]
        counts = np.bincount(pairs.rows[met], minlength=len(nodes))
        values = sums.piece_values[listed] / sums.piece_weights[listed]
        return HiddenRows(
            inputs,
            mask,
            totals,
            targets,
            counts,
            pairs.actions[met],
            pairs.pieces[met],
            (values / self._value_scale).astype(np.float32),
            (1.0 / counts[pairs.rows[met]]).astype(np.float32),
        )


def ranges(first: Ints, counts: Ints) -> Ints:
    """The numbers first[0], first[0] + 1, ... of each range, end to end."""
    starts = np.cumsum(counts) - counts
    found: Ints = np.repeat(first - starts, counts) + np.arange(int(counts.sum()))
    return found


def _sums(rows: Ints, values: Floats, count: int) -> Floats:
    """The sum of the values of each of so many rows."""
    return np.asarray(np.bincount(rows, values, count), dtype=np.float64)


def _means(sums: Floats, weights: Floats) -> Floats:
    return np.asarray(sums / np.where(weights > 0.0, weights, 1.0), dtype=np.float64)
