"""What the commands share: loading games by name, JSON on standard output, errors in one line."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyspiel

from nash_ismcts_spiel.games import SupportedGame, support
from nash_ismcts_spiel.games.modules import import_games
from nash_ismcts_spiel.games.quiet import silent_stderr
from nash_ismcts_spiel.settings import did_you_mean


def import_modules(modules: Sequence[str]) -> None:
    """Imports modules of the user's; those in the present folder are found.

    Raises:
      ValueError: one cannot be imported.
    """
    for module in modules:
        if ":" in module:
            raise ValueError(
                f"--import takes a module that registers games, not {module!r}; a bot of your own "
                "is --bot MODULE:MAKER or --against MODULE:MAKER"
            )
        with_present_folder()
        import_games(module)


def with_present_folder() -> None:
    """Lets modules in the present folder be imported, as `python -m` does."""
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)


def load(name: str) -> SupportedGame:
    """The game, or an error that fits into a line."""
    short_name = name.split("(")[0]
    known = list(registered())
    if short_name not in known:
        hint = did_you_mean(short_name, known)
        hint = f"{hint} " if hint.startswith("did") else ""  # all games would be too many to say
        raise ValueError(f"unknown game {short_name!r}; {hint}`nash-ismcts games` lists them")
    with silent_stderr():
        return support(name)


def events_of(history: str) -> tuple[int, ...]:
    """The moves and chance outcomes that a text of numbers and commas means."""
    try:
        return tuple(int(event) for event in history.split(",") if event.strip())
    except ValueError:
        raise ValueError(f"--history must be numbers and commas, not {history!r}") from None


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


def registered() -> dict[str, bool]:
    """Names of OpenSpiel's games, and whether each can be loaded without parameters."""
    import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)

    return {game.short_name: game.default_loadable for game in pyspiel.registered_games()}


def print_json(document: Any) -> None:
    """Prints a document as JSON; numbers that JSON has not, such as NaN, are null."""
    print(json.dumps(_finite(document), indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def one_line(error: Exception) -> str:
    """An error's message, without line breaks."""
    return " ".join(str(error).split()) or type(error).__name__
