"""Systematic sampling without replacement, with unequal probabilities.

What is drawn with probability q counts 1 / q times in a sum, so that sums over the sample are
unbiased; probabilities in proportion to weights keep what is drawn rarely from counting much.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_HALVINGS = 60


def inclusion_probabilities(weights: Floats, count: int) -> Floats:
    """Probabilities that add up to `count`, in proportion to the weights but none above 1.

    They add up to less if fewer weights than that are positive.
    """
    sure = np.zeros(len(weights), dtype=np.bool_)
    while True:
        rest = weights[~sure].sum()
        scale = (count - sure.sum()) / rest if rest > 0.0 else 0.0
        found = np.where(sure, 1.0, weights * scale)
        if not (found > 1.0).any():
            return found
        sure |= found >= 1.0


def allotted(weights: Floats, budget: float, focus: float, most: float) -> tuple[Floats, Floats]:
    """How likely each is drawn, and how many units of work it gets then.

    Work is in proportion to the weights: what is due less than one unit is drawn with that
    probability and gets one, what is due more is surely drawn and gets what it is due to the power
    of `focus`, at most `most`. The expected work adds up to `budget`, or to less if all have all
    they may get.
    """

    def share(scale: float) -> tuple[Floats, Floats]:
        due = weights * scale
        return np.minimum(due, 1.0), np.clip(due, 1.0, most ** (1.0 / focus)) ** focus

    if focus == 0.0:
        return inclusion_probabilities(weights, max(int(budget), 1)), np.ones(len(weights))
    low, high = 0.0, budget / weights[weights > 0.0].min()
    for _ in range(_HALVINGS):
        scale = 0.5 * (low + high)
        chance, work = share(scale)
        low, high = (scale, high) if chance @ work <= budget else (low, scale)
    return share(low)


def systematic_sample(probabilities: Floats, rng: np.random.Generator) -> Ints:
    """Indices, each at most once, each with its own probability; one draw from `rng`."""
    ends = np.cumsum(probabilities)
    points = rng.random() + np.arange(int(np.ceil(ends[-1])))
    # Rounding may put the last end a little below a whole number.
    points = points[points < ends[-1]]
    found: Ints = np.searchsorted(ends, points, side="right").astype(np.int64)
    return found
