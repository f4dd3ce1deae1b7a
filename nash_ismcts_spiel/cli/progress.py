"""The line of a training: generations done, what was measured, how far the next one has come."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence

from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.common import gains_in_words, load, quantity_of
from nash_ismcts_spiel.learning.watch import Progress
from nash_ismcts_spiel.runs import Budget
from nash_ismcts_spiel.runs.board import board
from nash_ismcts_spiel.runs.directory import RunDirectory
from nash_ismcts_spiel.runs.metrics import Metrics


class Bar(Work):
    """A line over the generations of a run, at most 80 columns wide."""

    def __init__(self, run: RunDirectory, generations: int | None) -> None:
        """Starts with the generations that are done; how many there will be may be unknown."""
        super().__init__(run.game.partition("(")[0], at_once=True, leave=True)
        self._run_directory = run
        self._generations = "" if generations is None else f"/{generations:,}"
        self._measured: list[str] = []
        self._reported = False
        self.next_generation(None)

    def next_generation(self, measured: Sequence[str] | None) -> None:
        """A generation is done, and perhaps measured: what is shown of it, in order."""
        if measured is not None:
            self._measured = list(measured)
        self._begun, self._progress = time.monotonic(), Progress()

    def show(self, progress: Progress) -> None:
        """Takes how far the generation has come; the first report is shown at once."""
        self._progress = progress
        if not self._reported:
            self._reported = True
            self._show()

    def text(self, seconds: float) -> list[str]:
        """What is shown after so many seconds."""
        minutes, seconds = divmod(int(seconds), 60)
        head = f"{self.what}: generation {self._run_directory.loop.generation:,}{self._generations}"
        first, *rest = [*self._measured, ""]
        begun, progress = self._begun, self._progress
        far = [] if progress == Progress() else progress.parts(time.monotonic() - begun)
        return [head, f"{minutes}:{seconds:02d}", first, *far, *rest]


def train_with_progress(
    run: RunDirectory,
    budget: Budget,
    checkpoint_seconds: float,
    tensorboard: bool,
    shown: Callable[[Metrics, RunDirectory], Sequence[str]],
) -> None:
    """Trains until the budget is spent, and shows it on standard error; `shown` are the words for
    what was measured.
    """
    with contextlib.ExitStack() as stack:
        write = stack.enter_context(board(run.directory)) if tensorboard else None
        bar = stack.enter_context(Bar(run, budget.generations))
        for metrics in run.train(budget, checkpoint_seconds, bar.show):
            bar.next_generation(None if metrics is None else shown(metrics, run))
            if metrics is not None and write is not None:
                write(metrics)


def losses(metrics: Metrics) -> list[tuple[str, float]]:
    """The losses among the figures, by the name of their network."""
    found = [(name.removeprefix("loss_"), value) for name, value in metrics.figures.items()]
    return [(name, value) for name, value in found if f"loss_{name}" in metrics.figures]


def measured_in_words(metrics: Metrics, run: RunDirectory) -> list[str]:
    """What the line shows of a generation, in order."""
    rate = run.loop.simulations / max(run.wall_seconds, 1e-9)
    if metrics.exploitability_average is None:
        each = " ".join(f"{name} {value:.3f}" for name, value in losses(metrics))
        return [f"losses: {each}", f"{rate:,.0f} simulations/s"]
    name, scale = quantity_of(load(run.game))
    found = [f"{name} {scale * metrics.exploitability_average:.4f}"]
    if metrics.exploitability_search is not None:
        found.append(f"of search {scale * metrics.exploitability_search:.3f}")
    return [*found, f"{rate / 1e6:.2f} M simulations/s"]


def found(run: RunDirectory, last: Metrics) -> str:
    """What was found in the end, in words."""
    if last.exploitability_average is None:
        return "losses " + ", ".join(f"{name} {value:.4f}" for name, value in losses(last))
    quantity = quantity_of(load(run.game))
    figure = quantity.scale * last.exploitability_average
    gains = [value for name, value in last.figures.items() if name.startswith("gain_")]
    told = f" ({gains_in_words(gains)})" if gains else ""
    return f"{quantity.name} of the average policy {figure:.5f}{told}"


def columns(metrics: list[Metrics]) -> Mapping[str, list[float | None]]:
    """What the curve shows: exploitability, or losses where that cannot be had."""
    if metrics[-1].exploitability_average is None:
        names = [name for name, _ in losses(metrics[-1])]
        return {name: [m.figures[f"loss_{name}"] for m in metrics] for name in names}
    found = {"average policy P": [m.exploitability_average for m in metrics]}
    if metrics[-1].exploitability_search is not None:
        found["one generation's search"] = [m.exploitability_search for m in metrics]
    return found
