"""Files of JSON lines that tell when something in them has changed.

The last entry of a line is its `digest`: of all that stands before it in the line and of the digest
of the line before, so that a wrong bit, a missing line and another order are seen. The first line
follows the `origin`, which ties the lines to the run that they belong to.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from nash_ismcts_spiel.files.damage import DamagedFileError, parse_json, read_bytes

MOST_BYTES = 1 << 28
"""Most bytes of a file of lines."""

_DIGITS = 16
_SEALED = re.compile(rb'(?P<text>\{.*), "digest": "(?P<digest>[0-9a-f]{16})"\}', re.DOTALL)


class Line(NamedTuple):
    """A line that was read.

    Attributes:
      number: from 1.
      record: what it says, without the digest.
      digest: its digest.
      end: where in the file the next line begins.
    """

    number: int
    record: dict[str, Any]
    digest: str
    end: int


def digest_of(*parts: str | bytes) -> str:
    """A short digest of texts, of accidents and not of enemies."""
    found = hashlib.sha256()
    for part in parts:
        found.update(part.encode() if isinstance(part, str) else part)
        found.update(b"\n")
    return found.hexdigest()[:_DIGITS]


def sealed(text: str, before: str) -> tuple[str, str]:
    """A JSON object with its digest as the last entry, and the digest."""
    body = text.removesuffix("}")
    digest = digest_of(before, body)
    return f'{body}, "digest": "{digest}"}}', digest


def read_lines(path: Path, origin: str, most: int | None = None) -> list[Line]:
    """The lines of a file, checked; none if there is no file.

    A last line without its end counts if it is whole, and is left out if it was cut off.

    Args:
      path: the file.
      origin: what the first line follows.
      most: only so many bytes are looked at.

    Raises:
      DamagedFileError: a line is not what was written; it is named by its number.
    """
    if not path.exists():
        return []
    content = read_bytes(path, MOST_BYTES)[:most]
    return list(_checked(path, content, origin))


def _checked(path: Path, content: bytes, origin: str) -> Iterator[Line]:
    before, end = origin, 0
    pieces = content.split(b"\n")
    for number, piece in enumerate(pieces, start=1):
        is_last = number == len(pieces)
        if is_last and not piece:
            return
        end = min(end + len(piece) + 1, len(content))
        try:
            record, digest = _opened(piece, before)
        except ValueError as error:
            if is_last:  # whoever wrote it was interrupted, or is still writing
                return
            raise DamagedFileError(f"{path}, line {number} is damaged: {error}") from error
        before = digest
        yield Line(number, record, digest, end)


def _opened(piece: bytes, before: str) -> tuple[dict[str, Any], str]:
    found = _SEALED.fullmatch(piece)
    if found is None:
        raise ValueError("it has no digest")
    digest = found["digest"].decode()
    if digest != digest_of(before, found["text"]):
        raise ValueError("it is not as it was written, or does not follow the line before")
    return parse_json(found["text"] + b"}"), digest
