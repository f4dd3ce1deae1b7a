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
from nash_ismcts_spiel.models import EvaluatorError, checks
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.whole import WholeEvaluator
from nash_ismcts_spiel.native import _core

Floats = npt.NDArray[np.float64]
Found = TypeVar("Found")

_BATCH = 8192
"""Rows that are evaluated at once."""


class TableEvaluator(WholeEvaluator):
    """The networks of an evaluator as tables over one graph.

    Attributes:
      graph: the enumerated graph that the tables belong to.
      policy, value, beliefs: P [A], V in the game's units [I] and H [B], by the networks.
    """

    def __init__(self, graph: GameGraph, networks: NetworkEvaluator) -> None:
        """Evaluates the networks at all rows of an enumerated graph."""
        graph.resolve()
        self.graph = graph
        self.policy, self.value = whole_policy_and_value(graph, networks)
        nodes = _batches(len(graph.samples), functools.partial(networks.beliefs, graph))
        self.beliefs: Floats = np.concatenate([*nodes, np.zeros(0)])
        self._refuse_wrong()
        self._rows = _core.Rows()
        self._rows.put_lookahead(graph, self.policy, self.value, self.beliefs)

    @property
    def native_rows(self) -> _core.Rows:
        """All rows, for the native engine."""
        return self._rows

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
