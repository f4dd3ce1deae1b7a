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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nash_ismcts_spiel.training import checkpoint
from nash_ismcts_spiel.training.loops import Loop
from nash_ismcts_spiel.training.metrics import METRICS, Metrics, is_measured
from nash_ismcts_spiel.training.run_config import CONFIG, versions

CHECKPOINT = "checkpoint.npz"


@dataclasses.dataclass(frozen=True, slots=True)
class Budget:
    """When training ends: whichever comes first. Both count the whole run, resumed parts included.

    Attributes:
      generations: after so many generations.
      seconds: after so many seconds of wall time spent on generations.
    """

    generations: int | None = None
    seconds: float | None = None

    def is_spent(self, generation: int, seconds: float) -> bool:
        """Whether a run that has come so far is over."""
        enough = self.generations is not None and generation >= self.generations
        return enough or (self.seconds is not None and seconds >= self.seconds)


def refuse_occupied(directory: Path) -> None:
    """Raises ValueError if there is a run in the directory."""
    if (directory / CONFIG).exists():
        raise ValueError(f"{directory} has a run already; resume it or choose another --out")


class RunFiles:
    """A training in a directory; what is trained, and how, is the loop's affair.

    Attributes:
      directory: where it lives.
      game: the game's name with its parameters.
      seed: of all randomness.
      loop: generation after generation.
      wall_seconds, cpu_seconds: time spent on generations so far, workers included.
    """

    def __init__(self, directory: Path, game: str, seed: int, loop: Loop) -> None:
        """Prepares a run in memory; `_begin` and `_restore` connect it with its files."""
        self.directory = directory
        self.game = game
        self.seed = seed
        self.loop = loop
        self.wall_seconds = 0.0
        self.cpu_seconds = 0.0
        self._whole = self._state()

    def train(self, budget: Budget, checkpoint_seconds: float = 10.0) -> Iterator[Metrics | None]:
        """Trains until the budget is spent; yields after each generation, metrics if measured.

        Leaving the iterator early (an exception in the caller, Ctrl-C) saves what is whole.
        """
        self._drop_later_metrics()
        saved = time.monotonic()
        try:
            while not budget.is_spent(self.loop.generation, self.wall_seconds):
                self.advance()
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
        checkpoint.save(self.directory / CHECKPOINT, self._whole)

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
        checkpoint.replace_file(self.directory / CONFIG, text.encode())

    def _is_due(self) -> bool:
        """Whether the generation that was just done is measured."""
        return is_measured(self.loop.generation)

    def _state(self) -> checkpoint.Checkpoint:
        metrics = self.directory / METRICS
        numbers = {
            "generation": self.loop.generation,
            "counters": self.loop.counters(),
            "wall_seconds": self.wall_seconds,
            "cpu_seconds": self.cpu_seconds,
            "metrics_bytes": metrics.stat().st_size if metrics.exists() else 0,
        }
        return checkpoint.Checkpoint(numbers, self.loop.models.arrays())

    def _restore(self) -> None:
        path = self.directory / CHECKPOINT
        self._whole = checkpoint.load(path)
        numbers, arrays = self._whole
        try:
            self.loop.models.restore(arrays)
            self.loop.restore(numbers["generation"], numbers["counters"])
        except (KeyError, RuntimeError, ValueError, pickle.UnpicklingError) as error:
            raise checkpoint.CheckpointError(f"{path} is not one of this run: {error}") from error
        self.wall_seconds = numbers["wall_seconds"]
        self.cpu_seconds = numbers["cpu_seconds"]

    def _drop_later_metrics(self) -> None:
        """Lines after the checkpoint: their generations are done again."""
        metrics, size = self.directory / METRICS, self._whole.numbers["metrics_bytes"]
        if metrics.exists() and metrics.stat().st_size > size:
            with open(metrics, "r+b") as file:
                file.truncate(size)

    def advance(self) -> None:
        """One generation, without measuring or saving it."""
        wall, cpu = time.perf_counter(), self._cpu()
        self.loop.step()
        self.wall_seconds += time.perf_counter() - wall
        self.cpu_seconds += self._cpu() - cpu

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
        with open(self.directory / METRICS, "a", encoding="utf-8") as file:
            file.write(metrics.line() + "\n")
        return metrics
