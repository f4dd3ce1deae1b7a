"""The line of a training: generations done, what was measured, how far the next one has come."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Sequence
from typing import TextIO

from nash_ismcts_spiel.cli.bars import Line
from nash_ismcts_spiel.cli.common import load, quantity_of
from nash_ismcts_spiel.learning.watch import Progress
from nash_ismcts_spiel.runs import Budget, Run
from nash_ismcts_spiel.runs.board import Board
from nash_ismcts_spiel.runs.directory import RunDirectory
from nash_ismcts_spiel.runs.metrics import Metrics


class Bar:
    """A line over the generations of a run, at most 80 columns wide."""

    def __init__(self, run: RunDirectory, total: int | None, file: TextIO) -> None:
        """Starts with the generations that are done; `total` may be unknown."""
        self._run = run
        self._total = "" if total is None else f"/{total:,}"
        self._started = self._generation_started = time.monotonic()
        self._measured: list[str] = []
        self._line = Line(file)
        self._line.show(self._parts([]))

    def next_generation(self, measured: Sequence[str] | None) -> None:
        """A generation is done, and perhaps measured: what is shown of it, in order."""
        if measured is not None:
            self._measured = list(measured)
        self._generation_started = time.monotonic()
        self._line.renew(lambda: self._parts([]))

    def show(self, progress: Progress) -> None:
        """Shows how far the generation has come, unless that was shown a moment ago."""
        seconds = time.monotonic() - self._generation_started
        self._line.renew(lambda: self._parts(progress.parts(seconds)))

    def close(self) -> None:
        """Leaves the line with the last state."""
        self._line.show(self._parts([]))
        self._line.close()

    def _parts(self, under_way: list[str]) -> list[str]:
        name = self._run.game.partition("(")[0]
        minutes, seconds = divmod(int(time.monotonic() - self._started), 60)
        head = f"{name}: generation {self._run.loop.generation:,}{self._total}"
        first, *rest = [*self._measured, ""]
        return [head, f"{minutes}:{seconds:02d}", first, *under_way, *rest]


def train_with_progress(
    run: Run, budget: Budget, checkpoint_seconds: float, tensorboard: bool
) -> None:
    """Trains until the budget is spent, and shows it on standard error."""
    with contextlib.ExitStack() as stack:
        board = stack.enter_context(Board(run.directory)) if tensorboard else None
        bar = stack.enter_context(contextlib.closing(Bar(run, budget.generations, sys.stderr)))
        for metrics in run.train(budget, checkpoint_seconds, bar.show):
            bar.next_generation(None if metrics is None else _measured(metrics, run))
            if metrics is not None and board is not None:
                board.write(metrics)


def losses(metrics: Metrics) -> list[tuple[str, float]]:
    """The losses among the figures, by the name of their network."""
    found = [(name.removeprefix("loss_"), value) for name, value in metrics.figures.items()]
    return [(name, value) for name, value in found if f"loss_{name}" in metrics.figures]


def _measured(metrics: Metrics, run: Run) -> list[str]:
    rate = run.loop.simulations / max(run.wall_seconds, 1e-9)
    if metrics.exploitability_average is None:
        each = " ".join(f"{name} {value:.3f}" for name, value in losses(metrics))
        return [f"losses: {each}", f"{rate:,.0f} simulations/s"]
    name, scale = quantity_of(load(run.game))
    found = [f"{name} {scale * metrics.exploitability_average:.4f}"]
    if metrics.exploitability_search is not None:
        found.append(f"of search {scale * metrics.exploitability_search:.3f}")
    return [*found, f"{rate / 1e6:.2f} M simulations/s"]
