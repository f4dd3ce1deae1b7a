"""The training loop of ReBeL: self-play and learning in turn."""

from __future__ import annotations

import numpy as np

from nash_ismcts_spiel.baselines.rebel.config import RebelConfig
from nash_ismcts_spiel.baselines.rebel.learner import Arrays, Learner
from nash_ismcts_spiel.baselines.rebel.mixture import Search, safe_policy
from nash_ismcts_spiel.baselines.rebel.public_tree import Floats, PublicTree
from nash_ismcts_spiel.baselines.rebel.self_play import SelfPlay
from nash_ismcts_spiel.baselines.rebel.subgames import Subgames
from nash_ismcts_spiel.games import GameGraph

_PLAYING, MEASURING = 0, 1
"""The last word of a seed from which self-play and fitting draw, and measuring."""


class RebelLoop:
    """Generation after generation.

    Attributes:
      generation: generations done.
      simulations: iterations of subgame solvers so far.
      learner: the value network.
      subgames: those whose leaves it values.
    """

    def __init__(self, tree: PublicTree, config: RebelConfig, seed: int) -> None:
        """Starts before the first generation."""
        if seed < 0:
            raise ValueError(f"need a seed from 0, not {seed}")
        self.generation = 0
        self.simulations = 0
        self.learner = Learner(tree, config, seed)
        self.subgames = Subgames(tree, config.depth, config.stop_at_chance)
        self._play = SelfPlay(self.subgames, config)
        self._config = config
        self._seed = seed

    def step(self) -> None:
        """One generation."""
        rng = np.random.default_rng([self._seed, self.generation + 1, _PLAYING])
        rows = self._play.play(self.learner.leaf_values, rng)
        self.learner.learn(rows, self.generation + 1, rng)
        self.generation += 1
        self.simulations += rows.iterations

    def restore(self, generation: int, simulations: int, arrays: Arrays) -> None:
        """Goes back to after `generation`, when the learner gave `arrays`."""
        self.learner.restore(arrays)
        self.generation = generation
        self.simulations = simulations

    def search(self, iterations: int | None = None) -> Search:
        """How the current network plays, with the config's iterations if none are given."""
        config = self._config
        return Search(
            self.subgames,
            self.learner.leaf_values,
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
        self._config = config or RebelConfig()
        self._seed = seed
        self.loop = RebelLoop(PublicTree(graph), self._config, seed)
        self.step = self.loop.step

    def policy(self) -> Floats:
        """The mixture that is played, of the config's `measured_playthroughs`. [A]"""
        rng = np.random.default_rng([self._seed, self.loop.generation, MEASURING])
        return safe_policy(self.loop.search(), self._config.measured_playthroughs or None, rng)
