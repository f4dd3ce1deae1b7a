"""What is learned in games beyond enumeration, measured exactly over views.

Networks over observations learn on graphs that grow, with the preset `phantom`; nothing but the
rules is given. P, and the bot that searches with the networks (`nash_ismcts_notes`), are measured
at every view by an exact best response with perfect recall: NashConv / 2 in the game's units. The
bot is searched once per view, at the history that represents it, with a seed of its own; many
searches are under way at once so that networks evaluate their rows together. Seconds are CPU
seconds of one core, measuring not included.

    python -m benchmarks.learned_views --games phantom_ttt --seeds 0,1,2
    python -m benchmarks.learned_views --games phantom_ttt --preset large
    python -m benchmarks.learned_views --page
    python -m benchmarks.learned_views --games dark_hex --seconds 300 --visits 100 --out out/w

A run is a file in docs/results/learned_views, and its training a directory in out/learned_views, of
which `nash-ismcts export --models` makes networks for play; those of the preset `large`, whose
targets are shares of visits, are in the folder visit_shares. A run that is stored is not made again
without --again. The page docs/results/learned_views.md is made of all files.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.beyond_enumeration import GAMES
from benchmarks.stored import RESULTS, seconds_of, write_record
from benchmarks.timing import report
from benchmarks.view_policies import (
    exploitability_of,
    policy_over_views,
    searched_standard_views,
    searched_views,
)
from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.files import versions
from nash_ismcts_spiel.games.merged import merged_game
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.runs import Budget, Run

FOLDER = RESULTS / "learned_views"
FORMER = "visit_shares"
"""The folder of runs with the preset `large`."""
TRAININGS = Path("out/learned_views")

POINTS = 10
"""Measurements on the way."""

HEAD = """# Learning beyond enumeration

`python -m benchmarks.learned_views`: networks over observations, the preset `phantom`, on graphs
that grow (the abrupt games with `--seconds 900 --changes '{"temperature": {"start": 0.5, "power":
-0.5, "lowest": 0.08}}'`, seeds 1 and 2 of phantom_ttt with `--seconds 600`). P, and the bot that
searches with the networks (`nash_ismcts_play`, a bot that stayed close to P and is gone since), are
measured at every view by an exact best response with perfect recall; exploitability is NashConv / 2
in the game's utility units. A bot is searched once per view, with its board turned. Seconds are CPU
seconds of one core without measuring, medians are over the seeds that are stored. What uniform
play, CFR+ over views and searches with rollouts come to is in
[beyond_enumeration.md](beyond_enumeration.md).

"""
TABLE = """| game | CPU s | P, median | P, by seed | generations | bot: visits, by seed |
|---|---|---|---|---|---|
"""
FORMER_HEAD = """
## With shares of visits as targets

`python -m benchmarks.learned_views --preset large` (dark_hex with
`--changes '{"learner": {"search_megabytes": 200}}'`): boards are not turned, and P averages the
visits of 16 simulations a search.

"""


def learn(
    name: str,
    seed: int,
    seconds: float,
    visits: Sequence[int],
    config: TrainingConfig,
    trainings: Path,
) -> dict[str, Any]:
    """Trains, measures along the way, and measures the bot at the end."""
    merged = merged_game(GAMES[name])
    directory = trainings / f"{name}-{seed}"
    shutil.rmtree(directory, ignore_errors=True)  # of a study that was stopped
    run = Run.create(directory, GAMES[name], seed, config, models="learned")
    models: Any = run.loop.models
    curve: list[dict[str, float]] = []
    for _ in run.train(Budget()):
        spent = run.cpu_seconds
        if spent >= seconds * (len(curve) + 1) / POINTS or spent >= seconds:
            policies = policy_over_views(merged, models.evaluator())
            point = {
                "seconds": round(spent, 1),
                "generation": run.loop.generation,
                "exploitability": exploitability_of(merged, policies),
                **models.figures(),
            }
            curve.append(point)
            report(f"{name}, seed {seed}: {point}")
        if spent >= seconds:
            break
    bots = {}
    for count in visits:
        play = SearchConfig.preset("nash_ismcts_notes", visits=count)
        started = time.process_time()
        search = searched_standard_views if config.networks.turned else searched_views
        policies = search(merged, models.evaluator(), play, seed)
        bots[str(count)] = {
            "exploitability": exploitability_of(merged, policies),
            "cpu_seconds": round(time.process_time() - started, 1),
        }
        report(f"{name}, seed {seed}, bot with {count} visits: {bots[str(count)]}")
    return {
        "game": GAMES[name],
        "seed": seed,
        "exploitability": curve[-1]["exploitability"],
        "exploitability_of_search": bots,
        "seconds": curve[-1]["seconds"],
        "generations": run.loop.generation,
        "simulations": run.loop.simulations,
        "curve": curve,
        "config": dataclasses.asdict(config),
        "versions": versions(),
    }


def _line(game: str, runs: Sequence[dict[str, Any]]) -> str:
    """A game's row of the table."""
    found = [run["exploitability"] for run in runs]
    bots: dict[int, list[float]] = {}
    for run in runs:
        for visits, bot in run["exploitability_of_search"].items():
            bots.setdefault(int(visits), []).append(bot["exploitability"])
    searched = "; ".join(f"{visits:,}: {_words(bots[visits])}" for visits in sorted(bots))
    generations = " ".join(f"{run['generations']:,}" for run in runs)
    middle = statistics.median(found)
    words = [game, seconds_of(runs), f"**{middle:.4f}**", _words(found), generations, searched]
    return f"| {' | '.join(words)} |"


def _words(figures: Sequence[float]) -> str:
    return " ".join(f"{figure:.4f}" for figure in figures)


def write_page(folder: Path) -> None:
    """The page beside the folder of runs, with those of the folder of former ones."""
    text = HEAD + _section(folder)
    if (folder / FORMER).is_dir():
        text += FORMER_HEAD + _section(folder / FORMER)
    folder.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def _section(folder: Path) -> str:
    """A line per game, then what was met on the way."""
    results = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    games = {game: [r for r in results if r["game"] == game] for game in GAMES.values()}
    lines = [_line(game, runs) for game, runs in games.items() if runs]
    curves = []
    for run in results:
        points = _words([point["exploitability"] for point in run["curve"]])
        curves.append(f"- {run['game']}, seed {run['seed']}: {points}")
    text = TABLE + "\n".join(lines)
    return text + "\n\nP at tenths of the time:\n\n" + "\n".join(curves) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Makes the runs that are missing, then the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", default="phantom_ttt", help="of " + ", ".join(GAMES))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--seconds", type=float, default=1200.0, help="CPU seconds of training")
    parser.add_argument("--visits", default="100", help="of the bot, comma-separated; may be empty")
    parser.add_argument("--changes", type=json.loads, default={}, help="of the training, as JSON")
    parser.add_argument("--preset", default="phantom", choices=["phantom", "large"])
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--trainings", type=Path, default=TRAININGS)
    parser.add_argument("--again", action="store_true", help="make stored runs again")
    parser.add_argument("--page", action="store_true", help="write the page from what is stored")
    given = parser.parse_args(arguments)
    observed = {"networks": {"inputs": "observation"}} if given.preset == "large" else {}
    config = TrainingConfig.preset(given.preset, **{**observed, **given.changes})
    folder = given.out / FORMER if given.preset == "large" else given.out
    visits = [int(part) for part in given.visits.split(",") if part]
    for name in given.games.split(",") if not given.page else ():
        for seed in map(int, given.seeds.split(",")):
            path = folder / f"{name}-{seed}.json"
            if path.exists() and not given.again:
                continue
            found = learn(name, seed, given.seconds, visits, config, given.trainings)
            write_record(path, found)
    write_page(given.out)


if __name__ == "__main__":
    main()
