"""What files are called and made with: names of games in paths, and versions."""

from __future__ import annotations

import hashlib
import platform
import re
from importlib import metadata

_LONGEST = 32
"""Characters of a name; with an ending and a number a file's name stays below 40."""


def file_name(game: str) -> str:
    """A game's name as part of a path; a long one is shortened, and a digest tells it apart."""
    found = _plain(game)
    if len(found) <= _LONGEST + 1:
        return found
    mark = hashlib.sha256(game.encode()).hexdigest()[:4]
    values = _plain(re.sub(r"\w+=", "", game))
    return f"{values[: _LONGEST - 5].rstrip('-')}-{mark}"


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.]+", "-", text).strip("-")


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
