"""Models that are tables over an enumerated graph, as an evaluator: for both engines and for bots.

P, V and H stand in the tables; child values are what V says one own move later, as in training.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.evaluation import InformationSetRow, SampleRow
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.training.table_worker import Tables, rows_of

Floats = npt.NDArray[np.float64]


class TableEvaluator:
    """P, V and H by tables.

    Attributes:
      graph: the enumerated graph that the tables belong to.
      native_rows: all rows, for the native engine.
    """

    def __init__(self, graph: GameGraph, tables: Tables) -> None:
        """Takes tables of all information sets of an enumerated graph."""
        self.graph = graph
        self.native_rows: _core.Rows = rows_of(graph, tables, forgetful=True)

    @functools.cached_property
    def world_values(self) -> Floats:
        """What each world is worth to each player. [W, n]"""
        return self.native_rows.world_values.reshape(len(self.graph.worlds), -1)

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        self._check(graph)
        policy, value, child_values = self._of_sets
        sets = graph.information_sets
        rows = []
        for number in information_sets:
            first = sets.first_action[number]
            span = slice(first, first + sets.action_count[number])
            row = InformationSetRow(
                policy[span].tolist(), float(value[number]), child_values[span].tolist()
            )
            rows.append(row)
        return rows

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        self._check(graph)
        beliefs, child_values, first_value = self._of_samples
        samples = graph.samples
        rows = []
        for node in sample_nodes:
            first, count = samples.first_branch[node], samples.branch_count[node]
            values = child_values[first_value[node] : first_value[node + 1]]
            h = beliefs[first : first + count]
            rows.append(SampleRow(h.tolist(), values.reshape(-1, count).tolist()))
        return rows

    @functools.cached_property
    def _of_sets(self) -> tuple[Floats, Floats, Floats]:
        rows = self.native_rows
        return rows.policy, rows.value, rows.child_values

    @functools.cached_property
    def _of_samples(self) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
        """Beliefs, child values, and where the child values of each node begin."""
        samples, sets = self.graph.samples, self.graph.information_sets
        own = np.asarray(sets.action_count, dtype=np.int64)[samples.information_set]
        first = np.concatenate([[0], np.cumsum(own * np.asarray(samples.branch_count))])
        return self.native_rows.beliefs, self.native_rows.sample_values, first

    def _check(self, graph: GameGraph) -> None:
        if graph is not self.graph:
            raise ValueError("tables belong to their own graph: search on evaluator.graph")
