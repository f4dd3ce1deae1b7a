"""Looking ahead on pyspiel states: can a partial world still explain what a player saw?

The player's log (see `keys`) is matched entry by entry while events are tried, depth first. A dead
end (a card that the player itself was dealt later, a cell that it later found empty) is thus found
before anything is drawn.

Small games are searched exhaustively, so the answer is exact. In large ones the effort is bounded,
and a piece for which no completion is found counts as impossible; what is drawn is consistent all
the same, since every piece that is offered has a completion that was seen. Two things keep that
rare: events that helped to explain the log before are tried first, and those that the player itself
needs later are tried last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.keys import NO_ACTION, InformationKey

_DEAD = -1
_ALLOWANCE = 50_000
"""Events that may be tried for one information set before the effort is bounded."""

_BOUNDED_EFFORT = 400
"""Events tried for one piece from then on."""

_SWAPS_PER_EVENT = 3


class Lookahead:
    """Finds completions of partial worlds for one information set.

    A partial world is a pyspiel state with its progress: the number of the last log entry that
    has been explained.
    """

    def __init__(self, game: SupportedGame, key: InformationKey) -> None:
        """Prepares to explain `key`."""
        self._game = game
        self._player = key.player
        self._log = key.log
        self._allowance = _ALLOWANCE
        self._can_complete: dict[tuple[int, ...], bool] = {}
        self._helped: set[tuple[int, int]] = set()
        self._needed_at = {
            action: progress for progress, (action, _) in enumerate(key.log) if action != NO_ACTION
        }

    def learn(self, history: Sequence[int]) -> None:
        """Takes a world of the information set as an example of how the log comes about."""
        state, progress = self._game.initial_state(), 0
        for count, action in enumerate(history):
            self._can_complete[tuple(history[:count])] = True
            self._helped.add((progress, action))
            before, chance = progress, state.is_chance_node()
            state, progress = self._step(state, progress, action)
            if chance and progress > before:
                self._needed_at[action] = progress
        self._can_complete[tuple(history)] = True

    def find(self) -> list[int] | None:
        """The history of some world of the information set, None if none was found."""
        world = self._search(self._game.initial_state(), 0)
        if world is not None:
            return list(world.history())
        return self._find_by_swaps() if self._allowance <= 0 else None

    def open_actions(self, state: Any, progress: int) -> list[int]:
        """The events at a partial world after which it can still be completed, sorted."""
        found: list[int] = []
        for action in self._events(state, progress):
            after, explained = self._step(state, progress, action)
            if explained != _DEAD and self._search(after, explained) is not None:
                found.append(action)
        return sorted(found)

    def _search(self, start: Any, progress: int) -> Any | None:
        """Depth first to a state that is complete, or known to have a completion."""
        effort = max(self._allowance, _BOUNDED_EFFORT)
        path = [(start, progress, iter(self._events(start, progress)))]
        while path and effort > 0:
            state, progress, events = path[-1]
            known = self._can_complete.get(tuple(state.history()))
            if known or self._is_complete(state, progress):
                self._can_complete.update((tuple(s.history()), True) for s, _, _ in path)
                return state
            following = None if known is False else self._next_possible(state, progress, events)
            if following is None:
                self._can_complete[tuple(state.history())] = False
                path.pop()
            else:
                path.append((*following, iter(self._events(*following))))
            effort -= 1
            self._allowance -= 1
        return None

    def _next_possible(
        self, state: Any, progress: int, events: Iterator[int]
    ) -> tuple[Any, int] | None:
        for action in events:
            after, explained = self._step(state, progress, action)
            if explained != _DEAD:
                return after, explained
        return None

    def _is_complete(self, state: Any, progress: int) -> bool:
        return progress == len(self._log) - 1 and state.current_player() == self._player

    def _events(self, state: Any, progress: int) -> list[int]:
        """What may happen next: the player's own move as logged, anything else in a good order."""
        if state.current_player() == self._player:
            following = self._log[progress + 1 : progress + 2]
            return [action for action, _ in following if action != NO_ACTION]
        return sorted(
            state.legal_actions(),
            key=lambda action: (
                self._needed_at.get(action, 0) > progress,
                (progress, action) not in self._helped,
            ),
        )

    def _step(self, state: Any, progress: int, action: int) -> tuple[Any, int]:
        """The state after an event, and the progress then; _DEAD if it contradicts the log."""
        acted = state.current_player() == self._player
        after = state.child(action)
        if after.is_terminal():
            return after, _DEAD
        observation = self._game.observation(after, self._player)
        if not acted and observation == self._log[progress][1]:
            return after, progress
        entry = (action if acted else NO_ACTION, observation)
        if self._log[progress + 1 : progress + 2] == (entry,):
            return after, progress + 1
        return after, _DEAD

    def _find_by_swaps(self) -> list[int] | None:
        """Goes forward without backtracking; a missing outcome is swapped with where it was used.

        In a deal, the card that the player must get next has gone to somebody else. Exchanging
        the two deals mends that at once, where backtracking would try all deals in between.
        """
        state, progress = self._game.initial_state(), 0
        while not self._is_complete(state, progress):
            following = self._next_possible(state, progress, iter(self._events(state, progress)))
            following = following or self._swap(state, progress)
            if following is None:
                return None
            state, progress = following
        return list(state.history())

    def _swap(self, state: Any, progress: int) -> tuple[Any, int] | None:
        history = state.history()
        spare = [a for a in self._events(state, progress) if a not in self._needed_at]
        for position in reversed(range(len(history))):
            wanted = history[position]
            for replacement in spare[:_SWAPS_PER_EVENT]:
                changed = [*history[:position], replacement, *history[position + 1 :], wanted]
                swapped = self._replay(changed)
                if swapped is not None and swapped[1] > progress:
                    self._needed_at[wanted] = swapped[1]
                    return swapped
        return None

    def _replay(self, history: Sequence[int]) -> tuple[Any, int] | None:
        state, progress = self._game.initial_state(), 0
        for action in history:
            if action not in state.legal_actions():
                return None
            state, progress = self._step(state, progress, action)
            if progress == _DEAD:
                return None
        return state, progress
