"""The one error of files that cannot be used, and the limits that are checked before reading.

Whatever is wrong with a file (cut off, a wrong bit, another program's, hostile), reading it ends in
a `DamagedFileError` whose message begins with the file's path.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nash_ismcts_spiel.files.disk import open_to_read

MOST_JSON_BYTES = 1 << 24
"""Most bytes of a JSON text that is read; what is written here stays far below."""

_MOST_NESTING = 32
"""Lists and objects inside each other; what is written here has less than ten."""


class DamagedFileError(ValueError):
    """A file is not what it should be; the message names it."""


class CheckpointError(DamagedFileError):
    """A file is not a whole checkpoint of this format, or not one of this run."""


def read_bytes(path: Path, most: int = MOST_JSON_BYTES) -> bytes:
    """All of a file that has at most so many bytes.

    Raises:
      DamagedFileError: it is larger, or cannot be read.
    """
    try:
        with open_to_read(path) as file:
            content = file.read(most + 1)
    except OSError as error:
        raise DamagedFileError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(content) > most:
        raise DamagedFileError(f"{path} is larger than the {most:,} bytes that it may have")
    return content


def parse_json(text: str | bytes) -> Any:
    """A JSON value that is neither too long nor nested too deeply.

    Raises:
      ValueError: it is not such a value.
    """
    if len(text) > MOST_JSON_BYTES:
        raise ValueError(f"JSON of {len(text):,} characters, {MOST_JSON_BYTES:,} are allowed")
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("JSON is nested too deeply") from None
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > _MOST_NESTING:
            raise ValueError(f"JSON is nested more than {_MOST_NESTING} levels deep")
        inner = [each.values() if isinstance(each, dict) else each for each in level]
        level = [item for items in inner if not _is_plain(items) for item in items]
    return value


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def read_object(path: Path, what: str) -> dict[str, Any]:
    """The JSON object in a file; `what` says in words what it should be.

    Raises:
      DamagedFileError: there is no such file, or something else in it.
    """
    try:
        value = parse_json(read_bytes(path))
    except DamagedFileError:
        raise
    except ValueError as error:
        raise DamagedFileError(f"{path} is not {what}: {error}") from error
    if not isinstance(value, dict):
        raise DamagedFileError(f"{path} is not {what}: it has no names")
    return value
