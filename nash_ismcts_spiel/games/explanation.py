"""Explaining what a player saw: its log (see `keys`) is matched entry by entry while events happen.

A partial world is a pyspiel state with its *progress*: the number of the last log entry that has
been explained. It is complete, a world of the information set, once the whole log is explained and
the player is to move.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.keys import NO_ACTION, InformationKey

DEAD = -1
"""Progress after an event that contradicts the log."""

History = tuple[int, ...]


class Explanation:
    """How events agree with the log of one information set, and in which order to try them.

    Attributes:
      game: the game, in sequential form.
      player: whose log it is.
      last: progress of a partial world that explains the whole log.
      needed_at: events by the latest progress at which the player itself is known to need them.
    """

    def __init__(self, game: SupportedGame, key: InformationKey) -> None:
        """Prepares to explain `key`."""
        self.game = game
        self.player = key.player
        self.last = len(key.log) - 1
        self.needed_at = {
            action: progress for progress, (action, _) in enumerate(key.log) if action != NO_ACTION
        }
        self._log = key.log
        self._helped: dict[int, set[int]] = {}

    def learn(self, world: Sequence[int]) -> None:
        """Takes a world of the information set as an example of how the log comes about."""
        state, progress = self.game.initial_state(), 0
        for action in world:
            self._helped.setdefault(progress, set()).add(action)
            before, chance = progress, state.is_chance_node()
            state, progress = self.step(state, progress, action)
            if chance and progress > before:
                self.needed_at[action] = progress

    def is_complete(self, state: Any, progress: int) -> bool:
        """Whether a partial world is a world of the information set."""
        return progress == self.last and state.current_player() == self.player

    def events(self, state: Any, progress: int) -> list[int]:
        """What may happen next: the player's own move as logged, anything else in a good order.

        First what has helped before, last what the player itself needs later.
        """
        if state.current_player() == self.player:
            following = self._log[progress + 1 : progress + 2]
            return [action for action, _ in following if action != NO_ACTION]
        legal: list[int] = state.legal_actions()
        needed_at, helped = self.needed_at, self._helped.get(progress, ())
        early = [action for action in legal if needed_at.get(action, 0) <= progress]
        events = [action for action in early if action in helped]
        events += [action for action in early if action not in helped]
        if len(events) < len(legal):
            late = [action for action in legal if needed_at.get(action, 0) > progress]
            events += [action for action in late if action in helped]
            events += [action for action in late if action not in helped]
        return events

    def step(self, state: Any, progress: int, action: int) -> tuple[Any, int]:
        """The state after an event, and the progress then; DEAD if it contradicts the log."""
        acted = state.current_player() == self.player
        after = state.child(action)
        return after, self.progress_after(after, progress, action, acted)

    def progress_after(self, after: Any, progress: int, action: int, acted: bool) -> int:
        """The progress at a state that was reached by an event; DEAD if it contradicts the log."""
        if after.is_terminal():
            return DEAD
        observation = self.game.observation(after, self.player, self._log[progress][1])
        if not acted and observation == self._log[progress][1]:
            return progress
        if progress < self.last:
            wanted, seen = self._log[progress + 1]
            if seen == observation and wanted == (action if acted else NO_ACTION):
                return progress + 1
        return DEAD

    def replay(self, history: Sequence[int]) -> tuple[Any, int] | None:
        """The partial world after some events, None if they cannot happen or contradict the log."""
        state, progress = self.game.initial_state(), 0
        for action in history:
            if action not in state.legal_actions():
                return None
            acted = state.current_player() == self.player
            state.apply_action(action)
            progress = self.progress_after(state, progress, action, acted)
            if progress == DEAD:
                return None
        return state, progress
