"""All methods by name, ours among them: each can be stopped at any time, and its exploitability is
measured over CPU time.

Only the time that a method itself takes is counted; turning its policy into a table and measuring
it are not. Exploitability is NashConv / number of players, of the policy that the method would
hand out at that time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.baselines import deep, openspiel
from nash_ismcts_spiel.baselines.oos import OnlineOutcomeSampling
from nash_ismcts_spiel.baselines.smooth_uct import UCT, SmoothUct
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.learning import ExactLoop, TrainingConfig
from nash_ismcts_spiel.learning.loops import make_loop
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.settings import did_you_mean

_TELL_EVERY = 0.5
"""CPU seconds."""


class AnytimeMethod(Protocol):
    """Something that improves a policy step by step."""

    def step(self) -> None:
        """A generation, an iteration, or whatever the method counts."""
        ...

    def policy(self) -> npt.NDArray[np.float64]:
        """The policy that it would hand out now, one entry per action of the graph. [A]"""
        ...


class Point(NamedTuple):
    """A measurement.

    Attributes:
      cpu_seconds: processor time of the method so far.
      steps: steps so far.
      exploitability: of its policy.
    """

    cpu_seconds: float
    steps: int
    exploitability: float


def trace(
    method: AnytimeMethod,
    graph: GameGraph,
    seconds: float,
    ratio: float = 1.1,
    first: float = 0.01,
    enough: float = 0.0,
    on_point: Callable[[Point], object] = lambda point: None,
) -> list[Point]:
    """Runs a method for so many CPU seconds and measures it on the way.

    Args:
      method: what to run.
      graph: the enumerated graph that its policies belong to.
      seconds: its budget; the step during which it ends is finished and counted.
      ratio: from one measurement to the next, time grows by this factor (and by a step at least).
      first: seconds until the first measurement.
      enough: stops at this exploitability.
      on_point: called with each measurement.
    """
    points: list[Point] = []
    last, due = Point(0.0, 0, math.inf), first
    while last.cpu_seconds < seconds:
        last = _run_until(min(due, seconds), method, graph, last)
        points.append(last)
        on_point(last)
        if last.exploitability <= enough:
            break
        due = max(due, last.cpu_seconds) * ratio
    return points


def trace_at(
    method: AnytimeMethod,
    graph: GameGraph,
    times: Sequence[float],
    on_point: Callable[[Point], object] = lambda point: None,
    on_time: Callable[[float], object] = lambda cpu_seconds: None,
) -> list[Point]:
    """Measures a method once per time, in CPU seconds, increasing; as `trace` otherwise.

    A step that takes longer than from one time to the next counts at both. `on_time` is called
    with the time used, every now and then, outside the time that is counted.
    """
    points: list[Point] = []
    last = Point(0.0, 0, math.inf)
    for due in times:
        last = _run_until(due, method, graph, last, on_time)
        points.append(last)
        on_point(last)
    return points


def _run_until(
    due: float,
    method: AnytimeMethod,
    graph: GameGraph,
    last: Point,
    on_time: Callable[[float], object] = lambda cpu_seconds: None,
) -> Point:
    """Runs a method on from its last measurement, and measures it again if it did anything."""
    used, steps, told = last.cpu_seconds, last.steps, last.cpu_seconds
    while used < due:
        started = time.process_time()
        method.step()
        used += time.process_time() - started
        steps += 1
        if used - told >= _TELL_EVERY:
            on_time(used)
            told = used
    if steps == last.steps:
        return last
    return Point(used, steps, exact.exploitability(graph, method.policy()))


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
