"""Short titles of games: without the turn-based form round a game, and without default parameters.

The title is for people and for names of files; a game is loaded by its whole name.
"""

from __future__ import annotations

import re
from typing import Any

import pyspiel

_TURN_BASED = re.compile(r"^turn_based_simultaneous_game\(game=(.*)\)$")


def short_title(game: str) -> str:
    """A game's name with the parameters that are not its default ones."""
    found = _TURN_BASED.match(game)
    name, _, rest = (found[1] if found else game).partition("(")
    parameters = dict(
        part.split("=", 1) for part in rest.removesuffix(")").split(",") if "=" in part
    )
    if "(" in rest or not parameters:  # a game in a game, whose commas are not ours
        return f"{name}({rest}" if rest not in ("", ")") else name
    usual = {key: str(value) for key, value in _defaults(name).items()}
    kept = [f"{key}={value}" for key, value in parameters.items() if usual.get(key) != value]
    return f"{name}({','.join(kept)})" if kept else name


def _defaults(name: str) -> dict[str, Any]:
    for kind in pyspiel.registered_games():
        if kind.short_name == name:
            return dict(kind.parameter_specification)
    return {}
