"""`nash-ismcts inspect`: one search of any game, laid open on a local page.

The page shows utilities in the game's units, of the player who acts.
"""

from __future__ import annotations

import argparse
import sys
import webbrowser

from nash_ismcts_spiel.bot import NashIsmctsBot
from nash_ismcts_spiel.cli.common import Commands, events_of, load
from nash_ismcts_spiel.cli.parser import examples
from nash_ismcts_spiel.cli.sources import add_game
from nash_ismcts_spiel.config import PRESETS, SearchConfig
from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.games.hand import Hand
from nash_ismcts_spiel.models import Evaluator, RolloutEvaluator
from nash_ismcts_spiel.page.api import MOST_VISITS, Application, Start, Tab
from nash_ismcts_spiel.page.inspection import Inspection
from nash_ismcts_spiel.page.server import PageServer
from nash_ismcts_spiel.page.table import Table
from nash_ismcts_spiel.registry import checkpoint_evaluator

VISITS = 1000


def add(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add_parser(
        "inspect",
        help="show one search on a local page: intervals, beliefs, spawned trees",
        description="Opens a page on this machine (127.0.0.1, a secret address, no network) that "
        "shows one search: what the player sees, its beliefs beside exact Bayes in small games, "
        "the intervals of each action, and the trees of simulated players. Ctrl-C ends it.",
        epilog=examples(
            "inspect --game kuhn_poker --checkpoint pretrained",
            "inspect --game leduc_poker --history 0,3,1 --visits 300",
            'inspect --game "dark_hex(board_size=3)" --checkpoint runs/dark_hex',
            "inspect --game liars_dice --no-browser --port 8000",
        ),
    )
    add_game(command)
    command.add_argument(
        "--history",
        default="",
        metavar="0,1,1",
        help="moves and chance outcomes that lead to the first position (default: the start)",
    )
    add_models(command)
    command.add_argument(
        "--visits", type=int, default=VISITS, help=f"visits of the root (default {VISITS})"
    )
    command.add_argument(
        "--dispersion-radius",
        type=float,
        help="L1 radius round the beliefs (default: that of the bot)",
    )
    command.add_argument("--seed", type=int, default=0, help="of the search (default 0)")
    add_page(command)
    command.set_defaults(run=_inspect)


def add_models(command: argparse.ArgumentParser) -> None:
    """Adds which search it is, and its models."""
    command.add_argument(
        "--bot",
        choices=list(PRESETS),
        default="nash_ismcts",
        help="which search (default nash_ismcts)",
    )
    command.add_argument(
        "--checkpoint",
        metavar="DIR",
        help="models: a training, a file of networks, or `pretrained` (default: random rollouts)",
    )


def add_page(command: argparse.ArgumentParser) -> None:
    """Adds where the page is."""
    command.add_argument("--port", type=int, default=0, help="of the page (default: any)")
    command.add_argument(
        "--no-browser", action="store_true", help="print the address, open no browser"
    )


def _inspect(arguments: argparse.Namespace) -> None:
    game = load(arguments.game)
    history = events_of(arguments.history)
    Hand(game, history)  # refuses what is not legal before models are loaded
    if not 1 <= arguments.visits <= MOST_VISITS:
        raise ValueError(f"--visits must be from 1 to {MOST_VISITS}, not {arguments.visits}")
    evaluator = evaluator_of(arguments, game)
    config = config_of(arguments, evaluator, dispersion_radius=arguments.dispersion_radius)
    serve(arguments, game, evaluator, config, "inspect", history)


def evaluator_of(arguments: argparse.Namespace, game: SupportedGame) -> Evaluator:
    """The models that were asked for."""
    if arguments.seed < 0:
        raise ValueError(f"--seed must not be negative, not {arguments.seed}")
    if arguments.checkpoint is None:
        return RolloutEvaluator(seed=arguments.seed)
    found: Evaluator = checkpoint_evaluator(arguments.checkpoint, game)
    return found


def config_of(
    arguments: argparse.Namespace, evaluator: Evaluator, **changes: int | float | None
) -> SearchConfig:
    """The settings of the bot, with what the models and the person want changed."""
    given = {name: value for name, value in changes.items() if value is not None}
    return SearchConfig.preset(arguments.bot, **given)


def serve(
    arguments: argparse.Namespace,
    game: SupportedGame,
    evaluator: Evaluator,
    config: SearchConfig,
    tab: Tab,
    history: tuple[int, ...] = (),
    seat: int | None = None,
    seconds: float | None = None,
) -> None:
    """Serves the page until Ctrl-C."""
    inspection = Inspection(game, evaluator, config)
    models = "random rollouts" if arguments.checkpoint is None else str(arguments.checkpoint)
    start = Start(
        tab, arguments.bot, models, history, min(arguments.visits or VISITS, MOST_VISITS),
        config.dispersion_radius, arguments.seed,
    )  # fmt: skip

    def make_bot(at: int, seed: int) -> NashIsmctsBot:
        return NashIsmctsBot(game.pyspiel_game, at, evaluator, config, seed, seconds)

    def make_table() -> Table:
        return Table(game, make_bot, inspection, seat, arguments.seed)

    with PageServer(Application(inspection, make_table, start), arguments.port) as server:
        print(f"{game.name} on {server.address}\nCtrl-C ends it.", flush=True)
        if not arguments.no_browser and not webbrowser.open(server.address):
            print("no browser was found; open the address yourself", file=sys.stderr)
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:  # how a person ends it
            print()
