"""Rows that a search has asked for, checked once and kept.

The checks stand here so that a broken evaluator is named at once, with the value that is wrong,
and never reaches a tree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from nash_ismcts_spiel.evaluation.protocol import (
    Evaluator,
    EvaluatorError,
    InformationSetRow,
    SampleRow,
)
from nash_ismcts_spiel.games import GameGraph

_SUM_TOLERANCE = 1e-6


class Models:
    """The models of one evaluator on one graph, row by row."""

    def __init__(self, graph: GameGraph, evaluator: Evaluator) -> None:
        """Starts with no rows."""
        self.graph = graph
        self.evaluator = evaluator
        self._information_sets: dict[int, InformationSetRow] = {}
        self._samples: dict[int, SampleRow] = {}

    def information_set(self, information_set: int) -> InformationSetRow:
        """P, V and Vc at an information set."""
        row = self._information_sets.get(information_set)
        if row is None:
            (row,) = self.evaluator.information_set_rows(self.graph, [information_set])
            self._check_information_set(information_set, row)
            self._information_sets[information_set] = row
        return row

    def sample(self, sample_node: int) -> SampleRow:
        """Beliefs and Vc at a SAMPLE node."""
        row = self._samples.get(sample_node)
        if row is None:
            (row,) = self.evaluator.sample_rows(self.graph, [sample_node])
            self._check_sample(sample_node, row)
            self._samples[sample_node] = row
        return row

    def _check_information_set(self, information_set: int, row: InformationSetRow) -> None:
        actions = self.graph.information_sets.action_count[information_set]
        where = f"at {self.graph.key(information_set)}"
        self._check_distribution("policy", row.policy, actions, where)
        self._check_values("value", [row.value], 1, where)
        self._check_values("child_values", row.child_values, actions, where)

    def _check_sample(self, sample_node: int, row: SampleRow) -> None:
        samples = self.graph.samples
        information_set = samples.information_set[sample_node]
        branches = samples.branch_count[sample_node]
        actions = self.graph.information_sets.action_count[information_set]
        where = f"at a SAMPLE node of {self.graph.key(information_set)}"
        self._check_distribution("beliefs", row.beliefs, branches, where)
        if len(row.child_values) != actions:
            raise self._error(f"{len(row.child_values)} rows of child_values", f"{actions}", where)
        for values in row.child_values:
            self._check_values("child_values", values, branches, where)

    def _check_distribution(
        self, name: str, row: Sequence[float], length: int, where: str
    ) -> None:
        self._check_values(name, row, length, where)
        if min(row) < 0.0 or abs(sum(row) - 1.0) > _SUM_TOLERANCE:
            raise self._error(
                f"{name} {list(row)} (sum {sum(row)})", "non-negative entries that sum to 1", where
            )

    def _check_values(self, name: str, row: Sequence[float], length: int, where: str) -> None:
        if len(row) != length:
            raise self._error(f"{len(row)} entries of {name}", f"{length}", where)
        if not all(math.isfinite(value) for value in row):
            raise self._error(f"{name} {list(row)}", "finite numbers", where)

    def _error(self, got: str, wanted: str, where: str) -> EvaluatorError:
        name = type(self.evaluator).__name__
        return EvaluatorError(f"{name} returned {got} instead of {wanted} {where}")
