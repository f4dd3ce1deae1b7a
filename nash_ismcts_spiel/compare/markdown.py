"""The figures of a comparison as a Markdown page, for documentation kept beside the code."""

from __future__ import annotations

import html
import re
import shlex
import statistics
from pathlib import Path
from typing import Any

from nash_ismcts_spiel.compare.report import lowest, median_at, plot_path, shown, summary
from nash_ismcts_spiel.compare.study import Study
from nash_ismcts_spiel.files import replace_file
from nash_ismcts_spiel.games.titles import short_title

PAGE = "report.md"


def write_markdown(study: Study) -> Path:
    """Writes tables of all games; returns the page's path."""
    known = study.circumstances
    packages = ", ".join(f"{name} {version}" for name, version in known["versions"].items())
    config = study.config
    games, methods = (" ".join(map(shlex.quote, each)) for each in (config.games, config.methods))
    command = (
        f"nash-ismcts compare --games {games} --methods {methods} "
        f"--cpu-seconds {config.seconds:g} --seeds {config.seeds} --out DIR"
    )
    # A fence of three would end at three that a name brings along.
    fenced = " ".join(command.split()).replace("```", "` ` `")
    circumstances = escaped(f"{packages}; {known['machine']}; {known['begun']}.")
    sections = [
        f"Made by\n\n```sh\n{fenced}\n```",
        "Exploitability is NashConv / number of players, in the game's utility units: median and "
        "range over seeds of the policy that a method would hand out after so many CPU seconds of "
        "one core, and the lowest median on the way with its time. Methods that draw nothing ran "
        f"once. {circumstances}",
        "## All games, at the end\n\n" + _table(*summary(study)),
        *(_game(study, game) for game in config.games),
    ]
    path = study.directory / PAGE
    replace_file(path, ("\n\n".join(sections) + "\n").encode())
    return path


def _game(study: Study, game: str) -> str:
    records = [record for record in study.records() if record["game"] == game]
    times = study.config.times
    columns = sorted({len(times) // 2, (3 * len(times)) // 4, len(times) - 1})
    titles = ["method", *(f"{times[k]:g} s" for k in columns)]
    titles += ["range at the end", "lowest", "steps", "seeds"]
    rows = []
    for method in study.config.methods:
        runs = [r["points"] for r in records if r.get("method") == method and "points" in r]
        if runs:
            rows.append((median_at(runs, -1), _row(study, method, runs, columns)))
    lines = [
        f"## {escaped(short_title(game))}",
        "",
        _table(titles, [row for _, row in sorted(rows)]),
    ]
    plot = plot_path(study, game)
    if plot.exists():
        lines += ["", f"![exploitability over CPU seconds]({plot.name})"]
    skipped = [r for r in records if "skipped" in r]
    if skipped:
        lines += ["", "Not run:", ""]
        lines += [f"- {escaped(r['method'])}: {escaped(r['skipped'])}" for r in skipped]
    return "\n".join(lines)


def _row(study: Study, method: str, runs: list[Any], columns: list[int]) -> list[str]:
    last = sorted(points[-1][2] for points in runs)
    steps = statistics.median(points[-1][1] for points in runs)
    cells = [shown(median_at(runs, k)) for k in columns]
    spread = f"{shown(last[0])} to {shown(last[-1])}"
    return [method, *cells, spread, lowest(study, runs), f"{steps:,.0f}", str(len(runs))]


def _table(titles: list[str], rows: list[list[str]]) -> str:
    return "\n".join([_line(titles), "|" + "---|" * len(titles), *map(_line, rows)])


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(map(escaped, cells)) + " |"


def escaped(text: str) -> str:
    """A text that Markdown shows as it is, in one line: names come from files."""
    shown_as_is = re.sub(r"([\\`*\[\]|~#!])", r"\\\1", " ".join(text.split()))
    return html.escape(shown_as_is, quote=False)
