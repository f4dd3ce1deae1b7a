"""The worlds and information sets that a forest has met, with what it found there.

Values are utilities in the game's units, one per player: v if all play pi, v_P if all play P.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from nash_ismcts_spiel.games.tables import MISSING
from nash_ismcts_spiel.models.forest_models import ForestModels


@dataclasses.dataclass(slots=True, eq=False)
class MetWorld:
    """A world that the forest has met.

    Attributes:
      row: its row in the graph.
      node: the mover's information set, None for chance and the end.
      v: its value under what is played. [players]
      v_prior: its value under P. [players]
      children: worlds after its events; None where nobody has been. [edges]
      seen: whether its information set counts it.
    """

    row: int
    node: MetSet | None
    v: Sequence[float]
    v_prior: Sequence[float]
    children: list[MetWorld | None]
    seen: bool = False


@dataclasses.dataclass(slots=True, eq=False)
class MetSet:
    """An information set that the forest has met; lists without a shape have an entry per action.

    Attributes:
      player: who moves there.
      prior, child_values: P and Vc.
      policy, ratio: pi and pi / P.
      advantage: running mean of Q.
      tried: how often simulations took an action.
      mean, mean_weight: weighted sum of pi over the simulations of a decision point.
      worlds, beliefs: the worlds that were seen, and H of these.
      updates: N.
      frozen: what is played here is settled.
    """

    player: int
    prior: Sequence[float]
    child_values: Sequence[float]
    policy: list[float]
    ratio: list[float]
    advantage: list[float]
    tried: list[int]
    mean: list[float]
    mean_weight: float = 0.0
    worlds: list[MetWorld] = dataclasses.field(default_factory=list)
    beliefs: list[float] = dataclasses.field(default_factory=list)
    updates: int = 0
    frozen: bool = False

    def play(self, policy: list[float]) -> None:
        """From now on this is pi."""
        self.policy = policy
        self.ratio = [pi / p if p > 0.0 else 1.0 for pi, p in zip(policy, self.prior, strict=True)]


class MetWorlds:
    """What a forest has met, by the rows of the graph."""

    def __init__(self, models: ForestModels) -> None:
        """Starts with nothing met."""
        self.sets: dict[int, MetSet] = {}
        self._worlds: dict[int, MetWorld] = {}
        self._models = models
        self._table = models.graph.worlds

    def world(self, row: int) -> MetWorld:
        """The world of a row, met now if it was not; the way to it is met with it."""
        if row not in self._worlds:
            parent = self._table.parent[row]
            if parent == MISSING:
                return self._meet(row)
            return self.child(self.world(parent), row - self.row_after(parent, 0))
        return self._worlds[row]

    def child(self, world: MetWorld, edge: int) -> MetWorld:
        """The world after an event, met now if it was not."""
        child = world.children[edge]
        if child is None:
            child = world.children[edge] = self._meet(self.row_after(world.row, edge))
        return child

    def row_after(self, row: int, edge: int) -> int:
        """The row after an event."""
        return self._table.edge_child[self._table.first_edge[row] + edge]

    def new_set(self, number: int) -> MetSet:
        """An information set where nobody has been."""
        sets, prior = self._models.graph.information_sets, self._models.policy_at(number)
        zeros = [0.0] * len(prior)
        return MetSet(
            sets.player[number], prior, self._models.child_values_at(number), list(prior),
            [1.0] * len(prior), zeros, [0] * len(prior), list(zeros),
        )  # fmt: skip

    def _meet(self, row: int) -> MetWorld:
        number = self._table.information_set[row]
        if number != MISSING and number not in self.sets:
            self.sets[number] = self.new_set(number)
        value = self._models.values_of(row)
        children: list[MetWorld | None] = [None] * self._table.edge_count[row]
        world = self._worlds[row] = MetWorld(row, self.sets.get(number), value, value, children)
        return world
