"""Matches: bots against each other, with seats swapped and the same deals in all seatings.

A *hand* is a deal that is played once for each seat, with the same chance outcomes: the first
player sits there and the second one in all other seats (in a game for two, they swap seats). The
k-th chance event of a hand is decided by the k-th number of a stream that depends on the hand
alone, so what luck gives to a seat it gives to both players. A result is the mean over hands of
what a player won per game and seat, in the game's utility units, and half the width of its 95%
confidence interval (normal approximation; the games of a hand count as one observation).
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from nash_ismcts_spiel.games import SupportedGame

BotFactory = Callable[[int, int], Any]
"""(seat, seed) -> a pyspiel.Bot."""

_NORMAL_95 = 1.959964
_SEEDS = 2**31


@dataclasses.dataclass(frozen=True, slots=True)
class Pairing:
    """What two players won of each other.

    Attributes:
      players: their names.
      hands: deals played, each in all seatings.
      mean: utility per game of each player, per seat if it has several.
      half_width: of the 95% confidence interval of each mean; NaN after a single hand.
      difference: what the first player won more than the second, per game and seat.
      difference_half_width: of the 95% confidence interval of the difference.
    """

    players: tuple[str, str]
    hands: int
    mean: tuple[float, float]
    half_width: tuple[float, float]
    difference: float
    difference_half_width: float


def round_robin(
    game: SupportedGame,
    players: Mapping[str, BotFactory],
    hands: int,
    seed: int = 0,
    on_game: Callable[[], object] = lambda: None,
) -> list[Pairing]:
    """Every player against every other.

    Args:
      game: for two players or more.
      players: by name.
      hands: per pairing; each is played in all seatings.
      seed: of the deals and the bots. All pairings get the same deals.
      on_game: called after each game.

    Raises:
      ValueError: the game is for one player or stops without an end, or there are fewer than two to
        play.
    """
    if game.num_players < 2:
        raise ValueError(f"a match takes two seats or more, and {game.name} has one")
    if len(players) < 2 or hands < 1 or seed < 0:
        raise ValueError("a match needs two players, a hand, and a seed that is not negative")
    game.value_scale()  # by random games: OpenSpiel's own bots crash in games that do not end
    return [
        _pairing(game, (first, second), (players[first], players[second]), hands, seed, on_game)
        for first, second in itertools.combinations(players, 2)
    ]


def games_in(players: int, hands: int, seats: int) -> int:
    """Games in a round robin."""
    return players * (players - 1) // 2 * hands * seats


def _pairing(
    game: SupportedGame,
    names: tuple[str, str],
    makers: tuple[BotFactory, BotFactory],
    hands: int,
    seed: int,
    on_game: Callable[[], object],
) -> Pairing:
    seats = range(game.num_players)
    seeds = np.random.default_rng([seed, 1]).integers(_SEEDS, size=(len(seats), len(seats)))
    seatings = [_seated(makers, alone, seeds[alone].tolist()) for alone in seats]
    won = np.zeros((hands, 2))
    for hand in range(hands):
        for alone, bots in enumerate(seatings):
            found = play(game, bots, np.random.default_rng([seed, 2, hand]))
            first = found.pop(alone)
            won[hand] += np.array([first, sum(found) / len(found)]) / len(seats)
            on_game()
    difference = won[:, 0] - won[:, 1]
    return Pairing(
        players=names,
        hands=hands,
        mean=(float(won[:, 0].mean()), float(won[:, 1].mean())),
        half_width=(half_width_95(won[:, 0]), half_width_95(won[:, 1])),
        difference=float(difference.mean()),
        difference_half_width=half_width_95(difference),
    )


def _seated(makers: tuple[BotFactory, BotFactory], alone: int, seeds: list[int]) -> list[Any]:
    """Bots seat by seat: the first player `alone` in its seat, the second one in all others."""
    others = iter(seeds[1:])
    return [
        makers[0](seat, seeds[0]) if seat == alone else makers[1](seat, next(others))
        for seat in range(len(seeds))
    ]


def half_width_95(won: npt.NDArray[np.float64]) -> float:
    """Half the width of the 95% confidence interval of a mean; NaN of a single number."""
    if len(won) < 2:
        return math.nan
    return float(_NORMAL_95 * won.std(ddof=1) / math.sqrt(len(won)))


def play(game: SupportedGame, bots: Sequence[Any], deal: np.random.Generator) -> list[float]:
    """One game; chance events are decided by the numbers of `deal`, in turn.

    Without chance events it is `pyspiel.evaluate_bots`; with them the bots get the same calls.

    Raises:
      ValueError: a bot chose an action that is not legal.
    """
    state = game.initial_state()
    kind = game.pyspiel_game.get_type()
    if kind.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC:
        return list(pyspiel.evaluate_bots(state, bots, 0))
    for bot in bots:
        bot.restart()
    while not state.is_terminal():
        mover = state.current_player()
        if state.is_chance_node():
            action = _outcome(state.chance_outcomes(), deal.random())
        else:
            action = bots[mover].step(state)
            if action not in state.legal_actions():
                raise ValueError(f"the bot in seat {mover} chose the illegal action {action}")
        for seat, bot in enumerate(bots):
            if seat != mover:
                bot.inform_action(state, mover, action)
        state.apply_action(action)
    return list(state.returns())


def _outcome(outcomes: Sequence[tuple[int, float]], number: float) -> int:
    for action, probability in outcomes:
        number -= probability
        if number < 0.0:
            return action
    return outcomes[-1][0]
