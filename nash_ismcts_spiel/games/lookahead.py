"""Looking ahead on pyspiel states: can a partial world still explain what a player saw?

The player's log (see `keys`) is matched entry by entry while events are tried. A dead end (a card
that the player itself was dealt later, a cell that it later found empty) is thus found before
anything is drawn. Most pieces can be exchanged for another one in a completion that is known, which
is tried first; otherwise completions are searched for depth first.

Small games are searched exhaustively, so the answer is exact. In large ones the effort is bounded,
and a piece for which no completion is found counts as impossible; what is drawn is consistent all
the same, since every piece that is offered has a completion that was seen. Two things keep that
rare: events that helped to explain the log before are tried first, and those that the player itself
needs later are tried last.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.keys import NO_ACTION, InformationKey

_DEAD = -1
_BOUNDED_EFFORT = 100
"""Events tried for one piece once the allowance of its information set is used up."""

_SWAPS_PER_EVENT = 8
_REPAIRS = 200

History = tuple[int, ...]


@dataclasses.dataclass(slots=True)
class Effort:
    """How many events may be tried for one information set before the effort is bounded.

    Attributes:
      allowance: for the next information set; small once one has used it up, since a game in
        which that happens is too large for exhaustive search everywhere.
    """

    allowance: int = 300_000

    def exhausted(self) -> None:
        """An information set has used up its allowance."""
        self.allowance = 1_000


class _Partial(NamedTuple):
    """A partial world on the path of a search, with the events not tried yet."""

    state: Any
    progress: int
    history: History
    events: Iterator[int]


class Lookahead:
    """Finds completions of partial worlds for one information set.

    A partial world is a pyspiel state with its progress: the number of the last log entry that
    has been explained.
    """

    def __init__(
        self,
        game: SupportedGame,
        key: InformationKey,
        effort: Effort,
        earlier: Lookahead | None = None,
    ) -> None:
        """Prepares to explain `key`; what cannot explain an `earlier` part of it cannot do so."""
        self._earlier = earlier
        self._game = game
        self._effort = effort
        self._player = key.player
        self._log = key.log
        self._allowance = effort.allowance
        self._dead: set[History] = set()
        self._completion: dict[History, History] = {}
        self._helped: set[tuple[int, int]] = set()
        self._needed_at = {
            action: progress for progress, (action, _) in enumerate(key.log) if action != NO_ACTION
        }

    def learn(self, world: Sequence[int]) -> None:
        """Takes a world of the information set as an example of how the log comes about."""
        state, progress = self._game.initial_state(), 0
        for action in world:
            self._helped.add((progress, action))
            before, chance = progress, state.is_chance_node()
            state, progress = self._step(state, progress, action)
            if chance and progress > before:
                self._needed_at[action] = progress
        self._remember(tuple(world))

    def find(self) -> History | None:
        """The history of some world of the information set, None if none was found."""
        world = self._find_by_repair()
        return self._search(self._game.initial_state(), 0, ()) if world is None else world

    def open_actions(self, state: Any, progress: int) -> list[int]:
        """The events after which a consistent partial world can still be completed, sorted."""
        events = self._events(state, progress)
        if len(events) == 1:  # the player's own move, say: it must be the one
            return events
        here = tuple(state.history())
        example = self._completion.get(here)
        found: list[int] = []
        for action in events:
            if self._can_follow(state, progress, (*here, action), example):
                found.append(action)
        return sorted(found)

    def _can_follow(
        self, state: Any, progress: int, there: History, example: History | None
    ) -> bool:
        """Whether the world `there`, one event after `state`, can be completed."""
        if there in self._completion:
            return True
        if self._is_dead(there):
            return False
        action = there[-1]
        if example is not None and self._exchange(state, progress, action, example):
            return True
        after, explained = self._step(state, progress, action)
        return explained != _DEAD and self._search(after, explained, there) is not None

    def _remember(self, world: History) -> None:
        for length in range(len(world) + 1):
            self._completion.setdefault(world[:length], world)

    def _exchange(self, state: Any, progress: int, action: int, example: History) -> bool:
        """Tries `action` with what followed in the example, the two events exchanged."""
        position = len(state.history())
        state = state.clone()
        for event in (action, *example[position + 1 :]):
            acted = state.current_player() == self._player
            if event == action and not acted and len(state.history()) > position:
                event = example[position]
            if event not in state.legal_actions():
                return False
            state.apply_action(event)
            progress = self._progress_after(state, progress, event, acted)
            if progress == _DEAD:
                return False
        if not self._is_complete(state, progress):
            return False
        self._remember(tuple(state.history()))
        return True

    def _search(self, start: Any, progress: int, history: History) -> History | None:
        """Depth first to a world that is complete; its history."""
        effort = granted = max(self._allowance, _BOUNDED_EFFORT)
        path = [_Partial(start, progress, history, iter(self._events(start, progress)))]
        found: History | None = None
        while path and effort > 0:
            here = path[-1]
            found = self._completion.get(here.history)
            if found is None and self._is_complete(here.state, here.progress):
                found = here.history
            if found is not None:
                self._remember(found)
                break
            effort -= self._extend_or_retreat(path)
        self._account(granted - effort)
        return found

    def _extend_or_retreat(self, path: list[_Partial]) -> int:
        """Adds the next event that contradicts nothing, or gives the last one up; events tried."""
        here = path[-1]
        for tried, action in enumerate(here.events, start=1):
            after, explained = self._step(here.state, here.progress, action)
            there = (*here.history, action)
            if explained != _DEAD and not self._is_dead(there):
                following = iter(self._events(after, explained))
                path.append(_Partial(after, explained, there, following))
                return tried
        self._dead.add(here.history)
        path.pop()
        return 1

    def _is_dead(self, history: History) -> bool:
        lookahead: Lookahead | None = self
        while lookahead is not None:
            if history in lookahead._dead:
                return True
            lookahead = lookahead._earlier
        return False

    def _account(self, spent: int) -> None:
        if 0 < self._allowance <= spent:
            self._effort.exhausted()
        self._allowance -= spent

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
        return after, self._progress_after(after, progress, action, acted)

    def _progress_after(self, after: Any, progress: int, action: int, acted: bool) -> int:
        if after.is_terminal():
            return _DEAD
        observation = self._game.observation(after, self._player, self._log[progress][1])
        if not acted and observation == self._log[progress][1]:
            return progress
        entry = (action if acted else NO_ACTION, observation)
        if progress + 1 < len(self._log) and self._log[progress + 1] == entry:
            return progress + 1
        return _DEAD

    def _find_by_repair(self) -> History | None:
        """Goes forward without backtracking, and mends the history where it cannot go on.

        In a deal, the card that must come next has gone to somebody else. Exchanging the two
        cards mends that at once, where backtracking would try all deals in between.
        """
        state, progress, repairs = self._game.initial_state(), 0, 0
        while not self._is_complete(state, progress):
            following = self._next_possible(state, progress, iter(self._events(state, progress)))
            if following is None and repairs < _REPAIRS:
                repairs += 1
                following = self._swap(state, progress) or self._change(state)
            if following is None:
                return None
            state, progress = following
        return tuple(state.history())

    def _swap(self, state: Any, progress: int) -> tuple[Any, int] | None:
        history = state.history()
        spare = [a for a in self._events(state, progress) if a not in self._needed_at]
        for position in reversed(range(len(history))):
            wanted = history[position]
            for replacement in spare[:_SWAPS_PER_EVENT]:
                exchanged = {wanted: replacement, replacement: wanted}
                swapped = self._replay([*(exchanged.get(a, a) for a in history), wanted])
                if swapped is not None and swapped[1] > progress:
                    self._needed_at[wanted] = swapped[1]
                    return swapped
        return None

    def _change(self, state: Any) -> tuple[Any, int] | None:
        """Another event somewhere before, latest first, after which the game can go on."""
        history = state.history()
        for position in reversed(range(len(history))):
            before = self._replay(history[:position])
            for other in self._events(*before) if before is not None else ():
                changed = self._replay([*history[:position], other, *history[position + 1 :]])
                if other != history[position] and changed is not None:
                    if self._next_possible(*changed, iter(self._events(*changed))) is not None:
                        return changed
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
