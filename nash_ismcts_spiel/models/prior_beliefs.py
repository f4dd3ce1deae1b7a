"""Models whose beliefs are replaced by the prior.

A long hidden state takes as many rows of H as it has pieces, and every row is asked of the models.
With the prior, compiled code draws it: whole, by exchanges, where the hidden history is long
(`native/search/pools.h`), else piece by piece. P, V and Vc stay as they are; Vc does not tell
pieces apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models.protocol import (
    Evaluator,
    InformationSetRow,
    SampleRow,
    graph_of,
    split_actions_of,
)


class PriorBeliefs:
    """P, V and Vc of `evaluator`, and hidden pieces by their prior.

    Attributes:
      evaluator: the models.
      graph, split_actions: as those of the models.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        """Takes any models."""
        self.evaluator = evaluator
        self.graph = graph_of(evaluator)
        self.split_actions = split_actions_of(evaluator)

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> Sequence[InformationSetRow]:
        """One row per information set."""
        return self.evaluator.information_set_rows(graph, information_sets)

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        owners = [graph.samples.information_set[node] for node in sample_nodes]
        rows = zip(sample_nodes, self.information_set_rows(graph, owners), strict=True)
        return [SampleRow.alike(graph.prior_weights(node), row.child_values) for node, row in rows]
