"""`nash-ismcts train --algorithm rebel`: trains ReBeL and shows how its exploitability falls."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nash_ismcts_spiel.baselines.rebel.config import UNSAFE
from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.changes import changed
from nash_ismcts_spiel.cli.common import load, print_json
from nash_ismcts_spiel.cli.progress import Bar
from nash_ismcts_spiel.cli.signals import saying
from nash_ismcts_spiel.files import file_name, naming
from nash_ismcts_spiel.games.titles import short_title
from nash_ismcts_spiel.runs.config import stored_settings
from nash_ismcts_spiel.runs.directory import Budget
from nash_ismcts_spiel.runs.metrics import Metrics, read_metrics

if TYPE_CHECKING:  # torch takes seconds to import, which other commands should not wait for
    from nash_ismcts_spiel.baselines.rebel.run import RebelRun

REBEL = "rebel"


def is_meant(arguments: argparse.Namespace) -> bool:
    """Whether a command line is about ReBeL: it says so, or resumes a run of it."""
    if arguments.algorithm is not None:
        return bool(arguments.algorithm == REBEL)
    if not arguments.resume or arguments.out is None:
        return False
    try:
        return bool(stored_settings(arguments.out).get("models") == REBEL)
    except ValueError:  # a missing or damaged config is reported where it is read
        return False


def train(arguments: argparse.Namespace, default_seconds: float) -> None:
    """Trains as a command line says; --set changes fields of RebelConfig."""
    ours = {
        "--models": arguments.models,
        "--preset": arguments.preset,
        "--workers": arguments.workers != 1,
        "--ray": arguments.ray,
        "--tensorboard": arguments.tensorboard,
    }
    for option, given in ours.items():
        if given:
            raise ValueError(f"{option} is not for --algorithm rebel")
    with Work("preparing the game"):
        run = _resumed(arguments) if arguments.resume else _new(arguments)
    seconds = arguments.seconds
    if seconds is None and arguments.generations is None:
        seconds = default_seconds
    _say(
        f"{run.game}: {len(run.tree)} public states, {run.tree.num_futures} of them different; "
        f"writing {run.directory}"
    )
    try:
        _train_with_progress(run, Budget(arguments.generations, seconds), arguments)
    except KeyboardInterrupt as interrupt:
        raise saying(
            interrupt,
            f"saved after generation {run.saved_generation}; go on with: nash-ismcts train "
            f"--resume --out {shlex.quote(str(run.directory))}",
        ) from None
    lines = read_metrics(run.directory)
    if not lines:
        _say("nothing was left to do")
        return
    _draw_curve(run, lines)
    last = lines[-1]
    if arguments.json:
        about = {"game": run.game, "seed": run.seed, "models": REBEL}
        where = {"directory": str(run.directory), "metrics": json.loads(last.line())}
        print_json({**about, **where})
        return
    print(
        f"{run.game}, seed {run.seed}: exploitability of ReBeL as it plays "
        f"{last.exploitability_average:.5f} (unsafe {last.figures[UNSAFE]:.5f}) after "
        f"{last.generation} generations, {last.simulations:,} solver iterations, "
        f"{last.cpu_seconds:.1f} s of CPU time"
    )


def _new(arguments: argparse.Namespace) -> RebelRun:
    if arguments.game is None:
        raise ValueError("--game is needed for a new run")
    from nash_ismcts_spiel.baselines.rebel.config import RebelConfig
    from nash_ismcts_spiel.baselines.rebel.run import RebelRun

    game = load(arguments.game).name
    seed = arguments.seed or 0
    directory = arguments.out or Path("out") / f"{file_name(short_title(game))}-{REBEL}-{seed}"
    return RebelRun.create(directory, game, seed, changed(RebelConfig(), arguments.set))


def _resumed(arguments: argparse.Namespace) -> RebelRun:
    if arguments.out is None:
        raise ValueError("--resume needs --out, the directory of the run")
    if arguments.set:
        raise ValueError("a resumed run keeps its settings: leave --set out")
    from nash_ismcts_spiel.baselines.rebel.run import RebelRun

    run = RebelRun.resume(arguments.out)
    game = run.game if arguments.game is None else load(arguments.game).name
    seed = run.seed if arguments.seed is None else arguments.seed
    if (game, seed) != (run.game, run.seed):
        raise ValueError(f"{arguments.out} is a run of {run.game} with seed {run.seed}")
    return run


def _train_with_progress(run: RebelRun, budget: Budget, arguments: argparse.Namespace) -> None:
    with contextlib.closing(Bar(run, budget.generations, sys.stderr)) as bar:
        for metrics in run.train(budget, arguments.checkpoint_seconds):
            measured = None
            if metrics is not None:
                measured = [f"exploitability {metrics.exploitability_average:.4f}"]
                measured.append(f"unsafe {metrics.figures[UNSAFE]:.3f}")
            bar.next_generation(measured)


def _draw_curve(run: RebelRun, lines: list[Metrics]) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        _say("matplotlib is not installed (the extra `plot`), so there is no curve.png")
        return
    from exploitability.curve import Curve, draw_curves

    times = [line.cpu_seconds for line in lines]
    curves = [
        Curve("ReBeL, as it plays", times, [line.exploitability_average or 0.0 for line in lines]),
        Curve("unsafe", times, [line.figures[UNSAFE] for line in lines]),
    ]
    path = run.directory / "curve.png"
    with naming(path):
        last = f"exploitability {curves[0].y[-1]:.4f} after {times[-1]:.0f} CPU s"
        title = f"{short_title(run.game)}: {last}"
        draw_curves(path, curves, title=title, x_label="CPU seconds")


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
