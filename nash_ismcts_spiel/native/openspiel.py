"""OpenSpiel's C++ from inside: `_spiel`, where it fits the open_spiel that is installed.

`_spiel` is compiled against the headers of one version of open_spiel, and what it calls is found in
the pyspiel that is loaded. With another version it must not be used; there is one warning then.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import warnings
from types import ModuleType

import pyspiel


@functools.cache
def spiel_module() -> ModuleType | None:
    """The module `_spiel`, None if it cannot be used; then it warns, once in a process."""
    installed = _installed_version()
    try:
        # Python hides the symbols of an extension from all others. To load it again with this flag
        # loads nothing, but shows them.
        ctypes.CDLL(pyspiel.__file__, mode=ctypes.RTLD_GLOBAL)
        from nash_ismcts_spiel.native import _spiel
    except (ImportError, OSError) as error:
        _warn(f"its part for OpenSpiel's C++ cannot be used with open_spiel {installed} ({error})")
        return None
    if installed != _spiel.BUILT_FOR:
        _warn(f"it was built for open_spiel {_spiel.BUILT_FOR}, and {installed} is installed")
        return None
    return _spiel


def _installed_version() -> str:
    try:
        return importlib.metadata.version("open_spiel")
    except importlib.metadata.PackageNotFoundError:
        return "of an unknown version"


def _warn(reason: str) -> None:
    warnings.warn(
        f"nash_ismcts_spiel: {reason}. Results are the same, but games are played through Python, "
        "which is slower, and pyspiel.load_bot does not know the bots of this package. To mend it, "
        "reinstall nash_ismcts_spiel, so that it is built for the open_spiel that is installed, or "
        "install the open_spiel that it was built for.",
        UserWarning,
        stacklevel=3,
    )
