"""Modules that register games of the user's own, and that other processes have to import too."""

from __future__ import annotations

import importlib

_imported: list[str] = []


def import_games(module: str) -> None:
    """Imports a module, and remembers it for the processes that this one starts.

    Raises:
      ValueError: it cannot be imported.
    """
    try:
        importlib.import_module(module)
    except ImportError as error:
        raise ValueError(f"{module} cannot be imported: {error}") from error
    if module not in _imported:
        _imported.append(module)


def imported_games() -> tuple[str, ...]:
    """The modules that were imported here."""
    return tuple(_imported)
