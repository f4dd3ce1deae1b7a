"""Models all of whose rows over one enumerated graph are there, as compiled code made them."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models.protocol import InformationSetRow, SampleRow
from nash_ismcts_spiel.native import _core

Floats = npt.NDArray[np.float64]


class WholeEvaluator:
    """An evaluator of one graph, whose rows are columns.

    Attributes:
      graph: the enumerated graph that the rows belong to.
    """

    graph: GameGraph

    @property
    def native_rows(self) -> _core.Rows:
        """All rows."""
        raise NotImplementedError

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
        sets, rows = graph.information_sets, list[InformationSetRow]()
        for number in information_sets:
            here = slice(first := sets.first_action[number], first + sets.action_count[number])
            p, v = policy[here].tolist(), child_values[here].tolist()
            rows.append(InformationSetRow(p, float(value[number]), v))
        return rows

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        self._check(graph)
        beliefs, child_values, first_value = self._of_samples
        samples, rows = graph.samples, list[SampleRow]()
        for node in sample_nodes:
            first, count = samples.first_branch[node], samples.branch_count[node]
            values = child_values[first_value[node] : first_value[node + 1]].reshape(-1, count)
            rows.append(SampleRow(beliefs[first : first + count].tolist(), values.tolist()))
        return rows

    @functools.cached_property
    def _of_sets(self) -> tuple[Floats, Floats, Floats]:
        rows = self.native_rows
        return rows.policy, rows.value, rows.child_values

    @functools.cached_property
    def _of_samples(self) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
        """Beliefs, child values, and where the child values of each node begin."""
        self.graph.resolve()  # SAMPLE nodes that nobody has asked for are numbered, too
        samples, sets = self.graph.samples, self.graph.information_sets
        own = np.asarray(sets.action_count, dtype=np.int64)[samples.information_set]
        first = np.concatenate([[0], np.cumsum(own * np.asarray(samples.branch_count))])
        return self.native_rows.beliefs, self.native_rows.sample_values, first

    def _check(self, graph: GameGraph) -> None:
        if graph is not self.graph:
            raise ValueError("these models belong to their own graph: search on evaluator.graph")
