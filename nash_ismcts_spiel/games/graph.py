"""The Python face of the game graph: worlds, information sets and hidden pieces of one game.

The graph itself is compiled (`native/worlds/graph.h`). One graph serves both engines, the exact
models and the exact tools. It is enumerated whole (small games) or grows where somebody steps (any
game). The graph is about the game, never about a match: a bot hands it what its player has seen,
and the graph finds worlds that agree with it.

Actions may be split (`games/splitting.py`): then an action of the graph is a sub-action, and so is
a hidden move of another player. pyspiel's states know whole actions only; a graph translates.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.facts import facts_for, is_slow, proposals, read_log
from nash_ismcts_spiel.games.adapter import support
from nash_ismcts_spiel.games.keys import InformationKey
from nash_ismcts_spiel.games.splitting import SplitActions, Splitting, splitting_of
from nash_ismcts_spiel.games.tables import MISSING
from nash_ismcts_spiel.native import _core

ENUMERATION_LIMIT = 2_000_000

_MANY_DRAWS = 64
"""Draws for which it pays to find out exactly what is hidden; fewer do not come to see it."""

_GUESSES = 50
"""Histories from facts that are tried before the general search for worlds takes over."""

OFFERED = 8
"""Worlds that facts are asked for where a player is to move."""

_FACTS_SHARE = 0.2
"""The part of the time for a move in which facts may give more worlds than one."""


class GameGraph(_core.Graph):
    """Worlds and information sets of a game.

    Attributes:
      game: the game, in sequential form.
      worlds: table of full histories; row 0 is the start.
      information_sets: table of what players know when they move.
      samples: table of forks in the hidden history.
      enumerated: every world of the game has a row.
      split_actions: whether actions are split, as it was asked for.
      splitting: how they are split, None if they are whole.
    """

    def __init__(self, game: Any, split_actions: SplitActions = "never") -> None:
        """A graph that holds only the start of a game.

        Args:
          game: a pyspiel game, its name, or a supported game.
          split_actions: whether its actions are split.

        Raises:
          ValueError: the game cannot be searched, or the setting is unknown.
        """
        self.game = support(game)
        self.split_actions: SplitActions = split_actions
        self.splitting: Splitting | None = splitting_of(self.game, split_actions)
        self._value_scale: float | None = None
        played = self.game.native
        self._split = None if self.splitting is None else self.splitting.native(played)
        super().__init__(self._split or played)

    @classmethod
    def enumerate(
        cls,
        game: Any,
        limit: int = ENUMERATION_LIMIT,
        split_actions: SplitActions = "never",
    ) -> GameGraph:
        """A graph with every world of `game`.

        Raises:
          ValueError: the game has more than `limit` worlds. Games that are far larger by a random
            estimate are refused at once.
        """
        graph = cls(game, split_actions)
        graph.enumerate_worlds(limit)
        return graph

    @property
    def value_scale(self) -> float:
        """Root mean square of the returns about their mean: over all terminal worlds if enumerated,
        else sampled.
        """
        if self._value_scale is None:
            if self.enumerated:
                found = np.asarray(self.worlds.utilities)
                self._value_scale = float(found.std()) if np.ptp(found) > 0.0 else 1.0
            else:
                self._value_scale = self.game.value_scale()
        return self._value_scale

    @functools.cached_property
    def _whole(self) -> GameGraph:
        """The same game with whole actions. Worlds are looked for here: what others did is seen
        action by action, not sub-action by sub-action.
        """
        return GameGraph(self.game)

    def split_history(self, history: Sequence[int]) -> list[int]:
        """A history of pyspiel's as the graph counts events."""
        return list(history) if self._split is None else self._split.split(history)

    def whole_history(self, world: int) -> tuple[list[int], list[int]]:
        """pyspiel's history of a world, up to the last whole action, and the beginning of the code
        of an action that is not whole yet (sub-actions that were forced included).
        """
        history = self.history(world)
        return (history, []) if self._split is None else self._split.whole(history)

    def observe(
        self, state: Any, player: int, seconds: float | None = None, offered: int = OFFERED
    ) -> int:
        """The information set of `player`, to move at `state`, from what it has seen alone.

        Args:
          state: a state of the game, which is not changed.
          player: whose information set it is.
          seconds: for how long worlds may be looked for; as long as it takes if None.
          offered: worlds that are asked of facts; who does not search needs one.

        Raises:
          ValueError: no world was found that agrees with what the player has seen.
          TimeoutError: the time is up.
        """
        history = self.split_history(state.history())
        if self.game.perfect_information:
            return self.worlds.information_set[self.follow(history)]
        view = self.view_along(history, player, state.is_simultaneous_node())
        if self._split is None or self.set_of_view(view) != MISSING:
            return self._found(player, view, seconds, offered)
        found = self._whole.observe(state, player, seconds, offered)
        world = self._whole.history(self._whole.information_sets.first_world[found])
        number = self.worlds.information_set[self.follow(self.split_history(world))]
        for other in self._whole.offered(found):
            self.offer(player, view, self.split_history(self._whole.history(other)))
        if self.information_sets.view[number] != view:
            raise ValueError(
                f"{self.game.name}: legal actions differ inside one information set of player "
                f"{player}, so that its choices have other parts"
            )
        return number

    def _found(self, player: int, view: int, seconds: float | None, offered: int = OFFERED) -> int:
        """The information set with a view, by the game's facts or else the search for worlds."""
        started = time.monotonic()
        missing = self.set_of_view(view) == MISSING
        if missing and seconds is not None and seconds < self.game.deal_seconds:
            raise TimeoutError(f"{self.game.name}: there is no time for a single world")
        self._ask_facts(player, view, math.inf if seconds is None else seconds, offered)
        left = None if seconds is None else max(0.0, seconds - (time.monotonic() - started))
        return self.find_view(player, view, left)

    def _ask_facts(self, player: int, view: int, seconds: float, offered: int) -> None:
        """Offers worlds that the game's facts propose: one if it can be, and up to `offered` in a
        part of the time. Slow facts are not asked about what is known already.
        """
        facts = facts_for(self.game.pyspiel_game) if self._split is None else None
        known = self.set_of_view(view)
        if facts is None or (known != MISSING and (is_slow(facts) or self.offered(known))):
            return
        started = time.monotonic()
        looks = read_log(self.log(view))
        rng = np.random.default_rng(self.view_hash(view))
        guesses = proposals(facts, self.game.pyspiel_game, player, looks, rng)
        guessed = explained = 0
        for history in guesses:
            if history is not None:
                guessed += 1
                explained += self.offer(player, view, history) != MISSING
            share = _FACTS_SHARE if explained else 1.0
            enough = guessed == _GUESSES or explained == offered
            next_one = time.monotonic() - started + self.game.deal_seconds
            if enough or next_one >= share * seconds:
                break

    def key_at(self, state: Any, player: int) -> InformationKey:
        """What `player` has seen and done on the way to `state`, read from its own side only."""
        history = self.split_history(state.history())
        if self.game.perfect_information:
            return InformationKey(player, tuple((action, "") for action in history))
        view = self.view_along(history, player, state.is_simultaneous_node())
        return InformationKey(player, tuple(self.log(view)))

    def find(self, key: InformationKey) -> int:
        """The information set that a key describes.

        Raises:
          ValueError: no world was found that agrees with the key.
        """
        if self.game.perfect_information:
            return self.worlds.information_set[self.follow([action for action, _ in key.log])]
        return self._found(key.player, self.of_log(key.player, list(key.log)), None)

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
        """The numbers of the legal actions, pyspiel's unless they are split, in the order of all
        per-action rows.
        """
        sets = self.information_sets
        first = sets.first_action[information_set]
        return sets.action[first : first + sets.action_count[information_set]]

    def state(self, world: int) -> Any:
        """A pyspiel state at `world`, the caller's to keep and to change; in the middle of an
        action, the state before it.
        """
        state = self.game.initial_state()
        for action in self.whole_history(world)[0]:
            state.apply_action(action)
        return state

    def edge_actions(self, world: int) -> Sequence[int]:
        """The numbers of the moves or outcomes at a world."""
        first = self.worlds.first_edge[world]
        return self.worlds.edge_action[first : first + self.worlds.edge_count[world]]
