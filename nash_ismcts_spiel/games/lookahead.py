"""Looking ahead on pyspiel states: can a partial world still explain what a player saw?

A dead end (a card that the player itself was dealt later, a cell that it later found empty) is
found before anything is drawn. Most pieces can be exchanged for another one in a completion that is
known, which is tried first; otherwise completions are searched for depth first.

Small games are searched exhaustively, so the answer is exact. In large ones the effort is bounded,
and a piece for which no completion is found counts as impossible; what is drawn is consistent all
the same, since every piece that is offered has a completion that was seen. Two things keep that
rare: events that helped to explain the log before are tried first, and those that the player itself
needs later are tried last.

For games that forget the order of moves, `completions.h` does the same in compiled code and shares
what it finds out between all histories with one future.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.explanation import DEAD, Explanation, History
from nash_ismcts_spiel.games.keys import InformationKey
from nash_ismcts_spiel.games.repair import find_by_repair

_BOUNDED_EFFORT = 100
"""Events tried for one piece once the allowance of its information set is used up."""


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


@dataclasses.dataclass(slots=True)
class _Partial:
    """A partial world on the path of a search.

    Attributes:
      state: the pyspiel state.
      progress: how much of the log it explains.
      history: what has happened.
      events: what may happen next and was not tried yet.
    """

    state: Any
    progress: int
    history: History
    events: Iterator[int]


class Lookahead:
    """Finds completions of partial worlds for one information set."""

    def __init__(
        self,
        game: SupportedGame,
        key: InformationKey,
        effort: Effort,
        earlier: Lookahead | None = None,
    ) -> None:
        """Prepares to explain `key`; what cannot explain an `earlier` part of it cannot do so."""
        self._earlier = earlier
        self._explanation = Explanation(game, key)
        self._effort = effort
        self._allowance = effort.allowance
        self._dead: set[History] = set()
        self._completion: dict[History, History] = {}
        self._too_many_worlds = False

    def learn(self, world: Sequence[int]) -> None:
        """Takes a world of the information set as an example of how the log comes about."""
        self._explanation.learn(world)
        self._remember(tuple(world))

    def find(self) -> History | None:
        """The history of some world of the information set, None if none was found."""
        world = find_by_repair(self._explanation)
        return self._search(self._start()) if world is None else world

    def open_actions(self, state: Any, progress: int) -> list[int]:
        """The events after which a consistent partial world can still be completed, sorted."""
        explanation = self._explanation
        events = explanation.events(state, progress)
        if len(events) == 1:  # the player's own move, say: it must be the one
            return events
        here = tuple(state.history())
        example = self._completion.get(here)
        found: list[int] = []
        for action in events:
            if self._can_follow(state, progress, (*here, action), example):
                found.append(action)
        return sorted(found)

    def surely_moves_on(self, action: int, limit: int) -> bool:
        """Whether in all worlds the player moves again after an own `action` and sees the same.

        False if there are more than `limit` worlds, or too many to find them all.
        """
        game, player = self._explanation.game, self._explanation.player
        seen: set[str] = set()
        for state in self._worlds(limit, action):
            after = state.child(action)
            if after.current_player() != player:
                return False
            seen.add(game.observation(after, player))
            if len(seen) > 1:
                return False
        return not self._too_many_worlds

    def _worlds(self, limit: int, avoided: int) -> Iterator[Any]:
        """States of all worlds, those first in which the others have avoided an action.

        In those a player that tries the action itself often sees something else: one world that
        differs settles most questions about all.
        """
        if self._too_many_worlds:
            return
        explanation, worlds = self._explanation, 0
        effort = granted = max(self._allowance, _BOUNDED_EFFORT)
        pending = [(self._start(), 0)]
        try:
            while pending and effort > 0 and worlds <= limit:
                here, progress = pending.pop()
                if explanation.is_complete(here, progress):
                    worlds += 1
                    yield here
                    continue
                events = explanation.events(here, progress)
                for event in sorted(reversed(events), key=lambda event: event != avoided):
                    effort -= 1
                    after, explained = explanation.step(here, progress, event)
                    if explained != DEAD and not self._is_dead(tuple(after.history())):
                        pending.append((after, explained))
            self._too_many_worlds = bool(pending) or worlds > limit
        finally:
            self._account(granted - effort)

    def _start(self) -> Any:
        return self._explanation.game.initial_state()

    def _can_follow(
        self, state: Any, progress: int, there: History, example: History | None
    ) -> bool:
        """Whether the world `there`, one event after `state`, can be completed."""
        if there in self._completion:
            return True
        if self._is_dead(there):
            return False
        after, explained = self._explanation.step(state, progress, there[-1])
        if explained == DEAD:
            return False
        if example is not None and self._imitate(after, explained, there, example):
            return True
        return self._search(after, explained) is not None

    def _remember(self, world: History) -> None:
        for length in reversed(range(len(world) + 1)):
            if world[:length] in self._completion:
                break  # and so are all that are shorter
            self._completion[world[:length]] = world

    def _imitate(self, after: Any, progress: int, there: History, example: History) -> bool:
        """Tries, after the last event, what followed in the example, the two events exchanged."""
        explanation, state = self._explanation, after.clone()
        action, replaced = there[-1], example[len(there) - 1]
        for event in example[len(there) :]:
            acted = state.current_player() == explanation.player
            if event == action and not acted:
                event = replaced
            if event not in state.legal_actions():
                return False
            state.apply_action(event)
            progress = explanation.progress_after(state, progress, event, acted)
            if progress == DEAD:
                return False
        if not explanation.is_complete(state, progress):
            return False
        self._remember(tuple(state.history()))
        return True

    def _search(self, start: Any, progress: int = 0) -> History | None:
        """Depth first to a world that is complete; its history."""
        effort = granted = max(self._allowance, _BOUNDED_EFFORT)
        path = [self._partial(start, progress)]
        found: History | None = None
        while path and effort > 0:
            here = path[-1]
            found = self._completion.get(here.history)
            if found is None and self._explanation.is_complete(here.state, here.progress):
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
            if not self._is_dead((*here.history, action)):
                after, explained = self._explanation.step(here.state, here.progress, action)
                if explained != DEAD:
                    path.append(self._partial(after, explained))
                    return tried
        self._dead.add(here.history)
        path.pop()
        return 1

    def _partial(self, state: Any, progress: int) -> _Partial:
        events = iter(self._explanation.events(state, progress))
        return _Partial(state, progress, tuple(state.history()), events)

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
