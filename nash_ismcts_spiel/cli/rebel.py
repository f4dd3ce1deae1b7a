"""What is ReBeL's own in `nash-ismcts train --algorithm rebel`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nash_ismcts_spiel.baselines.rebel.config import UNSAFE
from nash_ismcts_spiel.cli.changes import changed
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


def refuse_others(arguments: argparse.Namespace) -> None:
    """Refuses options that mean nothing to ReBeL."""
    others = {
        "--models": arguments.models,
        "--preset": arguments.preset,
        "--workers": arguments.workers != 1,
        "--ray": arguments.ray,
        "--tensorboard": arguments.tensorboard,
    }
    for option, given in others.items():
        if given:
            raise ValueError(f"{option} is not for --algorithm rebel")


def create(directory: Path, game: str, seed: int, changes: Sequence[str]) -> RebelRun:
    """A new run; `changes` are of fields of RebelConfig, as --set has them."""
    from nash_ismcts_spiel.baselines.rebel.config import RebelConfig
    from nash_ismcts_spiel.baselines.rebel.run import RebelRun

    return RebelRun.create(directory, game, seed, changed(RebelConfig(), changes))


def resume(directory: Path) -> RebelRun:
    """The run in a directory."""
    from nash_ismcts_spiel.baselines.rebel.run import RebelRun

    return RebelRun.resume(directory)


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
