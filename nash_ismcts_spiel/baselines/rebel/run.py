"""The training of ReBeL, self-play and learning in turn, and its directory: config, metrics and
checkpoint, as any other run has.

In a line of `metrics.jsonl`, `exploitability_average` is of the policy that is played, a mixture
over random iterations (`play.py`), `exploitability_unsafe` of unsafe search, and `simulations`
counts iterations of subgame solvers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

import numpy as np

from nash_ismcts_spiel.baselines.rebel.config import UNSAFE, RebelConfig
from nash_ismcts_spiel.baselines.rebel.learner import Learner
from nash_ismcts_spiel.baselines.rebel.play import Search, safe_policy, unsafe_policy
from nash_ismcts_spiel.baselines.rebel.self_play import SelfPlay
from nash_ismcts_spiel.baselines.rebel.subgames import (
    Floats,
    PublicTree,
    Subgames,
    refuse_unsuitable,
)
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.policies import TablePolicy
from nash_ismcts_spiel.learning.loop import Loop
from nash_ismcts_spiel.learning.watch import Watch
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.runs.config import naming_config, read_config
from nash_ismcts_spiel.runs.directory import RunDirectory, refuse_occupied

_PLAYING, _MEASURING = 0, 1
"""The last word of a seed from which self-play and fitting draw, and measuring."""


class RebelLoop(Loop):
    """Training of the value network; `simulations` counts iterations of subgame solvers.

    Attributes:
      subgames: those whose leaves the network values.
    """

    models: Learner

    def __init__(self, tree: PublicTree, config: RebelConfig, seed: int) -> None:
        """Starts before the first generation."""
        super().__init__(tree.graph.game, seed)
        self.measured_ratio = config.measured_ratio  # measuring is dear here
        self.learned_on = f"{len(tree)} public states, {tree.num_futures} of them different"
        self.models = Learner(tree, config, seed)
        self._graph = tree.graph
        self.subgames = Subgames(tree, config.depth, config.stop_at_chance)
        self._play = SelfPlay(self.subgames, config)
        self._config = config

    def step(self, watch: Watch | None = None) -> None:
        """One generation, however long it takes."""
        rng = np.random.default_rng([self._seed, self.generation + 1, _PLAYING])
        rows = self._play.play(self.models.leaf_values, rng)
        self.models.learn(rows, self.generation + 1, rng)
        self.generation += 1
        self.simulations += rows.iterations

    def figures(self) -> dict[str, float]:
        """Exploitability of what is played and of unsafe search, and how the network does."""
        return {
            "exploitability_average": exact.exploitability(self._graph, self.policy()),
            UNSAFE: exact.exploitability(self._graph, unsafe_policy(self.search())),
            "loss_value": self.models.last_loss,
            "belief_states": self.models.buffer.added,
        }

    def policy(self, playthroughs: int | None = None) -> Floats:
        """The mixture that is played: exact, or of so many playthroughs (the config's). [A]

        It is exact where no more than two subgames follow each other.
        """
        count = playthroughs or self._config.measured_playthroughs
        rng = np.random.default_rng([self._seed, self.generation, _MEASURING])
        return safe_policy(self.search(), None if self.subgames.in_a_row <= 2 else count, rng)

    def search(self, iterations: int | None = None) -> Search:
        """How the current network plays, with the config's iterations if none are given."""
        config = self._config
        return Search(
            self.subgames,
            self.models.leaf_values,
            iterations or config.play_iterations,
            config.method,
        )


class Rebel:
    """ReBeL as a method that can be stopped at any time (`baselines.anytime`).

    Attributes:
      loop: self-play and learning; a step is a generation.
    """

    def __init__(self, graph: GameGraph, seed: int, config: RebelConfig | None = None) -> None:
        """Starts before the first generation, with the default settings if `config` is None."""
        self.loop = RebelLoop(PublicTree(graph), config or RebelConfig(), seed)
        self.step = self.loop.step

    def policy(self) -> Floats:
        """The mixture that is played, see `RebelLoop.policy`. [A]"""
        return self.loop.policy()


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
