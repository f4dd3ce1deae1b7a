"""Equal CPU time for both players of a match, whatever else the machine does.

A clock on the wall is no measure where other work is under way. So both players get a number of
simulations, found on deals of its own such that a move with a choice takes a given CPU time on
average, all included: replays, worlds, simulations. What is made once per game is not a move's:
it is made before the clock starts and reported apart.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.timing import report
from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.match import BotFactory, round_robin

Maker = Callable[[int], BotFactory]
"""Simulations of a move -> a maker of bots."""

SEED = 300
"""Of the deals on which simulations are counted; no match has it."""
_ROUNDS = 6
_LAST_ROUNDS = 3
"""Whose mean counts: a single round can be far out where other work is under way."""
_FIRST = 64
_FEWEST = 2
_MOST_CHANGE = 8.0
"""Simulations of the first round, fewest of any, and by what factor they change at once."""
_MOVES = 60
"""Of each player in each round, at least."""


class Clock:
    """CPU time of a player's moves with a choice, over all of its bots."""

    def __init__(self) -> None:
        """Nothing was played yet."""
        self.seconds, self.moves = 0.0, 0

    def timed(self, make: BotFactory) -> BotFactory:
        """Makes the same bots, whose steps are timed."""
        return lambda seat, seed: _Timed(make(seat, seed), self)

    @property
    def milliseconds(self) -> float:
        """Of a move."""
        return 1e3 * self.seconds / max(self.moves, 1)


class _Timed:
    """A bot whose moves with a choice are timed."""

    def __init__(self, bot: Any, clock: Clock) -> None:
        self._bot, self._clock = bot, clock

    def step(self, state: Any) -> int:
        started = time.process_time()
        action = int(self._bot.step(state))
        if len(state.legal_actions()) > 1:
            self._clock.seconds += time.process_time() - started
            self._clock.moves += 1
        return action

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bot, name)


def calibrated(
    game: SupportedGame, makers: Mapping[str, Maker], milliseconds: float
) -> dict[str, int]:
    """Simulations a move of two players with which each takes so much CPU time a move.

    Args:
      game: the one they play.
      makers: by name.
      milliseconds: CPU time of a move with a choice, on average.
    """
    counts = dict.fromkeys(makers, _FIRST)
    found: dict[str, list[int]] = {name: [] for name in makers}
    for number in range(_ROUNDS):
        clocks = _measured(game, makers, counts, SEED + number)
        for name, clock in clocks.items():
            change = milliseconds / max(clock.milliseconds, 1e-6)
            change = min(max(change, 1.0 / _MOST_CHANGE), _MOST_CHANGE)
            counts[name] = max(round(counts[name] * change), _FEWEST)
            found[name].append(counts[name])
    for name, tried in found.items():
        counts[name] = round(statistics.geometric_mean(tried[-_LAST_ROUNDS:]))
    told = ", ".join(f"{name} {count}" for name, count in counts.items())
    report(f"{game.name}, {milliseconds:g} CPU ms a move: simulations {told}")
    return counts


def rehearsed(
    game: SupportedGame,
    makers: Mapping[str, Maker],
    counts: Mapping[str, int],
    milliseconds: float,
    hands: int,
) -> dict[str, int]:
    """The same simulations, corrected by what a match of so many hands takes: what a bot keeps from
    hand to hand makes its later moves cheaper.
    """
    clocks = _clocks(game, makers, counts, SEED + _ROUNDS, max(hands, 1))
    return {
        name: max(round(counts[name] * milliseconds / max(clock.milliseconds, 1e-6)), _FEWEST)
        for name, clock in clocks.items()
    }


def _measured(
    game: SupportedGame, makers: Mapping[str, Maker], counts: Mapping[str, int], seed: int
) -> dict[str, Clock]:
    """What moves take in as many hands as have enough of them."""
    hands = 1
    while True:
        clocks = _clocks(game, makers, counts, seed, hands)
        if min(clock.moves for clock in clocks.values()) >= _MOVES:
            return clocks
        hands *= 4


def _clocks(
    game: SupportedGame,
    makers: Mapping[str, Maker],
    counts: Mapping[str, int],
    seed: int,
    hands: int,
) -> dict[str, Clock]:
    clocks = {name: Clock() for name in makers}
    players = {name: clocks[name].timed(make(counts[name])) for name, make in makers.items()}
    round_robin(game, players, hands, seed)
    return clocks
