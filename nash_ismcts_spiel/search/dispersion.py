"""Utility belief dispersion: the extremes of an expectation when the beliefs may be a little wrong.

N_eps(h) is the set of distributions within L1 distance eps of h. The largest E[q] over it moves
eps / 2 of probability from the worst children to the best one, taking no child below zero; the
smallest does the reverse. Utilities are in the game's units.
"""

from __future__ import annotations

from collections.abc import Sequence

from nash_ismcts_spiel.search.interval import Interval


def expectation(beliefs: Sequence[float], values: Sequence[float]) -> float:
    """E[q] under h."""
    total = 0.0
    for belief, value in zip(beliefs, values, strict=True):
        total += belief * value
    return total


def lowest_expectation(beliefs: Sequence[float], values: Sequence[float], radius: float) -> float:
    """The smallest E[q] over N_eps(h)."""
    return _extreme(beliefs, values, radius, largest=False)


def highest_expectation(beliefs: Sequence[float], values: Sequence[float], radius: float) -> float:
    """The largest E[q] over N_eps(h)."""
    return _extreme(beliefs, values, radius, largest=True)


def dispersed(
    beliefs: Sequence[float], lows: Sequence[float], highs: Sequence[float], radius: float
) -> Interval:
    """[smallest E[q_low], largest E[q_high]] over N_eps(h)."""
    return Interval(
        lowest_expectation(beliefs, lows, radius), highest_expectation(beliefs, highs, radius)
    )


def _extreme(
    beliefs: Sequence[float], values: Sequence[float], radius: float, *, largest: bool
) -> float:
    total = expectation(beliefs, values)
    to_move = radius / 2.0
    if to_move == 0.0:
        return total
    # Children from the one that gives first to the one that receives; ties in index order.
    order = sorted(range(len(values)), key=values.__getitem__, reverse=not largest)
    best = values[order[-1]]
    for child in order[:-1]:
        moved = min(beliefs[child], to_move)
        total += moved * (best - values[child])
        to_move -= moved
        if to_move <= 0.0:
            break
    return total
