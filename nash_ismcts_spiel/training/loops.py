"""The loop of a run: over an enumerated graph where the game allows, else on graphs that grow."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Protocol

from nash_ismcts_spiel.games import GameGraph, SupportedGame
from nash_ismcts_spiel.games.graph import ENUMERATION_LIMIT
from nash_ismcts_spiel.training.config import TrainingConfig
from nash_ismcts_spiel.training.generation import GenerationLoop
from nash_ismcts_spiel.training.models import Arrays, ModelKind, make_models
from nash_ismcts_spiel.training.watch import Watch
from nash_ismcts_spiel.training.workers import make_workers


class Keeper(Protocol):
    """Models as a checkpoint sees them."""

    def arrays(self) -> Arrays:
        """All that a checkpoint must keep."""
        ...

    def restore(self, arrays: Arrays) -> None:
        """Goes back to where `arrays` were taken."""
        ...


class Loop(Protocol):
    """Generations of one run.

    Attributes:
      generation: generations done.
      simulations: simulations done, in all trees.
      elsewhere_seconds: processor time that workers in other processes took.
    """

    generation: int
    simulations: int
    elsewhere_seconds: float

    @property
    def models(self) -> Keeper:
        """The current models."""
        ...

    def step(self, watch: Watch | None = None) -> None:
        """One generation; a loop whose generations are short need not look at `watch`.

        Raises:
          TimeUpError: time is up; the counters have not changed, the models must be restored.
        """
        ...

    def counters(self) -> dict[str, float]:
        """What a checkpoint keeps of the loop, beside the number of generations."""
        ...

    def restore(self, generation: int, counters: Mapping[str, float]) -> None:
        """Goes on after `generation`; the models must have been restored."""
        ...

    def figures(self) -> dict[str, float]:
        """What there is to say of the last generation, by name."""
        ...

    def close(self) -> None:
        """Lets go of the workers."""
        ...


def make_loop(
    game: SupportedGame,
    kind: ModelKind,
    config: TrainingConfig,
    seed: int,
    workers: int = 1,
    ray: bool = False,
) -> tuple[GameGraph | None, Loop]:
    """The loop of a new run, and its graph if the game is enumerated.

    Raises:
      ValueError: the game must be enumerated, and is too large for that.
    """
    graph = _enumerated(game, kind, config)
    if graph is not None:
        models = make_models(kind, graph, config, seed)
        return graph, GenerationLoop(
            graph, models, config, seed, workers, "ray" if ray else "threads"
        )
    # Torch takes seconds to import, which exact models should not have to wait for.
    from nash_ismcts_spiel.training.grown import GrownLoop, GrownModels
    from nash_ismcts_spiel.training.grown_worker import GrownWorker

    grown = GrownModels(game, config, seed)
    make_worker = functools.partial(GrownWorker, game.name, config, seed)
    played = make_workers("ray" if ray else "processes", make_worker, workers)
    return None, GrownLoop(grown, config, seed, played)


def is_large(game: SupportedGame) -> bool:
    """Whether the game seems too large to be enumerated, by a random estimate."""
    return game.estimated_worlds() > ENUMERATION_LIMIT


def _enumerated(game: SupportedGame, kind: ModelKind, config: TrainingConfig) -> GameGraph | None:
    """The whole graph of the game; None if models are to be learned on graphs that grow."""
    if kind == "exact" and config.graph == "grown":
        raise ValueError("exact models need an enumerated graph; learned ones do not")
    if config.graph == "grown":
        return None
    may_grow = kind == "learned" and config.graph == "auto"
    if may_grow and is_large(game):
        return None
    try:
        return GameGraph.enumerate(
            game,
            split_actions=config.search.split_actions,
            hidden_order=config.search.hidden_order,
        )
    except ValueError:
        if may_grow:
            return None
        raise
