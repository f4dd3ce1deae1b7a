"""Utility intervals: what a search believes a node is worth, in the game's utility units, to the
player whose tree the node is in.
"""

from __future__ import annotations

from typing import NamedTuple


class Interval(NamedTuple):
    """A closed interval of utilities."""

    low: float
    high: float


def point(value: float) -> Interval:
    """The interval of width 0 at `value`."""
    return Interval(value, value)


def mirrored(interval: Interval, utility_sum: float) -> Interval:
    """The other player's utility in a two-player game whose utilities add up to `utility_sum`."""
    return Interval(utility_sum - interval.high, utility_sum - interval.low)
