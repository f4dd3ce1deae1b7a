"""What the commands share: loading games by name, errors in one line."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import pyspiel

from nash_ismcts_spiel.games import SupportedGame, support
from nash_ismcts_spiel.games.quiet import silent_stderr

Commands = Any
"""What argparse's `add_subparsers` returns, a type without a public name."""


class Parser(argparse.ArgumentParser):
    """Reports a wrong command line as any other error: in one line."""

    def error(self, message: str) -> NoReturn:
        """Raises what `main` prints."""
        raise ValueError(f"{message} (see {self.prog} --help)")


def load(name: str) -> SupportedGame:
    """The game, or an error that fits into a line."""
    short_name = name.split("(")[0]
    known = list(registered())
    if short_name not in known:
        near = difflib.get_close_matches(short_name, known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"unknown game {short_name!r}; {hint}`nash-ismcts games` lists them")
    with silent_stderr():
        return support(name)


class Quantity(NamedTuple):
    """What a game's policies are measured by, in its utility units.

    Attributes:
      name: exploitability = NashConv / 2 where two players have a constant sum; elsewhere NashConv
        itself, since the mean gain of players who gain different amounts is nobody's.
      scale: how many times NashConv / number of players it is.
    """

    name: str
    scale: int


def quantity_of(game: SupportedGame) -> Quantity:
    """The quantity that tables and curves of a game show."""
    if game.two_player_constant_sum:
        return Quantity("exploitability", 1)
    return Quantity("NashConv", game.num_players)


def gains_in_words(gains: Sequence[float]) -> str:
    """What the players gain, from the first to the last."""
    return f"by a best response players gain {', '.join(f'{gain:.5f}' for gain in gains)}"


def registered() -> dict[str, bool]:
    """Names of OpenSpiel's games, and whether each can be loaded without parameters."""
    import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)

    return {game.short_name: game.default_loadable for game in pyspiel.registered_games()}


def one_line(error: Exception) -> str:
    """An error's message, without line breaks."""
    return " ".join(str(error).split()) or type(error).__name__
