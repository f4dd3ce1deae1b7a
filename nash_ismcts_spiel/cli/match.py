"""`nash-ismcts match`: bots against each other, with swapped seats and duplicate deals.

Results are utilities per game, in the game's units, with 95% confidence intervals.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
from pathlib import Path
from typing import Any

import pyspiel

from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.common import Commands, add_json, load, print_json
from nash_ismcts_spiel.cli.parser import examples
from nash_ismcts_spiel.cli.rebel import REBEL
from nash_ismcts_spiel.cli.sources import (
    BOTS,
    PRETRAINED,
    RUN,
    UNIFORM,
    add_game,
    add_search,
    searching,
    without_settings,
)
from nash_ismcts_spiel.files import versions
from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.harness import PolicyBot
from nash_ismcts_spiel.match import BotFactory, Pairing, games_in, round_robin
from nash_ismcts_spiel.registry import checkpoint_evaluator
from nash_ismcts_spiel.runs.config import stored_settings


def add(commands: Commands) -> None:
    """Adds the command."""
    match = commands.add_parser(
        "match",
        help="let bots play each other",
        description="A round robin of bots. Each hand is played once for each seat with the same "
        "chance outcomes: one bot sits there, its opponent in all other seats. Prints the mean "
        "utility per game and seat of each player and its 95% confidence interval.",
        epilog=examples(
            "match --game leduc_poker --players nash_ismcts,ismcts_openspiel,uniform --hands 200",
            "match --game kuhn_poker --players run:out/kuhn,uniform --json",
        ),
    )
    add_game(match)
    match.add_argument(
        "--players",
        required=True,
        metavar="A,B,...",
        help=f"{', '.join(BOTS)}, {UNIFORM}, {PRETRAINED} (networks that come with the package, "
        f"without search), {RUN}DIR for the policy of a training (of ReBeL: as it plays), or a bot "
        "of your own as MODULE:MAKER, where MAKER(game, seat, seed=...) makes it",
    )
    match.add_argument("--hands", type=int, default=100, metavar="N", help="hands of each pairing")
    match.add_argument(
        "--seconds-per-move",
        type=float,
        metavar="S",
        help="wall time of each search (default: no limit but --visits)",
    )
    add_search(match, ", iterations of ReBeL")
    match.add_argument("--seed", type=int, default=0, help="of deals and bots (default 0)")
    add_json(match)
    match.set_defaults(run=_match)


def _match(arguments: argparse.Namespace) -> None:
    for option in ("hands", "visits", "seconds_per_move"):
        value = getattr(arguments, option)
        if value is not None and not (value > 0 and math.isfinite(value)):
            raise ValueError(f"--{option.replace('_', '-')} must be positive, not {value}")
    game = load(arguments.game)
    names = [name.strip() for name in arguments.players.split(",") if name.strip()]
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(f"--players needs two or more different names, not {arguments.players!r}")
    evaluator = None
    if arguments.checkpoint is not None:
        evaluator = checkpoint_evaluator(arguments.checkpoint, game)
    players = {name: _factory(name, game, arguments, evaluator) for name in names}
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


def _factory(
    name: str, game: SupportedGame, arguments: argparse.Namespace, evaluator: Any
) -> BotFactory:
    if name == UNIFORM:
        return lambda seat, seed: pyspiel.make_uniform_random_bot(seat, seed)
    if name == REBEL:
        raise ValueError(f"{REBEL} needs a training: {RUN}DIR")
    if name in BOTS:
        return searching(name, game, arguments.visits, arguments.seconds_per_move, evaluator)
    if name.startswith(RUN) and _is_rebel(name):
        return _rebel_factory(Path(name.removeprefix(RUN)), game, arguments.visits)
    found = without_settings(name, game)
    if hasattr(found, "action_probabilities"):
        return lambda seat, seed: PolicyBot(found, seat, seed)
    made: BotFactory = found
    return made


def _is_rebel(name: str) -> bool:
    return stored_settings(name.removeprefix(RUN)).get("models") == REBEL


def _rebel_factory(directory: Path, game: SupportedGame, visits: int | None) -> BotFactory:
    """A run of ReBeL searches as it plays."""
    from nash_ismcts_spiel.baselines.rebel.bot import RebelBot, load_search

    search = load_search(directory, game, visits)
    return lambda seat, seed: RebelBot(search, seat, seed)


def _as_json(
    arguments: argparse.Namespace, game: SupportedGame, pairings: list[Pairing]
) -> dict[str, Any]:
    return {
        "game": game.name,
        "hands": arguments.hands,
        "seconds_per_move": arguments.seconds_per_move,
        "visits": arguments.visits,
        "checkpoint": arguments.checkpoint,
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
