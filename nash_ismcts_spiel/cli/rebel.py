"""What is ReBeL's own in `nash-ismcts train --algorithm rebel`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from nash_ismcts_spiel.baselines.rebel.config import UNSAFE
from nash_ismcts_spiel.cli.changes import changed
from nash_ismcts_spiel.cli.common import load
from nash_ismcts_spiel.files import file_name
from nash_ismcts_spiel.games.titles import short_title
from nash_ismcts_spiel.runs.config import stored_settings
from nash_ismcts_spiel.runs.directory import RunDirectory
from nash_ismcts_spiel.runs.metrics import Metrics

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


def run_of(arguments: argparse.Namespace) -> RebelRun:
    """The run that a command line begins or resumes; --set changes fields of RebelConfig."""
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
    return _resumed(arguments) if arguments.resume else _new(arguments)


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


def measured(metrics: Metrics, run: RunDirectory) -> list[str]:
    """What the line of the training shows of a generation."""
    unsafe = metrics.figures[UNSAFE]
    return [f"exploitability {metrics.exploitability_average:.4f}", f"unsafe {unsafe:.3f}"]


def columns(metrics: list[Metrics]) -> Mapping[str, list[float | None]]:
    """What the curve shows."""
    return {
        "ReBeL, as it plays": [line.exploitability_average for line in metrics],
        "unsafe": [line.figures[UNSAFE] for line in metrics],
    }


def found(last: Metrics) -> str:
    """What was found in the end, in words."""
    return (
        f"exploitability of ReBeL as it plays {last.exploitability_average:.5f} "
        f"(unsafe {last.figures[UNSAFE]:.5f})"
    )
