"""The page of learning with networks, from the records of the programs that measure it.

`benchmarks.without_enumeration` and `benchmarks.learned_views` have pages of their own, from which
the first tables are taken; `benchmarks.learning_factors`, `benchmarks.large_games` and
`benchmarks.throughput` store their records in docs/results/learned. Exploitability is NashConv / 2
in the game's units, times are in seconds.

    python -m benchmarks.learned_page
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.exact_study.report import table
from benchmarks.learning_factors import factors_section
from benchmarks.stored import RESULTS, seconds_of
from benchmarks.throughput_page import throughput_section
from exploitability.curve import Curve, draw_curves
from nash_ismcts_spiel.files import file_name

LOSSES = {"policy": "P", "value": "V and Vc", "hidden": "H and Vc"}
INTRODUCTION = """P, V, Vc and H are torch networks that learn from self-play; nothing but the rules
is given. One learner serves games of all sizes. Where a game can be enumerated it may read tables
of the whole game instead of asking networks one by one; with `graph="grown"` it may not, and in
larger games it cannot. Made by `python -m benchmarks.learned_page` from the records of the programs
that are named below. Exploitability is NashConv / 2 in the game's utility units."""


def known_section(folder: Path) -> str:
    """P where the truth is known, without tables."""
    rows = []
    for game, runs in _by_game(folder).items():
        found = [run["exploitability"] for run in runs]
        rows.append([
            game,
            seconds_of(runs),
            f"**{statistics.median(found):.4f}**",
            " ".join(f"{each:.4f}" for each in found),
        ])  # fmt: skip
    return table(["game", "CPU s", "P, median", "P, all seeds"], rows)


def _by_game(folder: Path) -> dict[str, list[dict[str, Any]]]:
    games: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text())
        games.setdefault(record["game"], []).append(record)
    return games


def large_section(stored: dict[str, Any], folder: Path) -> str:
    """Games that are not enumerated, from the file of `benchmarks.large_games`."""
    training, matches, plots = [], [], []
    for game, found in stored["games"].items():
        metrics = found["metrics"]
        last = metrics[-1]
        training.append([
            game,
            f"{last['wall_seconds']:,.0f} ({last['cpu_seconds']:,.0f})",
            f"{last['generation']}",
            f"{last['games']:,.0f}",
            f"{last['searches']:,.0f}",
            *(_fall(metrics, name) for name in LOSSES),
        ])  # fmt: skip
        for pairing in found["pairings"]:
            ours, other = pairing["players"]
            won = f"{pairing['difference']:+.3f} ± {pairing['half_width']:.3f}"
            each = f"{pairing['seconds_per_move']:g}"
            matches.append([game, ours, other, each, f"{pairing['games']}", won])
        times = [each["cpu_seconds"] for each in metrics]
        curves = [
            Curve(words, times, [each[f"new_loss_{name}"] for each in metrics])
            for name, words in LOSSES.items()
        ]
        path = folder / f"losses_{file_name(game)}.png"
        title = f"{game}: V {_fall(metrics, 'value')}, H {_fall(metrics, 'hidden')}"
        draw_curves(path, curves, title, "CPU seconds", y_label="loss on new rows")
        plots.append(f"![{game}]({folder.name}/{path.name})")
    header = ["game", "wall (CPU) s", "generations", "games", "searches"]
    header += [f"{words}: loss on new rows" for words in LOSSES.values()]
    columns = ["game", "player", "against", "s a move", "games", "won more per game and seat, 95%"]
    return "\n\n".join([
        f"Made by {_commands(stored)}, seed {stored['seed']}.",
        table(header, training),
        table(columns, matches),
        " ".join(plots),
    ])  # fmt: skip


def _commands(stored: dict[str, Any]) -> str:
    """The commands that made the entries of all games, each once."""
    found = dict.fromkeys(f"`{entry['command']}`" for entry in stored["games"].values())
    return ", ".join(found)


def _fall(metrics: Sequence[dict[str, Any]], name: str) -> str:
    """A loss on rows that no network had seen: in the first generation and, as single ones are
    noisy, the median of the last tenth of the lines.
    """
    losses = [each[f"new_loss_{name}"] for each in metrics]
    last = statistics.median(losses[-max(1, len(losses) // 10) :])
    return f"{losses[0]:.2f} → {last:.2f}"


def page(folder: Path) -> str:
    """The whole page; what has not been measured is left out."""
    learned = folder / "learned"
    findings = learned / "findings.md"
    sections = ["# Nash-ISMCTS with learned models", INTRODUCTION]
    if findings.exists():
        sections.append(findings.read_text(encoding="utf-8").strip())
    sections += [
        "## Where the truth is known",
        'Learned with `graph="grown"`; [without_enumeration.md](without_enumeration.md) has the '
        "curves and the bot that searches. `python -m benchmarks.without_enumeration`.",
        known_section(folder / "without_enumeration"),
        "## What each part is worth",
        'One change of the default preset at a time, with `graph="grown"`; medians, the ratio to '
        "what nothing changed gives, and the lowest and highest of three seeds. Times are CPU "
        "seconds. `python -m benchmarks.learning_factors`.",
        factors_section(learned / "factors"),
        "## Beyond enumeration",
        "The preset `phantom`, networks over observations; [learned_views.md](learned_views.md) "
        "has more. `python -m benchmarks.learned_views`.",
        known_section(folder / "learned_views"),
    ]
    large, rates = learned / "large_games.json", learned / "throughput.json"
    if large.exists():
        sections += ["## Large games", large_section(json.loads(large.read_text()), learned)]
    if rates.exists():
        sections += ["## Throughput", throughput_section(json.loads(rates.read_text()))]
    return "\n\n".join(sections) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args(arguments)
    (RESULTS / "learned.md").write_text(page(RESULTS), encoding="utf-8")


if __name__ == "__main__":
    main()
