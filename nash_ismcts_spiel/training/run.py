"""A run: a directory with the config, the metrics, the checkpoint and the curve of one training.

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
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.training import checkpoint
from nash_ismcts_spiel.training.config import TrainingConfig
from nash_ismcts_spiel.training.generation import GenerationLoop
from nash_ismcts_spiel.training.loops import make_loop
from nash_ismcts_spiel.training.metrics import METRICS, Metrics, is_measured, read_metrics
from nash_ismcts_spiel.training.models import ModelKind
from nash_ismcts_spiel.training.run_config import CONFIG, read_config, versions
from nash_ismcts_spiel.training.table_worker import rows_of

if TYPE_CHECKING:
    from nash_ismcts_spiel.training.saved import SavedModels

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
      wall_seconds, cpu_seconds: time spent on generations so far, workers included.
    """

    def __init__(
        self,
        directory: Path,
        game: str,
        seed: int,
        config: TrainingConfig,
        workers: int = 1,
        models: ModelKind = "exact",
        ray: bool = False,
    ) -> None:
        """Prepares a run in memory; `create` and `resume` connect it with its files.

        Workers are threads where the game is enumerated and processes where it is not, or else
        Ray actors; the results do not depend on them.
        """
        supported = support(game)
        self.directory = directory
        self.game = supported.name
        self.seed = seed
        self.config = config
        self.kind = models
        self._graph, self.loop = make_loop(supported, models, config, seed, workers, ray)
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
        ray: bool = False,
    ) -> Self:
        """Starts a run in a directory that has none.

        Raises:
          ValueError: there is a run already.
        """
        if (directory / CONFIG).exists():
            raise ValueError(f"{directory} has a run already; resume it or choose another --out")
        run = cls(directory, game, seed, config, workers, models, ray)
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
    def resume(cls, directory: Path, workers: int = 1, ray: bool = False) -> Self:
        """Goes on from the last whole checkpoint of a directory.

        Raises:
          ValueError: there is no run, or its files are damaged; the message names the file.
        """
        settings = read_config(directory)
        config = TrainingConfig.from_dict(settings["training"])
        kind: ModelKind = settings["models"]
        run = cls(directory, settings["game"], settings["seed"], config, workers, kind, ray)
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
                self.advance()
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
            self.loop.close()

    @property
    def enumerated(self) -> bool:
        """Whether the game is enumerated, so that there is a graph and exploitability."""
        return self._graph is not None

    @property
    def graph(self) -> GameGraph:
        """The enumerated graph.

        Raises:
          ValueError: the run learns on a graph that grows.
        """
        if self._graph is None:
            raise ValueError(f"{self.game} is not enumerated in this run, so there is no table")
        return self._graph

    def policy(self) -> npt.NDArray[np.float64]:
        """P, the average policy, at every information set of the graph. [A]"""
        assert self.graph.enumerated and isinstance(self.loop, GenerationLoop)
        return self.loop.models.policy()

    def rows(self) -> _core.Rows:
        """The run's own models at every information set, as a search reads them."""
        assert self.graph.enumerated and isinstance(self.loop, GenerationLoop)
        return rows_of(self.graph, self.loop.models.tables(), self.config.forgetful_values)

    @property
    def saved_generation(self) -> int:
        """The last generation that is whole."""
        return int(self._whole.numbers["generation"])

    def saved_models(self) -> SavedModels:
        """The learned models, without what only training needs.

        Raises:
          ValueError: the run has exact models.
        """
        if self.kind != "learned":
            raise ValueError(f"{self.directory} has exact models; there are no networks to save")
        from nash_ismcts_spiel.training.saved import SavedModels

        models: Any = self.loop.models
        measured = read_metrics(self.directory)
        made = {
            "seed": self.seed,
            "training": self.config.to_dict(),
            "versions": versions(),
            "metrics": json.loads(measured[-1].line()) if measured else {},
        }
        return SavedModels(
            self.game,
            self.enumerated,
            self.config.networks,
            models.sizes,
            models.networks,
            made,
        )

    def save(self) -> None:
        """Writes the checkpoint of the last whole generation."""
        checkpoint.save(self.directory / CHECKPOINT, self._whole)

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
