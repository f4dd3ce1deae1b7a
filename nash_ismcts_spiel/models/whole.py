"""Models all of whose rows over one enumerated graph are there, as compiled code made them."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models.protocol import (
    InformationSetRow,
    SampleRow,
    sample_rows,
    set_rows,
)
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
        return [self._set_rows[number] for number in information_sets]

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        self._check(graph)
        return [self._sample_rows[node] for node in sample_nodes]

    @functools.cached_property
    def _set_rows(self) -> list[InformationSetRow]:
        rows, sets = self.native_rows, range(len(self.graph.information_sets))
        return set_rows(self.graph, sets, rows.policy, rows.value, rows.child_values)

    @functools.cached_property
    def _sample_rows(self) -> list[SampleRow]:
        self.graph.resolve()  # SAMPLE nodes that nobody has asked for are numbered, too
        rows, nodes = self.native_rows, range(len(self.graph.samples))
        return sample_rows(self.graph, nodes, rows.beliefs, rows.sample_values)

    def _check(self, graph: GameGraph) -> None:
        if graph is not self.graph:
            raise ValueError("these models belong to their own graph: search on evaluator.graph")
