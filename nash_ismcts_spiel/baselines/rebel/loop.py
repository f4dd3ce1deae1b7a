"""The training loop of ReBeL: self-play and learning in turn."""

from __future__ import annotations

import numpy as np

from nash_ismcts_spiel.baselines.rebel.config import UNSAFE, RebelConfig
from nash_ismcts_spiel.baselines.rebel.learner import Learner
from nash_ismcts_spiel.baselines.rebel.mixture import Search, safe_policy, unsafe_policy
from nash_ismcts_spiel.baselines.rebel.public_tree import Floats, PublicTree
from nash_ismcts_spiel.baselines.rebel.self_play import SelfPlay
from nash_ismcts_spiel.baselines.rebel.subgames import Subgames
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.learning.loop import Loop
from nash_ismcts_spiel.learning.watch import Watch
from nash_ismcts_spiel.native import exact

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
