"""docs/results/every_game.md, from what benchmarks of matches and of whole games have stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.listed_games import LISTED, file_name, short

HEAD = """# The default bot in every game

The bot without models: values by random rollouts, P uniform. Figures are for large games of every
kind; [games.md](../games.md) has a search of 64 visits in every game that OpenSpiel registers.
"""

MATCHES = """## Matches

`python -m benchmarks.every_match`: our default bot in one seat and the other player in all others,
hands with the same chance outcomes in every seating. Figures are what our bot won more than the
others, per game and seat, in the game's units, with 95% confidence intervals; **bold** if the
interval leaves out 0. ISMCTS is OpenSpiel's C++ bot with worlds of our resampler, with the best of
twelve settings for each game (`python -m benchmarks.peers`), chosen on other deals, and with equal
CPU time: both get as many simulations as take so much on other deals, and shown is what a move with
a choice then took, ours / its. Budgets below 50 ms are those at which there was time for enough
games; an empty cell has not been played. Against uniform play our bot had .05 s of wall time where
no CPU time is shown. In hanabi all seats win together, so the difference is always 0. A move is
drawn at random where no world is found in time.

The rows of hearts, spades, oh_hell and crazy_eights were made when the value scale, the unit of
exploration, was the root mean square of returns. Theirs are not 0 on average, and it is taken about
the mean now, so the bot explores less there than it did in these matches.
"""

WHOLE = """## Whole games

`python -m benchmarks.whole_games --write`: a default bot in every seat, 64 visits a move, CPU
seconds of moves with a choice; memory is the highest of the process, all seats included.
"""


def _cell(found: dict[str, Any] | None) -> str:
    if found is None:
        return ""
    mean, half_width = found["difference"], found["difference_half_width"]
    text = f"{mean:+.2f} ± {half_width:.2f}"
    setting = f" ({found['setting']})" if found.get("setting") else ""
    lost = found["moves_without_world"]
    return (
        (f"**{text}**" if abs(mean) > half_width else text)
        + setting
        + (f" ({lost} moves without a world)" if lost else "")
    )


def _stored(path: Path) -> dict[str, Any] | None:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _matches(folder: Path) -> list[str]:
    lines = ["| game | games | against uniform | games | CPU ms a move | against ISMCTS |"]
    lines.append("|---|---|---|---|---|---|")
    for name in LISTED:
        begun = folder / file_name(name)
        uniform, peer = (_stored(Path(f"{begun}-{kind}.json")) for kind in ("uniform", "ismcts"))
        if uniform is None and peer is None:
            continue
        games = ["" if row is None else f"{row['games']:,}" for row in (uniform, peer)]
        cpu = "" if peer is None else f"{peer['cpu_ms_ours']:.1f} / {peer['cpu_ms_theirs']:.1f}"
        cells = f"{games[0]} | {_cell(uniform)} | {games[1]} | {cpu} | {_cell(peer)}"
        lines.append(f"| {short(name)} | {cells} |")
    return lines


def _whole(folder: Path) -> list[str]:
    found = _stored(folder / "whole_games.json")
    lines = ["| game | games | moves | s a move | slowest | MiB | without world |"]
    lines.append("|---|---|---|---|---|---|---|")
    for name, row in (found or {"games": {}})["games"].items():
        if row["games"] == 0:
            lines.append(f"| {short(name)} | none finished | | | | | |")
            continue
        lines.append(
            f"| {short(name)} | {row['games']} | {row['moves']} | {row['seconds_a_move']:.3f} | "
            f"{row['slowest_move']:.2f} | {row['megabytes']:.0f} | {row['without_world']} |"
        )
    return lines


def write_page(folder: Path) -> str:
    """Writes the page beside the folder of stored results, and returns its text."""
    parts = [HEAD, MATCHES, "\n".join(_matches(folder)), "", WHOLE, "\n".join(_whole(folder))]
    text = "\n".join(parts) + "\n"
    (folder.parent / "every_game.md").write_text(text, encoding="utf-8")
    return text
