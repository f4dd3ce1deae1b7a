"""`nash-ismcts play`: a person against the bot, in the terminal or on the local page.

Scores are the person's utilities per hand, in the game's units, with a 95% confidence interval.
"""

from __future__ import annotations

import argparse
import math
import secrets

from nash_ismcts_spiel.bot import NashIsmctsBot
from nash_ismcts_spiel.cli.common import Commands, load
from nash_ismcts_spiel.cli.inspect import add_models, add_page, config_of, evaluator_of, serve
from nash_ismcts_spiel.cli.sources import add_game
from nash_ismcts_spiel.page.inspection import Inspection
from nash_ismcts_spiel.page.table import Table
from nash_ismcts_spiel.page.terminal import Terminal

_EXAMPLES = """examples:
  nash-ismcts play --game leduc_poker --checkpoint pretrained
  nash-ismcts play --game kuhn_poker --seat 1 --hands 20
  nash-ismcts play --game phantom_ttt --visits 500 --web
  nash-ismcts play --game "goofspiel(num_cards=4,imp_info=True)" --seconds-per-move 1

in the terminal: the number or name of a move, u takes a move back, w tells afterwards what the bot
thought, q ends
"""


def add(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add_parser(
        "play",
        help="play against the bot, in the terminal or on a local page",
        description="A person against the bot. Moves can be taken back (the hand then does not "
        "count); what the bot mixed and believed is told when a hand is over.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_game(command)
    command.add_argument(
        "--seat", type=int, help="where you sit, from 0 on (default: another seat each hand)"
    )
    command.add_argument(
        "--hands", type=int, metavar="N", help="end after N hands (default: when you do)"
    )
    add_models(command)
    command.add_argument("--visits", type=int, help="of each search (default: the bot's)")
    command.add_argument(
        "--seconds-per-move",
        type=float,
        metavar="S",
        help="wall time of each search (default: as its visits take)",
    )
    command.add_argument(
        "--seed", type=int, help="of deals and bots (default: another one each time, printed)"
    )
    command.add_argument("--web", action="store_true", help="on a local page, see inspect")
    add_page(command)
    command.set_defaults(run=_play)


def _play(arguments: argparse.Namespace) -> None:
    for option in ("hands", "visits", "seconds_per_move"):
        value = getattr(arguments, option)
        if value is not None and not (value > 0 and math.isfinite(value)):
            raise ValueError(f"--{option.replace('_', '-')} must be positive, not {value}")
    game, seconds = load(arguments.game), arguments.seconds_per_move
    if arguments.seed is None:
        arguments.seed = secrets.randbelow(2**31)
        print(f"seed {arguments.seed}")
    if arguments.seat is not None and not 0 <= arguments.seat < game.num_players:
        raise ValueError(f"--seat must be from 0 to {game.num_players - 1}, not {arguments.seat}")
    evaluator = evaluator_of(arguments, game)
    config = config_of(arguments, evaluator, visits=arguments.visits)
    if arguments.web:
        if arguments.hands is not None:
            raise ValueError("--hands is for the terminal, not for --web")
        serve(arguments, game, evaluator, config, "play", (), arguments.seat, seconds)
        return

    def make_bot(seat: int, seed: int) -> NashIsmctsBot:
        return NashIsmctsBot(game.pyspiel_game, seat, evaluator, config, seed, seconds)

    inspection = Inspection(game, evaluator, config)
    table = Table(game, make_bot, inspection, arguments.seat, arguments.seed)
    Terminal(table).run(arguments.hands)
