"""A run: a directory with the config, the metrics, the checkpoint and the curve of one training.

`config.json` says how the run was made, `metrics.jsonl` has one line per measured generation (and
one where training was told to end), `checkpoint.npz` is where it goes on from. A resumed run drops
the lines after its checkpoint and does those generations again, bit for bit.
"""

from __future__ import annotations

import dataclasses
import json
import platform
import time
import typing
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.evaluation import ExactEvaluator
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.policies import TablePolicy
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.training import checkpoint
from nash_ismcts_spiel.training.config import TrainingConfig
from nash_ismcts_spiel.training.generation import GenerationLoop
from nash_ismcts_spiel.training.metrics import METRICS, Metrics, is_measured
from nash_ismcts_spiel.training.models import ModelKind, make_models

CONFIG = "config.json"
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


class Run:
    """A training in a directory.

    Attributes:
      directory: where it lives.
      game: the game's name with its parameters.
      seed: of all randomness.
      config: schedules and settings.
      kind: where models come from.
      loop: the generation loop.
      wall_seconds, cpu_seconds: time spent on generations so far.
    """

    def __init__(
        self,
        directory: Path,
        game: str,
        seed: int,
        config: TrainingConfig,
        workers: int = 1,
        models: ModelKind = "exact",
    ) -> None:
        """Prepares a run in memory; `create` and `resume` connect it with its files."""
        supported = support(game)
        self.directory = directory
        self.game = supported.name
        self.seed = seed
        self.config = config
        self.graph = GameGraph.enumerate(supported.pyspiel_game)
        self.kind = models
        self._models = make_models(models, self.graph, config, seed)
        self.loop = GenerationLoop(self.graph, self._models, config, seed, workers)
        self.wall_seconds = 0.0
        self.cpu_seconds = 0.0
        self._whole = self._state()

    @classmethod
    def create(
        cls,
        directory: Path,
        game: str,
        seed: int,
        config: TrainingConfig,
        workers: int = 1,
        models: ModelKind = "exact",
    ) -> Self:
        """Starts a run in a directory that has none.

        Raises:
          ValueError: there is a run already.
        """
        if (directory / CONFIG).exists():
            raise ValueError(f"{directory} has a run already; resume it or choose another --out")
        run = cls(directory, game, seed, config, workers, models)
        directory.mkdir(parents=True, exist_ok=True)
        (directory / METRICS).unlink(missing_ok=True)
        run._whole = run._state()
        run.save()
        settings = {
            "game": run.game,
            "models": models,
            "seed": seed,
            "training": config.to_dict(),
            "versions": versions(),
        }
        text = json.dumps(settings, indent=2) + "\n"
        checkpoint.replace_file(directory / CONFIG, text.encode())
        return run

    @classmethod
    def resume(cls, directory: Path, workers: int = 1) -> Self:
        """Goes on from the last whole checkpoint of a directory.

        Raises:
          ValueError: there is no run, or its files are damaged; the message names the file.
        """
        settings = read_config(directory)
        config = TrainingConfig.from_dict(settings["training"])
        kind: ModelKind = settings["models"]
        run = cls(directory, settings["game"], settings["seed"], config, workers, kind)
        run._restore()
        return run

    def train(self, budget: Budget, checkpoint_seconds: float = 10.0) -> Iterator[Metrics | None]:
        """Trains until the budget is spent; yields after each generation, metrics if measured.

        Leaving the iterator early (an exception in the caller, Ctrl-C) saves what is whole.
        """
        self._drop_later_metrics()
        saved = time.monotonic()
        try:
            while not budget.is_spent(self.loop.generation, self.wall_seconds):
                self._step()
                spent = budget.is_spent(self.loop.generation, self.wall_seconds)
                measured = spent or is_measured(self.loop.generation)
                metrics = self._measure() if measured else None
                self._whole = self._state()
                yield metrics
                if time.monotonic() - saved >= checkpoint_seconds:
                    self.save()
                    saved = time.monotonic()
        finally:
            self.save()

    def policy(self) -> npt.NDArray[np.float64]:
        """P, the average policy, at every information set of the graph. [A]"""
        return self._models.policy()

    @property
    def saved_generation(self) -> int:
        """The last generation that is whole."""
        return int(self._whole.numbers["generation"])

    def save(self) -> None:
        """Writes the checkpoint of the last whole generation."""
        checkpoint.save(self.directory / CHECKPOINT, self._whole)

    def _state(self) -> checkpoint.Checkpoint:
        metrics = self.directory / METRICS
        numbers = {
            "generation": self.loop.generation,
            "simulations": self.loop.simulations,
            "wall_seconds": self.wall_seconds,
            "cpu_seconds": self.cpu_seconds,
            "metrics_bytes": metrics.stat().st_size if metrics.exists() else 0,
        }
        return checkpoint.Checkpoint(numbers, self._models.arrays())

    def _restore(self) -> None:
        self._whole = checkpoint.load(self.directory / CHECKPOINT)
        numbers, arrays = self._whole
        self._models.restore(arrays)
        self.loop.restore(numbers["generation"], numbers["simulations"])
        self.wall_seconds = numbers["wall_seconds"]
        self.cpu_seconds = numbers["cpu_seconds"]

    def _drop_later_metrics(self) -> None:
        """Lines after the checkpoint: their generations are done again."""
        metrics, size = self.directory / METRICS, self._whole.numbers["metrics_bytes"]
        if metrics.exists() and metrics.stat().st_size > size:
            with open(metrics, "r+b") as file:
                file.truncate(size)

    def _step(self) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        self.loop.step()
        self.wall_seconds += time.perf_counter() - wall
        self.cpu_seconds += time.process_time() - cpu

    def _measure(self) -> Metrics:
        metrics = Metrics(
            self.loop.generation,
            round(self.wall_seconds, 3),
            round(self.cpu_seconds, 3),
            self.loop.simulations,
            exact.exploitability(self.graph, self.policy()),
            exact.exploitability(self.graph, self.loop.search_policy),
        )
        with open(self.directory / METRICS, "a", encoding="utf-8") as file:
            line = {**dataclasses.asdict(metrics), **self._models.figures()}
            file.write(json.dumps(line) + "\n")
        return metrics


def read_config(directory: Path) -> dict[str, Any]:
    """The settings that a run was made with, checked.

    Raises:
      ValueError: there is no run in the directory, or its config is damaged.
    """
    path = directory / CONFIG
    if not path.exists():
        raise ValueError(f"{directory} has no run: {CONFIG} is missing")
    try:
        settings: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        missing = {"game", "models", "seed", "training"} - settings.keys()
        if missing:
            raise ValueError(f"{', '.join(sorted(missing))} missing")
        if settings["models"] not in typing.get_args(ModelKind):
            raise ValueError(f"models {settings['models']!r} are not known here")
        if not isinstance(settings["game"], str) or not isinstance(settings["seed"], int):
            raise ValueError("game must be a name and seed a number")
        TrainingConfig.from_dict(settings["training"])
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{path} is not the config of a run: {error}") from error
    return settings


def load_policy(directory: str | Path) -> TablePolicy:
    """The average policy of a run, as an OpenSpiel policy of its game."""
    run = Run.resume(Path(directory))
    return TablePolicy(run.graph, run.policy())


def load_evaluator(directory: str | Path) -> ExactEvaluator:
    """Exact models of a run's average policy, for a bot that searches round it."""
    run = Run.resume(Path(directory))
    return ExactEvaluator(run.graph, run.policy())


def versions() -> dict[str, str]:
    """Of the packages that results depend on, by name."""
    packages = ("nash_ismcts_spiel", "open_spiel", "numpy", "torch")
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # run from a source tree
            found[package] = "unknown"
    return found
