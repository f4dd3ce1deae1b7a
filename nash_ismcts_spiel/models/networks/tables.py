"""Networks evaluated over a whole enumerated game at once: an accelerator for small games.

P, V and H come from the networks, in a few large batches. Child values, values of pieces and values
of worlds are V one own move later, under P and H, computed over all worlds: a look-ahead that on
graphs that grow has to be learned.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models import EvaluatorError, InformationSetRow, SampleRow, checks
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.native import _core

Floats = npt.NDArray[np.float64]
Found = TypeVar("Found")

_BATCH = 8192
"""Rows that are evaluated at once."""


class TableEvaluator:
    """The networks of an evaluator as tables over one graph.

    Attributes:
      graph: the enumerated graph that the tables belong to.
      policy, value, beliefs: P [A], V in the game's units [I] and H [B], by the networks.
      native_rows: all rows, for the native engine.
    """

    def __init__(self, graph: GameGraph, networks: NetworkEvaluator) -> None:
        """Evaluates the networks at all rows of an enumerated graph."""
        graph.resolve()
        self.graph = graph
        self.policy, self.value = whole_policy_and_value(graph, networks)
        nodes = _batches(len(graph.samples), functools.partial(networks.beliefs, graph))
        self.beliefs: Floats = np.concatenate([*nodes, np.zeros(0)])
        self._refuse_wrong()
        self.native_rows = _core.Rows()
        self.native_rows.put_lookahead(graph, self.policy, self.value, self.beliefs)

    def _refuse_wrong(self) -> None:
        """What is made of numbers that are right is right too."""
        action_count = np.asarray(self.graph.information_sets.action_count)
        branch_count = np.asarray(self.graph.samples.branch_count)
        wrong = {
            "policy": not checks.distributions(self.policy, action_count),
            "value": not checks.finite(self.value),
            "beliefs": not checks.distributions(self.beliefs, branch_count),
        }
        if any(wrong.values()):
            names = ", ".join(name for name, found in wrong.items() if found)
            raise EvaluatorError(f"networks of {self.graph.game.name}: {names} not finite numbers")

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


def whole_policy_and_value(graph: GameGraph, networks: NetworkEvaluator) -> tuple[Floats, Floats]:
    """P [A] and V [I] at every information set of an enumerated graph."""
    evaluate = functools.partial(networks.flat_information_set_rows, graph)
    rows = _batches(len(graph.information_sets), evaluate)
    policies, values, _ = zip(*rows, strict=True)
    return np.concatenate(policies), np.concatenate(values)


def _batches(count: int, evaluate: Callable[[Sequence[int]], Found]) -> list[Found]:
    """What is found for each batch of so many rows."""
    firsts = range(0, count, _BATCH)
    return [evaluate(range(first, min(first + _BATCH, count))) for first in firsts]
