"""Rows that networks learn from, and which rows are unbiased for which head.

In every game one player explores, and only its decisions give rows:

- *Search games*: the explorer follows its searches mixed with uniform play, the others play
  uniformly, so that every reply is met. The search policy is a target for **P**; exploring decides
  where there is a target, never what it is.
- *Policy games*: the others follow P, the explorer follows P mixed with uniform play. What was
  hidden from it is a target for **H** at all its decisions: its own moves cancel in its beliefs.
  For the other players that is not true, since the explorer's moves were not drawn from P.
- The result of a policy game is a target for **V** at a decision if the explorer followed P from
  there on, and for **Vc** of the action taken if it did so afterwards. Following P until the end is
  less likely the longer the game goes on, so such a row counts the inverse of that probability;
  without it short games would count too much.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

Singles = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def result_weights(explored: Sequence[bool], explore: float) -> tuple[list[float], list[float]]:
    """What the result of a policy game counts as a target for V and for Vc at each decision.

    Args:
      explored: of each decision of the explorer, whether the move was the uniform one.
      explore: how likely that was.

    Returns:
      Weights for V and for Vc, 0 where the result is biased.
    """
    follows = 1.0 - explore
    value: list[float] = []
    child: list[float] = []
    weight = 1.0  # of having followed P from the next decision to the end
    for uniform in reversed(explored):
        child.append(weight)
        weight = 0.0 if uniform or weight == 0.0 else weight / follows
        value.append(weight)
    return value[::-1], child[::-1]


@dataclasses.dataclass(frozen=True, slots=True)
class LearningRows:
    """Rows of one kind, as arrays with one entry per row; subclasses add columns.

    Attributes:
      inputs: what the network sees. [rows, inputs]
      mask: which entries of the vocabulary are possible. [rows, vocabulary]
      frequency: how much each row counts. [rows]
    """

    inputs: Singles
    mask: Bools
    frequency: Floats

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.frequency)

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """The rows of all parts, in order."""
        names = [field.name for field in dataclasses.fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclasses.dataclass(frozen=True, slots=True)
class PolicyRows(LearningRows):
    """Search policies as targets for P; the mask holds legal actions.

    Attributes:
      targets: a distribution over the actions. [rows, actions]
    """

    targets: Singles

    @staticmethod
    def bytes_of(inputs: int, actions: int) -> int:
        """What a row takes: single numbers, a mask, targets and its frequency."""
        return 4 * inputs + actions + 4 * actions + 8


@dataclasses.dataclass(frozen=True, slots=True)
class ValueRows(LearningRows):
    """Results of policy games as targets for V and Vc; the mask holds legal actions.

    Attributes:
      results: utility of the player who knows the information set, in value scales. [rows]
      actions: the action that was taken there. [rows]
      value_weights: what the result counts for V; 0 where it is biased. [rows]
      child_weights: the same for Vc of the action. [rows]
    """

    results: Singles
    actions: Ints
    value_weights: Singles
    child_weights: Singles

    def normalised(self) -> Self:
        """The same rows with weights whose mean is 1, so that losses can be compared."""
        return dataclasses.replace(
            self,
            value_weights=_with_mean_one(self.value_weights),
            child_weights=_with_mean_one(self.child_weights),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class HiddenRows(LearningRows):
    """What was hidden in policy games as targets for H; the mask holds possible pieces.

    Attributes:
      pieces: the piece that was hidden. [rows]
      actions, results, child_weights: as in ValueRows, for Vc of the piece. [rows]
    """

    pieces: Ints
    actions: Ints
    results: Singles
    child_weights: Singles

    def normalised(self) -> Self:
        """The same rows with weights whose mean is 1, so that losses can be compared."""
        return dataclasses.replace(self, child_weights=_with_mean_one(self.child_weights))


def _with_mean_one(weights: Singles) -> Singles:
    total = float(weights.sum())
    return weights * np.float32(len(weights) / total) if total > 0.0 else weights
