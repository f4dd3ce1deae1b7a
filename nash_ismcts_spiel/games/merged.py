"""Games whose histories merge, and the views by which a policy that forgets is asked.

A view is what a player may decide by: its key (its observation, or its information state), its
legal actions and that it is to move. In phantom tic-tac-toe it is the board as the player sees it,
whatever the order in which the stones came. Each view is represented by one history, found by
walking the game, never a match: to ask a search or a network about a view is to ask it there.

Histories that merge are walked in compiled code (`native/worlds/merged_game.h`); that refuses games
where views say too little for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from nash_ismcts_spiel.games.adapter import SupportedGame, support
from nash_ismcts_spiel.native import _core

PolicyKey = Literal["observation", "information_state"]

MAX_NODES = 2_000_000
"""Nodes of a merged game, of some 300 bytes each while it is made."""

_MERGING = ("dark_hex", "phantom_ttt")
"""OpenSpiel's names of games that are known to merge by observations, on boards of so many cells:
to try a game takes seconds, and only a walk of the whole game tells."""
_MOST_CELLS = 9

_FAR_BEYOND = 100
"""By how much an estimate must miss the limit to be believed; it tells orders of magnitude."""

Report = Callable[[float], None]


class View(NamedTuple):
    """What a policy that forgets is asked by.

    Attributes:
      player: the player to move.
      key: its observation or its information state.
      legal_actions: its legal actions, in OpenSpiel's order.
      history: the history that represents the view.
      other_history: another one with the same view, or the same one if there is no other.
    """

    player: int
    key: str
    legal_actions: tuple[int, ...]
    history: tuple[int, ...]
    other_history: tuple[int, ...]


class MergedGame:
    """A game with its histories merged.

    Attributes:
      game: the game, in sequential form.
      key: by what policies are asked.
      native: the compiled form.
      views: all views of the game, numbered in the order in which a walk by length meets them.
    """

    def __init__(
        self,
        game: Any,
        key: PolicyKey = "observation",
        max_nodes: int = MAX_NODES,
        report: Report | None = None,
    ) -> None:
        """Walks the game.

        Args:
          game: a pyspiel game, its name, or a supported game.
          key: by what policies are asked.
          max_nodes: a game with more is refused.
          report: called every now and then while the game is walked.

        Raises:
          ValueError: the game is too large, has no such key, or its printed states and its keys do
            not determine what may follow.
        """
        self.game: SupportedGame = support(game)
        self.key: PolicyKey = key
        self._refuse_without_key()
        self._refuse_too_large(max_nodes)
        self.native = _core.MergedGame(self.game.native, key, max_nodes, report)
        numbers = range(self.native.num_views)
        self.views = [_view(*self.native.view(number)) for number in numbers]
        self._first_action: list[int] = self.native.first_action.tolist()
        self._numbers = {view[:3]: number for number, view in enumerate(self.views)}

    def view_at(self, state: Any) -> int:
        """The view of the player to move, read from its own side of `state` only.

        Raises:
          ValueError: the state belongs to another game, or no player is to move.
        """
        if not self.game.plays(state) or state.is_simultaneous_node():
            raise ValueError(f"the state belongs to {state.get_game()}, not to {self.game.name}")
        player = int(state.current_player())
        if player < 0:
            raise ValueError(f"no player is to move after {state.history()}")
        by_observation = self.key == "observation"
        read = state.observation_string if by_observation else state.information_state_string
        return self._numbers[player, str(read(player)), tuple(state.legal_actions())]

    def actions_of(self, view: int) -> slice:
        """The entries of a view in a table with one per legal action of each view."""
        first, end = self._first_action[view : view + 2]
        return slice(first, end)

    def state_of(self, view: int) -> Any:
        """A new pyspiel state at the history that represents a view."""
        return self.state_after(self.views[view].history)

    def state_after(self, history: tuple[int, ...]) -> Any:
        """A new pyspiel state after some events."""
        state = self.game.initial_state()
        for event in history:
            state.apply_action(event)
        return state

    def _refuse_without_key(self) -> None:
        kind = self.game.pyspiel_game.get_type()
        if self.key == "observation" and not kind.provides_observation_string:
            raise ValueError(
                f"{self.game.name} has no observation strings to ask a policy by; "
                "use the key information_state"
            )

    def _refuse_too_large(self, max_nodes: int) -> None:
        """Information states hardly merge: a game with far too many histories needs no walk."""
        if self.key != "information_state" or not self.game.has_information_states:
            return
        estimate = self.game.estimated_worlds()
        if estimate > _FAR_BEYOND * max_nodes:
            raise ValueError(
                f"{self.game.name} has some {estimate:.0e} histories, of which those with the same "
                f"information states are one node; that will be more than {max_nodes} nodes"
            )


def merged_game(game: Any, key: PolicyKey = "observation") -> MergedGame:
    """A merged game; those that OpenSpiel knows by their string are made once and kept."""
    supported = support(game)
    if supported.native.needs_gil:  # Python states: the string may not tell the whole game
        return MergedGame(supported, key)
    return _kept(supported.name, key)


def game_over_views(game: SupportedGame, max_nodes: int) -> MergedGame | None:
    """A game merged by observations, if it is one of those that are searched by views."""
    if game.pyspiel_game.get_type().short_name not in _MERGING:
        return None
    if game.pyspiel_game.num_distinct_actions() > _MOST_CELLS:
        return None
    try:
        merged = _kept(game.name, "observation")
    except ValueError:  # this variant tells its players more, or prints less
        return None
    return merged if merged.native.num_nodes <= max_nodes else None


@functools.lru_cache(maxsize=4)
def _kept(name: str, key: PolicyKey) -> MergedGame:
    return MergedGame(name, key)


def _view(
    player: int, key: str, legal_actions: list[int], history: list[int], other: list[int]
) -> View:
    return View(player, key, tuple(legal_actions), tuple(history), tuple(other))
