"""Games of one player against others that do not learn, many at once.

The player is told what it may know and nothing else (`Look`): what OpenSpiel shows it when it is to
move, its legal actions, and by which of its own choices it came there. Where the others' policy is
known, games that have gone the same way move together: they are split among what may follow by
multinomial draws, which is the same in distribution as games one by one. So a million games of a
small game cost no more than its histories, and in a large game each goes its own way. Bots that
only make moves play one game after another. Utilities are the player's, in the game's units.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games.adapter import SupportedGame

Floats = npt.NDArray[np.float64]

START = -1
"""Where a player is that has not chosen anything yet."""


class Row(NamedTuple):
    """A distribution over actions or chance outcomes.

    Attributes:
      actions: their numbers.
      shares: their probabilities.
      ends: the sums of these up to each action.
    """

    actions: Sequence[int]
    shares: Floats
    ends: list[float]


def row_of(actions: Sequence[int], shares: Sequence[float]) -> Row:
    """A row of probabilities that sum to one."""
    return Row(actions, np.asarray(shares, dtype=np.float64), list(itertools.accumulate(shares)))


class Look(NamedTuple):
    """What a player knows at a decision.

    Attributes:
      place: the choice of its own by which it came here, as it called it; START if there was none.
      shown: what the game shows it, its legal actions included.
      legal_actions: in OpenSpiel's order.
      numbers: what is shown as a tensor, made when it is called; empty if the game has none.
      games: how many games stand here.
    """

    place: int
    shown: str
    legal_actions: list[int]
    numbers: Callable[[], Sequence[float]]
    games: int


class Choice(NamedTuple):
    """What a player decides.

    Attributes:
      row: how its action is drawn.
      places: what it calls each of these choices.
    """

    row: Row
    places: Sequence[int]


class Player(Protocol):
    """Who plays the games."""

    def decide(self, looks: Sequence[Look]) -> Sequence[Choice]:
        """Decides in all games that wait for it."""


class Result(NamedTuple):
    """How games ended that went the same way.

    Attributes:
      place: the player's last choice, as it called it.
      games: how many they were.
      utility: of the player.
    """

    place: int
    games: int
    utility: float


Others = Callable[[Any], Row]
"""The policy of who is to move at a state."""


def play_together(
    game: SupportedGame,
    seat: int,
    player: Player | None,
    others: Others,
    games: int,
    rng: np.random.Generator,
) -> list[Result]:
    """Plays games against a policy.

    Args:
      game: what is played.
      seat: whose utility counts.
      player: who decides there; None for the others' policy.
      others: decides elsewhere.
      games: how many.
      rng: of all draws.
    """
    table = _Table(game, seat)
    moving = [(game.initial_state(), games, START)]
    results: list[Result] = []
    while moving:
        looks: list[Look] = []
        states: list[Any] = []
        for state, count, place in moving:
            pending = [(state, count)]
            while pending:
                at, together = pending.pop()
                if at.is_terminal():
                    results.append(Result(place, together, at.player_return(seat)))
                elif player is not None and at.current_player() == seat:
                    looks.append(table.look(at, together, place))
                    states.append(at)
                else:
                    row = _chances(at) if at.is_chance_node() else others(at)
                    pending += [(s, n) for _, s, n in _split(at, row, together, rng)]
        moving = []
        if player is None or not looks:
            break
        for at, look, (row, places) in zip(states, looks, player.decide(looks), strict=True):
            moving += [(s, n, places[k]) for k, s, n in _split(at, row, look.games, rng)]
    return results


def play_in_turn(
    game: SupportedGame,
    seat: int,
    player: Player | None,
    bots: Mapping[int, Any],
    games: int,
    rng: np.random.Generator,
) -> list[Result]:
    """Plays games against bots, one after another; each bot gets the calls of a match.

    Args:
      game: what is played.
      seat: whose utility counts.
      player: who decides there; None for the bot of that seat.
      bots: by seat; that of a seat where the player decides is not used.
      games: how many.
      rng: of chance and of the player's draws.

    Raises:
      ValueError: a bot chose an action that is not legal.
    """
    table = _Table(game, seat)
    sitting = {s: bot for s, bot in bots.items() if player is None or s != seat}
    results = []
    for _ in range(games):
        state, place = game.initial_state(), START
        for bot in {id(bot): bot for bot in sitting.values()}.values():
            bot.restart()
        while not state.is_terminal():
            mover = state.current_player()
            if state.is_chance_node():
                row = _chances(state)
                action = row.actions[_draw(row, rng)]
            elif player is not None and mover == seat:
                row, places = player.decide([table.look(state, 1, place)])[0]
                index = _draw(row, rng)
                action, place = row.actions[index], places[index]
            else:
                action = int(sitting[mover].step(state))
                if action not in state.legal_actions():
                    raise ValueError(f"the bot in seat {mover} chose the illegal action {action}")
            for other, bot in sitting.items():
                inform = getattr(bot, "inform_action", None)
                if inform is not None and other != mover and bot is not sitting.get(mover):
                    inform(state, mover, action)
            state.apply_action(action)
        results.append(Result(place, 1, state.player_return(seat)))
    return results


class _Table:
    """What a seat is told."""

    def __init__(self, game: SupportedGame, seat: int) -> None:
        self._seat = seat
        kind = game.pyspiel_game.get_type()
        self._states = kind.provides_information_state_string
        self._observations = kind.provides_observation_string
        self._state_numbers = kind.provides_information_state_tensor
        self._observed_numbers = kind.provides_observation_tensor

    def look(self, state: Any, games: int, place: int) -> Look:
        """What the player to move knows; only its own side of the state is read."""
        seat, legal = self._seat, state.legal_actions()
        if self._states:
            shown = state.information_state_string(seat)
        elif self._observations:
            shown = state.observation_string(seat)
        else:  # taken only if nothing is hidden
            shown = state.history_str()

        def numbers() -> Sequence[float]:
            found: Sequence[float] = ()
            if self._state_numbers:
                found = state.information_state_tensor(seat)
            elif self._observed_numbers:
                found = state.observation_tensor(seat)
            return found

        return Look(place, f"{shown}\n{legal}", legal, numbers, games)


def tensor_size(game: SupportedGame) -> int:
    """How many numbers a look has; 0 if the game has none."""
    kind = game.pyspiel_game.get_type()
    if kind.provides_information_state_tensor:
        return int(game.pyspiel_game.information_state_tensor_size())
    if kind.provides_observation_tensor:
        return int(game.pyspiel_game.observation_tensor_size())
    return 0


def _chances(state: Any) -> Row:
    actions, shares = zip(*state.chance_outcomes(), strict=True)
    return row_of(actions, shares)


def _split(
    state: Any, row: Row, games: int, rng: np.random.Generator
) -> list[tuple[int, Any, int]]:
    """Games as they go on: which of the row's events, the state after it, and how many took it. The
    state that is given is used up.
    """
    if games == 1:
        index = _draw(row, rng)
        state.apply_action(row.actions[index])
        return [(index, state, 1)]
    counts = rng.multinomial(games, row.shares / row.shares.sum())
    taken = np.flatnonzero(counts).tolist()
    return [(k, state.child(row.actions[k]), int(counts[k])) for k in taken]


def _draw(row: Row, rng: np.random.Generator) -> int:
    place = bisect.bisect_right(row.ends, rng.random() * row.ends[-1])
    return min(place, len(row.ends) - 1)
