"""`nash-ismcts inspect`: one search of any game, laid open on a local page, and `nash-ismcts play`:
a person against the bot, in the terminal or on that page.

The page shows utilities in the game's units, of the player who acts. Scores are the person's
utilities per hand, with a 95% confidence interval.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import webbrowser
from collections.abc import Callable
from typing import Any

from nash_ismcts_spiel.bot import NashIsmctsBot
from nash_ismcts_spiel.cli.common import events_of, load
from nash_ismcts_spiel.cli.parser import (
    add_game,
    add_history,
    add_models,
    add_move_seconds,
    add_preset,
    add_search,
    add_seed,
    check_numbers,
    describe,
)
from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.games.hand import Hand
from nash_ismcts_spiel.models import Evaluator, RolloutEvaluator
from nash_ismcts_spiel.page.api import MOST_VISITS, Application, Start, Tab
from nash_ismcts_spiel.page.inspection import Inspection
from nash_ismcts_spiel.page.server import PageServer
from nash_ismcts_spiel.page.table import Table
from nash_ismcts_spiel.page.terminal import Terminal
from nash_ismcts_spiel.registry import checkpoint_evaluator

VISITS = 1000


def add_inspect(command: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    describe(
        command,
        _inspect,
        "Opens a page on this machine (127.0.0.1, a secret address, no network) that shows one "
        "search: what the player sees, its beliefs beside exact Bayes in small games, the "
        "intervals of each action, and the trees of simulated players. Ctrl-C ends it.",
        "inspect --game kuhn_poker --models pretrained",
        "inspect --game leduc_poker --history 0,3,1 --visits 300",
        'inspect --game "dark_hex(board_size=3)" --models runs/dark_hex',
        "inspect --game liars_dice --no-browser --port 8000",
    )
    add_game(command)
    add_history(command, "the start")
    add_preset(command)
    add_models(command)
    command.add_argument("--visits", type=int, default=VISITS, help="visits of the root")
    radius = "L1 radius round the beliefs (default: that of the bot)"
    command.add_argument("--dispersion-radius", type=float, help=radius)
    add_seed(command, "the search")
    _add_page(command)


def add_play(command: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    describe(
        command,
        _play,
        "A person against the bot. Moves can be taken back (the hand then does not count); what "
        "the bot mixed and believed is told when a hand is over. In the terminal: the number or "
        "name of a move, u takes a move back, w tells afterwards what the bot thought, q ends.",
        "play --game leduc_poker --models pretrained",
        "play --game kuhn_poker --seat 1 --hands 20",
        "play --game phantom_ttt --visits 500 --web",
        'play --game "goofspiel(num_cards=4,imp_info=True)" --seconds-per-move 1',
    )
    add_game(command)
    seat = "where you sit, from 0 on (default: another seat each hand)"
    command.add_argument("--seat", type=int, help=seat)
    hands = "end after N hands (default: when you do)"
    command.add_argument("--hands", type=int, metavar="N", help=hands)
    add_preset(command)
    add_search(command)
    add_move_seconds(command)
    seed = "of deals and bots (default: another one each time, printed)"
    command.add_argument("--seed", type=int, help=seed)
    command.add_argument("--web", action="store_true", help="on a local page, see inspect")
    _add_page(command)


def _add_page(command: argparse.ArgumentParser) -> None:
    """Adds where the page is."""
    command.add_argument("--port", type=int, default=0, help="of the page (default: any)")
    without = "print the address, open no browser"
    command.add_argument("--no-browser", action="store_true", help=without)


def _inspect(arguments: argparse.Namespace) -> None:
    game = load(arguments.game)
    history = events_of(arguments.history or "")
    Hand(game, history)  # refuses what is not legal before models are loaded
    check_numbers(arguments)
    if not 1 <= arguments.visits <= MOST_VISITS:
        raise ValueError(f"--visits must be from 1 to {MOST_VISITS}, not {arguments.visits}")
    inspection, make_table = _laid(arguments, game, dispersion_radius=arguments.dispersion_radius)
    _serve(arguments, inspection, make_table, "inspect", history)


def _play(arguments: argparse.Namespace) -> None:
    check_numbers(arguments, "hands", "visits", "seconds_per_move")
    game = load(arguments.game)
    if arguments.seed is None:
        arguments.seed = secrets.randbelow(2**31)
        print(f"seed {arguments.seed}")
    if arguments.seat is not None and not 0 <= arguments.seat < game.num_players:
        raise ValueError(f"--seat must be from 0 to {game.num_players - 1}, not {arguments.seat}")
    if arguments.web and arguments.hands is not None:
        raise ValueError("--hands is for the terminal, not for --web")
    changes = {} if arguments.visits is None else {"visits": arguments.visits}
    inspection, make_table = _laid(arguments, game, **changes)
    if arguments.web:
        _serve(arguments, inspection, make_table, "play")
    else:
        Terminal(make_table()).run(arguments.hands)


def _laid(
    arguments: argparse.Namespace, game: SupportedGame, **changes: Any
) -> tuple[Inspection, Callable[[], Table]]:
    """What is inspected, and what sets up a table; `changes` are of the settings of the bot."""
    evaluator: Evaluator = RolloutEvaluator(seed=arguments.seed)
    if arguments.models is not None:
        evaluator = checkpoint_evaluator(arguments.models, game)
    config = SearchConfig.preset(arguments.bot, **changes)
    inspection = Inspection(game, evaluator, config)
    seconds = getattr(arguments, "seconds_per_move", None)

    def make_bot(seat: int, seed: int) -> NashIsmctsBot:
        return NashIsmctsBot(game.pyspiel_game, seat, evaluator, config, seed, seconds)

    def make_table() -> Table:
        return Table(game, make_bot, inspection, getattr(arguments, "seat", None), arguments.seed)

    return inspection, make_table


def _serve(
    arguments: argparse.Namespace,
    inspection: Inspection,
    make_table: Callable[[], Table],
    tab: Tab,
    history: tuple[int, ...] = (),
) -> None:
    """Serves the page until Ctrl-C."""
    start = Start(
        tab,
        arguments.bot,
        models=str(arguments.models or "random rollouts"),
        history=history,
        visits=min(arguments.visits or VISITS, MOST_VISITS),
        radius=inspection.config.dispersion_radius,
        seed=arguments.seed,
    )
    with PageServer(Application(inspection, make_table, start), arguments.port) as server:
        print(f"{inspection.game.name} on {server.address}\nCtrl-C ends it.", flush=True)
        if not arguments.no_browser and not webbrowser.open(server.address):
            print("no browser was found; open the address yourself", file=sys.stderr)
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:  # how a person ends it
            print()
