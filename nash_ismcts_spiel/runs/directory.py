"""The files of a training: config, metrics and checkpoint in a directory of its own.

`config.json` says how the run was made, `metrics.jsonl` has one line per measured generation (and
one where training was told to end), `checkpoint.safetensors` is where it goes on from. A resumed
run drops the lines after its checkpoint and does those generations again, bit for bit. All three
say which run they are of. Only one process at a time trains in a directory; any number may read.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from nash_ismcts_spiel import files
from nash_ismcts_spiel.files import versions
from nash_ismcts_spiel.files.disk import remove_file
from nash_ismcts_spiel.learning.loop import Loop
from nash_ismcts_spiel.learning.watch import Progress, TimeUpError, Watch
from nash_ismcts_spiel.runs.config import (
    CHECKPOINT,
    CONFIG,
    DIGEST,
    RUN,
    config_text,
    new_run_id,
    refuse_mixed,
)
from nash_ismcts_spiel.runs.metrics import METRICS, Metrics, MetricsLog, is_measured

_NOT_OF_THIS_RUN = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
)
"""What models raise that are to take over what they have not written."""


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
      disk: through which all files are written.
      directory: where it lives.
      game: the game's name with its parameters.
      seed: of all randomness.
      kind: what a config says under `models`.
      loop: generation after generation.
      wall_seconds, cpu_seconds: time spent on generations so far, workers included.
      cut_short: whether time was up inside a generation, which was dropped.
    """

    disk: ClassVar[files.Disk] = files.DISK
    kind: str

    @property
    def learned_on(self) -> str:
        """In words, on what the models learn, for figures that need to say so."""
        return self.loop.learned_on

    def __init__(self, directory: str | Path, game: str, seed: int, loop: Loop) -> None:
        """Prepares a run in memory; `_begin` and `_restore` connect it with its files."""
        self.directory = Path(directory)
        self.game = game
        self.seed = seed
        self.loop = loop
        self.wall_seconds = 0.0
        self.cpu_seconds = 0.0
        self.cut_short = False
        self._measured_generation = 0
        self._log = MetricsLog(self.directory / METRICS)
        self._settings: Mapping[str, Any] = {}
        self._whole = self._state()
        self._on_disk: Mapping[str, Any] = {}

    def train(
        self,
        budget: Budget,
        checkpoint_seconds: float = 10.0,
        report: Callable[[Progress], None] | None = None,
    ) -> Iterator[Metrics | None]:
        """Trains until the budget is spent; yields after each generation, metrics if measured.

        Leaving the iterator early (an exception in the caller, Ctrl-C) saves what is whole.
        `report` is called some times a second within long generations.

        Raises:
          BusyError: another process trains here.
          DamagedFileError: what is on the disk is not this run any more.
        """
        with files.writing(self.directory):
            self._take_up()
            yield from self._train(budget, checkpoint_seconds, report)

    def _train(
        self,
        budget: Budget,
        checkpoint_seconds: float,
        report: Callable[[Progress], None] | None,
    ) -> Iterator[Metrics | None]:
        self.cut_short = False
        saved = time.monotonic()
        try:
            while not budget.is_spent(self.loop.generation, self.wall_seconds):
                try:
                    self.advance(Watch(budget.deadline(self.wall_seconds), report))
                except TimeUpError:
                    self._cut_short()
                    break
                spent = budget.is_spent(self.loop.generation, self.wall_seconds)
                measured = spent or is_measured(self.loop.generation, self.loop.measured_ratio)
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
        """Writes the checkpoint of the last whole generation, after the lines that it counts."""
        self._log.flush()
        files.save(self.directory / CHECKPOINT, self._whole, self.disk)
        self._on_disk = self._whole.numbers

    def metrics(self) -> list[Metrics]:
        """The measured generations up to the last whole one, oldest first."""
        numbers = self._whole.numbers
        return self._log.check(numbers["metrics_bytes"], numbers["metrics_digest"])

    def _begin(self, models: str, training: dict[str, Any]) -> None:
        """Writes the files of a new run: of these `models`, with the settings of `training`."""
        run = new_run_id()
        settings = {
            "game": self.game,
            "models": models,
            "seed": self.seed,
            "training": training,
            "versions": versions(),
            RUN: run,
        }
        text, digest = config_text(settings)
        files.make_directories(self.directory, self.disk)
        with files.writing(self.directory):
            refuse_occupied(self.directory)
            self._settings = {**settings, DIGEST: digest}
            self._log = MetricsLog(self.directory / METRICS, run, self.disk)
            remove_file(self._log.path, self.disk)
            self._whole = self._state()
            self.save()  # the config comes last: without one there is no run
            files.replace_file(self.directory / CONFIG, text.encode(), self.disk)

    def _state(self) -> files.Checkpoint:
        numbers = {
            "generation": self.loop.generation,
            "counters": self.loop.counters(),
            "wall_seconds": self.wall_seconds,
            "cpu_seconds": self.cpu_seconds,
            "metrics_bytes": self._log.size,
            "metrics_digest": self._log.digest,
            RUN: self._log.run,
            CONFIG: self._settings.get(DIGEST, ""),
        }
        return files.Checkpoint(numbers, self.loop.models.arrays())

    def _restore(self, settings: Mapping[str, Any]) -> None:
        """Goes on from the checkpoint on the disk, if it is one of the config's run."""
        path = self.directory / CHECKPOINT
        whole = files.load(path)
        numbers = whole.numbers
        refuse_mixed(self.directory, settings, numbers)
        log = MetricsLog(self.directory / METRICS, settings.get(RUN, ""), self.disk)
        self._check_models(numbers)
        try:
            _check_numbers(numbers)
            self.loop.models.restore(whole.arrays)
            if self.loop.models.arrays().keys() != whole.arrays.keys():
                raise ValueError("it has arrays that are not expected")
            self.loop.restore(numbers["generation"], numbers["counters"])
        except _NOT_OF_THIS_RUN as error:
            raise files.CheckpointError(f"{path} is not one of this run: {error}") from error
        log.check(numbers["metrics_bytes"], numbers["metrics_digest"])
        log.size, log.digest = numbers["metrics_bytes"], numbers["metrics_digest"] or log.run
        self._log, self._settings = log, settings
        self.wall_seconds, self.cpu_seconds = numbers["wall_seconds"], numbers["cpu_seconds"]
        self._whole = files.Checkpoint(numbers, whole.arrays)
        self._on_disk = numbers

    def _check_models(self, numbers: Mapping[str, Any]) -> None:
        """Raises CheckpointError if a checkpoint's models are not those of the config."""

    def _take_up(self) -> None:
        """Goes on from what is on the disk, which another process may have trained meanwhile, and
        drops the lines after the checkpoint: their generations are done again.
        """
        numbers = files.load(self.directory / CHECKPOINT).numbers
        if numbers != self._on_disk:
            self._restore(self._settings)
        whole = self._whole.numbers
        lines = self._log.go_back(whole["metrics_bytes"], whole["metrics_digest"])
        self._measured_generation = max((line.generation for line in lines), default=0)

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
        self._log.append(metrics)
        return metrics


def _check_numbers(numbers: Mapping[str, Any]) -> None:
    """Raises ValueError unless the numbers of a checkpoint are such."""
    for name in ("generation", "metrics_bytes"):
        if type(numbers[name]) is not int or numbers[name] < 0:
            raise ValueError(f"{name} is {numbers[name]!r}")
    counters = numbers["counters"]
    if not isinstance(counters, dict) or not isinstance(numbers["metrics_digest"], str):
        raise ValueError("counters must have names, and a digest is text")
    seconds = {name: numbers[name] for name in ("wall_seconds", "cpu_seconds")}
    for name, value in {**counters, **seconds}.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{name} is {value!r}")
