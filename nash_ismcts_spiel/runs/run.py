"""A run of Nash-ISMCTS: a policy that is trained in a directory, and what can be had of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.files import Checkpoint, CheckpointError, versions
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.merged import MergedGame
from nash_ismcts_spiel.games.splitting import fingerprint, splitting_of
from nash_ismcts_spiel.learning.config import ModelKind, TrainingConfig
from nash_ismcts_spiel.learning.loops import learns_enumerated, make_loop
from nash_ismcts_spiel.notebook import html_pairs
from nash_ismcts_spiel.runs.config import CHECKPOINT, naming_config, read_config
from nash_ismcts_spiel.runs.directory import Budget, RunDirectory, refuse_occupied
from nash_ismcts_spiel.runs.live import Live

if TYPE_CHECKING:
    from nash_ismcts_spiel.models.networks.saved import SavedModels

Floats = npt.NDArray[np.float64]


class Run(RunDirectory):
    """A training of Nash-ISMCTS in a directory.

    Attributes:
      config: schedules and settings.
      kind: where models come from.
    """

    def __init__(
        self,
        directory: str | Path,
        game: str,
        seed: int,
        config: TrainingConfig,
        workers: int = 1,
        models: ModelKind = "exact",
        ray: bool = False,
    ) -> None:
        """Prepares a run in memory; `create` and `resume` connect it with its files.

        Workers are threads for exact models and processes for learned ones, or else Ray actors; the
        results do not depend on them.
        """
        self._supported = support(game)
        self.config = config
        self.kind = models
        self._codes = fingerprint(splitting_of(self._supported, config.search.split_actions))
        loop = make_loop(self._supported, models, config, seed, workers, ray)
        super().__init__(directory, self._supported.name, seed, loop)

    @classmethod
    def create(
        cls,
        directory: str | Path,
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
        refuse_occupied(Path(directory))
        run = cls(directory, game, seed, config, workers, models, ray)
        run._begin(models, config.to_dict())
        return run

    @classmethod
    def resume(cls, directory: str | Path, workers: int = 1, ray: bool = False) -> Self:
        """Goes on from the last whole checkpoint of a directory.

        Raises:
          ValueError: there is no run, or its files are damaged; the message names the file.
        """
        directory = Path(directory)
        settings = read_config(directory)
        config = TrainingConfig.from_dict(settings["training"])
        kind: ModelKind = settings["models"]
        with naming_config(directory):
            run = cls(directory, settings["game"], settings["seed"], config, workers, kind, ray)
        run._restore(settings)
        return run

    @property
    def enumerated(self) -> bool:
        """Whether the game can be enumerated, so that P is a table and can be measured."""
        return self.loop.graph is not None

    @property
    def graph(self) -> GameGraph:
        """The enumerated graph of the game; learned models need not have learned on it.

        Raises:
          ValueError: the game is too large for that.
        """
        return self.loop.whole()

    @property
    def merged(self) -> MergedGame | None:
        """The merged game over whose views P is a table; None where it is not."""
        return self.loop.merged

    def fit(
        self, *, seconds: float | None = None, generations: int | None = None, show: bool = True
    ) -> Self:
        """Trains until so many wall seconds or generations of the whole run are spent.

        Shows a curve that grows in a notebook, and lines on standard error elsewhere.

        Raises:
          ValueError: neither was given, so training would never end.
        """
        if seconds is None and generations is None:
            raise ValueError("fit needs seconds or generations, or it would never end")
        live = Live(f"{self.game}, seed {self.seed}", self.metrics()) if show else None
        for metrics in self.train(Budget(generations, seconds)):
            if live is not None and metrics is not None:
                live.add(metrics)
        if live is not None:
            live.close()
        return self

    def _repr_html_(self) -> str:
        """The run as a table, for notebooks."""
        measured = self.metrics()
        last = measured[-1] if measured else None
        pairs: list[tuple[str, object]] = [
            ("seed", self.seed),
            ("models", self.learned_on),
            ("generations", self.loop.generation),
            ("wall seconds", self.wall_seconds),
            ("CPU seconds", self.cpu_seconds),
            ("simulations", self.loop.simulations),
            ("exploitability of P", None if last is None else last.exploitability_average),
            ("directory", str(self.directory)),
        ]
        return html_pairs(self.game, pairs)

    def policy(self) -> Floats:
        """P, the average policy, at every information set of the graph, or at every view. [A]"""
        return self.loop.policy()

    def saved_models(self) -> SavedModels:
        """The learned models, without what only training needs.

        Raises:
          ValueError: the run has exact models.
        """
        if self.kind != "learned":
            raise ValueError(f"{self.directory} has exact models; there are no networks to save")
        from nash_ismcts_spiel.models.networks.saved import SavedModels

        models: Any = self.loop.models
        measured = self.metrics()
        made = {
            "seed": self.seed,
            "training": self.config.to_dict(),
            "versions": versions(),
            "metrics": json.loads(measured[-1].line()) if measured else {},
        }
        return SavedModels(
            self.game,
            learns_enumerated(self._supported, self.config),
            self.config.networks,
            models.tensors,
            models.playing,
            made,
            self.config.search.split_actions,
            self._codes,
            models.tensors.turning,
        )

    def _state(self) -> Checkpoint:
        numbers, arrays = super()._state()
        return Checkpoint({**numbers, "codes": self._codes}, arrays)

    def _check_models(self, numbers: Mapping[str, Any]) -> None:
        path = self.directory / CHECKPOINT
        if numbers.get("codes", "") != self._codes:
            raise CheckpointError(
                f"{path} was made with other sub-actions than split_actions="
                f"{self.config.search.split_actions!r} gives here"
            )
