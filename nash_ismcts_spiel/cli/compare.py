"""`nash-ismcts compare`: methods beside each other, with the same CPU time and one measurement."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from tqdm import tqdm

from nash_ismcts_spiel.baselines import METHODS
from nash_ismcts_spiel.cli.common import Commands, load
from nash_ismcts_spiel.compare import Study, StudyConfig, write_report
from nash_ismcts_spiel.compare.markdown import write_markdown
from nash_ismcts_spiel.compare.report import final_figures, shown

DEFAULT_SECONDS = 30.0


def add(commands: Commands) -> None:
    """Adds the command."""
    compare = commands.add_parser(
        "compare",
        help="compare methods: exploitability over CPU time",
        description="Gives every method the same CPU time on one core and measures its policy at "
        "the same times. Writes comparison.jsonl, a plot per game, report.html and report.md to "
        "--out. Safe to interrupt.",
    )
    compare.add_argument("--games", nargs="+", metavar="GAME", help="with parameters")
    compare.add_argument(
        "--methods", nargs="+", metavar="METHOD", help=f"of {', '.join(METHODS)} (default: all)"
    )
    compare.add_argument(
        "--seconds", type=float, metavar="S", help=f"of each run (default {DEFAULT_SECONDS:g})"
    )
    compare.add_argument("--seeds", type=int, metavar="K", help="runs of each (default 1)")
    compare.add_argument("--out", type=Path, required=True, metavar="DIR")
    compare.add_argument(
        "--resume",
        action="store_true",
        help="go on with what is in --out, and with further games, methods or seeds if given",
    )
    compare.set_defaults(run=_compare)


def _compare(arguments: argparse.Namespace) -> None:
    study = _resumed(arguments) if arguments.resume else _new(arguments)
    config = study.config
    total = sum(config.seconds for _ in config.runs())
    layout = "{l_bar}{bar}| {n:.0f}/{total:.0f} CPU s, {elapsed} gone, {remaining} left"
    try:
        with tqdm(total=total, bar_format=layout, file=sys.stderr, leave=False) as bar:
            study.run(bar.set_description, bar.update)
    except KeyboardInterrupt:
        write_report(study)
        raise KeyboardInterrupt(
            f"{len(study.records())} records kept; go on with: nash-ismcts compare --resume "
            f"--out {shlex.quote(str(study.directory))}"
        ) from None
    report = write_report(study)
    write_markdown(study)
    _print_tables(study)
    print(f"\nreport: {report}")


def _new(arguments: argparse.Namespace) -> Study:
    if not arguments.games:
        raise ValueError("--games is needed for a new comparison")
    config = StudyConfig(
        games=[load(game).name for game in arguments.games],
        methods=arguments.methods or list(METHODS),
        seconds=DEFAULT_SECONDS if arguments.seconds is None else arguments.seconds,
        seeds=1 if arguments.seeds is None else arguments.seeds,
    )
    return Study.create(arguments.out, config)


def _resumed(arguments: argparse.Namespace) -> Study:
    study = Study.resume(arguments.out)
    seconds = study.config.seconds
    if arguments.seconds not in (None, seconds):
        raise ValueError(f"a comparison of {seconds:g} seconds keeps them: leave --seconds out")
    games = [load(game).name for game in arguments.games or ()]
    study.extend(games, arguments.methods or (), arguments.seeds or 0)
    return study


def _print_tables(study: Study) -> None:
    seeds = study.config.seeds
    for game in study.config.games:
        measured = f"exploitability (NashConv / {load(game).num_players})"
        print(f"\n{game}: {measured} after {study.config.seconds:g} CPU s, {seeds} seed(s)")
        found = final_figures(study, game)
        for method in sorted(found, key=found.__getitem__):
            print(f"  {method:<22}{shown(found[method]):>10}")
        for record in study.records():
            if record["game"] == game and "skipped" in record:
                print(f"  {record['method']:<22}skipped: {record['skipped']}")
