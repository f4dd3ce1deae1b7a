"""The loop of a run: with exact models of an enumerated or a merged game, or with learned ones of
any game.
"""

from __future__ import annotations

import functools
from typing import Any

from nash_ismcts_spiel.games import GameGraph, SupportedGame
from nash_ismcts_spiel.games.graph import ENUMERATION_LIMIT
from nash_ismcts_spiel.games.merged import MergedGame
from nash_ismcts_spiel.learning.config import ModelKind, TrainingConfig
from nash_ismcts_spiel.learning.exact_loop import ExactLoop
from nash_ismcts_spiel.learning.loop import Loop
from nash_ismcts_spiel.learning.view_loop import ViewLoop
from nash_ismcts_spiel.learning.workers import Workers, make_workers

_MOST_NODES = 1_000_000
"""Nodes of a merged game, of which a sweep takes 20 ns each."""

_MEASURED_LIMIT = 500_000
"""Worlds up to which a game is enumerated if that is only for measuring."""

_MOST_HISTORIES = 1e14
"""By estimate, of a game that is worth a try to merge; phantom_ttt has 1e10."""


def make_loop(
    game: SupportedGame,
    kind: ModelKind,
    config: TrainingConfig,
    seed: int,
    workers: int = 1,
    ray: bool = False,
) -> Loop:
    """The loop of a new run.

    Args:
      game: what is played.
      kind: where models come from.
      config: schedules and settings.
      seed: of all randomness.
      workers: how many work off shards.
      ray: whether they are Ray actors, instead of threads (exact models) or processes.

    Raises:
      ValueError: the game must be enumerated or merged, and cannot be.
    """
    if kind == "exact":
        found = exact_game(game, config)
        if isinstance(found, MergedGame):
            return ViewLoop(found, config)
        return ExactLoop(found, config, seed, workers, "ray" if ray else "threads")
    if config.graph == "merged":
        raise ValueError("views of a merged game are for exact models, not for learned ones")
    # Torch takes seconds to import, which exact models should not have to wait for.
    from nash_ismcts_spiel.models.networks import torch_check  # noqa: F401

    # isort: split
    import torch

    from nash_ismcts_spiel.learning.learned_loop import LearnedLoop, SelfPlayWorker
    from nash_ismcts_spiel.learning.learner import Learner

    torch.set_num_threads(1)  # the networks are small: more threads only wait for each other
    whole = learns_enumerated(game, config)
    make_worker = functools.partial(SelfPlayWorker, game.name, config, seed, whole)
    played: Workers[Any, Any] = make_workers("ray" if ray else "processes", make_worker, workers)
    return LearnedLoop(Learner(game, config, seed), config, seed, played)


def is_large(game: SupportedGame, limit: int = ENUMERATION_LIMIT) -> bool:
    """Whether the game seems to have more worlds than may be enumerated, by a random estimate."""
    return game.estimated_worlds() > limit


def exact_game(game: SupportedGame, config: TrainingConfig) -> GameGraph | MergedGame:
    """The whole game, for exact models: enumerated, or merged where it is too large for that.

    Raises:
      ValueError: neither can be had.
    """
    if config.graph == "grown":
        raise ValueError("exact models need an enumerated graph; learned ones do not")
    if config.graph == "merged":
        return MergedGame(game, max_nodes=_MOST_NODES)
    try:
        return whole_graph(game, config)
    except ValueError as error:
        if config.graph == "enumerated":
            raise
        too_large = error
    try:
        if game.estimated_worlds() > _MOST_HISTORIES:
            raise ValueError(f"so many histories hardly merge into {_MOST_NODES} nodes")
        return MergedGame(game, max_nodes=_MOST_NODES)
    except ValueError as error:
        reason = str(error).partition("\n")[0].removeprefix(f"{game.name}: ")
        raise ValueError(f"{too_large}; nor can views be had: {reason}") from error


def learns_enumerated(game: SupportedGame, config: TrainingConfig) -> bool:
    """Whether learned models are evaluated over the whole game at once."""
    return config.graph == "enumerated" or (config.graph == "auto" and not is_large(game))


def measured_graph(game: SupportedGame, config: TrainingConfig) -> GameGraph | None:
    """The enumerated graph on which learned models are measured; None if the game is too large.

    Raises:
      ValueError: the settings ask for an enumerated graph, and there is none.
    """
    insists = config.graph == "enumerated"
    # Who learns on graphs that grow should not have to wait for measurements.
    limit = _MEASURED_LIMIT if config.graph == "grown" else ENUMERATION_LIMIT
    if not insists and is_large(game, limit):
        return None
    try:
        return whole_graph(game, config, limit)
    except ValueError:
        if insists:
            raise
        return None


def whole_graph(
    game: SupportedGame, config: TrainingConfig, limit: int = ENUMERATION_LIMIT
) -> GameGraph:
    """The enumerated graph of a game, as the settings of its searches want it.

    Raises:
      ValueError: the game has more than `limit` worlds.
    """
    return GameGraph.enumerate(game, limit, config.search.split_actions)
