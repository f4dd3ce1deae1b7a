"""The one way in which a search uses chance: a uniform number against cumulated weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def draw(rng: np.random.Generator, weights: Sequence[float]) -> int:
    """An index with probability in proportion to `weights`, which need not add up to 1."""
    total = 0.0
    for weight in weights:
        total += weight
    remaining = rng.random() * total
    last = 0
    for index, weight in enumerate(weights):
        if weight > 0.0:
            last = index
            remaining -= weight
            if remaining < 0.0:
                break
    return last


def new_seed(rng: np.random.Generator | None) -> int | None:
    """A seed drawn from a generator; None without one."""
    return None if rng is None else int(rng.integers(2**63))
