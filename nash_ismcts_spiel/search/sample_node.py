"""SAMPLE nodes: the next piece of the hidden state is drawn from H, or all of it from a pool.

The interval of a SAMPLE node is where utility belief dispersion enters: h may be off by an L1 ball
of radius eps, and Q(n) shows what that does to the expectation. All values are for the player
whose tree the node is in, in the game's utility units.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games.tables import DEAD, MISSING
from nash_ismcts_spiel.search.dispersion import dispersed
from nash_ismcts_spiel.search.interval import Interval, point

if TYPE_CHECKING:
    from nash_ismcts_spiel.models.protocol import InformationSetRow
    from nash_ismcts_spiel.models.store import Models
    from nash_ismcts_spiel.search.trees import Node


@dataclasses.dataclass(slots=True)
class SampleNode:
    """One piece of the hidden state after an own action.

    Attributes:
      sample: the graph's SAMPLE node.
      action: index of the own action above the chain.
      player: whose tree it is.
      beliefs: h, 0 for pieces that were found to be dead. [branches]
      targets: the graph's targets, which say what is dead. [branches]
      model_values: Vc of the pieces, given the action. [branches]
      visits: how often each piece was drawn. [branches]
      children: what is below each piece; None where it was never drawn. [branches]
      q: Q(n).
      pieces_alike: Vc does not tell pieces apart, and says nothing about one that was never drawn.
      low_sum: sum of the low ends seen (`luck_adjusted` only).
      high_sum: sum of the high ends seen (`luck_adjusted` only).
    """

    sample: int
    action: int
    player: int
    beliefs: Sequence[float]
    targets: Callable[[], Sequence[int]]
    model_values: Sequence[float]
    visits: list[int]
    children: list[Node | None]
    q: Interval = Interval(0.0, 0.0)
    pieces_alike: bool = False
    low_sum: float = 0.0
    high_sum: float = 0.0

    def lows(self) -> list[float]:
        """Low ends of the children, by Vc where unvisited."""
        return self._without_dead(
            [
                self.model_values[branch] if child is None else child.q.low
                for branch, child in enumerate(self.children)
            ]
        )

    def highs(self) -> list[float]:
        """High ends of the children, by Vc where unvisited."""
        return self._without_dead(
            [
                self.model_values[branch] if child is None else child.q.high
                for branch, child in enumerate(self.children)
            ]
        )

    def _without_dead(self, values: list[float]) -> list[float]:
        """Dead pieces count as the first one that is not: with beliefs of 0 they change nothing."""
        dead = [target == DEAD for target in self.targets()]
        if not any(dead):
            return values
        alive = values[dead.index(False)]
        return [alive if gone else value for gone, value in zip(dead, values, strict=True)]


@dataclasses.dataclass(slots=True)
class PoolNode:
    """The whole hidden state after an own action, drawn at once from a pool of worlds, all alike.

    Used where the hidden history is long and the models do not tell worlds apart.

    Attributes:
      information_set: whose worlds are drawn.
      action: index of the own action above.
      player: whose tree it is.
      model_value: Vc of the action.
      visits: how often each world was drawn. [worlds]
      children: what follows the action in each world; None where it was never drawn. [worlds]
      q: Q(n).
      low_sum: sum of the low ends seen (`luck_adjusted` only).
      high_sum: sum of the high ends seen (`luck_adjusted` only).
    """

    information_set: int
    action: int
    player: int
    model_value: float
    visits: list[int] = dataclasses.field(default_factory=list)
    children: list[Node | None] = dataclasses.field(default_factory=list)
    q: Interval = Interval(0.0, 0.0)
    low_sum: float = 0.0
    high_sum: float = 0.0

    @property
    def pieces_alike(self) -> bool:
        """Vc says nothing about a world that was never drawn."""
        return True

    @property
    def beliefs(self) -> Sequence[float]:
        """One share each. [worlds]"""
        return [1.0 / len(self.children)] * len(self.children)

    @property
    def model_values(self) -> Sequence[float]:
        """Vc of the worlds, given the action. [worlds]"""
        return [self.model_value] * len(self.children)

    def grow(self, count: int) -> None:
        """Makes room for `count` worlds."""
        new = count - len(self.children)
        self.visits.extend([0] * new)
        self.children.extend([None] * new)

    def lows(self) -> list[float]:
        """Low ends of the children, by Vc where unvisited."""
        return [self.model_value if child is None else child.q.low for child in self.children]

    def highs(self) -> list[float]:
        """High ends of the children, by Vc where unvisited."""
        return [self.model_value if child is None else child.q.high for child in self.children]


def untried_values(
    models: Models, information_set: int, row: InformationSetRow, radius: float
) -> list[Interval]:
    """What the models say of each action, for as long as it was never tried: Vc, and where they
    tell hidden pieces apart, the interval of a SAMPLE node of which no piece was drawn.
    """
    values = [point(value) for value in row.child_values]
    if radius == 0.0 or models.compiled_beliefs:
        return values
    top = models.graph.hidden(information_set)
    if top >= 0:
        return values
    pieces, first = models.sample(~top), models.graph.samples.first_branch[~top]
    targets, count = models.graph.samples.target, len(pieces.beliefs)
    for action in range(len(values)):
        if models.graph.own_next(information_set, action) == MISSING:
            node = SampleNode(
                ~top, action, -1, pieces.beliefs, lambda: targets[first : first + count],
                pieces.child_values[action], [0] * count, [None] * count,
            )  # fmt: skip
            values[action] = dispersed(node.beliefs, node.lows(), node.highs(), radius)
    return values


def luck(node: SampleNode | PoolNode, branch: int, config: SearchConfig) -> Interval:
    """-Phi(h): what takes the luck of drawing `branch` out of a result, before it is backed up.

    phi(h') = Q(c) - E_{h'}[Q]. Low ends are taken with low ends, high with high.
    """
    lows, highs = node.lows(), node.highs()
    expected = dispersed(node.beliefs, lows, highs, config.radius)
    return Interval(expected.low - lows[branch], expected.high - highs[branch])


def back_up(
    node: SampleNode | PoolNode,
    branch: int,
    result: Interval,
    adjustment: Interval,
    config: SearchConfig,
) -> Interval:
    """Adds a visit of `branch` that came to `result`, and updates Q(n).

    Returns:
      What goes further up the chain: the luck-adjusted result, or Q(n) for the other backups.
    """
    node.visits[branch] += 1
    if config.sample_backup == "luck_adjusted":
        adjusted = Interval(result.low + adjustment.low, result.high + adjustment.high)
        node.low_sum += adjusted.low
        node.high_sum += adjusted.high
        count = sum(node.visits)
        low, high = node.low_sum / count, node.high_sum / count
        node.q = Interval(min(low, high), max(low, high))
        return adjusted
    if config.sample_backup == "residual":
        node.q = _residual(node, config.radius)
    elif node.pieces_alike:
        node.q = _dispersed_drawn(node, config.radius)
    else:
        node.q = dispersed(node.beliefs, node.lows(), node.highs(), config.radius)
    return node.q


def _dispersed_drawn(node: SampleNode | PoolNode, radius: float) -> Interval:
    """The ball round h over the pieces that were drawn."""
    drawn = [k for k, n in enumerate(node.visits) if n > 0 and node.beliefs[k] != 0.0]
    total = 0.0
    for branch in drawn:
        total += node.beliefs[branch]
    lows, highs = node.lows(), node.highs()
    return dispersed(
        [node.beliefs[branch] / total for branch in drawn],
        [lows[branch] for branch in drawn],
        [highs[branch] for branch in drawn],
        radius,
    )


def _residual(node: SampleNode | PoolNode, radius: float) -> Interval:
    """[min E Vc, max E Vc] + E_{c ~ N}[Q(c) - Vc(c)]."""
    modelled = dispersed(node.beliefs, node.model_values, node.model_values, radius)
    low = high = 0.0
    for branch, child in enumerate(node.children):
        if child is not None:
            low += node.visits[branch] * (child.q.low - node.model_values[branch])
            high += node.visits[branch] * (child.q.high - node.model_values[branch])
    count = sum(node.visits)
    return Interval(modelled.low + low / count, modelled.high + high / count)
