"""Rows that networks learn from, and which rows are unbiased for which head.

In every game one player explores, and only its decisions give rows:

- *Search games*: the explorer follows P mixed with uniform play, the others play uniformly, so that
  every reply is met. The policy of a search where the explorer decided is a target for **P**;
  exploring decides where there is a target, never what it is.
- *Policy games*: the explorer follows P mixed with uniform play, and so do the others; a game then
  counts by how much likelier P alone was to make the others' moves in it. What was hidden from the
  explorer is a target for **H** at all its decisions: its own moves cancel in its beliefs. For the
  other players that is not true, since the explorer's moves were not drawn from P.
- Targets for **Vc** of an action, and of a piece after it, are bootstrapped: the mean of V at the
  explorer's next decision over the games that went on like that, or of their results if there was
  none. How the explorer came to its action does not matter for that. The target for **V** is the
  mean of these over the actions, by P.

Games that came to the same information set give one row together; `native/play/games.h` counts.
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

FREQUENCY_POWER = 0.5
"""Rows are drawn by their frequency to this power, which favours rare ones."""


@dataclasses.dataclass(frozen=True, slots=True)
class LearningRows:
    """Rows of one kind, as arrays with one entry per row; subclasses add columns.

    Attributes:
      inputs: what the network sees. [rows, inputs]
      mask: which entries of the vocabulary are possible. [rows, vocabulary]
      frequency: how many games came by, by how much they count. [rows]
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

    def favouring_rare(self) -> Self:
        """The same rows, counting by a power of their frequency."""
        counted = np.maximum(self.frequency, 1e-300) ** FREQUENCY_POWER
        return dataclasses.replace(self, frequency=np.where(self.frequency > 0.0, counted, 0.0))


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

    def check(self, inputs: int, actions: int, most: int) -> None:
        """Raises ValueError unless these are at most so many rows that can be learned from."""
        count = len(self.inputs)
        due = {
            "inputs": (np.float32, (count, inputs)),
            "mask": (np.bool_, (count, actions)),
            "frequency": (np.float64, (count,)),
            "targets": (np.float32, (count, actions)),
        }
        for name, (kind, shape) in due.items():
            column = getattr(self, name)
            if column.dtype != kind or column.shape != shape:
                raise ValueError(f"{name} of policy targets have shape {column.shape}, not {shape}")
        if not all(np.isfinite(getattr(self, name)).all() for name in ("inputs", "targets")):
            raise ValueError("policy targets are not finite")
        if not (np.isfinite(self.frequency) & (self.frequency >= 0.0)).all() or count > most:
            raise ValueError("policy targets are too many, or do not count")


@dataclasses.dataclass(frozen=True, slots=True)
class ValueRows(LearningRows):
    """Targets for V and Vc in value scales; the mask holds legal actions.

    Attributes:
      targets: V, then Vc of each action. [rows, 1 + actions]
      weights: what each target counts: 1 for V, 1 in all for the Vc of actions that were taken.
        [rows, 1 + actions]
    """

    targets: Singles
    weights: Singles


@dataclasses.dataclass(frozen=True, slots=True)
class HiddenRows(LearningRows):
    """What was hidden in policy games as targets for H; the mask holds possible pieces.

    Values of pieces are few of all pairs of an action and a piece, so they are listed: the entries
    of a row one after another, row by row.

    Attributes:
      targets: a distribution over the pieces. [rows, pieces]
      entry_counts: entries of each row. [rows]
      entry_actions, entry_pieces: of each entry. [entries]
      entry_targets: Vc in value scales. [entries]
      entry_weights: what each counts, 1 in all for a row. [entries]
    """

    targets: Singles
    entry_counts: Ints
    entry_actions: Ints
    entry_pieces: Ints
    entry_targets: Singles
    entry_weights: Singles

    def entries_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """The entries of some rows, and the place in `rows` of the row of each."""
        counts = self.entry_counts[rows]
        first = (np.cumsum(self.entry_counts) - self.entry_counts)[rows]
        places = np.repeat(np.arange(len(rows)), counts)
        within = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
        return first[places] + within, places
