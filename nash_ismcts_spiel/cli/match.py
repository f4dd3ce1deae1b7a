"""`nash-ismcts match`: bots against each other, with swapped seats and duplicate deals.

Results are utilities per game, in the game's units, with 95% confidence intervals.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
from typing import Any

from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.common import load, print_json
from nash_ismcts_spiel.cli.parser import (
    add_game,
    add_json,
    add_move_seconds,
    add_search,
    add_seed,
    check_numbers,
    describe,
)
from nash_ismcts_spiel.cli.players import PLAYERS, Players
from nash_ismcts_spiel.files import versions
from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.match import Pairing, games_in, round_robin


def add_match(command: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    describe(
        command,
        _match,
        "A round robin of bots. Each hand is played once for each seat with the same chance "
        "outcomes: one bot sits there, its opponent in all other seats. Prints the mean utility "
        "per game and seat of each player and its 95% confidence interval.",
        "match --game leduc_poker --players nash_ismcts,ismcts_openspiel,uniform --hands 200",
        "match --game kuhn_poker --players run:out/kuhn,uniform --json",
    )
    add_game(command)
    whom = f"{PLAYERS}; MAKER(game, seat, seed=...) makes a bot, and ReBeL's training searches"
    command.add_argument("--players", required=True, metavar="A,B,...", help=whom)
    command.add_argument("--hands", type=int, default=100, metavar="N", help="of each pairing")
    add_move_seconds(command)
    add_search(command, ", iterations of ReBeL")
    add_seed(command, "deals and bots")
    add_json(command)


def _match(arguments: argparse.Namespace) -> None:
    check_numbers(arguments, "hands", "visits", "seconds_per_move")
    game = load(arguments.game)
    names = [name.strip() for name in arguments.players.split(",") if name.strip()]
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(f"--players needs two or more different names, not {arguments.players!r}")
    known = Players(game, arguments)
    _ = known.evaluator  # wrong models are refused whoever plays
    players = {name: known.seated(name) for name in names}
    if game.num_players > 1:
        for make in players.values():  # what cannot play is found before the first game
            make(0, arguments.seed)
    total = games_in(len(players), arguments.hands, game.num_players)
    with Work("playing", total, "games") as work:
        pairings = round_robin(game, players, arguments.hands, arguments.seed, work.update)
    if arguments.json:
        print_json(_as_json(arguments, game, pairings))
    else:
        _print_table(arguments, game, pairings)


def _as_json(
    arguments: argparse.Namespace, game: SupportedGame, pairings: list[Pairing]
) -> dict[str, Any]:
    return {
        "game": game.name,
        "hands": arguments.hands,
        "seconds_per_move": arguments.seconds_per_move,
        "visits": arguments.visits,
        "checkpoint": arguments.models,
        "seed": arguments.seed,
        "versions": versions(),
        "pairings": [dataclasses.asdict(pairing) for pairing in pairings],
    }


def _print_table(
    arguments: argparse.Namespace, game: SupportedGame, pairings: list[Pairing]
) -> None:
    print(
        f"{game.name}: utility per game and 95% confidence interval, {arguments.hands} hands "
        f"per pairing,\neach in all {game.num_players} seatings with the same deal, "
        f"seed {arguments.seed}\n"
    )
    width = max(len(name) for pairing in pairings for name in pairing.players)
    print(f"{'player':<{width}}  {'against':<{width}}      mean      95%")
    for pairing in pairings:
        for seat, player in enumerate(pairing.players):
            other, mean = pairing.players[1 - seat], pairing.mean[seat]
            half_width = pairing.half_width[seat]
            sure = "unknown" if math.isnan(half_width) else f"±{half_width:.4f}"
            print(f"{player:<{width}}  {other:<{width}}  {mean:>+8.4f}  {sure}")
