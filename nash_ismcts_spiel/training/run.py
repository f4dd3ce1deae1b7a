"""A run of Nash-ISMCTS: a policy that is trained in a directory, and what can be had of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.orders import dealing_of, order_fingerprint
from nash_ismcts_spiel.games.splitting import fingerprint, splitting_of
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.training.checkpoint import Checkpoint, CheckpointError, load
from nash_ismcts_spiel.training.config import TrainingConfig
from nash_ismcts_spiel.training.generation import GenerationLoop
from nash_ismcts_spiel.training.loops import make_loop
from nash_ismcts_spiel.training.metrics import read_metrics
from nash_ismcts_spiel.training.models import ModelKind
from nash_ismcts_spiel.training.run_config import read_config, versions
from nash_ismcts_spiel.training.run_files import CHECKPOINT, RunFiles, refuse_occupied
from nash_ismcts_spiel.training.table_worker import rows_of

if TYPE_CHECKING:
    from nash_ismcts_spiel.training.saved import SavedModels

class Run(RunFiles):
    """A training of Nash-ISMCTS in a directory.

    Attributes:
      config: schedules and settings.
      kind: where models come from.
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
        self.config = config
        self.kind = models
        self._codes = fingerprint(splitting_of(supported, config.search.split_actions))
        self._order = order_fingerprint(dealing_of(supported, config.search.hidden_order))
        self._graph, loop = make_loop(supported, models, config, seed, workers, ray)
        super().__init__(directory, supported.name, seed, loop)

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
        refuse_occupied(directory)
        run = cls(directory, game, seed, config, workers, models, ray)
        run._begin(models, config.to_dict())
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
            self.config.search.split_actions,
            self._codes,
            self.config.search.hidden_order,
            self._order,
        )

    def _state(self) -> Checkpoint:
        numbers, arrays = super()._state()
        return Checkpoint({**numbers, "codes": self._codes, "order": self._order}, arrays)

    def _restore(self) -> None:
        path = self.directory / CHECKPOINT
        numbers = load(path).numbers
        if numbers.get("order", "") != self._order:
            raise CheckpointError(
                f"{path} was made with another order of hidden pieces than hidden_order="
                f"{self.config.search.hidden_order!r} gives here"
            )
        if numbers.get("codes", "") != self._codes:
            raise CheckpointError(
                f"{path} was made with other sub-actions than split_actions="
                f"{self.config.search.split_actions!r} gives here"
            )
        super()._restore()
