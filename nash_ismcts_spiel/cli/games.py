"""`nash-ismcts games`: how far the package goes in each of OpenSpiel's games, and why no more."""

from __future__ import annotations

import argparse
import dataclasses

from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.common import print_json, registered
from nash_ismcts_spiel.cli.parser import add_json, describe
from nash_ismcts_spiel.games.grades import Graded, graded
from nash_ismcts_spiel.games.quiet import silent_stderr

_NOT_LOADABLE = "it cannot be loaded without parameters; give them in parentheses"


def add_games(command: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    describe(
        command,
        _games,
        "Grades: exact (every history fits into memory), learned (networks can read it), search "
        "only, refused. Sizes are estimated numbers of histories. Seconds are CPU seconds of a "
        "search of 64 visits by the default bot, the slowest of three positions, as measured by "
        "`python -m benchmarks.every_game`.",
        "games",
        "games --filter poker",
        "games --filter kuhn --json",
    )
    only = "only names that contain TEXT (default: all)"
    command.add_argument("--filter", default="", metavar="TEXT", help=only)
    add_json(command)


def all_graded(text: str = "") -> list[Graded]:
    """All registered games whose names contain `text`."""
    names = {name: loadable for name, loadable in registered().items() if text in name}
    found = []
    with Work("grading games", len(names), threaded=False) as work:
        for name, loadable in names.items():
            with silent_stderr():
                found.append(graded(name) if loadable else Graded(name, "refused", _NOT_LOADABLE))
            work.update()
    return found


def _games(arguments: argparse.Namespace) -> None:
    found = all_graded(arguments.filter)
    if arguments.json:
        print_json([dataclasses.asdict(game) for game in found])
        return
    width = max((len(game.game) for game in found), default=4)
    print(f"{'game':<{width}}  grade        players  histories  hidden           64 visits")
    for game in found:
        print(f"{game.game:<{width}}  {_cells(game)}".rstrip())
    counts = [f"{sum(g.grade == grade for g in found)} {grade}" for grade in _GRADES]
    print(f"{', '.join(counts)}, all with their default settings")


_HUGE = 1e27
"""Estimates stop a little above."""

_GRADES = ("exact", "learned", "search only", "refused")


def row_of(game: Graded) -> tuple[str, str, str, str, str, str]:
    """Grade, players, histories, hidden, seconds, reason."""
    if game.grade == "refused":
        return (game.grade, "", "", "", "", game.reason)
    seconds = "-" if game.seconds is None else f"{game.seconds:.2f} s"
    if game.outcome not in (None, "fine", "slow"):
        seconds = str(game.outcome)
    size = f"{game.size:.0e}" if game.size is not None and game.size < _HUGE else f"> {_HUGE:.0e}"
    return (game.grade, str(game.players), size, game.hidden or "-", seconds, game.reason)


def _cells(game: Graded) -> str:
    grade, players, size, hidden, seconds, reason = row_of(game)
    if game.grade == "refused":
        return f"refused: {reason}"
    return f"{grade:<11}  {players:>7}  {size:>9}  {hidden:<15}  {seconds:>9}  {reason}"
