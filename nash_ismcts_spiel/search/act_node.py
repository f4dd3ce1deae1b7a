"""ACT nodes: a player chooses an action at an information set of its own.

Choice is by PUCT on intervals. If one interval lies above all others the choice is *pure*;
otherwise it is *mixed*: overlapping intervals are ties, and ties are broken at random in
proportion to the raw prior P. Everything is from the point of view of the player who acts, in
the game's utility units.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.models.protocol import InformationSetRow
from nash_ismcts_spiel.search.dispersion import dispersed
from nash_ismcts_spiel.search.draw import draw
from nash_ismcts_spiel.search.interval import Interval, point

if TYPE_CHECKING:
    from nash_ismcts_spiel.search.trees import Node


@dataclasses.dataclass(slots=True)
class Choices:
    """What a player chose at one information set, in one tree.

    Attributes:
      visits: N, how often each action was chosen. [actions]
      pure_visits: how often each was chosen by a pure choice (PN, not normalised). [actions]
      mixing_sum: sum of the mixing distributions used (n_mixed MIX). [actions]
      pure_count: n_pure.
      mixed_count: n_mixed.
    """

    visits: list[int]
    pure_visits: list[int]
    mixing_sum: list[float]
    pure_count: int = 0
    mixed_count: int = 0

    @classmethod
    def none_of(cls, actions: int) -> Choices:
        """Nothing chosen yet."""
        return cls([0] * actions, [0] * actions, [0.0] * actions)

    def record(self, action: int, mixing: Sequence[float] | None) -> None:
        """Adds a choice; `mixing` is the distribution it was drawn from, None if it was pure."""
        self.visits[action] += 1
        if mixing is None:
            self.pure_count += 1
            self.pure_visits[action] += 1
        else:
            self.mixed_count += 1
            for index, probability in enumerate(mixing):
                self.mixing_sum[index] += probability

    def weight(self, action: int) -> float:
        """n_mixed MIX(a) + n_pure PN(a): the share of an action in a node's value."""
        return self.mixing_sum[action] + self.pure_visits[action]


@dataclasses.dataclass(slots=True)
class ActNode:
    """A decision of the player whose tree this is.

    Attributes:
      information_set: where the player acts.
      player: who acts, and from whose point of view all values are.
      q: Q(n); V until the first choice.
      row: the models here; None until the node is expanded.
      modelled: Q(a) by the models alone. [actions]
      exploration_prior: P with noise and temperature, for the PUCT term only. [actions]
      mixing_prior: raw P, for breaking ties. [actions]
      choices: what was chosen so far.
      children: what follows each action; None where none was tried. [actions]
    """

    information_set: int
    player: int
    q: Interval = Interval(0.0, 0.0)
    row: InformationSetRow | None = None
    modelled: Sequence[Interval] = ()
    exploration_prior: list[float] = dataclasses.field(default_factory=list)
    mixing_prior: Sequence[float] = ()
    choices: Choices = dataclasses.field(default_factory=lambda: Choices.none_of(0))
    children: list[Node | None] = dataclasses.field(default_factory=list)

    def expand(
        self, row: InformationSetRow, config: SearchConfig, modelled: Sequence[Interval] = ()
    ) -> None:
        """Takes the models of the information set, and what they say of each action; Vc if that is
        not given.
        """
        count = len(row.policy)
        self.row = row
        self.modelled = modelled or [point(value) for value in row.child_values]
        self.q = point(row.value)
        self.exploration_prior = exploration_prior(row.policy, config)
        self.mixing_prior = [1.0 / count] * count if config.selection == "ucb" else row.policy
        self.choices = Choices.none_of(count)
        self.children = [None] * count

    def child_value(self, action: int) -> Interval:
        """Q(a): the child's interval, or that of the models where the action was never tried."""
        child = self.children[action]
        return self.modelled[action] if child is None else child.q

    def child_values(self) -> list[Interval]:
        """Q(a) of all actions."""
        return [self.child_value(action) for action in range(len(self.children))]


def exploration_prior(policy: Sequence[float], config: SearchConfig) -> list[float]:
    """The prior of the PUCT term: P with temperature, then mixed with uniform noise."""
    prior = list(policy)
    if config.prior_temperature != 1.0:
        # Relative to the largest, so that a low temperature does not underflow all of them.
        largest = max(prior)
        power = 1.0 / config.prior_temperature
        prior = [(probability / largest) ** power for probability in prior]
        total = 0.0
        for probability in prior:
            total += probability
        prior = [probability / total for probability in prior]
    if config.prior_noise > 0.0:
        uniform = config.prior_noise / len(prior)
        prior = [(1.0 - config.prior_noise) * probability + uniform for probability in prior]
    return prior


def choose(
    node: ActNode, config: SearchConfig, value_scale: float, rng: np.random.Generator
) -> tuple[int, list[float] | None]:
    """An action, and the mixing distribution it was drawn from (None for a pure choice)."""
    bonus = bonuses(node, config, value_scale)
    values = node.child_values()
    lows = [value.low + extra for value, extra in zip(values, bonus, strict=True)]
    highs = [value.high + extra for value, extra in zip(values, bonus, strict=True)]
    best = max(range(len(lows)), key=lows.__getitem__)
    tied = [a == best or highs[a] >= lows[best] for a in range(len(lows))]
    if sum(tied) == 1:
        return best, None
    mixing = mixing_distribution(node.mixing_prior, tied)
    return draw(rng, mixing), mixing


def mixing_distribution(prior: Sequence[float], tied: Sequence[bool]) -> list[float]:
    """The raw prior restricted to the tied actions; uniform if it gives them nothing."""
    weights = [p if tie else 0.0 for p, tie in zip(prior, tied, strict=True)]
    total = 0.0
    for weight in weights:
        total += weight
    if total <= 0.0:
        count = sum(tied)
        return [1.0 / count if tie else 0.0 for tie in tied]
    return [weight / total for weight in weights]


def act_value(
    children_in_original_tree: Sequence[Interval | None],
    choices_in_spawned_tree: Choices,
    prior: Sequence[float] = (),
    prior_visits: float = 0.0,
    radius: float = 0.0,
) -> Interval:
    """Q(n) = (n_mixed E_MIX[Q] + n_pure E_PN[Q]) / (n_mixed + n_pure), end by end.

    At an own node both arguments come from one tree. At an opponent's node the child values come
    from the tree we are in and the choices from the tree that was spawned for the opponent; there
    P counts as `prior_visits` further mixed visits, children without a value are left out, and the
    opponent's policy may be dispersed like beliefs by `radius`.
    """
    weights: list[float] = []
    values: list[Interval] = []
    low = high = total = 0.0
    for action, value in enumerate(children_in_original_tree):
        if value is None:
            continue
        weight = choices_in_spawned_tree.weight(action)
        if prior_visits > 0.0:
            weight += prior_visits * prior[action]
        low += weight * value.low
        high += weight * value.high
        total += weight
        weights.append(weight)
        values.append(value)
    if total == 0.0:
        # The opponent has answered by P here, and its tree has chosen other actions since: all that
        # is known of these counts alike.
        for index, value in enumerate(values):
            weights[index] = 1.0
            low += value.low
            high += value.high
            total += 1.0
    if radius == 0.0:
        return Interval(low / total, high / total)
    policy = [weight / total for weight in weights]
    return dispersed(policy, [v.low for v in values], [v.high for v in values], radius)


def bonuses(node: ActNode, config: SearchConfig, value_scale: float) -> list[float]:
    """What is added to Q(a): the prior term of PUCT, or UCB1's (infinite where N(a) = 0)."""
    visits = node.choices.visits
    total = sum(visits)
    if config.selection == "ucb":
        weight = config.ucb_exploration * value_scale
        return [weight * math.sqrt(math.log(total) / n) if n else math.inf for n in visits]
    weight = config.c_puct * value_scale * math.sqrt(total)
    if config.puct_denominator == "one_plus":
        return [weight * p / (1 + n) for p, n in zip(node.exploration_prior, visits, strict=True)]
    floor = config.puct_floor
    return [weight * p / max(floor, n) for p, n in zip(node.exploration_prior, visits, strict=True)]
