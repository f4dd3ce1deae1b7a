"""AlphaGo's leaf value: a mixture `(1 - lambda) V + lambda z` of a model and of random play."""

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
from nash_ismcts_spiel.models.rollout import RolloutEvaluator


class BlendEvaluator:
    """P and H of `evaluator`; every value is mixed with that of `rollouts`."""

    def __init__(
        self, evaluator: Evaluator, rollouts: Evaluator | None = None, weight: float = 0.5
    ) -> None:
        """Mixes two evaluators.

        Args:
          evaluator: gives P, H and V.
          rollouts: gives z; one random rollout per action if None.
          weight: lambda, the share of z, between 0 and 1.
        """
        if not 0.0 <= weight <= 1.0:
            raise ValueError(f"weight must be between 0 and 1, not {weight}")
        self.graph = graph_of(evaluator)
        self.split_actions = split_actions_of(evaluator)
        self._evaluator = evaluator
        self._rollouts = RolloutEvaluator() if rollouts is None else rollouts
        self._weight = weight

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        pairs = zip(
            self._evaluator.information_set_rows(graph, information_sets),
            self._rollouts.information_set_rows(graph, information_sets),
            strict=True,
        )
        return [
            InformationSetRow(
                row.policy,
                self._mix([row.value], [z.value])[0],
                self._mix(row.child_values, z.child_values),
            )
            for row, z in pairs
        ]

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        pairs = zip(
            self._evaluator.sample_rows(graph, sample_nodes),
            self._rollouts.sample_rows(graph, sample_nodes),
            strict=True,
        )
        return [
            SampleRow(row.beliefs, list(map(self._mix, row.child_values, z.child_values)))
            for row, z in pairs
        ]

    def _mix(self, values: Sequence[float], rollouts: Sequence[float]) -> list[float]:
        weight = self._weight
        return [(1.0 - weight) * v + weight * z for v, z in zip(values, rollouts, strict=True)]
