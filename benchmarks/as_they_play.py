"""Learned Nash-ISMCTS and ReBeL as they play, with the time that their searches take.

Both are trained for the same CPU seconds of one core with their default settings. Then each is
measured as it plays. Nash-ISMCTS: the bot with the learned networks, an own search at each
information set; P alone is shown beside it. ReBeL: the mixture of its playthroughs,
each of which solves the subgame at hand (exact where no more than two subgames follow each other,
else a sample, which overstates exploitability). Exploitability is NashConv / 2 in the game's
utility units, by an exact best response. The time of a search is CPU time per decision of bots
that play whole games against themselves.

    python -m benchmarks.as_they_play
    python -m benchmarks.as_they_play --games kuhn_poker --seeds 0 --seconds 2 --out out/play
    python -m benchmarks.as_they_play --page

A run that is stored is not made again, so a study that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.stored import RESULTS, game_file, write_record
from benchmarks.timing import report
from benchmarks.without_enumeration import Learning
from nash_ismcts_spiel.baselines.rebel.play import RebelBot
from nash_ismcts_spiel.baselines.rebel.run import Rebel
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.hand import Hand
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.registry import make_bot

GAMES = (
    "kuhn_poker",
    "leduc_poker",
    "liars_dice(numdice=1,dice_sides=4)",
    "liars_dice(numdice=1,dice_sides=5)",
    "liars_dice",
    "goofspiel(imp_info=True,num_cards=4,points_order=descending)",
)
NASH, REBEL = "nash_ismcts", "rebel"
VISITS = 300
"""Of a search of ours."""
PLAYTHROUGHS = 128
FEWER_PLAYTHROUGHS = {"liars_dice": 32}
"""Of ReBeL, whose mixture is measured where the exact one is out of reach; in Liar's Dice with a
die of six sides 128 would take 18 GB."""
TIMED_GAMES = 20
FOLDER = RESULTS / "comparison" / "as_they_play"

HEAD = """# As they play

`python -m benchmarks.as_they_play`: learned Nash-ISMCTS and ReBeL after {seconds:g} CPU seconds of
training on one core each, medians over seeds ({seeds}), the lowest and the highest in brackets.
Exploitability is NashConv / 2 in the game's utility units, by an exact best response. Nash-ISMCTS
may read tables of the enumerated game while it trains, as ReBeL does. Its bot searches with
{visits} visits once at each information set (figures that are here since before soft ties are of
`nash_ismcts_play`, a bot that stayed close to P and is gone since); ReBeL is the mixture of its
playthroughs, exact where no more than two subgames follow each other and of {playthroughs}
playthroughs elsewhere (32 in the last Liar's Dice), which overstates its exploitability.
Milliseconds are CPU time per decision of bots that play {games} games against themselves; the last
columns are the CPU seconds that the searches of the measured policy took. The lower of the two that
play is in bold.

"""
COLUMNS = (
    "game",
    "P, without search",
    "Nash-ISMCTS, searching",
    "ReBeL",
    "Nash-ISMCTS, ms a move",
    "ReBeL, ms a move",
    "Nash-ISMCTS, s measured",
    "ReBeL, s measured",
)


def train(step: Callable[[], object], seconds: float) -> tuple[float, int]:
    """CPU seconds and generations; the generation in which the time ends is finished."""
    used, generations = 0.0, 0
    while used < seconds:
        started = time.process_time()
        step()
        used += time.process_time() - started
        generations += 1
    return used, generations


def seconds_a_move(game: str, make: Callable[[int], Any], seed: int) -> float:
    """CPU seconds per decision of two bots in games against each other."""
    played, rng = support(game), np.random.default_rng([seed, TIMED_GAMES])
    bots = [make(seat) for seat in range(2)]
    used, decisions = 0.0, 0
    for _ in range(TIMED_GAMES):
        hand = Hand(played)
        for bot in bots:
            bot.restart()
        while not hand.over:
            if hand.is_chance:
                hand.deal(rng)
                continue
            started = time.process_time()
            _, action = hand.ask(bots[hand.mover])
            used += time.process_time() - started
            decisions += 1
            hand.apply(action)
    return used / decisions


def nash(game: str, seed: int, seconds: float) -> dict[str, Any]:
    """Trains and measures Nash-ISMCTS with learned models."""
    run = Learning(game, seed, TrainingConfig.preset())
    used, generations = train(run.step, seconds)
    alone = exact.exploitability(run.graph, run.policy())
    started = time.process_time()
    policy = run.searched(VISITS, seed)
    searching = time.process_time() - started
    evaluator = run.loop.models.evaluator()

    def make(seat: int) -> Any:
        return make_bot("nash_ismcts", game, seat, seed=seed, evaluator=evaluator, visits=VISITS)

    return {
        "training_seconds": used,
        "generations": generations,
        "without_search": alone,
        "exploitability": exact.exploitability(run.graph, policy),
        "measured_seconds": searching,
        "seconds_a_move": seconds_a_move(game, make, seed),
    }


def rebel(game: str, seed: int, seconds: float) -> dict[str, Any]:
    """Trains and measures ReBeL."""
    graph = GameGraph.enumerate(support(game))
    graph.resolve()
    method = Rebel(graph, seed)
    used, generations = train(method.step, seconds)
    started = time.process_time()
    policy = method.loop.policy(FEWER_PLAYTHROUGHS.get(game, PLAYTHROUGHS))
    searching = time.process_time() - started
    search = method.loop.search()
    return {
        "training_seconds": used,
        "generations": generations,
        "exploitability": exact.exploitability(graph, policy),
        "measured_seconds": searching,
        "seconds_a_move": seconds_a_move(game, lambda seat: RebelBot(search, seat, seed), seed),
    }


METHODS = {NASH: nash, REBEL: rebel}


def write_page(folder: Path) -> None:
    """The page of all that is stored."""
    records = [json.loads(path.read_text()) for path in sorted(folder.glob("*/*.json"))]
    if not records:
        raise SystemExit(f"{folder} has no runs to make a page of")
    lines = []
    for game in GAMES:
        runs = {
            name: [each for each in records if each["game"] == game and each["method"] == name]
            for name in METHODS
        }
        if all(runs.values()):
            lines.append(_row(game, runs[NASH], runs[REBEL]))
    head = HEAD.format(
        seconds=records[0]["seconds"],
        seeds=", ".join(map(str, sorted({each["seed"] for each in records}))),
        visits=VISITS,
        playthroughs=PLAYTHROUGHS,
        games=TIMED_GAMES,
    )
    table = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|", *lines]
    text = head + "\n".join(table) + "\n"
    folder.with_suffix(".md").write_text(text, encoding="utf-8")


def _row(game: str, ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> str:
    played = [_median(runs, "exploitability") for runs in (ours, theirs)]
    cells = [
        _range(ours, "without_search"),
        _range(ours, "exploitability", bold=played[0] < played[1]),
        _range(theirs, "exploitability", bold=played[1] < played[0]),
    ]
    cells += [f"{1000 * _median(runs, 'seconds_a_move'):.1f}" for runs in (ours, theirs)]
    cells += [f"{_median(runs, 'measured_seconds'):.1f}" for runs in (ours, theirs)]
    return f"| {game} | {' | '.join(cells)} |"


def _median(runs: list[dict[str, Any]], name: str) -> float:
    return float(statistics.median(run[name] for run in runs))


def _range(runs: list[dict[str, Any]], name: str, bold: bool = False) -> str:
    values = [run[name] for run in runs]
    middle = f"{statistics.median(values):.5f}"
    return f"{f'**{middle}**' if bold else middle} [{min(values):.5f}, {max(values):.5f}]"


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains and measures what is not stored yet, then writes the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", default=list(GAMES), help="default: all six")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--seconds", type=float, default=40.0, help="of training, CPU (40)")
    parser.add_argument("--out", type=Path, default=FOLDER, help="where records go")
    parser.add_argument("--page", action="store_true", help="write the page from what is stored")
    parser.add_argument("--again", action="store_true", help="make stored runs again")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    for seed in [] if options.page else options.seeds:
        for game in options.games:
            for method in options.methods:
                path = options.out / method / f"{game_file(game)}-{seed}.json"
                if path.exists() and not options.again:
                    continue
                found = METHODS[method](game, seed, options.seconds)
                about = {"game": game, "method": method, "seed": seed, "seconds": options.seconds}
                write_record(path, {**about, **found})
                report(f"{method}, {path.stem}: {found}")
    write_page(options.out)


if __name__ == "__main__":
    main()
