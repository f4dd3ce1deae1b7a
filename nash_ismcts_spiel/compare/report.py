"""The report of a comparison: plots and one HTML file that opens without a network.

Curves are medians over seeds, bands reach from the best seed to the worst. Exploitability is
NashConv / number of players, in the game's utility units. The page is `report.html.j2`, which
escapes all that it shows.
"""

from __future__ import annotations

import importlib.util
import io
import re
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import jinja2

from exploitability.curve import Curve, draw_curves, looks
from nash_ismcts_spiel.compare.records import Record
from nash_ismcts_spiel.compare.study import Study
from nash_ismcts_spiel.files import file_name, naming, replace_file
from nash_ismcts_spiel.games.titles import short_title

REPORT = "report.html"
_TEMPLATE = "report.html.j2"
OURS = ("nash_ismcts", "nash_ismcts_learned")
_LEAST = 1e-12
"""Exploitability below this is drawn as this: a logarithm needs something."""


def write_report(study: Study) -> Path:
    """Writes a plot per game, if matplotlib is there, and the report; returns the report's path."""
    records = study.records()
    for game in study.config.games:
        runs = _runs(study, game, records)
        with naming(plot_path(study, game)):
            _draw(plot_path(study, game), game, runs)
    methods = study.config.methods
    known = study.circumstances
    settings = [
        *known["versions"].items(),
        ("machine", known["machine"]),
        ("begun", known["begun"]),
    ]
    text = (
        environment()
        .get_template(_TEMPLATE)
        .render(
            config=study.config,
            games=[_game(study, game, records) for game in study.config.games],
            looks=looks(methods, [method for method in methods if method in OURS]),
            number={method: index for index, method in enumerate(methods)},
            ours=OURS,
            shown=shown,
            settings=[*settings, *((name, str(v)) for name, v in study.config.to_dict().items())],
        )
    )
    path = study.directory / REPORT
    replace_file(path, text.encode())
    return path


def final_figures(study: Study, game: str) -> dict[str, float]:
    """Median exploitability of each method that ran, at the end."""
    return _final(_runs(study, game, study.records()))


def plot_path(study: Study, game: str) -> Path:
    """Where a game's plot is."""
    return study.directory / f"{file_name(short_title(game))}.png"


def summary(study: Study) -> tuple[list[str], list[list[str]]]:
    """Titles and rows of a table: methods by games, medians at the end."""
    final = {game: final_figures(study, game) for game in study.config.games}
    rows = []
    for method in study.config.methods:
        cells = [found.get(method) for found in final.values()]
        rows.append([method, *("-" if cell is None else shown(cell) for cell in cells)])
    return ["method", *map(short_title, study.config.games)], rows


def finding(game: str, final: dict[str, float]) -> str:
    """What a game's figures show, in one line: who ends lowest, and where ours do."""
    order = sorted(final, key=final.__getitem__)
    said = [f"{order[0]} ends lowest, at {shown(final[order[0]])}"]
    for method in OURS:
        if method in final and method != order[0]:
            place = order.index(method) + 1
            said.append(f"{method} is number {place} of {len(order)}, at {shown(final[method])}")
    return f"{short_title(game)}: {'; '.join(said)}"


def shown(value: float) -> str:
    """An exploitability in few digits."""
    return f"{value:.5f}" if value >= 1e-4 or value == 0.0 else f"{value:.1e}"


def median_at(runs: Sequence[Any], index: int) -> float:
    """Median exploitability over runs at one of the times."""
    return float(statistics.median(points[index][2] for points in runs))


def lowest(study: Study, runs: Sequence[Any]) -> str:
    """The lowest median on the way and when it was reached: later figures are a rise."""
    medians = [median_at(runs, k) for k in range(len(study.config.times))]
    best = min(medians)
    return f"{shown(best)} at {study.config.times[medians.index(best)]:g} s"


def environment(*folders: Path) -> jinja2.Environment:
    """Where templates of pages are: in `folders`, then here; what they show is escaped."""
    loader = jinja2.FileSystemLoader([*folders, Path(__file__).parent])
    return jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)


def _game(study: Study, game: str, records: list[Record]) -> dict[str, Any]:
    """What the page shows of a game."""
    runs = _runs(study, game, records)
    about = next((r for r in records if r["game"] == game and "worlds" in r), None)
    skipped = {
        record["method"]: record["skipped"]
        for record in records
        if record["game"] == game and "skipped" in record
    }
    found: dict[str, Any] = {
        "title": short_title(game),
        "about": "" if about is None else _about(about),
        "final": _final(runs),
        "skipped": skipped,
        "waiting": len(study.config.methods) - len(runs.keys() | skipped.keys()),
    }
    found["lowest"] = min(found["final"].values(), default=None)
    if runs:
        found |= {
            "finding": finding(game, found["final"]),
            "chart": _chart(game, runs, study.config.methods),
            "rows": sorted(
                (_row(study, method, each) for method, each in runs.items()),
                key=lambda row: float(row["median"]),
            ),
            "moments": [
                (moment, {method: median_at(each, k) for method, each in runs.items()})
                for k, moment in enumerate(study.config.times)
            ],
        }
    return found


def _row(study: Study, method: str, runs: Sequence[Any]) -> dict[str, Any]:
    last = [points[-1] for points in runs]
    return {
        "method": method,
        "median": median_at(runs, -1),
        "low": min(point[2] for point in last),
        "high": max(point[2] for point in last),
        "way": lowest(study, runs),
        "seconds": statistics.median(point[0] for point in last),
        "steps": statistics.median(point[1] for point in last),
        "seeds": len(last),
    }


def _final(runs: dict[str, list[Any]]) -> dict[str, float]:
    return {method: median_at(found, -1) for method, found in runs.items()}


def _runs(study: Study, game: str, records: list[Record]) -> dict[str, list[Any]]:
    """Points of all seeds, by method, in the order asked for."""
    found = {
        method: [r["points"] for r in records if _is_run(r, game, method)]
        for method in study.config.methods
    }
    return {method: runs for method, runs in found.items() if runs}


def _is_run(record: Record, game: str, method: str) -> bool:
    return (record["game"], record.get("method")) == (game, method) and "points" in record


def _about(about: Record) -> str:
    said = (
        f"{about['information_sets']:,} information sets, {about['worlds']:,} worlds, "
        f"{about['players']} players; building its graph took {about['graph_seconds']:g} s."
    )
    if about["players"] != 2 or about["utility_sum"] is None:
        said += (
            " This is no game of two players with a constant sum: figures are mean gains from "
            "deviating, and no method is known to converge."
        )
    return said


def _draw(path: Path | IO[bytes], game: str, runs: dict[str, list[Any]]) -> bool:
    """Draws the curves; returns whether there are any, and matplotlib."""
    if not runs or importlib.util.find_spec("matplotlib") is None:
        return False
    curves = []
    for method, found in runs.items():
        # Seeds overrun a time by different amounts; one place for all lets the plot join them.
        times = [statistics.median(p[k][0] for p in found) for k in range(len(found[0]))]
        curves += [Curve(method, times, [max(p[2], _LEAST) for p in points]) for points in found]
    title = finding(game, _final(runs)).replace(": ", "\n", 1)
    draw_curves(path, curves, title, "CPU seconds", by_points=True, ours=OURS)
    return True


def _chart(game: str, runs: dict[str, list[Any]], methods: Sequence[str]) -> str:
    """The plot as an SVG inside the page, whose parts can be hidden by method; may be empty."""
    drawn = io.BytesIO()
    if not _draw(drawn, game, runs):
        return ""
    text = drawn.getvalue().decode()
    text = re.sub(r"<metadata>.*?</metadata>| xmlns(:\w+)?=\"[^\"]*\"", "", text, flags=re.DOTALL)
    for number, method in enumerate(runs):
        text = text.replace(f'id="curve-{number}"', f'class="m{methods.index(method)}"')
    return text[text.index("<svg") :]
