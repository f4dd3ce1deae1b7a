"""Checks of what an evaluator returned: whole batches quickly, single rows with the reason.

The check of a batch only says that something is wrong; what and where is then found row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models.protocol import Floats, InformationSetRow, SampleRow
from nash_ismcts_spiel.native import _core

Counts = npt.NDArray[np.int32] | npt.NDArray[np.int64]

_SUM_TOLERANCE = 1e-6
_LARGEST = 1e100
"""Largest value that a search can add up and square."""


class WrongRowError(Exception):
    """What is wrong, before it is known where."""

    def __init__(self, got: str, wanted: str) -> None:
        """Says what was got instead of what was wanted."""
        super().__init__(f"{got} instead of {wanted}")


def finite(flat: Floats | None) -> bool:
    """Whether there are numbers, and all are finite and far from where sums would not be."""
    if flat is None:
        return False
    # Written so that NaN fails.
    return flat.size == 0 or bool(-_LARGEST <= flat.min() and flat.max() <= _LARGEST)


def distributions(flat: Floats | None, lengths: Counts) -> bool:
    """Whether there are distributions of these lengths, end to end."""
    if flat is None or flat.size != lengths.sum() or lengths.min(initial=1) < 1:
        return False
    if flat.size == 0:
        return True
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    totals = np.add.reduceat(flat, starts)
    # Written so that NaN fails.
    return bool(flat.min() >= 0.0 and np.all(np.abs(totals - 1.0) <= _SUM_TOLERANCE))


def end_to_end(
    rows: Sequence[Any], lengths: Counts, heights: Counts | None = None
) -> Floats | None:
    """Rows (or matrices with `heights` rows each) end to end; None if one has another shape."""
    try:
        arrays = [np.asarray(row, dtype=np.float64) for row in rows]
    except ValueError:  # a ragged matrix
        return None
    if heights is None:
        shapes: list[tuple[int, ...]] = [(length,) for length in lengths.tolist()]
    else:
        shapes = list(zip(heights.tolist(), lengths.tolist(), strict=True))
    if [array.shape for array in arrays] != shapes:
        return None
    return np.concatenate([array.reshape(-1) for array in arrays])


def sized(found: Any, sizes: dict[str, int]) -> list[Floats]:
    """Flat arrays of the sizes that are due, by name.

    Raises:
      WrongRowError: they are too few or too many, are not numbers, or have another shape.
    """
    if not isinstance(found, (tuple, list)) or len(found) != len(sizes):
        count = f"{len(found)} arrays" if isinstance(found, (tuple, list)) else type(found).__name__
        raise WrongRowError(count, f"{len(sizes)} arrays ({', '.join(sizes)})")
    arrays = []
    for (name, size), entries in zip(sizes.items(), found, strict=True):
        try:
            array = np.asarray(entries, dtype=np.float64)
        except (TypeError, ValueError):
            raise WrongRowError(f"{name} of {type(entries).__name__}", "numbers") from None
        if array.shape != (size,):
            raise WrongRowError(f"{name} of shape {array.shape}", f"({size},)")
        arrays.append(array)
    return arrays


def set_rows(
    policy: Any, value: Floats, child_values: Any, counts: Counts
) -> list[InformationSetRow]:
    """The rows of information sets that lie end to end."""
    ends = np.cumsum(counts)[:-1]
    columns = zip(np.split(policy, ends), value, np.split(child_values, ends), strict=True)
    return [InformationSetRow(p.tolist(), float(v), c.tolist()) for p, v, c in columns]


def sample_rows(beliefs: Any, child_values: Any, counts: Counts, owned: Counts) -> list[SampleRow]:
    """The rows of SAMPLE nodes that lie end to end."""
    beliefs_of = np.split(beliefs, np.cumsum(counts)[:-1])
    values_of = np.split(child_values, np.cumsum(owned * counts)[:-1])
    rows = zip(beliefs_of, values_of, owned, strict=True)
    return [SampleRow(h.tolist(), v.reshape(own, -1).tolist()) for h, v, own in rows]


def check_distribution(name: str, row: Sequence[float], length: int) -> None:
    """Raises WrongRowError unless `row` is a distribution over `length` things."""
    check_values(name, row, length)
    total = sum(row)
    if min(row) < 0.0 or abs(total - 1.0) > _SUM_TOLERANCE:
        got = f"{name} {list(row)} (sum {total})"
        raise WrongRowError(got, "non-negative entries that sum to 1")


def check_values(name: str, row: Sequence[float], length: int) -> None:
    """Raises WrongRowError unless `row` holds `length` finite numbers, none of them absurd."""
    if len(row) != length:
        raise WrongRowError(f"{len(row)} entries of {name}", f"{length}")
    if not all(abs(value) <= _LARGEST for value in row):  # NaN is not
        raise WrongRowError(f"{name} {list(row)}", f"finite numbers below {_LARGEST:g}")


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
