"""A training of ReBeL in a directory: config, metrics and checkpoint, as any other run has.

A line of `metrics.jsonl` has the names of `training.metrics.Metrics`: `exploitability_average` is
of the policy that is played, a mixture over random iterations (`mixture.py`),
`exploitability_search` of unsafe search, `visits` counts iterations of subgame solvers. A resumed
run drops the lines after its checkpoint and does those generations again, bit for bit.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np

from nash_ismcts_spiel.baselines.rebel.config import RebelConfig
from nash_ismcts_spiel.baselines.rebel.loop import MEASURING, RebelLoop
from nash_ismcts_spiel.baselines.rebel.mixture import safe_policy, unsafe_policy
from nash_ismcts_spiel.baselines.rebel.public_tree import Floats, PublicTree, refuse_unsuitable
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.policies import TablePolicy
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.training import checkpoint
from nash_ismcts_spiel.training.metrics import METRICS
from nash_ismcts_spiel.training.run import CHECKPOINT, Budget
from nash_ismcts_spiel.training.run_config import CONFIG, versions

MODELS = "rebel"
"""What a config says under `models`."""


class RebelRun:
    """A training of ReBeL.

    Attributes:
      directory: where it lives.
      game: the game's name with its parameters.
      seed: of all randomness.
      config: how it plays and is trained.
      graph, tree: the game and its public states.
      loop: self-play and learning.
      wall_seconds, cpu_seconds: time spent on generations so far.
    """

    def __init__(self, directory: Path, game: str, seed: int, config: RebelConfig) -> None:
        """Prepares a run in memory; `create` and `resume` connect it with its files.

        Raises:
          ValueError: the game is not a two-player zero-sum one that can be enumerated.
        """
        supported = support(game)
        refuse_unsuitable(supported)
        self.directory = directory
        self.game = supported.name
        self.seed = seed
        self.config = config
        self.graph = GameGraph.enumerate(supported.pyspiel_game)
        self.tree = PublicTree(self.graph)
        self.loop = RebelLoop(self.tree, config, seed)
        self.wall_seconds = 0.0
        self.cpu_seconds = 0.0
        self._whole = self._state()

    @classmethod
    def create(cls, directory: Path, game: str, seed: int, config: RebelConfig) -> Self:
        """Starts a run in a directory that has none.

        Raises:
          ValueError: there is a run already, or the game is not one for ReBeL.
        """
        if (directory / CONFIG).exists():
            raise ValueError(f"{directory} has a run already; resume it or choose another --out")
        run = cls(directory, game, seed, config)
        directory.mkdir(parents=True, exist_ok=True)
        (directory / METRICS).unlink(missing_ok=True)
        run._whole = run._state()
        run.save()
        settings = {
            "game": run.game,
            "models": MODELS,
            "seed": seed,
            "training": config.to_dict(),
            "versions": versions(),
        }
        text = json.dumps(settings, indent=2) + "\n"
        checkpoint.replace_file(directory / CONFIG, text.encode())
        return run

    @classmethod
    def resume(cls, directory: Path) -> Self:
        """Goes on from the last whole checkpoint of a directory.

        Raises:
          ValueError: there is no run of ReBeL, or its files are damaged, and which.
        """
        path = directory / CONFIG
        if not path.exists():
            raise ValueError(f"{directory} has no run: {CONFIG} is missing")
        try:
            settings = json.loads(path.read_text(encoding="utf-8"))
            if settings["models"] != MODELS:
                raise ValueError(f"its models are {settings['models']!r}")
            game, seed = settings["game"], settings["seed"]
            config = RebelConfig.from_dict(settings["training"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"{path} is not the config of a run of ReBeL: {error}") from error
        run = cls(directory, game, seed, config)
        run._restore()
        return run

    def train(
        self, budget: Budget, checkpoint_seconds: float = 10.0
    ) -> Iterator[dict[str, Any] | None]:
        """Trains until the budget is spent; yields after each generation, its line if measured.

        Leaving the iterator early (an exception in the caller, Ctrl-C) saves what is whole.
        """
        self._drop_later_metrics()
        saved = time.monotonic()
        try:
            while not budget.is_spent(self.loop.generation, self.wall_seconds):
                self._step()
                spent = budget.is_spent(self.loop.generation, self.wall_seconds)
                line = self._measure() if spent or self._is_due() else None
                self._whole = self._state()
                yield line
                if time.monotonic() - saved >= checkpoint_seconds:
                    self.save()
                    saved = time.monotonic()
        finally:
            self.save()

    def policy(self, playthroughs: int | None = None) -> Floats:
        """The mixture that is played, of the config's playthroughs or of so many. [A]"""
        count = self.config.measured_playthroughs if playthroughs is None else playthroughs
        rng = np.random.default_rng([self.seed, self.loop.generation, MEASURING])
        return safe_policy(self.loop.search(), count or None, rng)

    def metrics(self) -> list[dict[str, Any]]:
        """The measured generations, oldest first."""
        path = self.directory / METRICS
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

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
        return checkpoint.Checkpoint(numbers, self.loop.learner.arrays())

    def _restore(self) -> None:
        path = self.directory / CHECKPOINT
        self._whole = checkpoint.load(path)
        numbers, arrays = self._whole
        try:
            self.loop.restore(numbers["generation"], numbers["simulations"], arrays)
            self.wall_seconds = numbers["wall_seconds"]
            self.cpu_seconds = numbers["cpu_seconds"]
        except (KeyError, RuntimeError, ValueError) as error:
            raise checkpoint.CheckpointError(f"{path} is not one of this run: {error}") from error

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

    def _is_due(self) -> bool:
        """Whether a power of the ratio lies between the generation before and this one."""
        generation, step = self.loop.generation, math.log(self.config.measured_ratio)
        if generation == 1:
            return True
        return int(math.log(generation) / step) > int(math.log(generation - 1) / step)

    def _measure(self) -> dict[str, Any]:
        line = {
            "generation": self.loop.generation,
            "wall_seconds": round(self.wall_seconds, 3),
            "cpu_seconds": round(self.cpu_seconds, 3),
            "visits": self.loop.simulations,
            "exploitability_average": exact.exploitability(self.graph, self.policy()),
            "exploitability_search": exact.exploitability(
                self.graph, unsafe_policy(self.loop.search())
            ),
            "loss_value": self.loop.learner.last_loss,
            "belief_states": self.loop.learner.buffer.added,
        }
        with open(self.directory / METRICS, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return line


def load_policy(directory: str | Path, playthroughs: int | None = None) -> TablePolicy:
    """The policy that a run of ReBeL plays, as an OpenSpiel policy; see `RebelRun.policy`."""
    run = RebelRun.resume(Path(directory))
    return TablePolicy(run.graph, run.policy(playthroughs))
