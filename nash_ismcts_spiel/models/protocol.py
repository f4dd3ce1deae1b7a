"""What a search asks of its models: rows per information set and rows per SAMPLE node.

All values are utilities of the player who owns the information set, in the game's units.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Protocol, TypeGuard, runtime_checkable

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


class Evaluator(Protocol):
    """P, V and Vc per information set; h and Vc per SAMPLE node.

    Rows are asked for in batches and must depend on nothing but the information set (its key),
    so that a search may keep them. What an evaluator may offer besides is said by the protocols
    below.
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


def split_actions_of(evaluator: object) -> SplitActions | None:
    """Whether actions must be split for an evaluator, which may have an attribute `split_actions`;
    None if it takes any graph.
    """
    found: SplitActions | None = getattr(evaluator, "split_actions", None)
    return found


@runtime_checkable
class WorldEvaluator(Protocol):
    """An evaluator that can value every world of its graph for every player; searches then need not
    leave out what they never simulated.
    """

    @property
    def world_values(self) -> Floats | None:
        """Utilities of each player at each world, None if it does not say. [W, n]"""
        ...


@runtime_checkable
class NativeRowsEvaluator(Protocol):
    """An evaluator all of whose rows are there already, as the native engine reads them."""

    @property
    def native_rows(self) -> _core.Rows | None:
        """The rows, None if they have to be asked for."""
        ...


def graph_of(evaluator: Evaluator) -> GameGraph | None:
    """The one graph that an evaluator has rows for, its attribute `graph`; None if it takes any."""
    found: GameGraph | None = getattr(evaluator, "graph", None)
    return found


def is_flat(evaluator: object) -> TypeGuard[FlatEvaluator]:
    """Whether an evaluator has flat rows; `isinstance` would take longer than a short search."""
    return all(hasattr(evaluator, f"flat_{rows}_rows") for rows in ("information_set", "sample"))
