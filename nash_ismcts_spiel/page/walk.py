"""A way through the trees of a search, step by step, as a person chooses it.

A place is in one player's tree. From an ACT node the way leads by an action, then by the hidden
pieces that the owner imagines, to a world after them; there chance or another player moves. One may
go on in the same tree by any of its moves, or *enter* the tree that was spawned for the mover, and
see what that player would think, which knows other things. Steps name moves, outcomes and pieces by
pyspiel's numbers, so that the same way can be taken again after another search.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from nash_ismcts_spiel.games import CHANCE, TERMINAL, GameGraph
from nash_ismcts_spiel.games.tables import DEAD, MISSING
from nash_ismcts_spiel.models import Models
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.page.bayes import pieces_of
from nash_ismcts_spiel.search.draw import draw

StepKind = Literal["action", "piece", "draw", "event", "enter"]
PlaceKind = Literal["act", "sample", "chance", "opponent", "over"]


class Step(NamedTuple):
    """One step.

    Attributes:
      kind: an own action; a hidden piece; all pieces that are left, drawn from the beliefs; a move
        of another player or a chance outcome; or into the tree of who is to move.
      number: of the action, piece or event; the seed of a draw; not used by "enter".
    """

    kind: StepKind
    number: int


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where a way has led.

    Attributes:
      kind: what kind of node it is.
      tree: root information set of the tree.
      owner: whose tree it is.
      information_set: of an ACT node; of the mover at another player's node; above a SAMPLE node.
      action: index of the own action above a SAMPLE node.
      sample: the graph's SAMPLE node; MISSING if pieces are drawn from a pool.
      world: the history that the owner imagines, at other nodes.
      drawn: numbers of the pieces drawn so far at a SAMPLE node.
    """

    kind: PlaceKind
    tree: int
    owner: int
    information_set: int = MISSING
    action: int = MISSING
    sample: int = MISSING
    world: int = MISSING
    drawn: tuple[int, ...] = ()


class Walk:
    """Ways through the trees of one search."""

    def __init__(self, models: Models) -> None:
        """Walks the graph of these models."""
        self._models = models
        self._graph: GameGraph = models.graph
        self._root = MISSING
        self._known: dict[tuple[Step, ...], Place] = {}

    def along(self, root: int, steps: Sequence[Step]) -> list[Place]:
        """The places on a way from an ACT node, the first one included.

        A way that begins like an earlier one from the same node comes by the same places, worlds
        that were drawn included.

        Raises:
          ValueError: a step cannot be taken.
        """
        if root != self._root:
            self._root, self._known = root, {}
        places = [self._act(root, root)]
        for count, step in enumerate(steps, 1):
            way = tuple(steps[:count])
            if way not in self._known:
                self._known[way] = self._next(places[-1], step)
            places.append(self._known[way])
        return places

    def pooled(self, information_set: int) -> bool:
        """Whether hidden states are drawn whole, from a pool, so that there are no pieces."""
        return self._models.compiled_beliefs and self._graph.by_exchange(information_set)

    def _next(self, place: Place, step: Step) -> Place:
        if place.kind == "act" and step.kind == "action":
            return self._after_action(place, self._index(place, step.number))
        if place.kind == "sample" and step.kind == "piece" and place.sample != MISSING:
            return self._after_piece(place, step.number)
        if place.kind == "sample" and step.kind == "draw":
            return self._drawn(place, step.number)
        if place.kind in ("chance", "opponent") and step.kind == "event":
            actions = list(self._graph.edge_actions(place.world))
            if step.number in actions:
                child = self._graph.child(place.world, actions.index(step.number))
                return self._at_world(place, child)
        if place.kind == "opponent" and step.kind == "enter":
            return self._act(place.information_set, place.information_set)
        raise ValueError(f"there is no {step.kind} {step.number} here")

    def _act(self, tree: int, information_set: int) -> Place:
        owner = self._graph.information_sets.player[tree]
        return Place("act", tree, owner, information_set)

    def _index(self, place: Place, action: int) -> int:
        actions = self._graph.legal_actions(place.information_set)
        if action not in actions:
            raise ValueError(f"action {action} is not legal here")
        return actions.index(action)

    def _after_action(self, place: Place, index: int) -> Place:
        number = place.information_set
        following = self._graph.own_next(number, index)
        if following != MISSING:
            return self._act(place.tree, following)
        if self.pooled(number):
            return Place("sample", place.tree, place.owner, number, index)
        return self._at_target(place, number, index, self._graph.hidden(number), ())

    def _after_piece(self, place: Place, piece: int) -> Place:
        pieces = pieces_of(self._graph, place.sample)
        if piece not in pieces:
            raise ValueError(f"{piece} is no hidden piece here")
        target = self._graph.branch(place.sample, pieces.index(piece))
        if target == DEAD:
            raise ValueError(f"piece {piece} does not agree with what the player has seen")
        drawn = (*place.drawn, piece)
        return self._at_target(place, place.information_set, place.action, target, drawn)

    def _at_target(
        self, place: Place, number: int, action: int, target: int, drawn: tuple[int, ...]
    ) -> Place:
        if target >= 0:
            return self._at_world(place, self._graph.child(target, action))
        return Place("sample", place.tree, place.owner, number, action, ~target, drawn=drawn)

    def _drawn(self, place: Place, seed: int) -> Place:
        if place.sample == MISSING:
            world = _core.draw_world(self._graph, place.information_set, seed)
            return self._at_world(place, self._graph.child(world, place.action))
        rng = np.random.default_rng(seed)
        while place.kind == "sample":
            beliefs = self._models.sample(place.sample).beliefs
            self._models.bury_new()
            branch = draw(rng, beliefs)
            if self._graph.branch(place.sample, branch) != DEAD:
                place = self._after_piece(place, pieces_of(self._graph, place.sample)[branch])
            else:
                self._models.bury_new()
        return place

    def _at_world(self, place: Place, world: int) -> Place:
        worlds = self._graph.worlds
        kind, tree, owner = worlds.kind[world], place.tree, place.owner
        if kind == TERMINAL:
            return Place("over", tree, owner, world=world)
        if kind == CHANCE:
            return Place("chance", tree, owner, world=world)
        number = worlds.information_set[world]
        if worlds.player[world] == owner or self._graph.game.one_tree:
            return self._act(tree, number)
        return Place("opponent", tree, owner, number, world=world)
