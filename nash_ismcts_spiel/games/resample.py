"""A resampler for every game: draws worlds that agree with what a player has seen.

OpenSpiel's searches over determinised worlds call `resample_from_infostate`, which few games have,
which leaks in some (gin_rummy: the true hand comes back) and invents worlds in others (hearts,
euchre: cards that a player has shown not to have). A `Resampler` draws the hidden pieces one by one
instead, in the order in which they happened, in proportion to the probability of all that the
player has seen if chance is as the game says and the others move uniformly: exactly where the
worlds of an information set can be listed; elsewhere each piece by its own chances, always among
the values with which the world can still be completed, and what is seen later by a few Metropolis
steps. Where much is hidden, worlds are the steps of random walks that exchange hidden events
(Metropolis), and one differs from the last in several of them; where a game has facts
(`facts/`), the walks begin in different worlds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nash_ismcts_spiel.games.adapter import support
from nash_ismcts_spiel.games.graph import GameGraph
from nash_ismcts_spiel.native import _core

MAX_WORLDS = 100_000
"""Worlds that a resampler keeps before it starts afresh."""


class Resampler:
    """Draws worlds for any supported game: call it as OpenSpiel's `set_resampler` wants.

    Of a state it reads what its player has seen and done, and nothing else.
    """

    def __init__(
        self,
        game: Any,
        seed: int = 0,
        max_worlds: int = MAX_WORLDS,
        seconds: float | None = None,
    ) -> None:
        """Starts with an empty graph.

        Args:
          game: a pyspiel game, its name, or a supported game.
          seed: of the draws.
          max_worlds: a new graph is started when the old one has grown beyond this.
          seconds: how long a first world of a position is looked for; as long as it takes if None.
        """
        if max_worlds < 1:
            raise ValueError(f"max_worlds must be at least 1, not {max_worlds}")
        if seconds is not None and not seconds > 0.0:
            raise ValueError(f"seconds must be positive, not {seconds!r}")
        self._game = support(game)
        self._rng = np.random.default_rng(seed)
        self._max_worlds = max_worlds
        self._seconds = seconds
        self._start_graph()

    def _start_graph(self) -> None:
        self._graph = GameGraph(self._game)
        self._asked: tuple[int, list[int]] | None = None
        self._information_set = -1
        self._draws: _core.WorldDraws | None = None

    def __call__(self, state: Any, player: int) -> Any:
        """A state, the caller's to change, that `player` cannot tell from `state`.

        Raises:
          ValueError: no world was found that agrees with what the player has seen.
          TimeoutError: none was found in time.
        """
        (history,) = self.histories(state, player, 1)
        drawn = self._game.initial_state()
        for event in history:
            drawn.apply_action(event)
        return drawn

    def histories(self, state: Any, player: int, count: int) -> list[list[int]]:
        """As many worlds as histories that `player` cannot tell from `state`.

        Raises:
          ValueError, TimeoutError: as a call.
        """
        information_set = self.observe(state, player)
        if self._draws is None:
            seed = int(self._rng.integers(2**63))
            self._draws = _core.WorldDraws(self._graph, information_set, seed)
        return [self._draws.next() for _ in range(count)]

    def offered(self, information_set: int) -> bool:
        """Whether facts gave a world of an information set that was observed."""
        return bool(self._graph.offered(information_set))

    def observe(self, state: Any, player: int) -> int:
        """The information set; a search asks about one state many times in a row."""
        if len(self._graph.worlds) > self._max_worlds:
            self._start_graph()
        asked = (player, state.history())
        if asked != self._asked:
            self._information_set = self._graph.observe(state, player, self._seconds)
            self._graph.expect_draws(self._information_set, self._max_worlds)
            self._asked = asked
            self._draws = None
        return self._information_set


def draw_world(graph: GameGraph, information_set: int, rng: np.random.Generator) -> int:
    """A world of an information set, hidden piece by hidden piece."""
    return _core.draw_world(graph, information_set, int(rng.integers(2**63)))
