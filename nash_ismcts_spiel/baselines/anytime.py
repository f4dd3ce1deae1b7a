"""Methods that can be stopped at any time, and their exploitability over CPU time.

Only the time that a method itself takes is counted; turning its policy into a table and measuring
it are not. Exploitability is NashConv / number of players, of the policy that the method would
hand out at that time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import exact

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
