"""Systematic sampling without replacement, with unequal probabilities.

What is drawn with probability q counts 1 / q times in a sum, so that sums over the sample are
unbiased; probabilities in proportion to weights keep what is drawn rarely from counting much.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


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


def systematic_sample(probabilities: Floats, rng: np.random.Generator) -> Ints:
    """Indices, each at most once, each with its own probability; one draw from `rng`."""
    ends = np.cumsum(probabilities)
    points = rng.random() + np.arange(int(np.ceil(ends[-1])))
    # Rounding may put the last end a little below a whole number.
    points = points[points < ends[-1]]
    found: Ints = np.searchsorted(ends, points, side="right").astype(np.int64)
    return found
