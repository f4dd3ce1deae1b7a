"""All methods by name, ours among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.baselines import deep, openspiel
from nash_ismcts_spiel.baselines.anytime import AnytimeMethod
from nash_ismcts_spiel.baselines.oos import OnlineOutcomeSampling
from nash_ismcts_spiel.baselines.smooth_uct import UCT, SmoothUct
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.learning import ExactLoop, TrainingConfig
from nash_ismcts_spiel.learning.loops import make_loop
from nash_ismcts_spiel.settings import did_you_mean


class NashIsmctsExact:
    """Training with exact models; its policy is the average policy P.

    Attributes:
      loop: the generation loop.
    """

    def __init__(self, graph: GameGraph, seed: int, config: TrainingConfig | None = None) -> None:
        """Starts before the first generation, with the default preset if `config` is None."""
        self.loop = ExactLoop(graph, config or TrainingConfig.preset(), seed)
        self.step = self.loop.step

    def policy(self) -> npt.NDArray[np.float64]:
        """P. [A]"""
        return self.loop.models.policy()


class NashIsmctsLearned:
    """Training with learned models; its policy is the network P."""

    def __init__(self, graph: GameGraph, seed: int, config: TrainingConfig | None = None) -> None:
        """Starts before the first generation, with the default preset if `config` is None."""
        self._graph = graph
        self.loop: Any = make_loop(graph.game, "learned", config or TrainingConfig.preset(), seed)
        self.step = self.loop.step

    def policy(self) -> npt.NDArray[np.float64]:
        """P. [A]"""
        from nash_ismcts_spiel.models.networks.tables import whole_policy_and_value  # torch

        return whole_policy_and_value(self._graph, self.loop.models.evaluator())[0]


def uct(graph: GameGraph, seed: int) -> SmoothUct:
    """IS-MCTS with a tree per player, by self-play: Smooth UCT that is never smooth."""
    return SmoothUct(graph, seed, UCT)


def rebel(graph: GameGraph, seed: int) -> AnytimeMethod:
    """ReBeL with its default settings, as it plays."""
    from nash_ismcts_spiel.baselines.rebel.run import Rebel  # torch, for those who ask for it

    return Rebel(graph, seed)


METHODS: dict[str, Callable[[GameGraph, int], AnytimeMethod]] = {
    "nash_ismcts": NashIsmctsExact,
    "nash_ismcts_learned": NashIsmctsLearned,
    **openspiel.SOLVERS,
    "ismcts": openspiel.IsmctsEverywhere,
    "uct": uct,
    "smooth_uct": SmoothUct,
    "oos": OnlineOutcomeSampling,
    "deep_cfr": deep.DeepCfr,
    "nfsp": deep.Nfsp,
    "rebel": rebel,
}
"""Makers (graph, seed) -> method; `register_method` adds to them."""

DETERMINISTIC = frozenset({"cfr", "cfr_plus", "linear_cfr", "discounted_cfr"})
"""Methods that draw nothing: all seeds are the same run."""


def make_method(name: str, graph: GameGraph, seed: int) -> AnytimeMethod:
    """A method by its name.

    Raises:
      ValueError: no method has that name.
    """
    if name not in METHODS:
        raise ValueError(f"unknown method {name!r}; {did_you_mean(name, METHODS)}")
    return METHODS[name](graph, seed)


def register_method(name: str, maker: Callable[[GameGraph, int], AnytimeMethod]) -> None:
    """Adds a method of one's own, in this process; `nash-ismcts compare --import` may call it.

    Raises:
      ValueError: the name is taken.
    """
    if name in METHODS:
        raise ValueError(f"a method is registered as {name!r} already")
    METHODS[name] = maker
