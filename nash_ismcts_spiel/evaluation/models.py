"""Rows that a search has asked for, checked once and kept.

The checks stand here so that a broken evaluator is named at once, with the value that is wrong,
and never reaches a tree.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.evaluation.protocol import (
    Evaluator,
    EvaluatorError,
    InformationSetRow,
    SampleRow,
)
from nash_ismcts_spiel.games import GameGraph

_SUM_TOLERANCE = 1e-6

Floats = npt.NDArray[np.float64]


class Models:
    """The models of one evaluator on one graph, row by row."""

    def __init__(self, graph: GameGraph, evaluator: Evaluator) -> None:
        """Starts with no rows."""
        self.graph = graph
        self.evaluator = evaluator
        self._information_sets: dict[int, InformationSetRow] = {}
        self._samples: dict[int, SampleRow] = {}

    @functools.cached_property
    def world_values(self) -> Floats | None:
        """What each world is worth to each player, None if the models do not say. [W, n]"""
        values = getattr(self.evaluator, "world_values", None)
        if values is None:
            return None
        shape = (len(self.graph.worlds), self.graph.game.num_players)
        values = np.asarray(values, dtype=np.float64)
        if values.shape != shape or not _finite(values):
            wrong = _WrongRowError(f"world_values of shape {values.shape}", f"{shape}, all finite")
            raise self._error(wrong, f"in {self.graph.game.name}")
        return values

    def information_set(self, information_set: int) -> InformationSetRow:
        """P, V and Vc at an information set."""
        row = self._information_sets.get(information_set)
        if row is None:
            (row,) = self._new_information_sets([information_set])
            self._check_information_set(information_set, row)
            self._information_sets[information_set] = row
        return row

    def sample(self, sample_node: int) -> SampleRow:
        """Beliefs and Vc at a SAMPLE node."""
        row = self._samples.get(sample_node)
        if row is None:
            (row,) = self._new_samples([sample_node])
            self._check_sample(sample_node, row)
            self._samples[sample_node] = row
        return row

    def flat_information_sets(self, information_sets: Sequence[int]) -> tuple[Floats, ...]:
        """Policies, values and child values of several information sets, each end to end.

        Straight from the evaluator, checked and not kept.
        """
        rows = self._new_information_sets(information_sets)
        counts = [self.graph.information_sets.action_count[i] for i in information_sets]
        policy = _flat([row.policy for row in rows], counts)
        value = np.array([row.value for row in rows])
        child_values = _flat([row.child_values for row in rows], counts)
        if not (_distributions(policy, counts) and _finite(value) and _finite(child_values)):
            for information_set, row in zip(information_sets, rows, strict=True):
                self._check_information_set(information_set, row)
        assert policy is not None and child_values is not None
        return policy, value, child_values

    def flat_samples(self, sample_nodes: Sequence[int]) -> tuple[Floats, ...]:
        """Beliefs and child values of several SAMPLE nodes, each end to end, as above."""
        rows = self._new_samples(sample_nodes)
        samples, sets = self.graph.samples, self.graph.information_sets
        counts = [samples.branch_count[s] for s in sample_nodes]
        owned = [sets.action_count[samples.information_set[s]] for s in sample_nodes]
        beliefs = _flat([row.beliefs for row in rows], counts)
        child_values = _flat([row.child_values for row in rows], counts, owned)
        if not (_distributions(beliefs, counts) and _finite(child_values)):
            for sample_node, row in zip(sample_nodes, rows, strict=True):
                self._check_sample(sample_node, row)
        assert beliefs is not None and child_values is not None
        return beliefs, child_values

    def _new_information_sets(self, information_sets: Sequence[int]) -> Sequence[InformationSetRow]:
        rows = self.evaluator.information_set_rows(self.graph, information_sets)
        self._check_count(len(rows), len(information_sets))
        return rows

    def _new_samples(self, sample_nodes: Sequence[int]) -> Sequence[SampleRow]:
        rows = self.evaluator.sample_rows(self.graph, sample_nodes)
        self._check_count(len(rows), len(sample_nodes))
        return rows

    def _check_count(self, rows: int, asked: int) -> None:
        if rows != asked:
            wrong = _WrongRowError(f"{rows} rows", f"{asked}")
            raise self._error(wrong, f"in {self.graph.game.name}")

    def _check_information_set(self, information_set: int, row: InformationSetRow) -> None:
        actions = self.graph.information_sets.action_count[information_set]
        try:
            _check_distribution("policy", row.policy, actions)
            _check_values("value", [row.value], 1)
            _check_values("child_values", row.child_values, actions)
        except _WrongRowError as wrong:
            raise self._error(wrong, f"at {self.graph.key(information_set)}") from None

    def _check_sample(self, sample_node: int, row: SampleRow) -> None:
        samples = self.graph.samples
        information_set = samples.information_set[sample_node]
        branches = samples.branch_count[sample_node]
        actions = self.graph.information_sets.action_count[information_set]
        try:
            _check_distribution("beliefs", row.beliefs, branches)
            if len(row.child_values) != actions:
                raise _WrongRowError(f"{len(row.child_values)} rows of child_values", f"{actions}")
            for values in row.child_values:
                _check_values("child_values", values, branches)
        except _WrongRowError as wrong:
            where = f"at a SAMPLE node of {self.graph.key(information_set)}"
            raise self._error(wrong, where) from None

    def _error(self, wrong: _WrongRowError, where: str) -> EvaluatorError:
        name = type(self.evaluator).__name__
        return EvaluatorError(f"{name} returned {wrong} {where}")


class _WrongRowError(Exception):
    """What is wrong, before it is known where."""

    def __init__(self, got: str, wanted: str) -> None:
        """Says what was got instead of what was wanted."""
        super().__init__(f"{got} instead of {wanted}")


def _flat(
    rows: Sequence[Any], lengths: Sequence[int], heights: Sequence[int] | None = None
) -> Floats | None:
    """Rows (or matrices with `heights` rows each) end to end; None if one has another shape.

    Checks of a whole batch are quick and only say that something is wrong; what and where is then
    found row by row.
    """
    try:
        arrays = [np.asarray(row, dtype=np.float64) for row in rows]
    except ValueError:  # a ragged matrix
        return None
    if heights is None:
        shapes: list[tuple[int, ...]] = [(length,) for length in lengths]
    else:
        shapes = list(zip(heights, lengths, strict=True))
    if [array.shape for array in arrays] != shapes:
        return None
    return np.concatenate([array.reshape(-1) for array in arrays])


def _finite(flat: Floats | None) -> bool:
    return flat is not None and bool(np.isfinite(flat).all())


def _distributions(flat: Floats | None, lengths: Sequence[int]) -> bool:
    if flat is None or not _finite(flat):
        return False
    sums = np.add.reduceat(flat, np.cumsum([0, *lengths[:-1]]))
    return bool((flat >= 0.0).all() and (np.abs(sums - 1.0) <= _SUM_TOLERANCE).all())


def _check_distribution(name: str, row: Sequence[float], length: int) -> None:
    _check_values(name, row, length)
    total = sum(row)
    if min(row) < 0.0 or abs(total - 1.0) > _SUM_TOLERANCE:
        got = f"{name} {list(row)} (sum {total})"
        raise _WrongRowError(got, "non-negative entries that sum to 1")


def _check_values(name: str, row: Sequence[float], length: int) -> None:
    if len(row) != length:
        raise _WrongRowError(f"{len(row)} entries of {name}", f"{length}")
    if not all(map(math.isfinite, row)):
        raise _WrongRowError(f"{name} {list(row)}", "finite numbers")
