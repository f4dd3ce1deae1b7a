"""What a search asks of its models: rows per information set and rows per SAMPLE node.

All values are utilities of the player who owns the information set, in the game's units.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.splitting import SplitActions
from nash_ismcts_spiel.native import _core

Floats = npt.NDArray[np.float64]


class EvaluatorError(ValueError):
    """An evaluator returned something that is not a row."""


@dataclasses.dataclass(frozen=True, slots=True)
class InformationSetRow:
    """Models at an information set I, for the player to move.

    Attributes:
      policy: P(I), a distribution over the legal actions. [actions]
      value: V(I).
      child_values: Vc(I), the value after each action. [actions]
    """

    policy: Sequence[float]
    value: float
    child_values: Sequence[float]


@dataclasses.dataclass(frozen=True, slots=True)
class SampleRow:
    """Models at a SAMPLE node of I, where some pieces of the hidden state have been drawn.

    Attributes:
      beliefs: h = H(I, pieces so far), a distribution over the next piece. [branches]
      child_values: Vc(I, a, pieces), for each own action a the value of each piece.
        [actions, branches]
    """

    beliefs: Sequence[float]
    child_values: Sequence[Sequence[float]]

    @classmethod
    def alike(cls, beliefs: Sequence[float], child_values: Sequence[float]) -> Self:
        """A row whose Vc does not tell pieces apart."""
        return cls(beliefs, [[value] * len(beliefs) for value in child_values])


class Evaluator(Protocol):
    """P, V and Vc per information set; h and Vc per SAMPLE node.

    Rows are asked for in batches and must depend on nothing but the information set (its key),
    so that a search may keep them. An evaluator may have besides:

      graph: the one graph that it has rows of; searches then use that graph.
      split_actions: how actions are split in the graphs that it takes.
      world_values: what each world of its graph is worth to each player [W, n]; searches then need
        not leave out what they never simulated.
      native_rows: all rows, as the native engine reads them.
      flat rows: see `FlatEvaluator`.
    """

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> Sequence[InformationSetRow]:
        """One row per information set, in the order asked."""
        ...

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> Sequence[SampleRow]:
        """One row per SAMPLE node, in the order asked."""
        ...


@runtime_checkable
class FlatEvaluator(Protocol):
    """What an evaluator may offer beside its rows: a whole batch as flat arrays.

    Many searches side by side ask for large batches, where objects per row would cost more than
    what they hold. The numbers are those of the rows, float64, one row's after another's in the
    order asked; `information_set_rows` and `sample_rows` are needed all the same.
    """

    def flat_information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> tuple[Floats, Floats, Floats]:
        """P [sum of actions], V [information sets] and Vc [sum of actions]."""
        ...

    def flat_sample_rows(
        self, graph: GameGraph, sample_nodes: Sequence[int]
    ) -> tuple[Floats, Floats]:
        """Beliefs h [sum of branches] and Vc [sum of actions * branches].

        Vc is action-major in each node: all branches of its first own action, then of the second.
        """
        ...


class RowsOfArrays:
    """The rows of an evaluator that gives whole batches as flat arrays (`FlatEvaluator`)."""

    def information_set_rows(
        self: FlatEvaluator, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        arrays = self.flat_information_set_rows(graph, information_sets)
        return set_rows(graph, information_sets, *arrays)

    def sample_rows(
        self: FlatEvaluator, graph: GameGraph, sample_nodes: Sequence[int]
    ) -> list[SampleRow]:
        """One row per SAMPLE node."""
        return sample_rows(graph, sample_nodes, *self.flat_sample_rows(graph, sample_nodes))


def set_rows(
    graph: GameGraph,
    information_sets: Sequence[int],
    policy: Floats,
    value: Floats,
    child_values: Floats,
) -> list[InformationSetRow]:
    """The rows of information sets that lie end to end."""
    counts = graph.information_sets.action_count.take(np.asarray(information_sets, np.int64))
    ends = np.cumsum(counts)[:-1]
    columns = zip(np.split(policy, ends), value, np.split(child_values, ends), strict=True)
    return [InformationSetRow(p.tolist(), float(v), c.tolist()) for p, v, c in columns]


def sample_rows(
    graph: GameGraph, sample_nodes: Sequence[int], beliefs: Floats, child_values: Floats
) -> list[SampleRow]:
    """The rows of SAMPLE nodes that lie end to end."""
    nodes = np.asarray(sample_nodes, np.int64)
    counts = graph.samples.branch_count.take(nodes)
    owned = graph.information_sets.action_count.take(graph.samples.information_set.take(nodes))
    beliefs_of = np.split(beliefs, np.cumsum(counts)[:-1])
    values_of = np.split(child_values, np.cumsum(owned * counts)[:-1])
    rows = zip(beliefs_of, values_of, owned, strict=True)
    return [SampleRow(h.tolist(), v.reshape(own, -1).tolist()) for h, v, own in rows]


def graph_of(evaluator: object) -> GameGraph | None:
    """The one graph that an evaluator has rows for, None if it takes any."""
    return getattr(evaluator, "graph", None)


def split_actions_of(evaluator: object) -> SplitActions | None:
    """Whether actions must be split for an evaluator, None if it takes any graph."""
    return getattr(evaluator, "split_actions", None)


def native_rows_of(evaluator: object) -> _core.Rows | None:
    """All rows of an evaluator for the native engine, None if they have to be asked for."""
    return getattr(evaluator, "native_rows", None)
