"""Where the actions and pieces of a batch's rows stand in the vocabularies of networks.

A network has one output for each action or piece of the game. A row's entries are those that are
possible there, in the order of the graph; in rows that were turned (`games/symmetries.py`) they
stand elsewhere, and their order stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games.graph import GameGraph

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Numbers = Sequence[int] | npt.NDArray[np.int32]
"""Numbers of rows of a graph."""


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

    def softmax(self, logits: Floats) -> Floats:
        """Each row's distribution over its own entries, end to end."""
        picked = logits[self.rows, self.columns]
        starts = np.cumsum(self.counts) - self.counts
        weights = np.exp(picked - np.maximum.reduceat(picked, starts)[self.rows])
        totals = np.add.reduceat(weights, starts)
        return np.asarray(weights / totals[self.rows], dtype=np.float64)


class Pairs(NamedTuple):
    """All pairs of an own action and a piece that may come next, of a batch of SAMPLE nodes.

    Attributes:
      rows: the row in the batch of each pair; a row's pairs come action by action. [pairs]
      actions: its action. [pairs]
      pieces: its piece. [pairs]
    """

    rows: Ints
    actions: Ints
    pieces: Ints


class Turns(NamedTuple):
    """How the rows of a batch were turned.

    Attributes:
      cells: where each action or piece of each row went, [rows, vocabulary]; None if nowhere.
    """

    cells: Ints | None

    def entries(self, entries: Entries) -> Entries:
        """The same entries where they stand in the turned rows; their order stays."""
        if self.cells is None:
            return entries
        return entries._replace(columns=self.cells[entries.rows, entries.columns])

    def pairs(self, pairs: Pairs) -> Pairs:
        """The same pairs where they stand in the turned rows; their order stays."""
        if self.cells is None:
            return pairs
        actions, pieces = (self.cells[pairs.rows, each] for each in (pairs.actions, pairs.pieces))
        return pairs._replace(actions=actions, pieces=pieces)


def legal_entries(graph: GameGraph, information_sets: Numbers) -> Entries:
    """The legal actions of information sets."""
    table = graph.information_sets
    sets = _rows(information_sets, len(table), "information set")
    entries = _ranges(table.first_action.take(sets), table.action_count.take(sets))
    return entries._replace(columns=table.action.take(entries.columns))


def open_entries(graph: GameGraph, sample_nodes: Numbers) -> Entries:
    """The pieces that may come next at SAMPLE nodes, branch by branch."""
    table = graph.samples
    nodes = _rows(sample_nodes, len(table), "SAMPLE node")
    entries = _ranges(table.first_branch.take(nodes), table.branch_count.take(nodes))
    first = graph.worlds.first_edge.take(table.world.take(nodes))
    edges = first[entries.rows] + table.edge.take(entries.columns)
    return entries._replace(columns=graph.worlds.edge_action.take(edges))


def pair_entries(graph: GameGraph, sample_nodes: Numbers) -> Pairs:
    """Where Vc tells pieces apart: each own action with each piece that may come next."""
    pieces = open_entries(graph, sample_nodes)
    owners = graph.samples.information_set.take(np.asarray(sample_nodes, dtype=np.int64))
    rows, actions, _ = legal_entries(graph, owners)
    starts = np.cumsum(pieces.counts) - pieces.counts
    pairs = _ranges(starts[rows], pieces.counts[rows])
    return Pairs(rows[pairs.rows], actions[pairs.rows], pieces.columns[pairs.columns])


def _ranges(first: npt.NDArray[Any], counts: npt.NDArray[Any]) -> Entries:
    """As many numbers of each row as `counts` says, from `first` on, as columns."""
    lengths = counts.astype(np.int64)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    starts = np.cumsum(lengths) - lengths
    return Entries(rows, (first - starts)[rows] + np.arange(len(rows)), lengths)


def _rows(numbers: Numbers, count: int, name: str) -> Ints:
    found = np.asarray(numbers, dtype=np.int64)
    for wrong in found[(found < 0) | (found >= count)]:
        raise IndexError(f"{name} {wrong} is not one of {count}")
    return found
