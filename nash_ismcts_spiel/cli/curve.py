"""`nash-ismcts exploitability --curve`: exploitability of a search against its visits.

Each point is the median over several searches, with the range, and as a multiple of what the policy
has that the search starts from: P of its models, or uniform play where it has none. Values are in
the game's utility units.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from typing import Any, NamedTuple

from exploitability import Measurement
from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.common import print_json, quantity_of
from nash_ismcts_spiel.config import MOST_VISITS
from nash_ismcts_spiel.games import SupportedGame

Report = Callable[[int, int], None]
"""Told how many parts of a measurement are done, and of how many."""


class Start(NamedTuple):
    """What a search is compared with.

    Attributes:
      words: which policy it is.
      policy: the policy itself.
    """

    words: str
    policy: Any


class Point(NamedTuple):
    """Measurements with one number of visits.

    Attributes:
      visits: of each search.
      median, low, high: of the quantity over the searches.
      multiple: the median, by the quantity of the starting policy; None where that is 0.
      runs: all of them.
    """

    visits: int
    median: float
    low: float
    high: float
    multiple: float | None
    runs: list[float]


def visits_of(text: str) -> list[int]:
    """Numbers of visits, as --curve takes them.

    Raises:
      ValueError: they are no increasing positive numbers.
    """
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    increase = all(low < high for low, high in zip(found, found[1:], strict=False))
    if not found or not increase or not 0 < found[0] <= found[-1] <= MOST_VISITS:
        raise ValueError(f"--curve takes increasing numbers such as 10,100,1000, not {text!r}")
    return found


def print_curve(
    arguments: argparse.Namespace,
    game: SupportedGame,
    start: Start,
    measured: Callable[[Any, int, Report], Measurement],
    searching: Callable[[int], Any],
    how: str,
) -> None:
    """Measures and prints a curve.

    Args:
      arguments: of the command: `curve`, `seeds`, `seed`, `bot`, `json`.
      game: what is played.
      start: what the search is compared with.
      measured: measures a policy, or what makes bots, with a seed.
      searching: what makes bots with so many visits.
      how: how it is measured, for the last line.
    """
    visits = visits_of(arguments.curve)
    seeds = range(arguments.seed, arguments.seed + arguments.seeds)
    name, scale = quantity_of(game)
    with Work("measuring", None, "parts") as work:
        of_start = scale * measured(start.policy, 0, lambda *done: None).exploitability
        points = []
        for number, each in enumerate(visits):
            runs = []
            for index, seed in enumerate(seeds):
                before, searches = number * len(seeds) + index, len(visits) * len(seeds)
                report = share(work, before, searches)
                runs.append(scale * measured(searching(each), seed, report).exploitability)
            points.append(_point(each, runs, of_start))
    found = {
        "game": game.name,
        "bot": arguments.bot,
        "quantity": name,
        "start": {"policy": start.words, "value": of_start},
        "curve": [point._asdict() for point in points],
        "seeds": list(seeds),
        "how": how,
    }
    if arguments.json:
        print_json(found)
    else:
        print(_table(found, points))


def share(work: Work, before: int, searches: int) -> Report:
    """What a measurement tells that is one of several, so many of which are done."""
    return lambda done, total: work.at(before * total + done, searches * total)


def _point(visits: int, runs: list[float], of_start: float) -> Point:
    median = statistics.median(runs)
    multiple = median / of_start if of_start > 0.0 else None
    return Point(visits, median, min(runs), max(runs), multiple, runs)


def _table(found: dict[str, Any], points: list[Point]) -> str:
    start, searches = found["start"], len(found["seeds"])
    lines = [
        f"{found['game']}: {found['quantity']} of {found['bot']}, median of {searches} "
        f"{'search' if searches == 1 else 'searches'} and range",
        f"{start['policy']}, without search: {start['value']:.4f}",
        f"{'visits':>10}{'median':>10}{'range':>20}{'multiple':>10}",
    ]
    for point in points:
        spread = f"{point.low:.4f} to {point.high:.4f}"
        multiple = "" if point.multiple is None else f"{point.multiple:.2f}"
        lines.append(f"{point.visits:>10,}{point.median:>10.4f}{spread:>20}{multiple:>10}")
    return "\n".join([*lines, found["how"]])
