"""Compiled parts: the exact tools and the search engine, over the arrays of a game graph."""

import importlib
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path


def _built_elsewhere() -> list[Path]:
    """Copies of this package on Python's path that do have their compiled part."""
    here = Path(__file__).resolve().parent
    folders = [Path(entry, "nash_ismcts_spiel", "native").resolve() for entry in sys.path]
    names = [f"_core{suffix}" for suffix in EXTENSION_SUFFIXES]
    return [
        folder
        for folder in folders
        if folder != here and any((folder / name).exists() for name in names)
    ]


def _missing() -> str:
    here = Path(__file__).resolve().parents[2]
    build = "build it in place (python setup.py build_ext --inplace)"
    if elsewhere := _built_elsewhere():
        return (
            f"Python found the sources of nash_ismcts_spiel in {here}, whose compiled part was not "
            f"built, before the installed package in {elsewhere[0].parents[1]}: start Python in "
            f"another folder, or {build}"
        )
    return (
        f"the compiled part of nash_ismcts_spiel is missing in {here}: install the package (pip "
        f"install .) or {build}"
    )


try:
    importlib.import_module("nash_ismcts_spiel.native._core")
except ModuleNotFoundError as error:
    if error.name != "nash_ismcts_spiel.native._core":
        raise
    raise ModuleNotFoundError(_missing(), name=error.name) from error
