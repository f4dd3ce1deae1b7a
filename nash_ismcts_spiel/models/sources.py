"""Evaluators whose rows compiled code makes itself, without entering Python during a search."""

from __future__ import annotations

import abc
from collections.abc import Sequence

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models.protocol import InformationSetRow, SampleRow
from nash_ismcts_spiel.native import _core


class SourceEvaluator(abc.ABC):
    """An evaluator over a compiled source of rows, whose Vc does not tell pieces apart."""

    @abc.abstractmethod
    def row_source(self, graph: GameGraph) -> _core.RowSource:
        """The compiled models for a graph."""

    def policy_row(self, graph: GameGraph, information_set: int) -> list[float]:
        """P alone; where it is uniform, no value has to be found for it."""
        return self.row_source(graph).policy_row(graph, information_set)

    def beliefs(self, graph: GameGraph, sample_node: int) -> list[float]:
        """How likely each branch of a SAMPLE node is."""
        return self.row_source(graph).beliefs(graph, sample_node)

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        source = self.row_source(graph)
        return [InformationSetRow(*source.set_row(graph, number)) for number in information_sets]

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        owners = [graph.samples.information_set[node] for node in sample_nodes]
        rows = zip(sample_nodes, self.information_set_rows(graph, owners), strict=True)
        return [SampleRow.alike(self.beliefs(graph, node), row.child_values) for node, row in rows]


def compiled_only(evaluator: object) -> SourceEvaluator | None:
    """An evaluator all of whose rows are compiled; None for others, and for one that inherits from
    these but makes rows of its own.
    """
    if not isinstance(evaluator, SourceEvaluator):
        return None
    made_here = ("information_set_rows", "sample_rows", "policy_row", "beliefs")
    kept = (getattr(type(evaluator), name) is getattr(SourceEvaluator, name) for name in made_here)
    return evaluator if all(kept) else None
