"""What all loops of a training share: generations, what they took, and what a checkpoint keeps.

A loop plays (or sweeps, or solves), lets its models learn, and says what there is to measure.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.files import Arrays
from nash_ismcts_spiel.games import GameGraph, SupportedGame
from nash_ismcts_spiel.games.merged import MergedGame
from nash_ismcts_spiel.learning.watch import Watch
from nash_ismcts_spiel.learning.workers import Workers

Floats = npt.NDArray[np.float64]


class Keeper(Protocol):
    """Models as a checkpoint sees them."""

    def arrays(self) -> Arrays:
        """All that a checkpoint must keep."""
        ...

    def restore(self, arrays: Arrays) -> None:
        """Goes back to where `arrays` were taken.

        Raises:
          ValueError, KeyError or RuntimeError: they are not those of such models, or not numbers
            that anything can be played with.
        """
        ...


class Loop(abc.ABC):
    """Generations of one run.

    Attributes:
      counted: the counters that a checkpoint keeps.
      measured_ratio: from one measured generation to the next, about: often at first, then ever
        more rarely.
      game: what is played.
      graph: the game, enumerated; None if it is too large. Learned models need not learn on it.
      merged: the merged game over whose views P is a table; None where it is not.
      learned_on: in words, on what the models learn.
      models: the current models.
      generation: generations done.
      simulations: simulations done, in all trees.
      elsewhere_seconds: processor time that workers in other processes took.
    """

    counted: ClassVar[tuple[str, ...]] = ("simulations",)
    measured_ratio = 1.05
    graph: GameGraph | None = None
    merged: MergedGame | None = None
    learned_on = ""
    models: Keeper

    def __init__(self, game: SupportedGame, seed: int = 0) -> None:
        """Starts before the first generation; `seed` is that of all randomness."""
        if seed < 0:
            raise ValueError(f"need a seed from 0, not {seed}")
        self.game = game
        self.generation = 0
        self.simulations = 0
        self.elsewhere_seconds = 0.0
        self._seed = seed
        self._workers: Workers[Any, Any] | None = None

    @abc.abstractmethod
    def step(self, watch: Watch | None = None) -> None:
        """One generation; a loop whose generations are short need not look at `watch`.

        Raises:
          TimeUpError: time is up; the counters have not changed, the models must be restored.
        """

    @abc.abstractmethod
    def figures(self) -> dict[str, float]:
        """What there is to say of the last generation, by name."""

    @abc.abstractmethod
    def policy(self) -> Floats:
        """P, at every information set of the graph or at every view. [A]"""

    def whole(self) -> GameGraph:
        """The enumerated graph.

        Raises:
          ValueError: the game is too large for that.
        """
        if self.graph is None:
            name = self.game.name
            raise ValueError(f"{name} is too large to be enumerated, so there is no table")
        return self.graph

    def counters(self) -> dict[str, float]:
        """What a checkpoint keeps of the loop, beside the number of generations."""
        return {name: getattr(self, name) for name in self.counted}

    def restore(self, generation: int, counters: Mapping[str, float]) -> None:
        """Goes on after `generation`; the models must have been restored."""
        self.generation = generation
        for name in self.counted:
            setattr(self, name, type(getattr(self, name))(counters[name]))

    def close(self) -> None:
        """Lets go of the workers, if there are any."""
        if self._workers is not None:
            self._workers.close()

    def _done(self, shards: Sequence[Any]) -> None:
        """A generation is done, in these shards, each with its simulations and processor time."""
        self.generation += 1
        self.simulations += sum(shard.simulations for shard in shards)
        if self._workers is not None and self._workers.elsewhere:
            self.elsewhere_seconds += sum(shard.cpu_seconds for shard in shards)
