"""Checkpoints: plain JSON values and arrays in one safetensors file, either whole or not there.

Nothing in a file is executed when it is read, and nothing is allocated that the file does not hold:
safetensors refuses headers that do not account for every byte behind them. A digest of all numbers
and arrays is in the header, so that a wrong bit is seen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import safetensors.numpy
from safetensors import SafetensorError

from nash_ismcts_spiel.files.damage import CheckpointError, parse_json
from nash_ismcts_spiel.files.disk import DISK, Disk, open_to_read, replace_file

FORMAT = 2
_NUMBERS, _DIGEST = "numbers", "digest"
_ZIP = b"PK\x03\x04"
"""How the files of format 1 began."""
_OLD = (
    "is of a format that is gone (.npz): train anew, or take an earlier version of "
    "nash_ismcts_spiel to go on with it"
)

_UNREADABLE = (OSError, SafetensorError, LookupError, TypeError, ValueError, AttributeError)
"""What reading a file that is no checkpoint may raise."""

Arrays = Mapping[str, npt.NDArray[np.generic]]


class Checkpoint(NamedTuple):
    """What a run keeps.

    Attributes:
      numbers: counters and the like, plain JSON values.
      arrays: the models' arrays by name.
    """

    numbers: dict[str, Any]
    arrays: Arrays


def save(path: Path, checkpoint: Checkpoint, disk: Disk = DISK) -> None:
    """Replaces the checkpoint at `path`."""
    numbers = json.dumps({"format": FORMAT, **checkpoint.numbers})
    arrays = {name: np.asarray(array, order="C") for name, array in checkpoint.arrays.items()}
    header = {_NUMBERS: numbers, _DIGEST: _digest(numbers, arrays)}
    replace_file(path, safetensors.numpy.save(arrays, header), disk)


def load(path: Path) -> Checkpoint:
    """Reads a checkpoint.

    Raises:
      CheckpointError: the file is truncated, damaged, foreign, or of another format; it is named.
    """
    if not path.exists() and path.with_suffix(".npz").exists():
        path = path.with_suffix(".npz")
    try:
        with open_to_read(path) as file:
            if file.read(len(_ZIP)) == _ZIP:
                raise CheckpointError(f"{path} {_OLD}")
        with safetensors.safe_open(path, "np") as stored:
            header = stored.metadata()
            numbers = parse_json(header[_NUMBERS])
            arrays = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
        if header[_DIGEST] != _digest(header[_NUMBERS], arrays):
            raise ValueError("it is not as it was written")
    except CheckpointError:
        raise
    except _UNREADABLE as error:
        raise CheckpointError(f"{path} is not a whole checkpoint: {error}") from error
    if not isinstance(numbers, dict) or numbers.pop("format", None) != FORMAT:
        raise CheckpointError(f"{path} was written by another version of nash_ismcts_spiel")
    return Checkpoint(numbers, arrays)


def _digest(numbers: str, arrays: Arrays) -> str:
    """Of accidents and not of enemies."""
    found = hashlib.sha256(numbers.encode())
    for name in sorted(arrays):
        array = arrays[name]
        found.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        found.update(array.data if array.size else b"")
    return found.hexdigest()
