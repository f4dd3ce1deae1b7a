"""The lines of `comparison.jsonl`: written whole, and checked when they are read.

A line is about a game, about a run of a method, or about a method that could not run. Each has a
digest (`files/lines.py`).
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from nash_ismcts_spiel.files import DamagedFileError
from nash_ismcts_spiel.files.damage import read_bytes
from nash_ismcts_spiel.files.disk import (
    append_to_file,
    replace_file,
    sync_directory,
    sync_file,
)
from nash_ismcts_spiel.files.lines import MOST_BYTES, Line, read_lines, sealed

Record = dict[str, Any]

RECORDS = "comparison.jsonl"
_ORIGIN = "comparison"
"""What the first line's digest follows."""
_LARGEST = 1 << 63


def read_records(path: Path) -> list[Record]:
    """All records; a last line that was cut off by an interruption does not count.

    Raises:
      DamagedFileError: a line is no record, or not as it was written; file and line are named.
    """
    return [_checked(path, line) for line in read_lines(path, _ORIGIN)]


def append_record(path: Path, record: Record) -> None:
    """Adds a record, and returns when it is on the disk."""
    lines = read_lines(path, _ORIGIN)
    text, _ = sealed(json.dumps(record), lines[-1].digest if lines else _ORIGIN)
    append_to_file(path, (text + "\n").encode())
    sync_file(path)
    sync_directory(path.parent)


def drop_cut_line(path: Path) -> None:
    """Takes away a last line that was cut off, and ends one that only lacks its end."""
    if path.exists():
        lines = read_lines(path, _ORIGIN)
        written = read_bytes(path, MOST_BYTES)
        whole = written[: lines[-1].end if lines else 0].removesuffix(b"\n")
        whole += b"\n" if whole else b""
        if whole != written:
            replace_file(path, whole)


def _checked(path: Path, line: Line) -> Record:
    try:
        _check(line.record)
    except ValueError as error:
        raise DamagedFileError(f"{path}, line {line.number} is no record: {error}") from error
    return line.record


_KINDS: tuple[dict[str, type], ...] = (
    {"game": str, "method": str, "skipped": str},
    {"game": str, "method": str, "seed": int, "points": list},
    {
        "game": str, "information_sets": int, "worlds": int, "players": int,
        "utility_sum": float, "graph_seconds": float,
    },
)  # fmt: skip
"""The entries of a method that could not run, of a run, and of a game; a sum may not be known."""


def _check(record: Record) -> None:
    """Raises ValueError unless a record is one of the three kinds."""
    kind = next((kind for kind in _KINDS if kind.keys() == record.keys()), None)
    if kind is None:
        raise ValueError(f"its entries are {', '.join(sorted(map(str, record)))}")
    for name, wanted in kind.items():
        value = record[name]
        unknown = name == "utility_sum" and value is None
        right = _is_number(value) if wanted is float else type(value) is wanted
        if not (right or unknown):
            raise ValueError(f"{name} is {value!r}")
    points = record.get("points", [[0, 0, 0]])
    if not points or not all(map(_is_point, points)):
        raise ValueError("points are not (CPU seconds, steps, exploitability)")


def _is_number(value: Any) -> bool:
    if type(value) is int:
        return abs(value) < _LARGEST
    return type(value) is float and math.isfinite(value)


def _is_point(point: Any) -> bool:
    return isinstance(point, list) and len(point) == 3 and all(map(_is_number, point))
