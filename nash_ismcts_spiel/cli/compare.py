"""`nash-ismcts compare`: methods beside each other, with the same CPU time and one measurement."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from nash_ismcts_spiel.baselines import METHODS
from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.common import load, print_json
from nash_ismcts_spiel.cli.parser import add_json, describe
from nash_ismcts_spiel.cli.search_vs_policy import (
    DEFAULT_SECONDS,
    add_search_vs_policy,
    refuse_search_settings,
    search_vs_policy,
)
from nash_ismcts_spiel.compare import Study, StudyConfig, write_report
from nash_ismcts_spiel.compare.report import final_figures, shown


def add_compare(command: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    describe(
        command,
        _compare,
        "Gives every method the same CPU time on one core and measures its policy at the same "
        "times. Writes comparison.jsonl, a plot per game, report.html and report.md to --out. Safe "
        "to interrupt. With --search-vs-policy, instead: does a search beat the policy P that it "
        "starts from, by exact exploitability, or in large games by matches and by what a learned "
        "response wins of both?",
        "compare --games kuhn_poker --methods nash_ismcts cfr oos --cpu-seconds 5 --out out/c",
        "compare --resume --out out/c --seeds 3 --json",
        "compare --search-vs-policy --games leduc_poker --models pretrained --visits 1000",
    )
    games = "with parameters (default: those of the resumed one)"
    command.add_argument("--games", nargs="+", metavar="GAME", help=games)
    methods = f"of {', '.join(METHODS)} (default: all)"
    command.add_argument("--methods", nargs="+", metavar="METHOD", help=methods)
    command.add_argument(
        "--cpu-seconds",
        type=float,
        metavar="S",
        help="processor time of each run, or of each learned response, on one core "
        f"(default {DEFAULT_SECONDS:g})",
    )
    seeds = "runs of each (default 1); searches with --search-vs-policy (default 5)"
    command.add_argument("--seeds", type=int, metavar="K", help=seeds)
    out = "to write (no default; not for --search-vs-policy)"
    command.add_argument("--out", type=Path, metavar="DIR", help=out)
    on = "go on with what is in --out, and with further games, methods or seeds if given"
    command.add_argument("--resume", action="store_true", help=on)
    add_search_vs_policy(command)
    add_json(command)


def _compare(arguments: argparse.Namespace) -> None:
    if arguments.search_vs_policy is not None:
        search_vs_policy(arguments)
        return
    refuse_search_settings(arguments)
    if arguments.out is None:
        raise ValueError("--out is missing: where is the comparison to be written?")
    study = _resumed(arguments) if arguments.resume else _new(arguments)
    config = study.config
    total = sum(config.seconds for _ in config.runs())
    try:
        with Work("preparing", total, "CPU s", at_once=True) as work:

            def begin(title: str) -> None:
                work.what = title

            study.run(begin, work.update)
    except KeyboardInterrupt:
        write_report(study)
        raise KeyboardInterrupt(
            f"{len(study.records())} records kept; go on with: nash-ismcts compare --resume "
            f"--out {shlex.quote(str(study.directory))}"
        ) from None
    report = write_report(study)
    if arguments.json:
        print_json(_as_json(study, report))
    else:
        _print_tables(study)
        print(f"\nreport: {report}")


def _new(arguments: argparse.Namespace) -> Study:
    if not arguments.games:
        raise ValueError("--games is needed for a new comparison")
    config = StudyConfig(
        games=[load(game).name for game in arguments.games],
        methods=arguments.methods or list(METHODS),
        seconds=DEFAULT_SECONDS if arguments.cpu_seconds is None else arguments.cpu_seconds,
        seeds=1 if arguments.seeds is None else arguments.seeds,
    )
    return Study.create(arguments.out, config)


def _resumed(arguments: argparse.Namespace) -> Study:
    study = Study.resume(arguments.out)
    seconds = study.config.seconds
    if arguments.cpu_seconds not in (None, seconds):
        raise ValueError(f"a comparison of {seconds:g} seconds keeps them: leave --cpu-seconds out")
    games = [load(game).name for game in arguments.games or ()]
    study.extend(games, arguments.methods or (), arguments.seeds or 0)
    return study


def _as_json(study: Study, report: Path) -> dict[str, Any]:
    records = study.records()
    return {
        **study.config.to_dict(),
        "times": study.config.times,
        "final": {game: final_figures(study, game) for game in study.config.games},
        "skipped": [record for record in records if "skipped" in record],
        "report": str(report),
    }


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
