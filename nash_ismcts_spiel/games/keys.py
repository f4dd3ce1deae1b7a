"""Information-set keys: a player's own observations and actions, and nothing else.

A *view* is what one player has seen and done so far: a chain of entries, each an own action (or
none) and the observation after it. An observation that did not change adds no entry, since a
player cannot count moves that it did not see (phantom games). Two worlds belong to one
information set exactly if the player to move has the same view in both. A bare information state
string is never a key: OpenSpiel's may repeat across players, forget, or count hidden moves.

Views are interned: equal chains have equal numbers, and each knows its parent.
"""

from __future__ import annotations

import dataclasses
from array import array
from typing import Any

from nash_ismcts_spiel.games.adapter import SupportedGame

NO_ACTION = -1
NO_VIEW = -1

LogEntry = tuple[int, str]


@dataclasses.dataclass(frozen=True, slots=True)
class InformationKey:
    """Identity of an information set: whose it is and all that this player has seen and done.

    Attributes:
      player: the player to move.
      log: (own action or -1, observation after it), oldest first.
    """

    player: int
    log: tuple[LogEntry, ...]


class ViewTable:
    """All views met so far, as a forest with one root per player."""

    def __init__(self) -> None:
        """Starts with no views."""
        self.parent = array("i")
        self.action = array("q")
        self._observation: list[str] = []
        self._ids: dict[tuple[int, int, str], int] = {}

    def start(self, player: int, observation: str) -> int:
        """The view of `player` before anything has happened."""
        return self._intern(-2 - player, NO_ACTION, observation)

    def extend(self, view: int, action: int, observation: str) -> int:
        """The view after an own `action` (or NO_ACTION) and a new look at the game."""
        if action == NO_ACTION and self._observation[view] == observation:
            return view
        return self._intern(view, action, observation)

    def last(self, view: int) -> str:
        """What was seen last."""
        return self._observation[view]

    def of_log(self, key: InformationKey) -> int:
        """The view that a whole key describes."""
        view = self.start(key.player, key.log[0][1])
        for action, observation in key.log[1:]:
            view = self.extend(view, action, observation)
        return view

    def chain(self, view: int) -> list[int]:
        """A view and all before it, oldest first."""
        views: list[int] = []
        while view >= 0:
            views.append(view)
            view = self.parent[view]
        return views[::-1]

    def log(self, view: int) -> tuple[LogEntry, ...]:
        """The entries of a view, oldest first."""
        return tuple((self.action[each], self._observation[each]) for each in self.chain(view))

    def _intern(self, parent: int, action: int, observation: str) -> int:
        key = (parent, action, observation)
        view = self._ids.get(key)
        if view is None:
            view = self._ids[key] = len(self._observation)
            self.parent.append(parent)
            self.action.append(action)
            self._observation.append(observation)
        return view


def own_log(game: SupportedGame, state: Any, player: int) -> InformationKey:
    """What `player` has seen and done on the way to `state`, read from its own side only.

    The state itself is not touched: its moves are replayed on a new one. At a simultaneous node
    of an unconverted game the others' moves of this turn do not exist yet; `player` would not see
    them, so any legal ones lead to the same log.
    """
    replay = game.initial_state()
    log: list[LogEntry] = [(NO_ACTION, game.observation(replay, player))]
    for action in state.history():
        _replay(game, replay, player, action, log)
    if state.is_simultaneous_node():
        while replay.current_player() != player:
            _replay(game, replay, player, replay.legal_actions()[0], log)
    return InformationKey(player, tuple(log))


def _replay(
    game: SupportedGame, replay: Any, player: int, action: int, log: list[LogEntry]
) -> None:
    acted = replay.current_player() == player
    replay.apply_action(action)
    if replay.is_terminal():
        return
    observation = game.observation(replay, player, log[-1][1])
    if acted or observation != log[-1][1]:
        log.append((action if acted else NO_ACTION, observation))
