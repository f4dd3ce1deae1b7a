"""What an answer of the default bot costs: CPU milliseconds by game and number of visits.

Positions are decisions with a choice, each from another random game. The bot is asked out of the
blue: it walks its whole log first, the others' decision points, too. Models are made beforehand,
and are random games and uniform play unless networks come with the package (`--checkpoint
pretrained`). The last line is a JSON object with the medians.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence

import pyspiel

from benchmarks.positions import random_positions
from nash_ismcts_spiel import make_bot

GAMES = (
    "kuhn_poker",
    "leduc_poker",
    "liars_dice(numdice=1,dice_sides=4)",
    "phantom_ttt",
    "euchre",
    "oh_hell",
    "bridge(use_double_dummy_result=False)",
)


def costs(name: str, visits: int | None, count: int, checkpoint: str | None) -> list[float]:
    """CPU milliseconds of answers at `count` positions; usual visits if None."""
    game = pyspiel.load_game(name)
    settings = {"visits": visits, "checkpoint": checkpoint}
    bot = make_bot("nash_ismcts", game, seed=1, **settings)
    positions = random_positions(game, count + 1, seed=5)
    bot.get_policy(positions.pop())  # makes the models
    found = []
    for state in positions:
        bot.restart()
        started = time.process_time()
        bot.get_policy(state)
        found.append(1e3 * (time.process_time() - started))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--visits", type=int, nargs="+", help="default: the bot's")
    parser.add_argument("--count", type=int, default=50, help="positions (default 50)")
    parser.add_argument("--checkpoint", help="models of the bot")
    options = parser.parse_args(arguments)
    medians: dict[str, dict[str, float]] = {}
    print(f"{'CPU ms of an answer':<40}{'visits':>8}{'median':>10}{'largest':>10}")
    for game in options.games:
        for visits in options.visits or [None]:
            found = costs(game, visits, options.count, options.checkpoint)
            told, median = str(visits or "default"), statistics.median(found)
            print(f"{game:<40}{told:>8}{median:>10.2f}{max(found):>10.2f}", flush=True)
            medians.setdefault(game, {})[told] = round(median, 3)
    print(json.dumps(medians))


if __name__ == "__main__":
    main()
