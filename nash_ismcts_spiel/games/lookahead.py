"""Looking ahead on pyspiel states: can a partial world still explain what a player saw?

A dead end (a card that the player itself was dealt later, a cell that it later found empty) is
found before anything is drawn. Most pieces can be exchanged for another one in a completion that is
known, which is tried first; otherwise completions are searched for depth first. What is found out
about a partial world holds for all that have the same future (see `Explanation.future`).

Small games are searched exhaustively, so the answer is exact. In large ones the effort is bounded,
and a piece for which no completion is found counts as impossible; what is drawn is consistent all
the same, since every piece that is offered has a completion that was seen. Two things keep that
rare: events that helped to explain the log before are tried first, and those that the player itself
needs later are tried last.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Sequence
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
      future: what tells its future.
      events: those not tried yet.
      event: the one tried last.
      worlds: number of worlds found below, if they are counted.
    """

    state: Any
    progress: int
    future: Hashable
    events: Iterator[int]
    event: int = -1
    worlds: int = 0


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
        self._dead: set[Hashable] = set()
        self._completion: dict[Hashable, History] = {}  # the events that are still missing
        self._certain: frozenset[int] | None = None

    def learn(self, world: Sequence[int]) -> None:
        """Takes a world of the information set as an example of how the log comes about."""
        futures = self._explanation.learn(world)
        for position, future in enumerate(futures):
            self._completion.setdefault(future, tuple(world[position:]))

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
        example = self._completion.get(explanation.future(state, progress))
        found: list[int] = []
        for action in events:
            after, explained = explanation.step(state, progress, action)
            if explained != DEAD:
                future = explanation.future(after, explained)
                if self._can_be_completed(after, explained, future, action, example):
                    found.append(action)
        return sorted(found)

    def certain_actions(self, limit: int) -> frozenset[int]:
        """Own actions after which, in all worlds, the player moves again and sees the same.

        None of them if there are more than `limit` worlds, or too many to find them all.
        """
        if self._certain is None:
            self._certain = self._find_certain(limit)
        return self._certain

    def _find_certain(self, limit: int) -> frozenset[int]:
        seen_after: dict[int, str] | None = None
        for state in self._worlds(limit):
            if state is None:
                return frozenset()
            if seen_after is None:
                seen_after = self._explanation.seen_after(state, state.legal_actions())
            else:
                again = self._explanation.seen_after(state, seen_after)
                seen_after = {a: seen for a, seen in again.items() if seen_after[a] == seen}
            if not seen_after:
                break
        return frozenset(seen_after or ())

    def _worlds(self, limit: int) -> Iterator[Any]:
        """States of the worlds, one of those with the same future; None at last if too many."""
        explanation, start = self._explanation, self._start()
        if explanation.is_complete(start.state, start.progress):
            yield start.state
            return
        effort = granted = max(self._allowance, _BOUNDED_EFFORT)
        path, counts, worlds = [start], dict[Hashable, int](), 0
        try:
            while path and effort > 0 and worlds <= limit:
                effort -= 1
                following = self._next_partial(path[-1])
                if following is None:
                    self._count(path, counts)
                    continue
                known = counts.get(following.future)
                if known is None and explanation.is_complete(following.state, following.progress):
                    known = counts[following.future] = 1
                    yield following.state
                if known is None:
                    path.append(following)
                else:
                    path[-1].worlds += known
                    worlds += known
        finally:
            self._account(granted - effort)
        if path:
            yield None

    def _count(self, path: list[_Partial], counts: dict[Hashable, int]) -> None:
        """Gives up the last partial world, below which all worlds have been counted."""
        done = path.pop()
        counts[done.future] = done.worlds
        if done.worlds == 0:
            self._dead.add(done.future)
        if path:
            path[-1].worlds += done.worlds

    def _start(self) -> _Partial:
        state = self._explanation.game.initial_state()
        return self._partial(state, 0, self._explanation.future(state, 0))

    def _partial(self, state: Any, progress: int, future: Hashable) -> _Partial:
        return _Partial(state, progress, future, iter(self._explanation.events(state, progress)))

    def _next_partial(self, here: _Partial) -> _Partial | None:
        """The partial world after the next event that contradicts nothing known; None if none."""
        explanation = self._explanation
        for action in here.events:
            after, explained = explanation.step(here.state, here.progress, action)
            if explained != DEAD:
                future = explanation.future(after, explained)
                if not self._is_dead(future):
                    here.event = action
                    return self._partial(after, explained, future)
        return None

    def _can_be_completed(
        self, after: Any, progress: int, future: Hashable, action: int, example: History | None
    ) -> bool:
        """Whether a partial world, just reached by `action`, can be completed."""
        if future in self._completion:
            return True
        if self._is_dead(future):
            return False
        if example is not None and self._imitate(after, progress, future, action, example):
            return True
        return self._search(self._partial(after, progress, future)) is not None

    def _imitate(
        self, after: Any, progress: int, future: Hashable, action: int, example: History
    ) -> bool:
        """Tries, after `action`, what followed in the example, the two events exchanged."""
        explanation, state = self._explanation, after.clone()
        passed: list[tuple[Hashable, int]] = []
        for event in example[1:]:
            acted = state.current_player() == explanation.player
            if event == action and not acted:
                event = example[0]
            if event not in state.legal_actions():
                return False
            passed.append((future, event))
            state.apply_action(event)
            progress = explanation.progress_after(state, progress, event, acted)
            if progress == DEAD:
                return False
            future = explanation.future(state, progress)
            if future in self._completion:
                break
        else:
            if not explanation.is_complete(state, progress):
                return False
            self._completion[future] = ()
        self._remember(passed, self._completion[future])
        return True

    def _search(self, start: _Partial) -> History | None:
        """Depth first to a world that is complete; the events that lead there."""
        explanation, completion = self._explanation, self._completion
        if explanation.is_complete(start.state, start.progress):
            return completion.setdefault(start.future, ())
        effort = granted = max(self._allowance, _BOUNDED_EFFORT)
        path, found = [start], None
        while path and found is None and effort > 0:
            effort -= 1
            following = self._next_partial(path[-1])
            if following is None:
                self._dead.add(path.pop().future)
                continue
            if explanation.is_complete(following.state, following.progress):
                completion.setdefault(following.future, ())
            rest = completion.get(following.future)
            if rest is None:
                path.append(following)
            else:
                found = self._remember([(here.future, here.event) for here in path], rest)
        self._account(granted - effort)
        return found

    def _remember(self, passed: list[tuple[Hashable, int]], rest: History) -> History:
        """Keeps how partial worlds are completed: each by its event and all that follow."""
        for future, event in reversed(passed):
            rest = (event, *rest)
            self._completion.setdefault(future, rest)
        return rest

    def _is_dead(self, future: Hashable) -> bool:
        lookahead: Lookahead | None = self
        while lookahead is not None:
            if future in lookahead._dead:
                return True
            lookahead = lookahead._earlier
        return False

    def _account(self, spent: int) -> None:
        if 0 < self._allowance <= spent:
            self._effort.exhausted()
        self._allowance -= spent
