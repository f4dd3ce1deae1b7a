"""Writes the report of the study from its records: tables in Markdown, and plots."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

from benchmarks.exact_study.parts import (
    ABLATED,
    ABLATION_SECONDS,
    ABLATIONS,
    COLLAPSE,
    COLLAPSE_RADII,
    COLLAPSE_REPEATS,
    COLLAPSE_VISITS,
    PEERS,
    TARGETS,
)
from benchmarks.exact_study.tasks import RPS, Record
from exploitability import PUBLISHED
from exploitability.curve import Curve, draw_curves

LABELS = {
    "nash_ismcts": "Nash-ISMCTS (P)",
    "cfr": "CFR",
    "cfr_plus": "CFR+",
    "external_sampling": "external sampling",
    "outcome_sampling": "outcome sampling",
}
OURS = ("Nash-ISMCTS (P)", "average policy P")
"""Curves that are drawn boldest."""

PLAYED = "radius 0.4"
"""Is drawn boldest of all radii."""

DRAWN = ("ReBeL, CFR-D", "ReBeL, public", "Student of Games")
"""Published figures that are drawn as lines."""

TITLES = {game: target.title for game, target in TARGETS.items()} | {RPS: "Rock-Paper-Scissors"}


def file_name(title: str) -> str:
    """A title as part of a file name."""
    return title.lower().replace("'", "").replace(" ", "_")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def at(record: Record, seconds: float) -> float:
    """Exploitability when so much CPU time was used: the last measurement before."""
    before = [point for point in record["points"] if point[0] <= seconds * 1.001]
    return float((before or record["points"][:1])[-1][2])


def spread_of(values: Sequence[float]) -> str:
    """Median and all values."""
    values = sorted(values)
    return f"**{statistics.median(values):.4f}** ({' '.join(f'{v:.4f}' for v in values)})"


def curves_section(records: Sequence[Record], folder: Path) -> str:
    """The main table, and a plot per game and axis."""
    rows = []
    plots = []
    for game, target in TARGETS.items():
        of_game = [record for record in records if record["game"] == game]
        ours = [record for record in of_game if record["method"] == "nash_ismcts"]
        if not ours:
            continue
        final = [record["points"][-1] for record in ours]
        agreement = max(abs(r["openspiel"] - r["points"][-1][2]) for r in ours)
        for bar, within in target.bars:
            used = min(within, target.seconds)
            found = spread_of([at(record, used) for record in ours])
            rows.append([
                target.title, f"{bar:g} in {within:g} s", found, f"{used:g}",
                f"{statistics.median(p[1] for p in final):,.0f}",
                f"{statistics.median(p[3] for p in final) / 1e6:,.0f} M",
                f"{agreement:.0e}",
            ])  # fmt: skip
        plots.append(_draw_game(game, of_game, folder))
    header = ["game", "asked", "exploitability of P: median (all seeds)", "CPU s", "generations",
              "simulations", "OpenSpiel differs by"]  # fmt: skip
    return table(header, rows) + "\n\n" + _peers_table(records) + "\n\n" + "\n".join(plots)


def _draw_game(game: str, records: Sequence[Record], folder: Path) -> str:
    title = TITLES[game]
    anchors = {
        f"{p.method.partition(',')[0]} ({p.exploitability:g})": p.exploitability
        for p in PUBLISHED
        if p.game == game and p.method.startswith(DRAWN)
    }
    by_time = [
        Curve(LABELS[r["method"]], [p[0] for p in r["points"]], [p[2] for p in r["points"]])
        for r in records
    ]
    ours = [record for record in records if record["method"] == "nash_ismcts"]
    by_generation = [
        Curve(label, [p[1] for p in r["points"]], [p[column] for p in r["points"]])
        for r in ours
        for label, column in (("average policy P", 2), ("one generation's search policy", 4))
    ]
    by_visits = [
        Curve(curve.label, [p[3] for p in record["points"]], curve.y)
        for curve, record in zip(by_generation, [r for r in ours for _ in range(2)], strict=True)
    ]
    links = []
    for axis, curves, label in (
        ("cpu_seconds", by_time, "CPU seconds"),
        ("generations", by_generation, "generations"),
        ("visits", by_visits, "simulations in all trees"),
    ):
        path = folder / f"curve_{file_name(title)}_{axis}.png"
        end = statistics.median(record["points"][-1][2] for record in ours)
        found = f"{title}: P ends at {end:.4f}, the median of {len(ours)} seeds"
        draw_curves(path, curves, found, label, anchors, ours=OURS)
        links.append(f"![{title}, {label}]({folder.name}/{path.name})")
    return " ".join(links)


def _peers_table(records: Sequence[Record]) -> str:
    rows = []
    for game in TARGETS:
        of_game = [record for record in records if record["game"] == game]
        peers = [record for record in of_game if record["method"] != "nash_ismcts"]
        if not peers:
            continue
        seconds = min(record["points"][-1][0] for record in of_game)
        row = [TITLES[game], f"{seconds:.1f}"]
        for method in ("nash_ismcts", *PEERS):
            found = [at(record, seconds) for record in of_game if record["method"] == method]
            row.append(f"{statistics.median(found):.4f}" if found else "")
        rows.append(row)
    return table(["game", "CPU s", *(LABELS[m] for m in ("nash_ismcts", *PEERS))], rows)


def ablation_section(records: Sequence[Record]) -> str:
    """Exploitability of P at the end, one thing changed at a time."""
    rows = []
    for name, settings in ABLATIONS.items():
        row = [name]
        for game in ABLATED:
            found = [r for r in records if r["game"] == game and r["settings"] == dict(settings)]
            row.append(spread_of([record["points"][-1][2] for record in found]))
            row.append(f"{statistics.median(r['points'][-1][1] for r in found):,.0f}")
        rows.append(row)
    header = ["changed"]
    for game in ABLATED:
        header += [f"{TITLES[game]}, {ABLATION_SECONDS:g} s", "generations"]
    return table(header, rows)


def collapse_section(records: Sequence[Record], folder: Path) -> str:
    """Exploitability against visits, per game and radius."""
    parts = []
    for game, policy in COLLAPSE.items():
        of_game = [record for record in records if record["game"] == game]
        if not of_game:
            continue
        base = of_game[0]["exploitability_of_policy"]
        curves, rows = [], []
        for radius in COLLAPSE_RADII:
            found = sorted((r for r in of_game if r["radius"] == radius), key=lambda r: r["visits"])
            row = [f"{radius:g}"]
            for visits in sorted({record["visits"] for record in found}):
                here = [r for r in found if r["visits"] == visits]
                mean = statistics.median(r["mean_policy"] for r in here)
                single = statistics.median(r["single_search"] for r in here)
                row.append(f"{mean:.4f} ({single:.4f})")
            rows.append(row)
            for seed in {record["seed"] for record in found}:
                mine = [r for r in found if r["seed"] == seed]
                curves.append(
                    Curve(
                        f"radius {radius:g}",
                        [r["visits"] for r in mine],
                        [r["mean_policy"] for r in mine],
                    )
                )
        path = folder / f"collapse_{file_name(TITLES[game])}.png"
        most = max(record["visits"] for record in of_game)
        ends = {
            radius: statistics.median(
                record["mean_policy"]
                for record in of_game
                if (record["radius"], record["visits"]) == (radius, most)
            )
            for radius in (min(COLLAPSE_RADII), max(COLLAPSE_RADII))
        }
        said = ", ".join(f"{end:.3f} with radius {radius:g}" for radius, end in ends.items())
        title = f"{TITLES[game]}, round {policy}: {most} visits end at {said}"
        draw_curves(path, curves, title, "visits", {"P": base}, by_points=True, ours=[PLAYED])
        header = ["radius", *(f"{v} visits" for v in COLLAPSE_VISITS)]
        parts.append(
            f"**{TITLES[game]}**, P = {policy.replace('_', ' ')}, exploitability {base:.4f}\n\n"
            + table(header, rows)
            + f"\n\n![{TITLES[game]}]({folder.name}/{path.name})"
        )
    intro = (
        f"Each cell: exploitability of the mean policy of {COLLAPSE_REPEATS} searches and, in "
        "brackets, of a single search; medians over three seeds."
    )
    return intro + "\n\n" + "\n\n".join(parts)
