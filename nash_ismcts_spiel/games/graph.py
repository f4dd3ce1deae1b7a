"""The Python face of the game graph: worlds, information sets and hidden pieces of one game.

The graph itself is compiled (`native/worlds/graph.h`). One graph serves both engines, the exact
models and the exact tools. It is enumerated whole (small games) or grows where somebody steps (any
game). The graph is about the game, never about a match: a bot hands it what its player has seen,
and the graph finds worlds that agree with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.games.adapter import support
from nash_ismcts_spiel.games.keys import InformationKey
from nash_ismcts_spiel.games.tables import DEAD
from nash_ismcts_spiel.native import _core

ENUMERATION_LIMIT = 2_000_000

_MANY_DRAWS = 64
"""Draws for which it pays to find out exactly what is hidden; fewer do not come to see it."""


class GameGraph(_core.Graph):
    """Worlds and information sets of a game.

    Attributes:
      game: the game, in sequential form.
      worlds: table of full histories; row 0 is the start.
      information_sets: table of what players know when they move.
      samples: table of forks in the hidden history.
      enumerated: every world of the game has a row.
    """

    def __init__(self, game: Any) -> None:
        """A graph that holds only the start of `game` (a pyspiel game, its name, or supported)."""
        self.game = support(game)
        self._value_scale: float | None = None
        super().__init__(self.game.native)

    @classmethod
    def enumerate(cls, game: Any, limit: int = ENUMERATION_LIMIT) -> GameGraph:
        """A graph with every world of `game`.

        Raises:
          ValueError: the game has more than `limit` worlds. Games that are far larger by a random
            estimate are refused at once.
        """
        graph = cls(game)
        graph.enumerate_worlds(limit)
        return graph

    @property
    def value_scale(self) -> float:
        """Root mean square of the returns: over all terminal worlds if enumerated, else sampled."""
        if self._value_scale is None:
            if self.enumerated:
                squares = np.square(np.asarray(self.worlds.utilities))
                self._value_scale = math.sqrt(float(squares.mean())) or 1.0
            else:
                self._value_scale = self.game.value_scale()
        return self._value_scale

    def observe(self, state: Any, player: int, seconds: float | None = None) -> int:
        """The information set of `player`, to move at `state`, from what it has seen alone.

        Args:
          state: a state of the game, which is not changed.
          player: whose information set it is.
          seconds: for how long worlds may be looked for; as long as it takes if None.

        Raises:
          ValueError: no world was found that agrees with what the player has seen.
          TimeoutError: the time is up.
        """
        if self.game.perfect_information:
            return self.worlds.information_set[self.follow(state.history())]
        view = self.view_along(state.history(), player, state.is_simultaneous_node())
        return self.find_view(player, view, seconds)

    def key_at(self, state: Any, player: int) -> InformationKey:
        """What `player` has seen and done on the way to `state`, read from its own side only."""
        if self.game.perfect_information:
            return InformationKey(player, tuple((action, "") for action in state.history()))
        view = self.view_along(state.history(), player, state.is_simultaneous_node())
        return InformationKey(player, tuple(self.log(view)))

    def find(self, key: InformationKey) -> int:
        """The information set that a key describes.

        Raises:
          ValueError: no world was found that agrees with the key.
        """
        if self.game.perfect_information:
            return self.worlds.information_set[self.follow([action for action, _ in key.log])]
        return self.find_view(key.player, self.of_log(key.player, list(key.log)), None)

    def key(self, information_set: int) -> InformationKey:
        """What the player to move has seen and done; in perfect information, the whole history."""
        sets = self.information_sets
        player = sets.player[information_set]
        if self.game.perfect_information:
            history = self.history(sets.first_world[information_set])
            return InformationKey(player, tuple((action, "") for action in history))
        return InformationKey(player, tuple(self.log(sets.view[information_set])))

    def expect_draws(self, information_set: int, draws: int) -> None:
        """Says how many worlds of an information set will be drawn.

        If they are many, all effort is made from now on to find out which hidden pieces are alive.
        """
        if draws >= _MANY_DRAWS and not self.enumerated:
            self.ask(information_set)

    def legal_actions(self, information_set: int) -> list[int]:
        """pyspiel's numbers of the legal actions, in the order of all per-action rows."""
        sets = self.information_sets
        first = sets.first_action[information_set]
        return sets.action[first : first + sets.action_count[information_set]]

    def state(self, world: int) -> Any:
        """A pyspiel state at `world`, the caller's to keep and to change."""
        state = self.game.initial_state()
        for action in self.history(world):
            state.apply_action(action)
        return state

    def all_worlds(self, information_set: int) -> Iterator[int]:
        """All worlds of an information set, in the order of its prefix tree."""
        pending = [self.hidden(information_set)]
        while pending:
            target = pending.pop()
            if target >= 0:
                yield target
            elif target != DEAD:
                count = self.samples.branch_count[~target]
                pending.extend(self.branch(~target, k) for k in reversed(range(count)))

    def edge_actions(self, world: int) -> Sequence[int]:
        """pyspiel's numbers of the moves or outcomes at a world."""
        first = self.worlds.first_edge[world]
        return self.worlds.edge_action[first : first + self.worlds.edge_count[world]]
