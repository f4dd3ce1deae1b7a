"""`nash-ismcts games`: which of OpenSpiel's games can be searched, and why others are refused."""

from __future__ import annotations

import argparse
import json

from nash_ismcts_spiel.cli.common import Commands, one_line, registered
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.games.quiet import silent_stderr


def add(commands: Commands) -> None:
    """Adds the command."""
    games = commands.add_parser("games", help="list OpenSpiel's games, and why some are refused")
    games.add_argument("--filter", default="", metavar="TEXT", help="only names that contain TEXT")
    games.add_argument("--json", action="store_true", help="print JSON")
    games.set_defaults(run=_games)


def _games(arguments: argparse.Namespace) -> None:
    reasons = {
        name: _refusal(name, loadable)
        for name, loadable in registered().items()
        if arguments.filter in name
    }
    if arguments.json:
        games = [{"game": name, "refused_because": reason} for name, reason in reasons.items()]
        print(json.dumps(games, indent=2))
        return
    width = max(map(len, reasons), default=0)
    for name, reason in reasons.items():
        print(f"{name:<{width}}  {'supported' if reason is None else f'refused: {reason}'}")
    supported = sum(reason is None for reason in reasons.values())
    refused = len(reasons) - supported
    print(f"{supported} supported, {refused} refused, all with their default settings")


def _refusal(name: str, loadable: bool) -> str | None:
    """Why a game is not searched, None if it is."""
    if not loadable:
        return "it cannot be loaded without parameters"
    try:
        with silent_stderr():
            support(name)
    except Exception as error:  # a list of all games must survive any one of them
        return one_line(error)
    return None
