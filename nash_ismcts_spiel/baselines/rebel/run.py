"""A training of ReBeL in a directory: config, metrics and checkpoint, as any other run has.

In a line of `metrics.jsonl`, `exploitability_average` is of the policy that is played, a mixture
over random iterations (`mixture.py`), `exploitability_unsafe` of unsafe search, and `simulations`
counts iterations of subgame solvers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from nash_ismcts_spiel.baselines.rebel.config import RebelConfig
from nash_ismcts_spiel.baselines.rebel.loop import RebelLoop
from nash_ismcts_spiel.baselines.rebel.public_tree import Floats, PublicTree, refuse_unsuitable
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.policies import TablePolicy
from nash_ismcts_spiel.runs.config import naming_config, read_config
from nash_ismcts_spiel.runs.directory import RunDirectory, refuse_occupied

MODELS = "rebel"
"""What a config says under `models`."""


class RebelRun(RunDirectory):
    """A training of ReBeL.

    Attributes:
      config: how it plays and is trained.
      graph, tree: the game and its public states.
    """

    loop: RebelLoop
    kind = MODELS

    def __init__(self, directory: str | Path, game: str, seed: int, config: RebelConfig) -> None:
        """Prepares a run in memory; `create` and `resume` connect it with its files.

        Raises:
          ValueError: the game is not a two-player zero-sum one that can be enumerated.
        """
        supported = support(game)
        refuse_unsuitable(supported)
        self.config = config
        self.graph = GameGraph.enumerate(supported.pyspiel_game)
        self.tree = PublicTree(self.graph)
        super().__init__(directory, supported.name, seed, RebelLoop(self.tree, config, seed))

    @classmethod
    def create(cls, directory: str | Path, game: str, seed: int, config: RebelConfig) -> Self:
        """Starts a run in a directory that has none.

        Raises:
          ValueError: there is a run already, or the game is not one for ReBeL.
        """
        refuse_occupied(Path(directory))
        run = cls(directory, game, seed, config)
        run._begin(MODELS, config.to_dict())
        return run

    @classmethod
    def resume(cls, directory: str | Path) -> Self:
        """Goes on from the last whole checkpoint of a directory.

        Raises:
          ValueError: there is no run of ReBeL, or its files are damaged, and which.
        """
        directory = Path(directory)
        settings = read_config(directory, [MODELS], RebelConfig)
        config = RebelConfig.from_dict(settings["training"])
        with naming_config(directory):
            run = cls(directory, settings["game"], settings["seed"], config)
        run._restore(settings)
        return run

    def policy(self, playthroughs: int | None = None) -> Floats:
        """The mixture that is played, see `RebelLoop.policy`. [A]"""
        return self.loop.policy(playthroughs)


def load_policy(directory: str | Path, playthroughs: int | None = None) -> TablePolicy:
    """The policy that a run of ReBeL plays, as an OpenSpiel policy; see `RebelRun.policy`."""
    run = RebelRun.resume(Path(directory))
    return TablePolicy(run.graph, run.policy(playthroughs))
