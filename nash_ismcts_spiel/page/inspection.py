"""One literal search, laid open: what it found in each tree, from the view of who acts there; ways
through these trees, step by step, as a person chooses them; and exact Bayes beside H.

Positions are searched with one set of models and settings of which visits, radius and seed may be
changed at any time; the rows of the models are kept in between. Utilities are in the game's units.

A place is in one player's tree. From an ACT node the way leads by an action, then by the hidden
pieces that the owner imagines, to a world after them; there chance or another player moves. One may
go on in the same tree by any of its moves, or *enter* the tree that was spawned for the mover, and
see what that player would think, which knows other things. Steps name moves, outcomes and pieces by
pyspiel's numbers, so that the same way can be taken again after another search.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from nash_ismcts_spiel.bot import NashIsmctsBot
from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import CHANCE, TERMINAL, GameGraph, InformationKey, SupportedGame
from nash_ismcts_spiel.games.hand import Hand
from nash_ismcts_spiel.games.tables import DEAD, MISSING
from nash_ismcts_spiel.models import Evaluator, Models
from nash_ismcts_spiel.models.protocol import graph_of, split_actions_of
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.native.exact import exact_rows
from nash_ismcts_spiel.native.models import NativeModels
from nash_ismcts_spiel.search import SearchResult
from nash_ismcts_spiel.search.draw import draw

StepKind = Literal["action", "piece", "draw", "event", "enter"]
PlaceKind = Literal["act", "sample", "chance", "opponent", "over"]

MOST_SECONDS = 10.0
"""Wall time after which a search ends with what it has found, so that the page stays alive."""

MOST_WORLDS = 1_000_000
"""Size of the graph at which a search ends, and the next one starts with a new graph."""

MOST_HISTORIES = 100_000
"""Size up to which a game is enumerated for this; larger ones would keep a person waiting."""

_MISJUDGED = 4
"""How many times too large a random estimate of the size may be."""


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """What of a search a person may change.

    Attributes:
      visits: of the root.
      radius: of belief dispersion.
      seed: of the search.
    """

    visits: int
    radius: float
    seed: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Searched:
    """A search that was done.

    Attributes:
      root: its information set.
      config: its settings, with the radius.
      value_scale: utility units that count as 1.
      result: what it found at its root.
      trees: how many trees there are.
      engine: the trees.
    """

    root: int
    config: SearchConfig
    value_scale: float
    result: SearchResult
    trees: int
    engine: NativeEngine


class Inspection:
    """Searches of one game with one evaluator.

    Attributes:
      game: the game.
      evaluator: the models.
      config: the settings, of which visits, radius and seed are replaced.
      bayes: exact beliefs for players who follow P, None in large games.
      lock: held while the graph is used; it serves one request at a time.
    """

    def __init__(
        self, game: SupportedGame, evaluator: Evaluator, config: SearchConfig, bayes: bool = True
    ) -> None:
        """Takes the models; exact beliefs are computed at once if `bayes` is True.

        Raises:
          ValueError: the models do not fit the game or the settings.
        """
        self.game = game
        self.evaluator = evaluator
        self.config = dataclasses.replace(
            config, search="notes", trees="by_information_set", engine="native"
        )
        NashIsmctsBot(game.pyspiel_game, 0, evaluator, self.config)  # refuses what does not fit
        self.lock = threading.RLock()
        self._last: tuple[tuple[tuple[int, ...], Asked], Searched] | None = None
        self._start_graph()
        self.bayes: ExactBeliefs | None = exact_beliefs(self.graph, evaluator) if bayes else None

    @property
    def default_radius(self) -> float:
        """The radius where nobody has said another one."""
        return self.config.with_radius(self.models.compiled is None).radius

    def search(self, hand: Hand, asked: Asked) -> Searched:
        """Searches what the player to move knows, in fresh trees; the last search is kept, and
        given again to who asks for the same.

        Raises:
          ValueError: the visits or the radius cannot be searched with, or no world was found.
        """
        wanted = (tuple(hand.history), asked)
        if self._last is None or self._last[0] != wanted:
            self._last = wanted, self._search(hand, asked)
        return self._last[1]

    def _search(self, hand: Hand, asked: Asked) -> Searched:
        config = dataclasses.replace(
            self.config, visits=asked.visits, dispersion_radius=asked.radius
        )
        try:
            root = hand.observe(self.graph, MOST_SECONDS)
        except TimeoutError as error:
            raise ValueError(
                f"{self.game.name}: no world was found in {MOST_SECONDS:g} s that agrees with what "
                "the player has seen"
            ) from error
        engine = NativeEngine(self._rows, config)
        bounded = None if self.graph.enumerated else MOST_WORLDS
        rng = np.random.default_rng(asked.seed)
        result = engine.search(root, rng, seconds=MOST_SECONDS, max_worlds=bounded)
        scale = config.value_scale or self.graph.value_scale
        return Searched(root, config, scale, result, engine.tree_count, engine)

    def bound_memory(self) -> None:
        """Starts a new graph when the old one has grown too large."""
        if not self.graph.enumerated and len(self.graph.worlds) >= MOST_WORLDS:
            self._start_graph()

    def _start_graph(self) -> None:
        own, asked = graph_of(self.evaluator), self.config.split_actions
        needed = split_actions_of(self.evaluator)
        split = needed if needed is not None and asked == "auto" else asked
        self.graph = own or GameGraph(self.game, split)
        self.models = Models(self.graph, self.evaluator)
        self._rows = NativeModels(self.models)
        self._last = None
        self.walk = Walk(self.models)


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


class ExactBeliefs:
    """Bayes' rule for all players who follow P."""

    def __init__(self, graph: GameGraph, evaluator: Evaluator) -> None:
        """Asks P of the evaluator's models everywhere in an enumerated graph."""
        sets = len(graph.information_sets)
        policies = Models(graph, evaluator).policies(range(sets))
        self._graph = graph
        self._beliefs = exact_rows(graph, np.concatenate(policies), forgetful=False).beliefs

    def at(self, key: InformationKey, drawn: Sequence[int]) -> dict[int, float]:
        """Beliefs over the next hidden piece of a player, by the number of its move or outcome.

        Args:
          key: what the player has seen.
          drawn: the pieces before it, by their numbers.
        """
        target = self._graph.hidden(self._graph.find(key))
        for piece in drawn:
            if target >= 0:
                return {}
            pieces = self._pieces(~target)
            if piece not in pieces:
                return {}
            target = self._graph.branch(~target, pieces.index(piece))
        if target >= 0 or target == DEAD:
            return {}
        pieces, first = self._pieces(~target), self._graph.samples.first_branch[~target]
        return dict(zip(pieces, self._beliefs[first : first + len(pieces)].tolist(), strict=True))

    def _pieces(self, sample: int) -> list[int]:
        return pieces_of(self._graph, sample)


def pieces_of(graph: GameGraph, sample: int) -> list[int]:
    """The numbers of the moves or outcomes that a SAMPLE node offers, by branch."""
    samples = graph.samples
    first, count = samples.first_branch[sample], samples.branch_count[sample]
    actions = graph.edge_actions(samples.world[sample])
    return [actions[edge] for edge in samples.edge[first : first + count]]


def exact_beliefs(graph: GameGraph, evaluator: Evaluator) -> ExactBeliefs | None:
    """Exact Bayes for the game of `graph`, None if the game is too large or hides nothing."""
    game = graph.game
    if game.perfect_information or game.estimated_worlds() > _MISJUDGED * MOST_HISTORIES:
        return None
    own = graph_of(evaluator)
    if own is not None:
        return ExactBeliefs(own, evaluator) if own.enumerated else None
    try:
        whole = GameGraph.enumerate(game, MOST_HISTORIES, graph.split_actions)
    except ValueError:
        return None
    return ExactBeliefs(whole, evaluator)
