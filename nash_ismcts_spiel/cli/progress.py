"""The line of a training (generations done, what was measured, how far the next one has come), and
what is said of it in the end; of ReBeL's trainings too.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence

from nash_ismcts_spiel.baselines.rebel.config import UNSAFE
from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.common import load, quantity_of
from nash_ismcts_spiel.learning.watch import Progress
from nash_ismcts_spiel.runs import Budget
from nash_ismcts_spiel.runs.board import board
from nash_ismcts_spiel.runs.directory import RunDirectory
from nash_ismcts_spiel.runs.metrics import Metrics


def train_with_progress(
    run: RunDirectory, budget: Budget, checkpoint_seconds: float, tensorboard: bool
) -> None:
    """Trains until the budget is spent, and shows it on standard error."""
    name = run.game.partition("(")[0]
    of_all = "" if budget.generations is None else f"/{budget.generations:,}"
    measured: Sequence[str] = [""]
    begun, progress, reported = time.monotonic(), Progress(), False

    def words(seconds: float) -> list[str]:
        minutes, left = divmod(int(seconds), 60)
        head = f"{name}: generation {run.loop.generation:,}{of_all}"
        far = [] if progress == Progress() else progress.parts(time.monotonic() - begun)
        return [head, f"{minutes}:{left:02d}", measured[0], *far, *measured[1:]]

    def show(come: Progress) -> None:
        """Takes how far the generation has come; the first report is shown at once."""
        nonlocal progress, reported
        progress = come
        if not reported:
            reported = True
            line.show()

    with contextlib.ExitStack() as stack:
        write = stack.enter_context(board(run.directory)) if tensorboard else None
        line = stack.enter_context(Work(name, at_once=True, leave=True, words=words))
        for metrics in run.train(budget, checkpoint_seconds, show):
            begun, progress = time.monotonic(), Progress()
            if metrics is not None:
                measured = measured_in_words(metrics, run)
                if write is not None:
                    write(metrics)


def losses(metrics: Metrics) -> list[tuple[str, float]]:
    """The losses among the figures, by the name of their network."""
    found = [(name.removeprefix("loss_"), value) for name, value in metrics.figures.items()]
    return [(name, value) for name, value in found if f"loss_{name}" in metrics.figures]


def measured_in_words(metrics: Metrics, run: RunDirectory) -> list[str]:
    """What the line shows of a generation, in order."""
    if UNSAFE in metrics.figures:
        safe = f"exploitability {metrics.exploitability_average:.4f}"
        return [safe, f"unsafe {metrics.figures[UNSAFE]:.3f}"]
    rate = run.loop.simulations / max(run.wall_seconds, 1e-9)
    if metrics.exploitability_average is None:
        each = " ".join(f"{name} {value:.3f}" for name, value in losses(metrics))
        return [f"losses: {each}", f"{rate:,.0f} simulations/s"]
    name, scale = quantity_of(load(run.game))
    found = [f"{name} {scale * metrics.exploitability_average:.4f}"]
    if metrics.exploitability_search is not None:
        found.append(f"of search {scale * metrics.exploitability_search:.3f}")
    return [*found, f"{rate / 1e6:.2f} M simulations/s"]


def found_in_words(run: RunDirectory, last: Metrics) -> str:
    """What was found in the end."""
    if last.exploitability_average is None:
        said = "losses " + ", ".join(f"{name} {value:.4f}" for name, value in losses(last))
    elif UNSAFE in last.figures:
        said = f"exploitability of ReBeL as it plays {last.exploitability_average:.5f} "
        said += f"(unsafe {last.figures[UNSAFE]:.5f})"
    else:
        name, scale = quantity_of(load(run.game))
        said = f"{name} of the average policy {scale * last.exploitability_average:.5f}"
        gains = [f"{value:.5f}" for key, value in last.figures.items() if key.startswith("gain_")]
        if gains:
            said += f" (by a best response players gain {', '.join(gains)})"
    done = "solver iterations" if UNSAFE in last.figures else "simulations"
    return (
        f"{run.game}, seed {run.seed}: {said} after {last.generation} generations, "
        f"{last.simulations:,} {done}, {last.cpu_seconds:.1f} s of CPU time"
    )


def columns(metrics: list[Metrics]) -> Mapping[str, list[float | None]]:
    """What the curve shows: exploitability, or losses where that cannot be had."""
    last, averages = metrics[-1], [m.exploitability_average for m in metrics]
    if UNSAFE in last.figures:
        return {"ReBeL, as it plays": averages, "unsafe": [m.figures[UNSAFE] for m in metrics]}
    if last.exploitability_average is None:
        return {name: [m.figures[f"loss_{name}"] for m in metrics] for name, _ in losses(last)}
    found = {"average policy P": averages}
    if last.exploitability_search is not None:
        found["one generation's search"] = [m.exploitability_search for m in metrics]
    return found
