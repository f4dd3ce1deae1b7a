"""Boards in text, drawn from a player's own observation string.

In the phantom and dark games a point that a player does not know of looks empty to it; in dark
chess a square that it does not see is shaded.
"""

from __future__ import annotations

import re
import string

from nash_ismcts_spiel.games.hand import Sight

_STONES = {"+": "·", "X": "●", "O": "○"}
_HEX = {".": "·", **dict.fromkeys("xyzX", "x"), **dict.fromkeys("opqO", "o")}
"""Hex has letters of its own for stones that are joined to a side."""

_PIECES = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True))
_UNSEEN = "▒"


def squares(game: str, sight: Sight) -> list[str]:
    """Noughts and crosses: rows and columns are numbered as in the names of moves."""
    rows = _rows(sight.observation)
    lines = ["    " + "   ".join(str(column) for column in range(len(rows[0])))]
    between = "  ├" + "┼".join(["───"] * len(rows[0])) + "┤"
    lines.append("  ┌" + "┬".join(["───"] * len(rows[0])) + "┐")
    for number, row in enumerate(rows):
        if number:
            lines.append(between)
        lines.append(f"{number} │" + "│".join(f" {_blank(cell)} " for cell in row) + "│")
    lines.append("  └" + "┴".join(["───"] * len(rows[0])) + "┘")
    return [*lines, *_hidden(game)]


def hexagons(game: str, sight: Sight) -> list[str]:
    """Hex: x joins top and bottom, o joins left and right; points are named as in c2."""
    rows = _rows(sight.observation)
    lines = ["   " + " ".join(string.ascii_lowercase[: len(rows[0])])]
    for number, row in enumerate(rows):
        points = " ".join(_HEX[cell] for cell in row)
        lines.append(" " * number + f"{number + 1:>2} {points}")
    lines.append(f"you are {'xo'[sight.player]}: join {_SIDES[sight.player]}")
    return [*lines, *_hidden(game)]


_SIDES = ("top and bottom", "left and right")


def go(game: str, sight: Sight) -> list[str]:
    """Go: black ● moves first; points are named as in c2."""
    lines, said = [], []
    for line in sight.observation.splitlines():
        if found := re.fullmatch(r"( *\d+) ([+XO]+)", line):
            lines.append(f"{found[1]} " + " ".join(_STONES[cell] for cell in found[2]))
        elif re.fullmatch(r" +[A-Z]+", line):
            lines.append("   " + " ".join(line.strip().lower()))
        elif line.strip():
            said.append(line)
    if not lines:
        raise ValueError(sight.observation)
    return [*lines, f"you are {'●○'[sight.player]}", *said, *_hidden(game)]


def chess(game: str, sight: Sight) -> list[str]:
    """Chess: a board in Forsyth-Edwards notation, white at the bottom."""
    text, *below = sight.observation.split("\n")
    *ranks, last = text.split("/")
    sensed = "rbc" in game
    rows = [_squares(rank, sensed)[0] for rank in ranks]
    if not rows or len({len(row) for row in rows}) != 1:
        raise ValueError(sight.observation)
    row, rest = _squares(last, sensed, len(rows[0]))
    rows.append(row)
    files = "  " + " ".join(string.ascii_lowercase[: len(rows[0])])
    lines = [files]
    for number, row in zip(range(len(rows), 0, -1), rows, strict=True):
        lines.append(f"{number} " + " ".join(row) + f" {number}")
    lines.append(files)
    # pyspiel numbers players by colours, black first.
    lines.append(f"you are {('black', 'white')[sight.player]}")
    said = [line.strip() for line in (rest, *below) if line.strip()]
    shaded = [f"{_UNSEEN} is not seen"] if any(_UNSEEN in row for row in rows) else _hidden(game)
    return [*lines, *said, *shaded]


def _squares(rank: str, sensed: bool, width: int | None = None) -> tuple[list[str], str]:
    """The squares of a rank, `width` of them or all, and the text behind them. A number stands for
    so many empty squares and a question mark for one that is not seen; where squares are `sensed`,
    a number for those that are not, and a blank for one that was found empty.
    """
    found: list[str] = []
    many = _UNSEEN if sensed else "·"
    for match in re.finditer(r"\d+|.", rank):
        if len(found) == width:
            return found, rank[match.start() :]
        part = match[0]
        if part.isdigit():
            found += [many] * int(part)
        else:
            found.append({"?": _UNSEEN, " ": "·", **_PIECES}[part])
    return found, ""


def _rows(text: str) -> list[str]:
    """The rows of a board, which the string begins with."""
    rows: list[str] = []
    for line in text.splitlines():
        cells = line.replace(" ", "")
        if not re.fullmatch(r"[.a-zA-Z]+", cells) or (rows and len(cells) != len(rows[0])):
            break
        rows.append(cells)
    if not rows:
        raise ValueError(text)
    return rows


def _blank(cell: str) -> str:
    return " " if cell == "." else cell


def _hidden(game: str) -> list[str]:
    dark = re.search(r"phantom|dark|kriegspiel|rbc", game)
    return ["an empty point may hold a hidden piece"] if dark else []
