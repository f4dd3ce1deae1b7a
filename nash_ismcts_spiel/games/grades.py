"""How far the package goes in a game: exact models, learned ones, search only, or not at all.

    exact        every history fits into memory: exact models, exact training and measurement
    learned      too large for that; networks can read it
    search only  networks have nothing to read; the search has rollouts
    refused      it cannot be searched; the reason says what would work

Sizes are estimates of the number of histories by random games, orders of magnitude only. Measured
figures come from `measured.json`, which `python -m benchmarks.every_game --write` remakes.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from importlib import resources
from typing import Any, Literal

from nash_ismcts_spiel.games.adapter import SupportedGame, support
from nash_ismcts_spiel.games.graph import ENUMERATION_LIMIT
from nash_ismcts_spiel.games.tensors import Tensors

Grade = Literal["exact", "learned", "search only", "refused"]

_PROBES = 100
"""Random games from which a size is estimated."""


@dataclasses.dataclass(frozen=True, slots=True)
class Graded:
    """A game and how far the package goes in it.

    Attributes:
      game: as it was asked for.
      grade: see the module.
      reason: why it is no better, and what would help; empty where nothing is missing.
      players: number of players; None if the game cannot be loaded.
      size: estimated number of histories; None if refused.
      hidden: what players are not shown, as measured; None if it was not.
      seconds: CPU seconds of a search of 64 visits by the default bot, the slowest of three
        positions, as measured; None if it was not or there was no answer.
      outcome: how these searches ended, as measured: `fine` if all is well; None if not measured.
    """

    game: str
    grade: Grade
    reason: str = ""
    players: int | None = None
    size: float | None = None
    hidden: str | None = None
    seconds: float | None = None
    outcome: str | None = None


def graded(name: str) -> Graded:
    """Grades a game by its name; a game that cannot be loaded is refused too."""
    try:
        game = support(name)
    except Exception as error:  # a list of all games must survive any one of them
        return Graded(name, "refused", " ".join(str(error).split()) or type(error).__name__)
    size = game.estimated_worlds(_PROBES)
    grade, reason = _grade(game, size)
    found = measured().get(name, {})
    return Graded(
        name,
        grade,
        reason,
        players=game.num_players,
        size=size,
        hidden=found.get("hidden"),
        seconds=found.get("seconds_64_visits"),
        outcome=found.get("outcome"),
    )


def _grade(game: SupportedGame, size: float) -> tuple[Grade, str]:
    if size <= ENUMERATION_LIMIT:
        return "exact", ""
    try:
        Tensors(game, split_actions="auto")
    except ValueError as error:
        return "search only", str(error)
    return "learned", ""


@functools.cache
def measured() -> dict[str, dict[str, Any]]:
    """What was measured in each game, by its name."""
    text = resources.files("nash_ismcts_spiel.games").joinpath("measured.json").read_text("utf-8")
    found: dict[str, dict[str, Any]] = json.loads(text)
    return found
