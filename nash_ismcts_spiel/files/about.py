"""What files are called and made with: names of games in paths, and versions."""

from __future__ import annotations

import platform
import re
from importlib import metadata


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
