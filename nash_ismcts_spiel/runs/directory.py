"""The files of a training: config, metrics and checkpoint in a directory of its own.

`config.json` says how the run was made, `metrics.jsonl` has one line per measured generation (and
one where training was told to end), `checkpoint.npz` is where it goes on from. A resumed run drops
the lines after its checkpoint and does those generations again, bit for bit.
"""

from __future__ import annotations

import dataclasses
import json
import pickle
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nash_ismcts_spiel import files
from nash_ismcts_spiel.files import versions
from nash_ismcts_spiel.learning.loops import Loop
from nash_ismcts_spiel.learning.watch import Progress, TimeUpError, Watch
from nash_ismcts_spiel.runs.config import CONFIG
from nash_ismcts_spiel.runs.metrics import METRICS, Metrics, is_measured, read_metrics

CHECKPOINT = "checkpoint.npz"


@dataclasses.dataclass(frozen=True, slots=True)
class Budget:
    """When training ends: whichever comes first. Both count the whole run, resumed parts included.

    Attributes:
      generations: after so many generations.
      seconds: after so many seconds of wall time spent on generations. Where generations may be
        long (learned models) one that is not over by then is dropped.
    """

    generations: int | None = None
    seconds: float | None = None

    def is_spent(self, generation: int, seconds: float) -> bool:
        """Whether a run that has come so far is over."""
        enough = self.generations is not None and generation >= self.generations
        return enough or (self.seconds is not None and seconds >= self.seconds)

    def deadline(self, seconds: float) -> float | None:
        """When a run that has come so far is over, by `time.monotonic`."""
        return None if self.seconds is None else time.monotonic() + self.seconds - seconds


def refuse_occupied(directory: Path) -> None:
    """Raises ValueError if there is a run in the directory."""
    if (directory / CONFIG).exists():
        raise ValueError(f"{directory} has a run already; resume it or choose another --out")


class RunDirectory:
    """A training in a directory; what is trained, and how, is the loop's affair.

    Attributes:
      directory: where it lives.
      game: the game's name with its parameters.
      seed: of all randomness.
      loop: generation after generation.
      wall_seconds, cpu_seconds: time spent on generations so far, workers included.
      cut_short: whether time was up inside a generation, which was dropped.
    """

    def __init__(self, directory: Path, game: str, seed: int, loop: Loop) -> None:
        """Prepares a run in memory; `_begin` and `_restore` connect it with its files."""
        self.directory = directory
        self.game = game
        self.seed = seed
        self.loop = loop
        self.wall_seconds = 0.0
        self.cpu_seconds = 0.0
        self.cut_short = False
        self._measured_generation = 0
        self._whole = self._state()

    def train(
        self,
        budget: Budget,
        checkpoint_seconds: float = 10.0,
        report: Callable[[Progress], None] | None = None,
    ) -> Iterator[Metrics | None]:
        """Trains until the budget is spent; yields after each generation, metrics if measured.

        Leaving the iterator early (an exception in the caller, Ctrl-C) saves what is whole.
        `report` is called some times a second within long generations.
        """
        self._drop_later_metrics()
        self.cut_short = False
        self._measured_generation = max(
            (line.generation for line in read_metrics(self.directory)), default=0
        )
        saved = time.monotonic()
        try:
            while not budget.is_spent(self.loop.generation, self.wall_seconds):
                try:
                    self.advance(Watch(budget.deadline(self.wall_seconds), report))
                except TimeUpError:
                    self._cut_short()
                    break
                spent = budget.is_spent(self.loop.generation, self.wall_seconds)
                measured = spent or self._is_due()
                metrics = self._measure() if measured else None
                self._whole = self._state()
                yield metrics
                if time.monotonic() - saved >= checkpoint_seconds:
                    self.save()
                    saved = time.monotonic()
        finally:
            self.save()
            self.loop.close()

    @property
    def saved_generation(self) -> int:
        """The last generation that is whole."""
        return int(self._whole.numbers["generation"])

    def save(self) -> None:
        """Writes the checkpoint of the last whole generation."""
        files.save(self.directory / CHECKPOINT, self._whole)

    def _begin(self, models: str, training: dict[str, Any]) -> None:
        """Writes the files of a new run: of these `models`, with the settings of `training`."""
        self.directory.mkdir(parents=True, exist_ok=True)
        (self.directory / METRICS).unlink(missing_ok=True)
        self._whole = self._state()
        self.save()
        settings = {
            "game": self.game,
            "models": models,
            "seed": self.seed,
            "training": training,
            "versions": versions(),
        }
        text = json.dumps(settings, indent=2) + "\n"
        files.replace_file(self.directory / CONFIG, text.encode())

    def _is_due(self) -> bool:
        """Whether the generation that was just done is measured."""
        return is_measured(self.loop.generation)

    def _state(self) -> files.Checkpoint:
        metrics = self.directory / METRICS
        numbers = {
            "generation": self.loop.generation,
            "counters": self.loop.counters(),
            "wall_seconds": self.wall_seconds,
            "cpu_seconds": self.cpu_seconds,
            "metrics_bytes": metrics.stat().st_size if metrics.exists() else 0,
        }
        return files.Checkpoint(numbers, self.loop.models.arrays())

    def _restore(self) -> None:
        path = self.directory / CHECKPOINT
        self._whole = files.load(path)
        numbers, arrays = self._whole
        try:
            self.loop.models.restore(arrays)
            self.loop.restore(numbers["generation"], numbers["counters"])
        except (KeyError, RuntimeError, ValueError, pickle.UnpicklingError) as error:
            raise files.CheckpointError(f"{path} is not one of this run: {error}") from error
        self.wall_seconds = numbers["wall_seconds"]
        self.cpu_seconds = numbers["cpu_seconds"]

    def _drop_later_metrics(self) -> None:
        """Lines after the checkpoint: their generations are done again."""
        metrics, size = self.directory / METRICS, self._whole.numbers["metrics_bytes"]
        if metrics.exists() and metrics.stat().st_size > size:
            with open(metrics, "r+b") as file:
                file.truncate(size)

    def advance(self, watch: Watch | None = None) -> None:
        """One generation, without measuring or saving it."""
        wall, cpu = time.perf_counter(), self._cpu()
        try:
            self.loop.step(watch)
        finally:
            self.wall_seconds += time.perf_counter() - wall
            self.cpu_seconds += self._cpu() - cpu

    def _cut_short(self) -> None:
        """Goes back to the last whole generation; the time that was spent in vain counts."""
        self.cut_short = True
        self.loop.models.restore(self._whole.arrays)
        if self._whole.numbers["generation"] > self._measured_generation:
            self._measure()
        self._whole = self._state()

    def _cpu(self) -> float:
        return time.process_time() + self.loop.elsewhere_seconds

    def _measure(self) -> Metrics:
        figures = self.loop.figures()
        metrics = Metrics(
            self.loop.generation,
            round(self.wall_seconds, 3),
            round(self.cpu_seconds, 3),
            self.loop.simulations,
            figures.pop("exploitability_average", None),
            figures.pop("exploitability_search", None),
            figures,
        )
        self._measured_generation = metrics.generation
        with open(self.directory / METRICS, "a", encoding="utf-8") as file:
            file.write(metrics.line() + "\n")
        return metrics
