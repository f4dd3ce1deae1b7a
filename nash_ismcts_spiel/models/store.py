"""Rows that a search has asked for, checked once and kept.

The checks stand here so that a broken evaluator is named at once, with the value that is wrong,
and never reaches a tree.
"""

from __future__ import annotations

import contextlib
import functools
import weakref
from collections.abc import Iterator, Sequence
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
    sample_rows,
    set_rows,
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
            self._keep(missing)
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
        if information_set not in self._information_sets:
            if self.compiled is None:
                self._keep([information_set])
            else:
                source = self.compiled.row_source(self.graph)
                row = InformationSetRow(*source.set_row(self.graph, information_set, arrival))
                self._information_sets[information_set] = row
        return self._information_sets[information_set]

    def sample(self, sample_node: int) -> SampleRow:
        """Beliefs and Vc at a SAMPLE node."""
        row = self._samples.get(sample_node)
        if row is None and self.compiled_beliefs:
            row = self._samples[sample_node] = self._source_sample(sample_node)
        elif row is None:
            arrays = self.flat_samples([sample_node])
            (row,) = sample_rows(self.graph, [sample_node], *arrays)
            self._samples[sample_node] = row
            self._bury(sample_node)
        return row

    def _keep(self, information_sets: Sequence[int]) -> None:
        arrays = self.flat_information_sets(information_sets)
        rows = set_rows(self.graph, information_sets, *arrays)
        self._information_sets |= zip(information_sets, rows, strict=True)

    def _source_sample(self, sample_node: int) -> SampleRow:
        """The row of the information set says it all; beliefs know of dead branches already."""
        row = self.information_set(self.graph.samples.information_set[sample_node])
        if self.compiled is not None:
            return SampleRow.alike(self.compiled.beliefs(self.graph, sample_node), row.child_values)
        return SampleRow.alike(self.graph.prior_weights(sample_node), row.child_values)

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
        each = np.arange(len(counts))
        columns = {
            "policy": checks.Column(counts, each),
            "value": checks.Column(np.ones(len(counts), np.int64), each),
            "child_values": checks.Column(counts, each),
        }
        with self._naming("at", information_sets):
            if self._flat is not None:
                found = self._flat.flat_information_set_rows(self.graph, information_sets)
                arrays = checks.sized(found, columns)
            else:
                rows = self.evaluator.information_set_rows(self.graph, information_sets)
                _check_count(rows, counts)
                lists = zip(*((r.policy, [r.value], r.child_values) for r in rows), strict=True)
                arrays = checks.end_to_end(lists, columns)
            checks.check(arrays, columns)
        return tuple(arrays)

    def flat_samples(self, sample_nodes: Sequence[int]) -> tuple[Floats, ...]:
        """Beliefs and child values of several SAMPLE nodes, each end to end, as above."""
        samples, sets = self.graph.samples, self.graph.information_sets
        counts = _picked(samples.branch_count, sample_nodes)
        owners = _picked(samples.information_set, sample_nodes)
        owned = _picked(sets.action_count, owners)
        each = np.arange(len(counts))
        columns = {
            "beliefs": checks.Column(counts, each),
            "child_values": checks.Column(counts.repeat(owned), each.repeat(owned)),
        }
        with self._naming("at a SAMPLE node of", owners):
            if self._flat is not None:
                found = self._flat.flat_sample_rows(self.graph, sample_nodes)
                arrays = checks.sized(found, columns)
            else:
                rows = self.evaluator.sample_rows(self.graph, sample_nodes)
                _check_count(rows, counts)
                for place, (row, own) in enumerate(zip(rows, owned, strict=True)):
                    if len(row.child_values) != own:
                        got = f"{len(row.child_values)} rows of child_values"
                        raise checks.WrongRowError(got, f"{own}", place)
                values = [part for row in rows for part in row.child_values]
                arrays = checks.end_to_end([[row.beliefs for row in rows], values], columns)
            checks.check(arrays, columns)
        return tuple(arrays)

    @contextlib.contextmanager
    def _naming(self, at: str, owners: Sequence[int] | checks.Counts) -> Iterator[None]:
        """Says at which information set something is wrong, or where a batch begins."""
        try:
            yield
        except checks.WrongRowError as wrong:
            key = self.graph.key(int(owners[wrong.row or 0]))
            more = f" (the first of {len(owners)})" if wrong.row is None and len(owners) > 1 else ""
            raise self._error(wrong, f"{at} {key}{more}") from None

    def _error(self, wrong: checks.WrongRowError, where: str) -> EvaluatorError:
        name = type(self.evaluator).__name__
        return EvaluatorError(f"{name} returned {wrong} {where}")


def _picked(column: _core.IntColumn, rows: Sequence[int] | checks.Counts) -> checks.Counts:
    """Some entries of a column of the graph."""
    return column.take(np.asarray(rows))


def _check_count(rows: Sequence[Any], asked: checks.Counts) -> None:
    if len(rows) != len(asked):
        raise checks.WrongRowError(f"{len(rows)} rows", f"{len(asked)}")
