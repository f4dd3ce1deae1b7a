"""The policy at the root: visit shares, without the actions that are confidently worse.

Each action has a confidence interval [low - sigma(N), high + sigma(N)] with
sigma(N) = lcb_width / sqrt(N), infinite where N = 0. Actions whose interval lies wholly below that
of the action with the largest lower end are discarded; the rest are played in proportion to N, or
to what N is expected to be where actions were drawn. A player may also insist that this gains on P
for certain, whatever beliefs inside the ball are right, and otherwise stay with P. Or it moves away
from P by a step of mirror ascent, along the advantages over P that are certain in the same sense:
actions that may be as good as P's mean keep their proportions, and a small error of the models
moves the policy by a small amount, if at all. Or it moves from P towards the quantal response, the
softmax of values at a temperature, which is what training asks for: all that a search has found out
of all actions is in it, and where values are off by less than the temperature it mixes.
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


def certain_gain(
    policy: Sequence[float], prior: Sequence[float], values: Sequence[Interval]
) -> float:
    """What a policy gains on the prior if each interval is at its worst end for it."""
    gain = 0.0
    for chosen, expected, value in zip(policy, prior, values, strict=True):
        more = chosen - expected
        gain += more * (value.low if more > 0.0 else value.high)
    return gain


def certain_advantage(value: Interval, width: float, expected: Interval) -> float:
    """What is certain of Q(a) - E_P[Q]: the distance of their intervals, 0 if they overlap.

    `width` is sigma(N), by which Q(a) may be off on either side because of draws.
    """
    if value.low - width > expected.high:
        return value.low - width - expected.high
    if value.high + width < expected.low:
        return value.high + width - expected.low
    return 0.0


def certain_step(
    prior: Sequence[float],
    values: Sequence[Interval],
    visits: Sequence[int],
    lcb_width: float,
    step_size: float,
) -> list[float]:
    """P(a) exp(eta A(a)), normalised, with the certain advantages A.

    An action that was never tried has the value Vc, which no draw has touched: its width is 0.

    Args:
      prior: P.
      values: Q(a), in the game's utility units.
      visits: N(a).
      lcb_width: sigma(1), in utility units.
      step_size: eta per utility unit.
    """
    expected_low = expected_high = 0.0
    for probability, value in zip(prior, values, strict=True):
        expected_low += probability * value.low
        expected_high += probability * value.high
    expected = Interval(expected_low, expected_high)
    widths = [lcb_width / math.sqrt(n) if n else 0.0 for n in visits]
    advantages = [
        certain_advantage(value, width, expected)
        for value, width in zip(values, widths, strict=True)
    ]
    largest = max(a for a, p in zip(advantages, prior, strict=True) if p > 0.0)
    weights = [
        p * math.exp(step_size * (a - largest)) if p > 0.0 else 0.0
        for a, p in zip(advantages, prior, strict=True)
    ]
    return visit_shares(weights)


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
