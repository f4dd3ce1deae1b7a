"""Exploitability over CPU time of training with learned models, beside Deep CFR and NFSP.

Ours is `nash_ismcts_spiel.learning.Run` with models="learned": nothing but the rules is given. The
peers are OpenSpiel's torch implementations; baselines/deep.py has their settings, those of its
examples where they do best within minutes.
Every method runs alone in a process of its own, one after the other, on one thread, for the same
CPU seconds. At the same times each hands out its policy (ours P, theirs the average policy), and
the same exact best response measures it; exploitability is NashConv / number of players. Only a
method's own time counts: building the game graph and measuring do not. A step that a time falls
into is finished first, so a method may have had some seconds more: the JSON says how many.

Prints the curves, medians over seeds; then the times, from one minute on, at which ours is below
both peers; the last line is a JSON object keyed by game.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.stored import write_record
from benchmarks.timing import report
from nash_ismcts_spiel.baselines import AnytimeMethod, make_method, trace_at
from nash_ismcts_spiel.files import versions
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.config import TRAINING_PRESETS
from nash_ismcts_spiel.runs import Run

OURS = "nash_ismcts"
PEERS = ("deep_cfr", "nfsp")
FROM = 60.0
"""CPU seconds from which ours should be below both."""

_DENSE = (15.0, 30.0)
_EVERY = 30.0


def times_up_to(seconds: float) -> list[float]:
    """15, 30, 60, 90, ... and the end."""
    later = [_EVERY * k for k in range(2, int(seconds / _EVERY) + 1)]
    return sorted({*[t for t in (*_DENSE, *later) if t < seconds], seconds})


def run_one(
    game: str, method: str, seed: int, times: Sequence[float], config: dict[str, Any]
) -> list[list[float]]:
    """[CPU seconds, steps, exploitability] at each time, of one method in this process."""
    runner: AnytimeMethod
    if method == OURS:
        with tempfile.TemporaryDirectory() as folder:
            training = TrainingConfig.from_dict(config)
            run = Run(Path(folder), game, seed, training, models="learned")
        graph, runner = run.graph, _OfRun(run)
    else:
        graph = GameGraph.enumerate(game)
        runner = make_method(method, graph, seed)
    points = trace_at(
        runner,
        graph,
        times,
        lambda p: report(
            f"{game}, {method}, seed {seed}: {p.cpu_seconds:.0f} s {p.exploitability:.4f}"
        ),
    )
    return [list(point) for point in points]


class _OfRun:
    """A run as an anytime method."""

    def __init__(self, run: Run) -> None:
        self.step = run.loop.step
        self.policy = run.policy


def run_alone(*arguments: Any) -> list[list[float]]:
    """`run_one` in a process of its own: the learners draw from global generators."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found: list[list[float]] = pool.apply(run_one, arguments)
    return found


def measure_game(
    game: str, times: Sequence[float], seeds: Sequence[int], config: dict[str, Any]
) -> dict[str, Any]:
    """All methods and seeds of one game."""
    runs = {
        method: [run_alone(game, method, seed, times, config) for seed in seeds]
        for method in (OURS, *PEERS)
    }
    medians = {
        method: [statistics.median(run[k][2] for run in found) for k in range(len(times))]
        for method, found in runs.items()
    }
    below = [
        time
        for k, time in enumerate(times)
        if time >= FROM and all(medians[OURS][k] < medians[peer][k] for peer in PEERS)
    ]
    return {"times": list(times), "median": medians, "ours_below_both_at": below, "runs": runs}


def print_game(game: str, found: dict[str, Any], seeds: int) -> None:
    """The curves of a game, and where ours is below both."""
    print(f"\n{game}: exploitability of the policy handed out, median of {seeds} seed(s)")
    print(f"{'CPU seconds':>12}" + "".join(f"{method:>14}" for method in found["median"]))
    for k, time in enumerate(found["times"]):
        row = "".join(f"{curve[k]:>14.4f}" for curve in found["median"].values())
        print(f"{time:>12g}{row}")
    asked = [time for time in found["times"] if time >= FROM]
    missed = [f"{time:g}" for time in asked if time not in found["ours_below_both_at"]]
    reached = ", ".join(f"{time:g}" for time in found["ours_below_both_at"]) or "no time"
    print(f"from {FROM:g} s on, ours is below both at: {reached}", end="; ")
    print(f"not at: {', '.join(missed) or '-'}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", default=["kuhn_poker", "leduc_poker"])
    parser.add_argument("--seconds", type=float, default=180.0, help="CPU seconds (default 180)")
    parser.add_argument("--seeds", type=int, default=1, help="number of seeds (default 1)")
    parser.add_argument("--preset", choices=list(TRAINING_PRESETS), default="default")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="also written to a file")
    options = parser.parse_args(arguments)
    config = TrainingConfig.preset(options.preset).to_dict()
    times = times_up_to(options.seconds)
    results = {
        game: measure_game(game, times, range(options.seeds), config) for game in options.games
    }
    for game, found in results.items():
        print_game(game, found, options.seeds)
    if options.out is not None:
        kept = {
            "results": results,
            "seeds": list(range(options.seeds)),
            "seconds": options.seconds,
            "training": config,
            "versions": versions(),
            "machine": {"processor": platform.machine(), "cores": os.cpu_count()},
        }
        write_record(options.out, kept)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
