"""Writes the page of `benchmarks.beyond_enumeration` from the files of its points."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel


def write_page(
    results: Path,
    page: Path,
    games: Mapping[str, str],
    policies: Mapping[str, str],
    agents: Mapping[str, str],
) -> None:
    """Writes one table per game: exploitability by agent and simulations per move."""
    rows = [json.loads(path.read_text()) for path in sorted(results.glob("*.json"))]
    text = [
        "# Exact exploitability beyond enumeration",
        "",
        "Made by `python -m benchmarks.beyond_enumeration`. Exploitability is NashConv / 2, exact:",
        "the best response has perfect recall, the measured policy sees its view alone (what its",
        "player sees, not the order in which it came). A bot is searched once per view, with a new",
        "seed each: what an opponent meets who knows the bot's seeds. One who does not meets the",
        "mean over seeds, which mixes more: where it was measured, it follows a semicolon. Points",
        "with several seeds show their mean, and the lowest and the highest in brackets. Time is",
        "CPU time of one point, searches and best responses, on one core.",
    ]
    findings = results / "findings.md"
    if findings.exists():
        text += ["", findings.read_text(encoding="utf-8").strip()]
    for name in games:
        printed = str(pyspiel.load_game(games[name]))
        found = [row for row in rows if row["game"] == printed]
        if found:
            text += ["", *_table(games[name], found, policies, agents)]
    page.write_text("\n".join(text) + "\n", encoding="utf-8")


def _table(
    game: str,
    rows: list[dict[str, Any]],
    policies: Mapping[str, str],
    agents: Mapping[str, str],
) -> list[str]:
    uniform = [row for row in rows if row["agent"] == "uniform"]
    searches = [row for row in rows if row["agent"] in agents]
    visits = sorted({row["visits"] for row in searches})
    views = rows[0]["views"]
    lines = [f"## {game}", "", f"{views:,} views."]
    if uniform:
        (row,) = uniform
        responses = ", ".join(f"{value:.6f}" for value in row["best_response_values"])
        lines += [
            f"Uniform play: {row['exploitability']:.6f} (best responses {responses}; "
            f"{row['information_sets']:,} information sets of the responders, "
            f"{row['cpu_seconds']:.0f} CPU s)."
        ]
    for agent, solver in (
        ("cfr_plus", "CFR+ over views, iterations"),
        ("sweeps", "Training with exact models, sweeps over views"),
    ):
        solved = sorted((row for row in rows if row["agent"] == agent), key=lambda r: r["visits"])
        parts = [f"{row['exploitability']:.4f} after {row['visits']:,}" for row in solved]
        lines += [f"{solver}: {', '.join(parts)}."] if parts else []
    for agent, words in policies.items():
        values = [f"{row['exploitability']:.4f}" for row in rows if row["agent"] == agent]
        if values:
            lines += [f"{words}: {', '.join(values)}."]
    if not searches:
        return lines
    lines += ["", f"| simulations a move | {' | '.join(f'{v:,}' for v in visits)} |"]
    lines += ["|---|" + "---|" * len(visits)]
    for agent, words in agents.items():
        own = [row for row in searches if row["agent"] == agent]
        if own:
            cells = [_cell([row for row in own if row["visits"] == v]) for v in visits]
            lines += [f"| {words} | {' | '.join(cells)} |"]
    return lines


def _cell(rows: list[dict[str, Any]]) -> str:
    mixed = [f"; {row['exploitability']:.4f}" for row in rows if isinstance(row["seed"], list)]
    rows = [row for row in rows if not isinstance(row["seed"], list)]
    if not rows:
        return ""
    values = [row["exploitability"] for row in rows]
    mean, seconds = np.mean(values), np.mean([row["cpu_seconds"] for row in rows])
    span = f" [{min(values):.4f}, {max(values):.4f}]" if len(values) > 1 else ""
    return f"{mean:.4f}{span}{''.join(mixed)} ({seconds:.0f} s)"
