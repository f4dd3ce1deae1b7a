"""What networks see of the rows of a growing graph, made when first asked for and kept.

Rows are kept in matrices that grow, so that a batch is picked out by its numbers at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.tensors import Tensors, open_pieces

Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Entries(NamedTuple):
    """Where the entries of a batch's rows, end to end, stand in a matrix of the vocabulary.

    Attributes:
      rows: the row in the batch of each entry. [entries]
      columns: its action or piece. [entries]
      counts: entries of each row. [rows]
    """

    rows: Ints
    columns: Ints
    counts: Ints

    def mask(self, width: int) -> Bools:
        """True where a row has an entry. [rows, width]"""
        found = np.zeros((len(self.counts), width), dtype=np.bool_)
        found[self.rows, self.columns] = True
        return found


class FeatureTable:
    """Inputs of networks for one graph."""

    def __init__(self, tensors: Tensors) -> None:
        """Starts with no rows. The graph is handed in, not held: it must be free to go."""
        self._tensors = tensors
        self._sets = _Matrix(tensors.set_inputs)
        self._pieces = _Matrix(tensors.sample_inputs - tensors.set_inputs)
        self._legal: dict[int, list[int]] = {}
        self._open: dict[int, list[int]] = {}

    def sets(self, graph: GameGraph, information_sets: Sequence[int]) -> Singles:
        """Rows of information sets. [rows, set_inputs]"""
        for number in information_sets:
            if not self._sets.has(number):
                self._sets.put(number, self._tensors.information_set(graph, number))
        return self._sets.rows(information_sets)

    def samples(self, graph: GameGraph, nodes: Sequence[int]) -> Singles:
        """Rows of SAMPLE nodes. [rows, sample_inputs]"""
        for node in nodes:
            if not self._pieces.has(node):
                self._pieces.put(node, self._tensors.drawn_pieces(graph, node))
        owners = [graph.samples.information_set[node] for node in nodes]
        return np.concatenate([self.sets(graph, owners), self._pieces.rows(nodes)], axis=1)

    def legal(self, graph: GameGraph, information_sets: Sequence[int]) -> Entries:
        """The legal actions of information sets."""
        found = []
        for number in information_sets:
            actions = self._legal.get(number)
            if actions is None:
                actions = self._legal[number] = graph.legal_actions(number)
            found.append(actions)
        return _entries(found)

    def open(self, graph: GameGraph, nodes: Sequence[int]) -> Entries:
        """The pieces that may come next at SAMPLE nodes."""
        found = []
        for node in nodes:
            pieces = self._open.get(node)
            if pieces is None:
                pieces = self._open[node] = open_pieces(graph, node)
            found.append(pieces)
        return _entries(found)


class _Matrix:
    """Rows by number, in one array that doubles when it is full."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._content = np.zeros((64, width), dtype=np.float32)
        self._position: dict[int, int] = {}

    def has(self, number: int) -> bool:
        return number in self._position

    def put(self, number: int, row: Singles) -> None:
        position = self._position[number] = len(self._position)
        if position == len(self._content):
            self._content = np.concatenate([self._content, np.zeros_like(self._content)])
        self._content[position] = row

    def rows(self, numbers: Sequence[int]) -> Singles:
        return self._content[[self._position[number] for number in numbers]]


def _entries(columns: Sequence[Sequence[int]]) -> Entries:
    counts = np.array([len(row) for row in columns], dtype=np.int64)
    flat = np.fromiter((c for row in columns for c in row), dtype=np.int64, count=counts.sum())
    return Entries(np.repeat(np.arange(len(counts)), counts), flat, counts)
