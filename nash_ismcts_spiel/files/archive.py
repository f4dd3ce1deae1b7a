"""Checkpoints: plain JSON values and arrays in one `.npz` file, either whole or not there.

Nothing in a file is executed when it is read, and nothing is allocated that the file does not hold:
members are stored as they are, never packed, and an array must fill its member exactly. Each member
has a checksum. A member that was not asked for is refused.
"""

from __future__ import annotations

import io
import json
import math
import struct
import tokenize
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.files.damage import MOST_JSON_BYTES, CheckpointError, parse_json
from nash_ismcts_spiel.files.disk import DISK, Disk, open_to_read, replace_file

FORMAT = 1
_NUMBERS = "numbers"
_PREFIX, _SUFFIX = "array_", ".npy"
_MOST_MEMBERS = 1_000_000
_KINDS = "biufU"
"""Kinds of numpy's types that are read: numbers and text."""

Arrays = Mapping[str, npt.NDArray[np.generic]]

_UNREADABLE = (
    OSError,
    EOFError,
    TypeError,
    ValueError,
    LookupError,
    RuntimeError,
    ArithmeticError,
    MemoryError,
    SyntaxError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
)
"""What reading an archive that is none may raise."""


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
    buffer = io.BytesIO()
    np.savez(
        buffer,
        allow_pickle=False,
        **{
            _NUMBERS: np.array(numbers),
            **{f"{_PREFIX}{name}": array for name, array in checkpoint.arrays.items()},
        },
    )
    replace_file(path, buffer.getvalue(), disk)


def load(path: Path, names: Collection[str] | None = None) -> Checkpoint:
    """Reads a checkpoint that may have arrays of these names, of any if None.

    Raises:
      CheckpointError: the file is truncated, foreign, has other members, or is of a newer format;
        it is named.
    """
    try:
        with open_to_read(path) as file, zipfile.ZipFile(file) as archive:
            members = stored_members(archive, _size(file))
            numbers = _numbers(archive, members)
            arrays = {
                _array_name(name, names): _array(archive, member)
                for name, member in members.items()
                if name != _NUMBERS + _SUFFIX
            }
    except _UNREADABLE as error:
        raise CheckpointError(f"{path} is not a whole checkpoint: {error}") from error
    return Checkpoint(_of_this_format(path, numbers), arrays)


def load_numbers(path: Path) -> dict[str, Any]:
    """The numbers of a checkpoint alone; raises as `load` does."""
    try:
        with open_to_read(path) as file, zipfile.ZipFile(file) as archive:
            numbers = _numbers(archive, stored_members(archive, _size(file)))
    except _UNREADABLE as error:
        raise CheckpointError(f"{path} is not a whole checkpoint: {error}") from error
    return _of_this_format(path, numbers)


def stored_members(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """The members of an archive in a file of so many bytes, by name.

    Raises:
      ValueError: one is packed, says that it is larger than the file, or is there twice.
    """
    members = archive.infolist()
    if len(members) > _MOST_MEMBERS:
        raise ValueError(f"it has {len(members)} members")
    for member in members:
        if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
            raise ValueError(f"its member {member.filename!r} is packed")
    total = sum(member.file_size for member in members)
    if total > size:
        raise ValueError(f"its members claim {total:,} bytes of a file of {size:,}")
    found = {member.filename: member for member in members}
    if len(found) != len(members):
        raise ValueError("it has a member twice")
    return found


def _array_name(member: str, names: Collection[str] | None) -> str:
    name = member.removeprefix(_PREFIX).removesuffix(_SUFFIX)
    if member != f"{_PREFIX}{name}{_SUFFIX}" or (names is not None and name not in names):
        raise ValueError(f"it has a member {member!r}, which is not expected")
    return name


def _size(file: IO[bytes]) -> int:
    return file.seek(0, io.SEEK_END)


def _numbers(archive: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo]) -> Any:
    member = members[_NUMBERS + _SUFFIX]
    if member.file_size > 4 * MOST_JSON_BYTES:  # four bytes per character
        raise ValueError(f"its numbers have {member.file_size:,} bytes")
    text = _array(archive, member)
    if text.shape != () or text.dtype.kind != "U":
        raise ValueError("its numbers are not text")
    return parse_json(str(text))


def _of_this_format(path: Path, numbers: Any) -> dict[str, Any]:
    if not isinstance(numbers, dict) or numbers.pop("format", None) != FORMAT:
        raise CheckpointError(f"{path} was written by another version of nash_ismcts_spiel")
    return numbers


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> npt.NDArray[np.generic]:
    """The array of a member, after its header was checked against the member's size."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version != (1, 0) and version != (2, 0):
            raise ValueError(f"{member.filename} has version {version}")
        read = np.lib.format
        header = read.read_array_header_1_0 if version == (1, 0) else read.read_array_header_2_0
        shape, by_columns, kind = header(file)
        if kind.hasobject or kind.kind not in _KINDS:
            raise ValueError(f"{member.filename} has entries of type {kind}")
        size = math.prod(shape) * kind.itemsize
        if min(shape, default=0) < 0 or size != member.file_size - file.tell():
            raise ValueError(f"{member.filename} has not the {size:,} bytes of its shape {shape}")
        content = bytearray(file.read())  # whoever gets the array may write to it
    flat = np.frombuffer(content, dtype=kind, count=math.prod(shape))
    return flat.reshape(shape, order="F" if by_columns else "C")
