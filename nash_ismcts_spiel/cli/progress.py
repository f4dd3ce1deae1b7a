"""The bar of a training: generations done, what was measured, and how far the next one has come."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import TextIO

from tqdm import tqdm

from nash_ismcts_spiel.cli.common import load, quantity_of
from nash_ismcts_spiel.learning.watch import Progress
from nash_ismcts_spiel.runs import Budget, Run
from nash_ismcts_spiel.runs.board import Board
from nash_ismcts_spiel.runs.metrics import Metrics

_TERMINAL_SECONDS = 0.5
_FILE_SECONDS = 10.0
"""Time between two states of the bar; a file keeps them all."""


class Bar:
    """A bar over the generations of a run."""

    def __init__(self, run: Run, total: int | None, file: TextIO) -> None:
        """Starts with the generations that are done; `total` may be unknown."""
        self._run = run
        self._every = _TERMINAL_SECONDS if file.isatty() else _FILE_SECONDS
        self._shown = -self._every
        self._started = time.monotonic()
        self._measured = ""
        self._bar = tqdm(
            total=total,
            initial=run.loop.generation,
            unit="gen",
            desc=run.game.partition("(")[0],
            file=file,
            mininterval=self._every,
        )

    def next_generation(self, metrics: Metrics | None) -> None:
        """A generation is done, and perhaps measured."""
        if metrics is not None:
            self._measured = _measured(metrics, self._run)
            self._bar.set_postfix_str(self._measured, refresh=False)
        self._bar.update()
        self._started = time.monotonic()

    def show(self, progress: Progress) -> None:
        """Shows how far the generation has come, unless that was shown a moment ago."""
        now = time.monotonic()
        if now - self._shown < self._every:
            return
        self._shown = now
        text = f"generation {self._run.loop.generation + 1}: "
        text += progress.text(now - self._started)
        self._bar.set_postfix_str(f"{self._measured}; {text}" if self._measured else text)

    def close(self) -> None:
        """Leaves the bar as it is."""
        self._bar.close()


def train_with_progress(
    run: Run, budget: Budget, checkpoint_seconds: float, tensorboard: bool
) -> None:
    """Trains until the budget is spent, and shows it on standard error."""
    with contextlib.ExitStack() as stack:
        board = stack.enter_context(Board(run.directory)) if tensorboard else None
        bar = stack.enter_context(contextlib.closing(Bar(run, budget.generations, sys.stderr)))
        for metrics in run.train(budget, checkpoint_seconds, bar.show):
            bar.next_generation(metrics)
            if metrics is not None and board is not None:
                board.write(metrics)


def losses(metrics: Metrics) -> list[tuple[str, float]]:
    """The losses among the figures, by the name of their network."""
    found = [(name.removeprefix("loss_"), value) for name, value in metrics.figures.items()]
    return [(name, value) for name, value in found if f"loss_{name}" in metrics.figures]


def _measured(metrics: Metrics, run: Run) -> str:
    rate = run.loop.simulations / max(run.wall_seconds, 1e-9)
    if metrics.exploitability_average is None:
        each = ", ".join(f"{name} {value:.3f}" for name, value in losses(metrics))
        return f"losses: {each}; {rate:,.0f} simulations/s"
    name, scale = quantity_of(load(run.game))
    found = f"{name} {scale * metrics.exploitability_average:.4f}"
    if metrics.exploitability_search is not None:
        found += f" (search {scale * metrics.exploitability_search:.3f})"
    return f"{found}, {rate / 1e6:.2f} M simulations/s"
