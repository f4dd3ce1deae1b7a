"""Checks of what an evaluator returned: whole batches quickly, then the first row that is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models.protocol import Floats
from nash_ismcts_spiel.native import _core

Counts = npt.NDArray[np.int32] | npt.NDArray[np.int64]

_SUM_TOLERANCE = 1e-6
_LARGEST = 1e100
"""Largest value that a search can add up and square."""
_DISTRIBUTIONS = ("policy", "beliefs")


class WrongRowError(Exception):
    """What is wrong.

    Attributes:
      row: which row of the batch; None if no single one is to blame.
    """

    def __init__(self, got: str, wanted: str, row: int | None = None) -> None:
        """Says what was got instead of what was wanted."""
        super().__init__(f"{got} instead of {wanted}")
        self.row = row


class Column(NamedTuple):
    """Numbers that are due: of each row one list, or several.

    Attributes:
      lengths: of each list.
      rows: the row of each list.
    """

    lengths: Counts
    rows: Counts


Columns = Mapping[str, Column]


def finite(flat: Floats) -> bool:
    """Whether all numbers are finite and far from where sums would not be."""
    # Written so that NaN fails.
    return flat.size == 0 or bool(-_LARGEST <= flat.min() and flat.max() <= _LARGEST)


def distributions(flat: Floats, lengths: Counts) -> bool:
    """Whether there are distributions of these lengths, end to end."""
    if flat.size != lengths.sum() or lengths.min(initial=1) < 1:
        return False
    if flat.size == 0:
        return True
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    totals = np.add.reduceat(flat, starts)
    # Written so that NaN fails.
    return bool(flat.min() >= 0.0 and np.all(np.abs(totals - 1.0) <= _SUM_TOLERANCE))


def end_to_end(lists: Iterable[Sequence[Any]], columns: Columns) -> list[Floats]:
    """Lists of numbers end to end, column by column.

    Raises:
      WrongRowError: one of them has another length.
    """
    found = []
    for (name, (lengths, rows)), parts in zip(columns.items(), lists, strict=True):
        for part, length, row in zip(parts, lengths.tolist(), rows.tolist(), strict=True):
            if len(part) != length:
                raise WrongRowError(f"{len(part)} entries of {name}", f"{length}", row)
        found.append(np.concatenate([np.asarray(part, dtype=np.float64) for part in parts]))
    return found


def sized(found: Any, columns: Columns) -> list[Floats]:
    """Flat arrays, if they have the sizes that are due.

    Raises:
      WrongRowError: they are too few or too many, are not numbers, or have another shape.
    """
    if not isinstance(found, (tuple, list)) or len(found) != len(columns):
        count = f"{len(found)} arrays" if isinstance(found, (tuple, list)) else type(found).__name__
        raise WrongRowError(count, f"{len(columns)} arrays ({', '.join(columns)})")
    arrays = []
    for (name, column), entries in zip(columns.items(), found, strict=True):
        try:
            array = np.asarray(entries, dtype=np.float64)
        except (TypeError, ValueError):
            raise WrongRowError(f"{name} of {type(entries).__name__}", "numbers") from None
        due = (int(column.lengths.sum()),)
        if array.shape != due:
            raise WrongRowError(f"{name} of shape {array.shape}", f"{due}")
        arrays.append(array)
    return arrays


def check(arrays: Sequence[Floats], columns: Columns) -> None:
    """Raises WrongRowError with the first row that has no distribution or no finite numbers."""
    for (name, (lengths, rows)), flat in zip(columns.items(), arrays, strict=True):
        is_distribution = name in _DISTRIBUTIONS
        if not (distributions(flat, lengths) if is_distribution else finite(flat)):
            for part, row in zip(np.split(flat, np.cumsum(lengths)[:-1]), rows, strict=True):
                _check_part(name, part.tolist(), is_distribution, int(row))


def _check_part(name: str, part: list[float], is_distribution: bool, row: int) -> None:
    if not all(abs(value) <= _LARGEST for value in part):  # NaN is not
        raise WrongRowError(f"{name} {part}", f"finite numbers below {_LARGEST:g}", row)
    total = sum(part)
    if is_distribution and (min(part) < 0.0 or abs(total - 1.0) > _SUM_TOLERANCE):
        got = f"{name} {part} (sum {total})"
        raise WrongRowError(got, "non-negative entries that sum to 1", row)


def check_native(graph: GameGraph, rows: _core.Rows) -> None:
    """Raises WrongRowError unless the rows that are there are rows: whole columns at a time."""
    sets, samples = graph.information_sets, graph.samples
    _check_distributions("policy", rows.policy, rows.has_policy, sets.action_count)
    _check_distributions("beliefs", rows.beliefs, rows.has_sample, samples.branch_count)
    for name in ("value", "child_values", "sample_values", "world_values"):
        if not finite(getattr(rows, name)):
            raise WrongRowError(name, f"finite numbers below {_LARGEST:g}")


def _check_distributions(
    name: str, flat: Floats, there: npt.NDArray[np.uint8], counts: _core.IntColumn
) -> None:
    """The rows that are there are distributions of so many entries."""
    lengths = np.asarray(counts)[: len(there)]
    wanted = there.astype(np.bool_)
    picked = flat[: int(lengths.sum())][np.repeat(wanted, lengths)]
    if not distributions(picked, lengths[wanted]):
        raise WrongRowError(name, "non-negative entries that sum to 1")
