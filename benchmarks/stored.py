"""Where results are stored, and how: in docs/results, or where NASH_ISMCTS_RESULTS says.

Records are JSON with one line per entry: small, and a change shows where it is.
"""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nash_ismcts_spiel.files import file_name
from nash_ismcts_spiel.games.names import short_title

VARIABLE = "NASH_ISMCTS_RESULTS"
RESULTS = Path(os.environ.get(VARIABLE, Path(__file__).resolve().parents[1] / "docs" / "results"))


def write_record(path: Path, record: Any) -> None:
    """Writes a record, one line per entry of a list or a dictionary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(in_lines(record), encoding="utf-8")


def in_lines(record: Any) -> str:
    """JSON with one line per entry; entries that hold long lists or dictionaries have lines too."""
    return _lines(record, 0) + "\n"


def game_file(game: str) -> str:
    """A game's name as part of a file's name, at most 33 characters long."""
    return file_name(short_title(game))


_LINE = 400
"""Characters of a line, about; what is longer is divided, down to the entries of its entries."""
_DEPTH = 2


def _lines(value: Any, depth: int) -> str:
    whole = json.dumps(value)
    if not isinstance(value, dict | list) or not value or depth == _DEPTH:
        return whole
    if depth > 0 and len(whole) <= _LINE:
        return whole
    indent = " " * (depth + 1)
    if isinstance(value, dict):
        entries = [f"{json.dumps(str(k))}: {_lines(v, depth + 1)}" for k, v in value.items()]
        opened, closed = "{", "}"
    else:
        entries = [_lines(item, depth + 1) for item in value]
        opened, closed = "[", "]"
    inside = ",\n".join(f"{indent}{entry}" for entry in entries)
    return f"{opened}\n{inside}\n{' ' * depth}{closed}"


def stored_settings(path: Path, measured: bool, now: dict[str, Any]) -> dict[str, Any]:
    """The settings that records were made with: those of now, which are stored, if `measured`."""
    if measured or not path.exists():
        write_record(path, now)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def presets_section(settings: dict[str, Any]) -> str:
    """Presets as blocks of JSON."""
    return "\n\n".join(
        f"{title}:\n\n```json\n{json.dumps(preset, indent=1)}\n```"
        for title, preset in settings["presets"].items()
    )


def seconds_of(runs: Sequence[Mapping[str, Any]]) -> str:
    """The seconds of runs: their median if they are alike, else those of each."""
    times = [run["seconds"] for run in runs]
    if max(times) < 1.1 * min(times):
        times = [statistics.median(times)]
    return " ".join(f"{each:.0f}" for each in times)
