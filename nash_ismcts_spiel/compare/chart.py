"""A game's curves as lines of an inline SVG, with logarithmic axes, for the page of a comparison.

Coordinates are those of the SVG, from its upper left corner. A curve is the median over seeds, its
band reaches from the best seed to the worst.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from exploitability.curve import OTHER_COLOURS, OUR_COLOURS, spaced

WIDTH, HEIGHT = 760, 380
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 170, 12, 42
_DASHES = ("", "7 3", "1.5 3", "7 3 1.5 3", "9 2 2 2 2 2")
_LABEL_GAP = 14.0
LEAST = 1e-12
"""Exploitability below this is drawn as this: a logarithm needs something."""

OURS = ("nash_ismcts", "nash_ismcts_learned")


@dataclasses.dataclass(frozen=True, slots=True)
class Look:
    """How a method is drawn: everywhere the same."""

    colour: str
    dash: str
    width: float


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """A curve: its line and band as lists of points, and where its label stands."""

    method: str
    points: str
    band: str
    end: tuple[float, float]
    label_y: float


@dataclasses.dataclass(frozen=True, slots=True)
class Chart:
    """All that is drawn; ticks are (place, text)."""

    lines: tuple[Line, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]


def looks(methods: Sequence[str]) -> dict[str, Look]:
    """The look of each method; ours are boldest."""
    found: dict[str, Look] = {}
    ours = [method for method in methods if method in OURS]
    others = [method for method in methods if method not in OURS]
    for names, colours, width in ((ours, OUR_COLOURS, 3.2), (others, OTHER_COLOURS, 1.4)):
        for number, name in enumerate(names):
            again, colour = divmod(number, len(colours))
            found[name] = Look(colours[colour], _DASHES[again % len(_DASHES)], width)
    return found


def chart(runs: Mapping[str, Sequence[Any]]) -> Chart:
    """The chart of the runs of each method, each a list of (CPU seconds, steps, exploitability)."""
    xs = [point[0] for found in runs.values() for points in found for point in points]
    ys = [max(point[2], LEAST) for found in runs.values() for points in found for point in points]
    x_ends, y_ends = _decades(xs), _decades(ys)

    def x_of(value: float) -> float:
        return _between(value, x_ends, _LEFT, WIDTH - _RIGHT)

    def y_of(value: float) -> float:
        return _between(max(value, LEAST), y_ends, HEIGHT - _BOTTOM, _TOP)

    drawn = []
    for method, found in runs.items():
        columns = [list(column) for column in zip(*found, strict=True)]
        places = [x_of(statistics.median(p[0] for p in column)) for column in columns]
        median = [y_of(statistics.median(p[2] for p in column)) for column in columns]
        low = [y_of(min(p[2] for p in column)) for column in columns]
        high = [y_of(max(p[2] for p in column)) for column in columns]
        upper = list(zip(places, high, strict=True))
        band = _points([*upper, *reversed(list(zip(places, low, strict=True)))])
        line = _points(list(zip(places, median, strict=True)))
        drawn.append((method, line, band if len(found) > 1 else "", (places[-1], median[-1])))
    heights = spaced([end[1] / HEIGHT for *_, end in drawn], _LABEL_GAP / HEIGHT)
    lines = tuple(
        Line(*parts, label_y=round(height * HEIGHT, 1))
        for parts, height in zip(drawn, heights, strict=True)
    )
    return Chart(lines, _ticks(x_ends, x_of), _ticks(y_ends, y_of))


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """Powers of ten round all values."""
    low = math.floor(math.log10(max(min(values), LEAST)))
    high = math.ceil(math.log10(max(*values, LEAST)))
    return low, max(high, low + 1)


def _between(value: float, ends: tuple[int, int], first: float, last: float) -> float:
    share = (math.log10(max(value, LEAST)) - ends[0]) / (ends[1] - ends[0])
    return first + share * (last - first)


def _ticks(ends: tuple[int, int], place: Any) -> tuple[tuple[float, str], ...]:
    step = 1 + (ends[1] - ends[0]) // 9
    powers = range(ends[0], ends[1] + 1, step)
    return tuple((round(place(10.0**power), 1), f"{10.0**power:g}") for power in powers)
