"""Whose states the native graph walks: OpenSpiel's C++ states, or states that Python knows.

Both give the same graph. OpenSpiel's are some ten times faster and need no GIL, but are found by
the game's string alone. So Python states serve where that string does not tell the whole game,
where the game itself is written in Python, and where the compiled module was built for another
open_spiel.
"""

from __future__ import annotations

import functools
import os
from typing import Any

import pyspiel

from nash_ismcts_spiel.games.quiet import silent_stderr
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.openspiel import spiel_module

STATES_VARIABLE = "NASH_ISMCTS_STATES"
"""Environment variable: "auto" (as above), "openspiel" (for games written in Python too; an error
where that cannot be), or "python"."""


def native_game(
    pyspiel_game: Any,
    *,
    name: str,
    num_players: int,
    perfect_information: bool,
    has_information_states: bool,
) -> _core.Game:
    """A sequential pyspiel game as the native graph takes it.

    Args:
      pyspiel_game: the game.
      name: the game as pyspiel writes it.
      num_players: number of players.
      perfect_information: nothing is ever hidden from anyone.
      has_information_states: players are shown information states, else observations.

    Raises:
      ValueError: the environment asks for OpenSpiel's states where there are none.
    """
    choice = os.environ.get(STATES_VARIABLE) or "auto"
    if choice not in ("auto", "openspiel", "python"):
        raise ValueError(f"{STATES_VARIABLE} must be auto, openspiel or python, not {choice!r}")
    parts = None if choice == "python" else _parts(pyspiel_game)
    needs_gil = any(_is_python(part) for part in parts or ())
    wanted = parts is not None and (choice == "openspiel" or not needs_gil)
    spiel = spiel_module() if wanted else None
    if spiel is not None:
        game: _core.Game = spiel.load(name, perfect_information, has_information_states, needs_gil)
        return game
    if choice == "openspiel":
        raise ValueError(f"{name}: OpenSpiel's C++ states cannot be had for this game")
    return _core.python_game(
        pyspiel_game, name, num_players, perfect_information, has_information_states
    )


def _is_python(game: Any) -> bool:
    """Whether a game is written in Python: its class is then none of pyspiel's own."""
    return type(game).__module__.partition(".")[0] != str(pyspiel.__name__)


def _parts(game: Any) -> list[Any] | None:
    """A game and those that it is made from; None if its string does not tell the whole game.

    It does not for games that were made in code: pyspiel does not know the name, or knows another
    game by it. The latter can only be a table of payoffs, which is quick anyway.
    """
    loaded = _load(str(game))
    inner = None if loaded is None else _games_inside(game)
    if inner is None or _facts(loaded) != _facts(game):
        return None
    one_shot = pyspiel.GameType.Information.ONE_SHOT
    if any(each.get_type().information == one_shot for each in inner):
        return None
    return [game, *inner]


def _games_inside(game: Any) -> list[Any] | None:
    """The games that a game is made from, at any depth; None if one cannot be loaded."""
    found: list[Any] = []
    for value in game.get_parameters().values():
        if isinstance(value, dict) and "name" in value:
            inner = _load(pyspiel.game_parameters_to_string(value))
            below = None if inner is None else _games_inside(inner)
            if below is None:
                return None
            found += [inner, *below]
    return found


def _facts(game: Any) -> tuple[Any, ...]:
    return (
        type(game),
        str(game),
        game.num_players(),
        game.num_distinct_actions(),
        game.max_game_length(),
        game.max_chance_outcomes(),
        game.min_utility(),
        game.max_utility(),
    )


def _load(name: str) -> Any | None:
    try:
        return _loaded(name)
    except Exception:  # pyspiel's own error, or anything that the code of a Python game raises
        return None


@functools.lru_cache(maxsize=64)
def _loaded(name: str) -> Any:
    with silent_stderr():
        return pyspiel.load_game(name)
