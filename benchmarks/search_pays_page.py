"""docs/results/search_pays.md and its figures, from what search_pays.py has stored."""

from __future__ import annotations

import functools
import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.search_pays import GAMES, LOGS, OURS, PARTS, P
from exploitability.curve import spaced
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.games.merged import merged_game
from nash_ismcts_spiel.models import RolloutEvaluator
from nash_ismcts_spiel.models.view_models import view_models
from nash_ismcts_spiel.registry import checkpoint_evaluator

Record = Mapping[str, Any]

WORDS = {
    OURS: "Nash-ISMCTS",
    "ismcts": "ISMCTSBot",
    "mo_ismcts": "MO-ISMCTS",
    "oos": "OOS",
    "nash_ismcts_notes": "notes' search",
    "a_ismcts": "AlphaZero's search",
    P: "P, no search",
}
COLOURS = {
    OURS: "#0072B2",
    "ismcts": "#D55E00",
    "mo_ismcts": "#E69F00",
    "oos": "#009E73",
    "nash_ismcts_notes": "#CC79A7",
    "a_ismcts": "#56B4E9",
    P: "#000000",
}
"""Of Okabe and Ito (2008)."""
PHANTOM = {
    "untrained": {
        "untrained": OURS,
        "mo_ismcts": "mo_ismcts",
        "ismcts": "ismcts",
        "notes": "nash_ismcts_notes",
        "radius_0": "a_ismcts",
        "uniform": P,
    },
    "learned": {
        "forest": OURS,
        "notes_learned": "nash_ismcts_notes",
        "radius_0_learned": "a_ismcts",
        "learned_p": P,
    },
}
"""Agents of benchmarks/beyond_enumeration.py, and what they are here."""
TITLE = "Search pays: the more the bot searches, the harder it is to exploit"
_GAP = 0.07

HEAD = """# Search pays

`python -m benchmarks.search_pays`: exploitability (NashConv / 2, the game's units) of what a search
plays, asked once and afresh at each information set, against its visits. Search seeds 201 to 203:
medians (of fewer seeds in some of the longest searches, as the records say), with the range where
it matters. Settings were chosen with other search seeds and, around models, on other averages of
CFR and other training seeds; but the leash where nothing is trained was chosen on the four games of
its table, and around models the form of the rule was changed four times after it had been measured
on the policies and seeds of this page, each time by constants chosen elsewhere: these served as a
validation set, not as a test. Ours runs `visits` simulations at each decision point of its player's
log, the others' too. *Simulations* are all that one answer rests on, mean over information sets;
for the literal searches these are visits of the root alone. *CPU* is the time of one answer out of
the blue, models not counted. ISMCTSBot is OpenSpiel's in C++ with our resampler's worlds; it and
MO-ISMCTS have the best settings for each game and number of simulations, chosen on other seeds
(`python -m benchmarks.peers`, [records](peers.jsonl)). Every measurement is a line of
[records.jsonl](search_pays/records.jsonl). In phantom_ttt an answer walks 9.5 decision points on
average, and MO-ISMCTS, which searches the merged game too, is ahead of ours where there is little
CPU time.

![exploitability against simulations](../images/search_pays.png)

![exploitability against CPU time](../images/search_pays_cpu.png)
"""


PARTS_HEAD = """## Each learned part in turn

Where the whole game is walked, the bot takes P of the networks, and evaluates it: beliefs H by
Bayes' rule, values V and Vc by expectation. Here some of the networks' own take their place.
Multiples of P's exploitability, medians.
"""
LOGS_HEAD = """## How much of the log

A search walks the last decision points of its player's log: up to eight by default. Multiples of
P's exploitability, medians.
"""


class Points(NamedTuple):
    """One curve: medians over seeds and their range."""

    x: list[float]
    median: list[float]
    low: list[float]
    high: list[float]


def write_page(records: Sequence[Record], results: Path) -> None:
    """Writes the page and both figures."""
    images = results.parent / "images"
    images.mkdir(parents=True, exist_ok=True)
    panels = _panels(records, results / "beyond_enumeration")
    draw(images / "search_pays.png", panels, "simulations", "simulations behind one answer")
    draw(images / "search_pays_cpu.png", panels, "cpu_seconds", "CPU seconds of one answer")
    parts = [
        HEAD,
        _around(records, "exact"),
        _untrained(records),
        _around(records, "learned"),
        _varied(records, PARTS_HEAD, [OURS, *PARTS]),
        _varied(records, LOGS_HEAD, [*LOGS, OURS]),
    ]
    (results / "search_pays.md").write_text("\n".join(parts), encoding="utf-8")


def _around(records: Sequence[Record], panel: str) -> str:
    """Multiples of P's exploitability."""
    chosen = [record for record in records if record["panel"] == panel]
    title = "Around exact models" if panel == "exact" else "Around learned models"
    models = (
        "P is an average of CFR, with its exact H, V and Vc"
        if panel == "exact"
        else (
            "Networks of the package, and of trainings (`python -m benchmarks.trained_models`) by "
            "game, CPU seconds and seed; H, V and Vc follow exactly from their P"
        )
    )
    visits = sorted({record["visits"] for record in chosen if record["agent"] == OURS})
    lines = [f"## {title}", "", f"{models}. Multiples of P's exploitability.", ""]
    lines.append(f"| game | models | P | {' | '.join(f'{each:,}' for each in visits)} |")
    lines.append("|---" * (3 + len(visits)) + "|")
    for game, source in _unique((record["game"], record["source"]) for record in chosen):
        same = [r for r in chosen if (r["game"], r["source"]) == (game, source)]
        (of_p,) = (record["exploitability"] for record in same if record["agent"] == P)
        cells = [_multiple(same, OURS, each) for each in visits]
        lines.append(f"| {GAMES[game]} | {source} | {of_p:.4f} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _varied(records: Sequence[Record], head: str, agents: Sequence[str]) -> str:
    """Variations of our search side by side, where more than the default was measured."""
    columns = " | ".join("default" if agent == OURS else agent for agent in agents)
    lines = [head, f"| game | models | visits | {columns} |", "|---" * (3 + len(agents)) + "|"]
    kinds = ((r["panel"], r["game"], r["source"]) for r in records if r["agent"] in agents)
    for panel, game, source in _unique(kinds):
        same = [r for r in records if (r["panel"], r["game"], r["source"]) == (panel, game, source)]
        for visits in sorted({r["visits"] for r in same}):
            cells = [_multiple(same, agent, visits) for agent in agents]
            if len(agents) - cells.count("") > 1:
                lines.append(f"| {GAMES[game]} | {source} | {visits:,} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _multiple(same: Sequence[Record], agent: str, visits: int) -> str:
    """The median multiple of P's exploitability; nothing where nothing was measured."""
    (of_p,) = (record["exploitability"] for record in same if record["agent"] == P)
    runs = [r["exploitability"] for r in same if (r["agent"], r["visits"]) == (agent, visits)]
    return f"{statistics.median(runs) / of_p:.2f}" if runs else ""


def _untrained(records: Sequence[Record]) -> str:
    """Exploitability by agent, and what an answer costs."""
    chosen = [r for r in records if r["panel"] == "untrained" and r["agent"] in WORDS]
    lines = ["## Untrained", "", "Random rollouts, P uniform.", ""]
    lines.append("| game | search | visits | exploitability | range | simulations | CPU ms |")
    lines.append("|---" * 7 + "|")
    for game, agent, visits in _unique((r["game"], r["agent"], r["visits"]) for r in chosen):
        same = [r for r in chosen if (r["game"], r["agent"], r["visits"]) == (game, agent, visits)]
        runs = [record["exploitability"] for record in same]
        time = 1e3 * statistics.median(record["cpu_seconds"] for record in same)
        setting = same[0]["setting"]
        words = WORDS[agent] + (f" ({setting})" if setting else "")
        simulations = statistics.median(record["simulations"] for record in same)
        lines.append(
            f"| {GAMES[game]} | {words} | {visits:,} | {statistics.median(runs):.4f} | "
            f"{min(runs):.4f} to {max(runs):.4f} | {simulations:,.0f} | {time:.2g} |"
        )
    return "\n".join(lines) + "\n"


def _unique(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return list(dict.fromkeys(rows))


def _panels(records: Sequence[Record], views: Path) -> dict[str, list[Record]]:
    """What each panel of the figures shows, by its title."""
    leduc = [record for record in records if record["game"] == "leduc"]
    shown = _shown(leduc)
    return {
        "Leduc poker, untrained": [r for r in leduc if r["panel"] == "untrained"],
        f"Leduc poker, learned ({shown})": [r for r in leduc if r["source"] == shown],
        "phantom_ttt, untrained": _of_views(views, PHANTOM["untrained"]),
        "phantom_ttt, learned (pretrained)": _of_views(views, PHANTOM["learned"]),
    }


def _shown(leduc: Sequence[Record]) -> str:
    """The learned models with which most searches were measured."""
    agents: dict[str, set[str]] = {}
    for record in leduc:
        if record["panel"] == "learned" and record["agent"] in WORDS:
            agents.setdefault(record["source"], set()).add(record["agent"])
    return max(agents, key=lambda name: len(agents[name]), default="")


def _of_views(folder: Path, agents: Mapping[str, str]) -> list[Record]:
    """Records of phantom_ttt; one answer is one of so many views, and ours walks a log."""
    found = []
    for path in sorted(folder.glob("phantom_ttt-*.json")):
        row = json.loads(path.read_text(encoding="utf-8"))
        if row["agent"] in agents and isinstance(row["seed"], int):
            agent, answers, points = agents[row["agent"]], float(row["views"]), 1.0
            if agent == OURS:
                points, shared = _decision_points(row["agent"] == "untrained")
                answers = shared / points
            simulations, seconds = row["visits"] * points, row["cpu_seconds"] / answers
            found.append(
                {**row, "agent": agent, "simulations": simulations, "cpu_seconds": seconds}
            )
    return found


@functools.lru_cache(maxsize=2)
def _decision_points(untrained: bool) -> tuple[float, int]:
    """Decision points behind an answer in phantom_ttt, mean over views, and those at which searches
    at all views think, who share what logs have in common.
    """
    name = "phantom_ttt"
    merged = merged_game(name)
    source: Any = (
        RolloutEvaluator() if untrained else checkpoint_evaluator("pretrained", support(name))
    )
    models = view_models(merged, source)
    logs = [tuple(models.log(view)) for view in range(len(merged.views))]
    met = {log[:end] for log in logs for end in range(1, len(log) + 1)}
    return statistics.fmean(map(len, logs)), len(met)


def draw(path: Path, panels: Mapping[str, Sequence[Record]], x: str, x_label: str) -> None:
    """Saves a figure of all panels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 8.0), layout="constrained")
    grid = figure.subplots(2, 2)
    for axes, (title, records) in zip(grid.flat, panels.items(), strict=True):
        axes.set(xscale="log", yscale="log", xlabel=x_label)
        axes.set_title(title, fontsize=10, loc="left")
        axes.set_ylabel("exploitability (NashConv / 2)")
        axes.grid(visible=True, which="major", alpha=0.3)
        _panel(axes, records, x)
    figure.suptitle(TITLE, fontsize=12, x=0.01, ha="left", fontweight="bold")
    figure.savefig(path, dpi=80)


def _panel(axes: Any, records: Sequence[Record], x: str) -> None:
    ends = {}
    for agent in WORDS:
        own = [record for record in records if record["agent"] == agent]
        if not own:
            continue
        colour, bold = COLOURS[agent], agent == OURS
        if agent == P:
            height = float(own[0]["exploitability"])
            axes.axhline(height, color=colour, linestyle="--", linewidth=1.2)
            ends[agent] = height
            continue
        points = points_of(own, lambda record: float(record[x]))
        width, size = (3.0, 5) if bold else (1.2, 3)
        axes.plot(
            points.x, points.median, color=colour, linewidth=width, marker="o", markersize=size,
            zorder=3 if bold else 2,
        )  # fmt: skip
        axes.fill_between(points.x, points.low, points.high, color=colour, alpha=0.2, linewidth=0)
        ends[agent] = points.median[-1]
    _label(axes, ends)


def points_of(records: Sequence[Record], x: Callable[[Record], float]) -> Points:
    """The curve of one agent."""
    points = Points([], [], [], [])
    for visits in sorted({record["visits"] for record in records}):
        same = [record for record in records if record["visits"] == visits]
        runs = [record["exploitability"] for record in same]
        points.x.append(statistics.median(map(x, same)))
        for column, value in zip(
            points[1:], (statistics.median(runs), min(runs), max(runs)), strict=True
        ):
            column.append(value)
    return points


def _label(axes: Any, ends: Mapping[str, float]) -> None:
    """Names each curve at the right of the plot, as high as it ends or near that."""
    axes.figure.canvas.draw()
    to_fraction = axes.transData + axes.transAxes.inverted()
    heights = [float(to_fraction.transform((axes.get_xlim()[1], end))[1]) for end in ends.values()]
    for agent, place in zip(ends, spaced(heights, _GAP), strict=True):
        axes.annotate(
            WORDS[agent], (1.01, place), xycoords="axes fraction", color=COLOURS[agent],
            fontsize=9 if agent == OURS else 8, va="center", annotation_clip=False,
            fontweight="bold" if agent == OURS else "normal",
        )  # fmt: skip
