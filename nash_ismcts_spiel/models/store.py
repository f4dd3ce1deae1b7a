"""Rows that a search has asked for, checked once and kept.

The checks stand here so that a broken evaluator is named at once, with the value that is wrong,
and never reaches a tree.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.tables import DEAD, MISSING
from nash_ismcts_spiel.models import checks
from nash_ismcts_spiel.models.prior_beliefs import PriorBeliefs
from nash_ismcts_spiel.models.protocol import (
    Evaluator,
    EvaluatorError,
    FlatEvaluator,
    Floats,
    InformationSetRow,
    SampleRow,
)
from nash_ismcts_spiel.models.sources import compiled_only
from nash_ismcts_spiel.native import _core

_CHECKED: weakref.WeakSet[_core.Rows] = weakref.WeakSet()
"""Whole tables of rows that need not be looked at again."""


class Models:
    """The models of one evaluator on one graph, row by row.

    Attributes:
      graph: the graph that is searched.
      evaluator: whose models they are.
      compiled: the evaluator again if compiled code makes all its rows, else None.
      compiled_beliefs: whether compiled code makes the rows of SAMPLE nodes, in which Vc does not
        tell pieces apart.
    """

    def __init__(self, graph: GameGraph, evaluator: Evaluator) -> None:
        """Starts with no rows."""
        self.graph = graph
        self.evaluator = evaluator
        self.compiled = compiled_only(evaluator)
        self.compiled_beliefs = self.compiled is not None or isinstance(evaluator, PriorBeliefs)
        asked = evaluator.evaluator if isinstance(evaluator, PriorBeliefs) else evaluator
        self._flat = asked if isinstance(asked, FlatEvaluator) else None
        self._information_sets: dict[int, InformationSetRow] = {}
        self._samples: dict[int, SampleRow] = {}
        self._buried = 0

    def policy(self, information_set: int) -> Sequence[float]:
        """P at an information set, where nothing else is needed."""
        row = self._information_sets.get(information_set)
        if row is None and self.compiled is not None:
            return self.compiled.policy_row(self.graph, information_set)
        return self.information_set(information_set).policy

    def policies(self, information_sets: Sequence[int]) -> list[Sequence[float]]:
        """P at several information sets, in one batch."""
        missing = [number for number in information_sets if number not in self._information_sets]
        if missing and self.compiled is None:
            for number, row in zip(missing, self._new_information_sets(missing), strict=True):
                self._check_information_set(number, row)
                self._information_sets[number] = row
        return [self.policy(number) for number in information_sets]

    @functools.cached_property
    def world_values(self) -> Floats | None:
        """What each world is worth to each player, None if the models do not say. [W, n]"""
        values = getattr(self.evaluator, "world_values", None)
        if values is None:
            return None
        shape = (len(self.graph.worlds), self.graph.game.num_players)
        values = np.asarray(values, dtype=np.float64)
        if values.shape != shape or not checks.finite(values):
            got = f"world_values of shape {values.shape}"
            wrong = checks.WrongRowError(got, f"{shape}, all finite")
            raise self._error(wrong, f"in {self.graph.game.name}")
        return values

    def checked_native(self, rows: _core.Rows) -> _core.Rows:
        """Rows that the evaluator shows as they are, once they have been found to be rows.

        Raises:
          EvaluatorError: they are not.
        """
        if rows not in _CHECKED:
            try:
                checks.check_native(self.graph, rows)
            except checks.WrongRowError as wrong:
                raise self._error(wrong, f"in {self.graph.game.name}") from None
            _CHECKED.add(rows)
        return rows

    def information_set(self, information_set: int, arrival: int = MISSING) -> InformationSetRow:
        """P, V and Vc at an information set; compiled models may value it in the world `arrival`,
        in which its own player has come to it.
        """
        row = self._information_sets.get(information_set)
        if row is None:
            if self.compiled is not None:
                source = self.compiled.row_source(self.graph)
                row = InformationSetRow(*source.set_row(self.graph, information_set, arrival))
            else:
                (row,) = self._new_information_sets([information_set])
                self._check_information_set(information_set, row)
            self._information_sets[information_set] = row
        return row

    def sample(self, sample_node: int) -> SampleRow:
        """Beliefs and Vc at a SAMPLE node."""
        row = self._samples.get(sample_node)
        if row is None:
            if self.compiled_beliefs:
                row = self._samples[sample_node] = self._source_sample(sample_node)
                return row
            (row,) = self._new_samples([sample_node])
            self._check_sample(sample_node, row)
            row = self._samples[sample_node] = SampleRow(list(row.beliefs), row.child_values)
            self._bury(sample_node)
        return row

    def _source_sample(self, sample_node: int) -> SampleRow:
        """Vc does not tell pieces apart, so the row of the information set says it all; beliefs
        know of dead branches already.
        """
        values = self.information_set(self.graph.samples.information_set[sample_node]).child_values
        if self.compiled is not None:
            beliefs = self.compiled.beliefs(self.graph, sample_node)
        else:
            beliefs = self.graph.prior_weights(sample_node)
        return SampleRow(beliefs, [[value] * len(beliefs) for value in values])

    def bury_new(self) -> None:
        """Takes branches that died since the last call out of the beliefs of their nodes."""
        buried = self.graph.buried
        for sample_node in buried[self._buried :]:
            if sample_node in self._samples:
                self._bury(sample_node)
        self._buried = len(buried)

    def _bury(self, sample_node: int) -> None:
        """Changes the beliefs in place: nodes of trees hold the same list."""
        beliefs = self._samples[sample_node].beliefs
        assert isinstance(beliefs, list)
        first = self.graph.samples.first_branch[sample_node]
        targets = self.graph.samples.target[first : first + len(beliefs)]
        if DEAD not in targets:
            return
        alive = [branch for branch, target in enumerate(targets) if target != DEAD]
        total = sum(beliefs[branch] for branch in alive)
        for branch, target in enumerate(targets):
            if target == DEAD:
                beliefs[branch] = 0.0
            else:
                beliefs[branch] = beliefs[branch] / total if total > 0.0 else 1.0 / len(alive)

    def flat_information_sets(self, information_sets: Sequence[int]) -> tuple[Floats, ...]:
        """Policies, values and child values of several information sets, each end to end.

        Straight from the evaluator, checked and not kept.
        """
        counts = _picked(self.graph.information_sets.action_count, information_sets)
        rows: Sequence[InformationSetRow] | None = None
        policy: Floats | None
        child_values: Floats | None
        if self._flat is None:
            rows = self._new_information_sets(information_sets)
            policy = checks.end_to_end([row.policy for row in rows], counts)
            value = np.array([row.value for row in rows])
            child_values = checks.end_to_end([row.child_values for row in rows], counts)
        else:
            found = self._flat.flat_information_set_rows(self.graph, information_sets)
            policy, value, child_values = self._sized_sets(found, information_sets, counts)
        if not (
            checks.distributions(policy, counts)
            and checks.finite(value)
            and checks.finite(child_values)
        ):
            if rows is None:
                rows = checks.set_rows(policy, value, child_values, counts)
            for information_set, row in zip(information_sets, rows, strict=True):
                self._check_information_set(information_set, row)
        assert policy is not None and child_values is not None
        return policy, value, child_values

    def flat_samples(self, sample_nodes: Sequence[int]) -> tuple[Floats, ...]:
        """Beliefs and child values of several SAMPLE nodes, each end to end, as above."""
        samples, sets = self.graph.samples, self.graph.information_sets
        counts = _picked(samples.branch_count, sample_nodes)
        owned = _picked(sets.action_count, _picked(samples.information_set, sample_nodes))
        rows: Sequence[SampleRow] | None = None
        beliefs: Floats | None
        child_values: Floats | None
        if self._flat is None:
            rows = self._new_samples(sample_nodes)
            beliefs = checks.end_to_end([row.beliefs for row in rows], counts)
            child_values = checks.end_to_end([row.child_values for row in rows], counts, owned)
        else:
            found = self._flat.flat_sample_rows(self.graph, sample_nodes)
            beliefs, child_values = self._sized_samples(found, sample_nodes, counts, owned)
        if not (checks.distributions(beliefs, counts) and checks.finite(child_values)):
            if rows is None:
                rows = checks.sample_rows(beliefs, child_values, counts, owned)
            for sample_node, row in zip(sample_nodes, rows, strict=True):
                self._check_sample(sample_node, row)
        assert beliefs is not None and child_values is not None
        return beliefs, child_values

    def _sized_sets(
        self, found: Any, information_sets: Sequence[int], counts: checks.Counts
    ) -> list[Floats]:
        entries = int(counts.sum())
        sizes = {"policy": entries, "value": len(counts), "child_values": entries}
        try:
            return checks.sized(found, sizes)
        except checks.WrongRowError as wrong:
            first = self.graph.key(information_sets[0])
            raise self._error(wrong, f"at {first}{_and_more(len(counts))}") from None

    def _sized_samples(
        self, found: Any, sample_nodes: Sequence[int], counts: checks.Counts, owned: checks.Counts
    ) -> list[Floats]:
        sizes = {"beliefs": int(counts.sum()), "child_values": int(counts @ owned)}
        try:
            return checks.sized(found, sizes)
        except checks.WrongRowError as wrong:
            first = self.graph.key(self.graph.samples.information_set[sample_nodes[0]])
            where = f"at a SAMPLE node of {first}{_and_more(len(counts))}"
            raise self._error(wrong, where) from None

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
            wrong = checks.WrongRowError(f"{rows} rows", f"{asked}")
            raise self._error(wrong, f"in {self.graph.game.name}")

    def _check_information_set(self, information_set: int, row: InformationSetRow) -> None:
        actions = self.graph.information_sets.action_count[information_set]
        try:
            checks.check_distribution("policy", row.policy, actions)
            checks.check_values("value", [row.value], 1)
            checks.check_values("child_values", row.child_values, actions)
        except checks.WrongRowError as wrong:
            raise self._error(wrong, f"at {self.graph.key(information_set)}") from None

    def _check_sample(self, sample_node: int, row: SampleRow) -> None:
        samples = self.graph.samples
        information_set = samples.information_set[sample_node]
        branches = samples.branch_count[sample_node]
        actions = self.graph.information_sets.action_count[information_set]
        try:
            checks.check_distribution("beliefs", row.beliefs, branches)
            if len(row.child_values) != actions:
                got = f"{len(row.child_values)} rows of child_values"
                raise checks.WrongRowError(got, f"{actions}")
            for values in row.child_values:
                checks.check_values("child_values", values, branches)
        except checks.WrongRowError as wrong:
            where = f"at a SAMPLE node of {self.graph.key(information_set)}"
            raise self._error(wrong, where) from None

    def _error(self, wrong: checks.WrongRowError, where: str) -> EvaluatorError:
        name = type(self.evaluator).__name__
        return EvaluatorError(f"{name} returned {wrong} {where}")


def _picked(column: _core.IntColumn, rows: Sequence[int] | checks.Counts) -> checks.Counts:
    """Some entries of a column of the graph."""
    return column.take(np.asarray(rows))


def _and_more(count: int) -> str:
    return "" if count == 1 else f" (the first of {count})"
