"""Explaining a log with a population of imagined worlds, in games that show observations.

Worlds are taken from look to look. What others do is chosen by the facts of a game, best first; the
first event after which the player is shown what the log says is taken. Worlds without such an event
are dropped, and copies of others take their places. Where all are lost, the population goes back
some looks and is made larger, further back each time.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from nash_ismcts_spiel.facts.log import Look

_POPULATIONS = ((5.0, 10), (5.0, 20), (2.0, 20), (8.0, 20), (3.0, 30))
"""Populations that are tried in turn: how random the other player's moves are, and worlds."""

_WORK = 2
"""How often each world may be taken to a next look, by look of the log."""

_HIDDEN = 16
"""Events that may show nothing between two looks."""


class Choice(Protocol):
    """How others' events are chosen.

    Attributes:
      heat: how random the choice is.
    """

    heat: float

    def events(self, state: Any, number: int) -> Iterable[int]:
        """Events that others may bring about at a state, best first, where the look with a number
        is the next one.
        """
        ...


class Population:
    """Imagined worlds of one player.

    Attributes:
      worlds: pyspiel states that explain the log so far.
    """

    def __init__(
        self, game: Any, player: int, log: Sequence[Look], choice: Choice, rng: np.random.Generator
    ) -> None:
        """A population at the start of a game."""
        self.player, self.log, self.choice, self.rng = player, log, choice, rng
        start = game.new_initial_state()
        self.worlds: list[Any] = []
        self._kept: list[list[Any]] = [[start]]  # by number of the look

    def run(self, size: int) -> Generator[None, None, bool]:
        """Explains the whole log with so many worlds, twice as many where it is hard to explain, or
        gives up; returns which. Yields after each look.
        """
        number, furthest, back, now, work = 1, 1, 1, size, _WORK * size * len(self.log)
        while work > 0:
            yield
            work -= now
            self.worlds = self._taken_on(self._kept[number - 1], number, now)
            if self.worlds:
                del self._kept[number:]
                self._kept.append(self.worlds[:size])
                number += 1
                if number > furthest:
                    furthest, back, now = number, 1, size
            else:
                back = 2 * back
                now = 2 * size
                number = max(1, number - back)
                del self._kept[number:]
            if number > len(self.log):
                return True
        return False

    def _taken_on(self, worlds: Sequence[Any], number: int, count: int) -> list[Any]:
        """About `count` worlds after the look with a number; after the last one, worlds in which
        the player is to move.
        """
        found = []
        order = self.rng.permutation(max(count, len(worlds)))[:count] % len(worlds)
        for which in order:
            state = self._advanced(worlds[which].clone(), number)
            if state is not None:
                found.append(state)
        return found

    def _advanced(self, state: Any, number: int) -> Any | None:
        player, log, last = self.player, self.log, number == len(self.log)
        action, shown = (None, None) if last else (log[number].action, log[number].shown)
        for _ in range(_HIDDEN):
            if state.current_player() == player:
                if last:
                    return state
                if action is None or action not in state.legal_actions():
                    return None
                state.apply_action(action)
                same = not state.is_terminal() and state.observation_string(player) == shown
                return state if same else None
            for event in self.choice.events(state, number):
                after = state.child(event)
                if after.is_terminal():
                    continue
                seen = after.observation_string(player)
                if action is None and seen == shown:
                    return after
                if seen == log[number - 1].shown:
                    break
            else:
                return None
            state = after
        return None


def histories(
    game: Any, player: int, log: Sequence[Look], choice: Choice, rng: np.random.Generator
) -> Iterator[list[int] | None]:
    """Histories that explain a log, from one population after another; None in between."""
    for choice.heat, worlds in _POPULATIONS:
        population = Population(game, player, log, choice, rng)
        if (yield from population.run(worlds)):
            for state in population.worlds[:8]:
                yield state.history()
