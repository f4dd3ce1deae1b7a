"""Files: checkpoints that are either whole or not there, names of games in paths, and versions.

A checkpoint is written under a temporary name, flushed to the disk and renamed, so a process that
is killed at any moment leaves the previous one. Files hold plain arrays only; nothing in them is
executed when they are read.
"""

from __future__ import annotations

import io
import json
import os
import platform
import re
import zipfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

FORMAT = 1
_NUMBERS = "numbers"

Arrays = Mapping[str, npt.NDArray[np.generic]]


class CheckpointError(ValueError):
    """A file is not a whole checkpoint of this format."""


class Checkpoint(NamedTuple):
    """What a run keeps.

    Attributes:
      numbers: counters and the like, plain JSON values.
      arrays: the models' arrays by name.
    """

    numbers: dict[str, Any]
    arrays: Arrays


def save(path: Path, checkpoint: Checkpoint) -> None:
    """Replaces the checkpoint at `path`."""
    numbers = json.dumps({"format": FORMAT, **checkpoint.numbers})
    buffer = io.BytesIO()
    np.savez(
        buffer,
        allow_pickle=False,
        **{_NUMBERS: np.array(numbers), **{f"array_{k}": v for k, v in checkpoint.arrays.items()}},
    )
    replace_file(path, buffer.getvalue())


def load(path: Path) -> Checkpoint:
    """Reads a checkpoint.

    Raises:
      CheckpointError: the file is truncated, foreign, or of a newer format; it is named.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            numbers = json.loads(str(stored[_NUMBERS]))
            arrays = {
                name.removeprefix("array_"): stored[name]
                for name in stored.files
                if name != _NUMBERS
            }
    except (OSError, EOFError, TypeError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise CheckpointError(f"{path} is not a whole checkpoint: {error}") from error
    if not isinstance(numbers, dict) or numbers.pop("format", None) != FORMAT:
        raise CheckpointError(f"{path} was written by another version of nash_ismcts_spiel")
    return Checkpoint(numbers, arrays)


def replace_file(path: Path, content: bytes) -> None:
    """Writes a file so that readers see the old or the new content, never a part."""
    temporary = path.with_name(f"{path.name}.new")
    with open(temporary, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def file_name(game: str) -> str:
    """A game's name as part of a path."""
    return re.sub(r"[^A-Za-z0-9_.]+", "-", game).strip("-")


def versions() -> dict[str, str]:
    """What a run is made with: Python and the packages that matter."""
    packages = ("nash_ismcts_spiel", "open_spiel", "numpy", "torch")
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # run from a source tree
            found[package] = "unknown"
    return found
