"""The report of a comparison: plots, an HTML file that opens without a network, and the same
figures as a Markdown page, for documentation kept beside the code.

Curves are medians over seeds, bands reach from the best seed to the worst. Exploitability is
NashConv / number of players, in the game's utility units. The pages are `report.html.j2` and
`report.md.j2`, which escape all that they show: names come from files.
"""

from __future__ import annotations

import html
import importlib.util
import io
import re
import shlex
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import jinja2

from exploitability.curve import Curve, draw_curves, looks
from nash_ismcts_spiel.compare.study import Record, Study
from nash_ismcts_spiel.files import file_name, naming, replace_file
from nash_ismcts_spiel.games.names import short_title

REPORT, PAGE = "report.html", "report.md"
OURS = ("nash_ismcts", "nash_ismcts_learned")
_LEAST = 1e-12
"""Exploitability below this is drawn as this: a logarithm needs something."""

Runs = dict[str, list[Any]]
"""Points of all seeds, by method, in the order asked for."""


def write_report(study: Study) -> Path:
    """Writes a plot per game, if matplotlib is there, and both pages; returns the first's path."""
    records = study.records()
    for game in study.config.games:
        with naming(_plot_path(study, game)):
            _draw(_plot_path(study, game), game, _runs(study, game, records))
    contents = _contents(study, records)
    for name in (PAGE, REPORT):
        path = study.directory / name
        replace_file(path, environment().get_template(f"{name}.j2").render(contents).encode())
    return path


def final_figures(study: Study, game: str) -> dict[str, float]:
    """Median exploitability of each method that ran, at the end."""
    return _final(_runs(study, game, study.records()))


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


def environment(*folders: Path) -> jinja2.Environment:
    """Where templates of pages are: in `folders`, then here; what they show is escaped."""
    loader = jinja2.FileSystemLoader([*folders, Path(__file__).parent])
    found = jinja2.Environment(
        loader=loader,
        autoescape=lambda name: not str(name).endswith(".md.j2"),
        undefined=jinja2.StrictUndefined,
    )
    found.filters["plain"] = _plain
    return found


def _plain(text: str) -> str:
    """A text that Markdown shows as it is, in one line."""
    shown_as_is = re.sub(r"([\\`*\[\]|~#!])", r"\\\1", " ".join(text.split()))
    return html.escape(shown_as_is, quote=False)


def _contents(study: Study, records: list[Record]) -> dict[str, Any]:
    """What the pages show."""
    config, known = study.config, study.circumstances
    times, methods = config.times, config.methods
    columns = sorted({len(times) // 2, (3 * len(times)) // 4, len(times) - 1})
    games = [_game(study, game, records, columns) for game in config.games]
    packages = ", ".join(f"{name} {version}" for name, version in known["versions"].items())
    machine = [("machine", known["machine"]), ("begun", known["begun"])]
    settings = [(name, str(value)) for name, value in config.to_dict().items()]
    return {
        "config": config,
        "games": games,
        "looks": looks(methods, [method for method in methods if method in OURS]),
        "number": {method: index for index, method in enumerate(methods)},
        "ours": OURS,
        "shown": shown,
        "settings": [*known["versions"].items(), *machine, *settings],
        "command": _command(study),
        "circumstances": f"{packages}; {known['machine']}; {known['begun']}.",
        "columns": [f"{times[k]:g} s" for k in columns],
        "summary": [
            [method, *(shown(g["final"][method]) if method in g["final"] else "-" for g in games)]
            for method in methods
        ],
    }


def _command(study: Study) -> str:
    """What made the comparison."""
    config = study.config
    games, methods = (" ".join(map(shlex.quote, each)) for each in (config.games, config.methods))
    command = (
        f"nash-ismcts compare --games {games} --methods {methods} "
        f"--cpu-seconds {config.seconds:g} --seeds {config.seeds} --out DIR"
    )
    # A fence of three would end at three that a name brings along.
    return " ".join(command.split()).replace("```", "` ` `")


def _game(study: Study, game: str, records: list[Record], columns: Sequence[int]) -> dict[str, Any]:
    """What the pages show of a game."""
    runs = _runs(study, game, records)
    of_game = [record for record in records if record["game"] == game]
    skipped = {r["method"]: r["skipped"] for r in of_game if "skipped" in r}
    final, plot = _final(runs), _plot_path(study, game)
    rows = sorted(
        (_row(study, method, each) for method, each in runs.items()),
        key=lambda row: float(row["median"]),
    )
    return {
        "title": short_title(game),
        "about": next((_about(r) for r in of_game if "worlds" in r), ""),
        "final": final,
        "lowest": min(final.values(), default=None),
        "finding": finding(game, final) if runs else "",
        "chart": _chart(game, runs, study.config.methods),
        "plot": plot.name if plot.exists() else "",
        "rows": rows,
        "lines": [
            [row["method"], *(shown(row["medians"][k]) for k in columns)]
            + [f"{shown(row['low'])} to {shown(row['high'])}", row["way"]]
            + [f"{row['steps']:,.0f}", str(row["seeds"])]
            for row in rows
        ],
        "moments": [
            (moment, {method: _median_at(each, k) for method, each in runs.items()})
            for k, moment in enumerate(study.config.times)
        ],
        "skipped": skipped,
        "waiting": len(study.config.methods) - len(runs.keys() | skipped.keys()),
    }


def _row(study: Study, method: str, runs: Sequence[Any]) -> dict[str, Any]:
    """A method's figures, and the lowest median on the way: later figures are a rise."""
    last, times = [points[-1] for points in runs], study.config.times
    medians = [_median_at(runs, k) for k in range(len(times))]
    best = min(medians)
    return {
        "method": method,
        "median": medians[-1],
        "medians": medians,
        "low": min(point[2] for point in last),
        "high": max(point[2] for point in last),
        "way": f"{shown(best)} at {times[medians.index(best)]:g} s",
        "seconds": statistics.median(point[0] for point in last),
        "steps": statistics.median(point[1] for point in last),
        "seeds": len(last),
    }


def _final(runs: Runs) -> dict[str, float]:
    return {method: _median_at(found, -1) for method, found in runs.items()}


def _median_at(runs: Sequence[Any], index: int) -> float:
    """Median exploitability over runs at one of the times."""
    return float(statistics.median(points[index][2] for points in runs))


def _runs(study: Study, game: str, records: list[Record]) -> Runs:
    found: Runs = {method: [] for method in study.config.methods}
    for record in records:
        if record["game"] == game and "points" in record and record["method"] in found:
            found[record["method"]].append(record["points"])
    return {method: runs for method, runs in found.items() if runs}


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


def _plot_path(study: Study, game: str) -> Path:
    return study.directory / f"{file_name(short_title(game))}.png"


def _draw(path: Path | IO[bytes], game: str, runs: Runs) -> bool:
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


def _chart(game: str, runs: Runs, methods: Sequence[str]) -> str:
    """The plot as an SVG inside the page, whose parts can be hidden by method; may be empty."""
    drawn = io.BytesIO()
    if not _draw(drawn, game, runs):
        return ""
    text = drawn.getvalue().decode()
    text = re.sub(r"<metadata>.*?</metadata>| xmlns(:\w+)?=\"[^\"]*\"", "", text, flags=re.DOTALL)
    for number, method in enumerate(runs):
        text = text.replace(f'id="curve-{number}"', f'class="m{methods.index(method)}"')
    return text[text.index("<svg") :]
