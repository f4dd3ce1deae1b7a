"""Writes the report of the study from its records: tables in Markdown, and plots."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.exact_study.report import DRAWN, at, file_name, spread_of, table
from benchmarks.exact_study.tasks import Record
from benchmarks.learned_study.tasks import PLAY_BOTS, PLAY_VISITS, TARGETS
from exploitability import PUBLISHED
from exploitability.curve import Curve, draw_curves

_TIMES = (30.0, 60.0, 120.0, 180.0, 240.0, 300.0)


def curves_section(records: Sequence[Record], folder: Path) -> str:
    """The main table, exploitability over time, and a plot per game."""
    rows, over_time, plots = [], [], []
    for game, target in TARGETS.items():
        ours = [record for record in records if record["game"] == game]
        if not ours:
            continue
        bar, within = target.asked
        agreement = max(abs(r["openspiel"] - r["points"][-1][2]) for r in ours)
        final = [record["points"][-1] for record in ours]
        rows.append([
            target.title,
            f"{bar:g} in {within:g} s, goal {target.goal:g}",
            spread_of([p[2] for p in final]),
            f"{target.seconds:g}",
            f"{statistics.median(p[1] for p in final):,.0f}",
            f"{statistics.median(p[3] for p in final) / 1e6:,.0f} M",
            " ".join(f"{_last(record, 'hidden_divergence'):.4f}" for record in ours),
            f"{agreement:.0e}",
        ])  # fmt: skip
        times = [time for time in _TIMES if time <= target.seconds]
        cells = [spread_of([at(record, time) for record in ours]) for time in times]
        over_time.append([target.title, *cells, *[""] * (len(_TIMES) - len(times))])
        plots.append(_draw(game, ours, folder))
    header = ["game", "asked", "exploitability of P: median (all seeds)", "CPU s", "generations",
              "simulations", "KL of H from Bayes' rule, nats", "OpenSpiel differs by"]  # fmt: skip
    later = table(["game", *(f"{time:g} s" for time in _TIMES)], over_time)
    return "\n\n".join([table(header, rows), later, "\n".join(plots)])


def _last(record: Record, column: str) -> float:
    """The last figure in a column of a training's points."""
    return float(record["points"][-1][record["columns"].index(column)])


def _draw(game: str, records: Sequence[Record], folder: Path) -> str:
    title = TARGETS[game].title
    anchors = {
        f"{p.method.partition(',')[0]} ({p.exploitability:g})": p.exploitability
        for p in PUBLISHED
        if p.game == game and p.method.startswith(DRAWN)
    }
    curves = [
        Curve("P network", [p[0] for p in r["points"]], [p[2] for p in r["points"]])
        for r in records
    ]
    path = folder / f"curve_{file_name(title)}.png"
    end = statistics.median(record["points"][-1][2] for record in records)
    found = f"{title}: P ends at {end:.4f}, the median of {len(records)} seeds"
    draw_curves(path, curves, found, "CPU seconds", anchors)
    return f"![{title}]({folder.name}/{path.name})"


def play_section(records: Sequence[Record]) -> str:
    """Search at play time round the trained policies."""
    rows = []
    for record in sorted(records, key=lambda r: (list(TARGETS).index(r["game"]), r["seed"])):
        for bot in PLAY_BOTS:
            for models in ("learned", "exact"):
                here = [p for p in record["play"] if (p["bot"], p["models"]) == (bot, models)]
                if not here:
                    continue
                base = here[0]["exploitability_of_policy"]
                cells = [f"{p['mean_policy']:.4f} ({p['mean_policy'] / base:.2f})" for p in here]
                title = TARGETS[record["game"]].title
                rows.append([title, str(record["seed"]), f"{base:.4f}", bot, models, *cells])
    header = ["game", "seed", "P", "search", "models", *(f"{v} visits" for v in PLAY_VISITS)]
    return table(header, rows)


def peers_section(stored: dict[str, Any]) -> str:
    """Deep CFR and NFSP beside ours, from the file of `benchmarks.learned_against_peers`."""
    parts = [
        f"Made by `python -m benchmarks.learned_against_peers --seconds {stored['seconds']:g} "
        f"--seeds {len(stored['seeds'])}`."
    ]
    for game, found in stored["results"].items():
        methods = list(found["median"])
        rows = [
            [f"{time:g}", *(f"{found['median'][method][k]:.4f}" for method in methods)]
            for k, time in enumerate(found["times"])
        ]
        title = TARGETS[game].title
        parts.append(f"**{title}**\n\n" + table(["CPU s", *methods], rows))
    return "\n\n".join(parts)


def large_section(stored: dict[str, Any], folder: Path) -> str:
    """Games that are not enumerated, from the file of `benchmarks.large_games`."""
    rows, training = [], []
    for game, found in stored["games"].items():
        first, last = found["metrics"][0], found["metrics"][-1]
        training.append([
            game,
            f"{last['wall_seconds']:,.0f} ({last['cpu_seconds']:,.0f})",
            f"{last['generation']}",
            f"{last['games']:,.0f}",
            f"{last['searches']:,.0f}",
            f"{last['simulations'] / last['cpu_seconds']:,.0f}",
            *(
                f"{first[f'new_loss_{name}']:.2f} → {last[f'new_loss_{name}']:.2f}"
                for name in ("policy", "value", "hidden")
            ),
        ])  # fmt: skip
        for pairing in found["pairings"]:
            rows.append([
                game,
                pairing["players"][0],
                pairing["players"][1],
                f"{pairing['games']}",
                f"{pairing['mean']:+.3f} ± {pairing['half_width']:.3f}",
            ])  # fmt: skip
        times = [m["cpu_seconds"] for m in found["metrics"]]
        curves = [
            Curve(name, times, [m[f"new_loss_{name}"] for m in found["metrics"]])
            for name in ("policy", "value", "hidden")
        ]
        path = folder / f"losses_{game}.png"
        falls = f"the loss of P falls from {curves[0].y[0]:.2f} to {curves[0].y[-1]:.2f}"
        draw_curves(path, curves, f"{game}: {falls}", "CPU seconds", y_label="loss on new rows")
    header = ["game", "wall (CPU) s", "generations", "games", "searches", "simulations/CPU s",
              "P: loss on new rows", "V and Vc", "H and Vc"]  # fmt: skip
    plots = " ".join(f"![{game}]({folder.name}/losses_{game}.png)" for game in stored["games"])
    return "\n\n".join([
        f"Made by `{stored['command']}`, seed {stored['seed']}.",
        table(header, training),
        table(["game", "player", "against", "games", "utility per game, 95%"], rows),
        plots,
    ])  # fmt: skip
