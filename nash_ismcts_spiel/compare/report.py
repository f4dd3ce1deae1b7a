"""The report of a comparison: plots and one HTML file that opens without a network.

Curves are medians over seeds, bands reach from the best seed to the worst. Exploitability is
NashConv / number of players, in the game's utility units.
"""

from __future__ import annotations

import base64
import html
import importlib.util
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from exploitability.curve import Curve, draw_curves
from nash_ismcts_spiel.compare.records import Record
from nash_ismcts_spiel.compare.study import Study
from nash_ismcts_spiel.files import file_name, naming, replace_file

REPORT = "report.html"

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; color: #222 }
table { border-collapse: collapse; margin: 0.8rem 0; font-size: 13px }
th, td { border: 1px solid #ccc; padding: 0.25rem 0.6rem; text-align: right }
th:first-child, td:first-child { text-align: left }
img { max-width: 100% } .best { font-weight: bold } .note { color: #666 }
"""


def write_report(study: Study) -> Path:
    """Writes a plot per game and the report; returns the report's path."""
    records = study.records()
    games = "\n".join(_game(study, game, records) for game in study.config.games)
    text = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>Comparison</title><style>{_STYLE}</style></head><body>\n"
        "<h1>Exploitability over CPU time</h1>\n"
        f"<p>Every method had {study.config.seconds:g} CPU seconds on one core, one after the "
        f"other; seeds 0 to {study.config.seeds - 1}, or once if it draws nothing. At the same "
        "times the policy that it would hand out was measured by an exact best response. "
        "Exploitability is NashConv / number of players, in the game's utility units. Building the "
        "game graph and measuring do not count; a step that a time falls into was finished first."
        f"</p>\n{_summary(study)}\n{games}\n{_settings(study)}</body></html>\n"
    )
    path = study.directory / REPORT
    replace_file(path, text.encode())
    return path


def final_figures(study: Study, game: str) -> dict[str, float]:
    """Median exploitability of each method that ran, at the end."""
    runs = _runs(study, game, study.records())
    return {method: median_at(found, -1) for method, found in runs.items()}


def plot_path(study: Study, game: str) -> Path:
    """Where a game's plot is."""
    return study.directory / f"{file_name(game)}.svg"


def summary(study: Study) -> tuple[list[str], list[list[str]]]:
    """Titles and rows of a table: methods by games, medians at the end."""
    final = {game: final_figures(study, game) for game in study.config.games}
    rows = []
    for method in study.config.methods:
        cells = [found.get(method) for found in final.values()]
        rows.append([method, *("-" if cell is None else shown(cell) for cell in cells)])
    return ["method", *study.config.games], rows


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


def _game(study: Study, game: str, records: list[Record]) -> str:
    runs = _runs(study, game, records)
    about = next((r for r in records if r["game"] == game and "worlds" in r), None)
    parts = [f"<h2>{html.escape(game)}</h2>", _about(about)]
    if runs:
        tables = [_final_table(study, runs), _curve_table(study, runs)]
        parts += [_plot(study, game, runs), *tables]
    skipped = {
        record["method"]: record["skipped"]
        for record in records
        if record["game"] == game and "skipped" in record
    }
    if skipped:
        rows = [[html.escape(method), html.escape(why)] for method, why in skipped.items()]
        parts.append("<h3>Not run</h3>" + _table(["method", "because"], rows))
    waiting = len(study.config.methods) - len(runs.keys() | skipped.keys())
    if waiting:
        parts.append(f'<p class="note">{waiting} methods have not been run yet.</p>')
    return "\n".join(parts)


def _runs(study: Study, game: str, records: list[Record]) -> dict[str, list[Any]]:
    """Points of all seeds, by method, in the order asked for."""
    found = {
        method: [r["points"] for r in records if _is_run(r, game, method)]
        for method in study.config.methods
    }
    return {method: runs for method, runs in found.items() if runs}


def _is_run(record: Record, game: str, method: str) -> bool:
    return (record["game"], record.get("method")) == (game, method) and "points" in record


def _about(about: Record | None) -> str:
    if about is None:
        return ""
    said = (
        f"{about['information_sets']:,} information sets, {about['worlds']:,} worlds, "
        f"{about['players']} players; building its graph took {about['graph_seconds']:g} s."
    )
    if about["players"] != 2 or about["utility_sum"] is None:
        said += (
            " This is no game of two players with a constant sum: figures are mean gains from "
            "deviating, and no method is known to converge."
        )
    return f'<p class="note">{html.escape(said)}</p>'


def _plot(study: Study, game: str, runs: dict[str, list[Any]]) -> str:
    if importlib.util.find_spec("matplotlib") is None:
        return '<p class="note">No plot: matplotlib (the extra `plot`) is not installed.</p>'
    curves = []
    for method, found in runs.items():
        # Seeds overrun a time by different amounts; one place for all lets the plot join them.
        times = [statistics.median(p[k][0] for p in found) for k in range(len(found[0]))]
        curves += [Curve(method, times, [max(p[2], 1e-12) for p in points]) for points in found]
    path = plot_path(study, game)
    with naming(path):
        draw_curves(path, curves, title=game, x_label="CPU seconds", by_points=True)
    drawn = base64.b64encode(path.read_bytes()).decode()
    return f'<img alt="{html.escape(game)}" src="data:image/svg+xml;base64,{drawn}">'


def _summary(study: Study) -> str:
    titles, rows = summary(study)
    escaped = [[html.escape(cell) for cell in row] for row in rows]
    return "<h2>At the end, all games</h2>" + _table(map(html.escape, titles), escaped)


def _final_table(study: Study, runs: dict[str, list[Any]]) -> str:
    rows = []
    for method, found in sorted(runs.items(), key=lambda item: median_at(item[1], -1)):
        last = [points[-1] for points in found]
        worst = max(point[2] for point in last)
        rows.append(
            [
                html.escape(method),
                shown(median_at(found, -1)),
                f"{shown(min(point[2] for point in last))} to {shown(worst)}",
                lowest(study, found),
                f"{statistics.median(point[0] for point in last):.2f}",
                f"{statistics.median(point[1] for point in last):,.0f}",
                str(len(last)),
            ]
        )
    titles = ["method", "exploitability, median", "seeds from, to", "lowest median on the way"]
    titles += ["CPU seconds", "steps", "seeds"]
    return "<h3>At the end</h3>" + _table(titles, rows)


def _curve_table(study: Study, runs: dict[str, list[Any]]) -> str:
    rows = []
    for k, moment in enumerate(study.config.times):
        medians = [median_at(found, k) for found in runs.values()]
        cells = [
            f'<span class="best">{shown(m)}</span>' if m == min(medians) else shown(m)
            for m in medians
        ]
        rows.append([f"{moment:g}", *cells])
    return "<h3>Curves</h3>" + _table(["CPU seconds", *map(html.escape, runs)], rows)


def _settings(study: Study) -> str:
    known = study.circumstances
    rows = [[html.escape(name), html.escape(str(v))] for name, v in known["versions"].items()]
    rows += [["machine", html.escape(known["machine"])], ["begun", html.escape(known["begun"])]]
    config = study.config.to_dict()
    rows += [[html.escape(name), html.escape(str(value))] for name, value in config.items()]
    return "<h2>Settings</h2>" + _table(["", ""], rows)


def _table(titles: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{title}</th>" for title in titles)
    body = "\n".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>\n{body}</table>"
