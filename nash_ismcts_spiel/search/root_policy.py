"""The policy at the root: visit shares, without the actions that are confidently worse.

Each action has a confidence interval [low - sigma(N), high + sigma(N)] with
sigma(N) = lcb_width / sqrt(N), infinite where N = 0. Actions whose interval lies wholly below that
of the action with the largest lower end are discarded; the rest are played in proportion to N, or
to what N is expected to be where actions were drawn. Training may ask for a step from P towards the
quantal response instead, the softmax of values at a temperature: all that a search has found out of
all actions is in it, and where values are off by less than the temperature it mixes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from nash_ismcts_spiel.search.interval import Interval

GIVEN_UP = 1e-6
"""Least P of an action from which a quantal step begins: who has been given up may come back."""


def visit_shares(visits: Sequence[float]) -> list[float]:
    """N / sum N; all alike if nothing was visited."""
    total = 0.0
    for n in visits:
        total += n
    return [n / total if total > 0.0 else 1.0 / len(visits) for n in visits]


def kept_actions(visits: Sequence[int], values: Sequence[Interval], lcb_width: float) -> list[bool]:
    """Which actions the confidence filter keeps; `lcb_width` in the game's utility units."""
    widths = [lcb_width / math.sqrt(n) if n else math.inf for n in visits]
    lows = [value.low - width for value, width in zip(values, widths, strict=True)]
    highs = [value.high + width for value, width in zip(values, widths, strict=True)]
    largest = max(lows)
    return [high >= largest for high in highs]


def root_policy(visits: Sequence[float], kept: Sequence[bool]) -> list[float]:
    """Shares of (expected) visits among the kept actions."""
    return visit_shares([n if keep else 0.0 for n, keep in zip(visits, kept, strict=True)])


def quantal_step(
    prior: Sequence[float],
    values: Sequence[Interval],
    temperature: float,
    share: float,
) -> list[float]:
    """P(a)^(1 - d) exp(d Q(a) / tau), normalised: a step of magnetic mirror descent, the magnet
    being the uniform policy. Its fixed point is the quantal response exp(Q / tau), which it is
    itself if d is 1.

    Args:
      prior: P.
      values: Q(a); the middles of the intervals count.
      temperature: tau, in the units of the values.
      share: d, how far it goes.
    """
    exponents = [
        (1.0 - share) * math.log(max(p, GIVEN_UP))
        + share * (0.5 * (value.low + value.high)) / temperature
        for p, value in zip(prior, values, strict=True)
    ]
    largest = max(exponents)
    return visit_shares([math.exp(exponent - largest) for exponent in exponents])
