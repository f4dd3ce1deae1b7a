"""One literal search, laid open: what it found in each tree, from the view of who acts there.

Positions are searched with one set of models and settings of which visits, radius and seed may be
changed at any time; the rows of the models are kept in between. Utilities are in the game's units.
"""

from __future__ import annotations

import dataclasses
import threading

import numpy as np

from nash_ismcts_spiel.bot import NashIsmctsBot
from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import GameGraph, SupportedGame
from nash_ismcts_spiel.games.hand import Hand
from nash_ismcts_spiel.models import Evaluator, Models
from nash_ismcts_spiel.models.protocol import graph_of, split_actions_of
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.native.models import NativeModels
from nash_ismcts_spiel.page.bayes import ExactBeliefs, exact_beliefs
from nash_ismcts_spiel.page.walk import Walk
from nash_ismcts_spiel.search import SearchResult

MOST_SECONDS = 10.0
"""Wall time after which a search ends with what it has found, so that the page stays alive."""

MOST_WORLDS = 1_000_000
"""Size of the graph at which a search ends, and the next one starts with a new graph."""


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
