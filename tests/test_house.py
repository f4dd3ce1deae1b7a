"""House rules: imports point one way, files and functions stay small, every file says what it is.

The checker reads sources with `ast`; the last tests show that it sees violations.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "nash_ismcts_spiel"
MEASURES = "exploitability"
MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 60

ALLOWED: Mapping[str, tuple[str, ...]] = {
    f"{PACKAGE}.games": (f"{PACKAGE}.games",),
    f"{PACKAGE}.evaluation": (f"{PACKAGE}.games", f"{PACKAGE}.evaluation"),
    f"{PACKAGE}.search": (
        f"{PACKAGE}.config",
        f"{PACKAGE}.games",
        f"{PACKAGE}.evaluation",
        f"{PACKAGE}.search",
    ),
}
"""What the modules of a subpackage may import of the package."""

FORBIDDEN: Mapping[str, tuple[str, ...]] = {
    f"{PACKAGE}.games": ("torch", MEASURES),
    f"{PACKAGE}.evaluation": ("torch", "pyspiel", "open_spiel", MEASURES),
    f"{PACKAGE}.search": ("torch", "pyspiel", "open_spiel", MEASURES),
    MEASURES: (f"{PACKAGE}.search", f"{PACKAGE}.training", "torch"),
}
"""What the modules of a package may not import at all."""

TORCH: tuple[str, ...] = (
    f"{PACKAGE}.training",
    f"{PACKAGE}.baselines.rebel",
    f"{PACKAGE}.baselines.deep",
)
"""The only packages and modules that may import torch."""

SOURCES = sorted([*ROOT.glob(f"{PACKAGE}/**/*.py"), *ROOT.glob(f"{MEASURES}/**/*.py")])


def module_of(path: Path) -> str:
    """The dotted name of a source file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(source: str, module: str, is_package: bool = False) -> Iterator[str]:
    """All modules that a source imports, wherever in the file; relative ones are resolved."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, base] if base else parents)
            # `from a import b` may mean the module a.b.
            yield from (f"{base}.{alias.name}" for alias in node.names)


def within(module: str, package: str) -> bool:
    """Whether a module is a package or lies in it."""
    return module == package or module.startswith(f"{package}.")


def import_violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """Imports that point the wrong way."""
    found = list(imports(source, module, is_package))
    torch = [name for name in found if within(name, "torch")]
    wrong = [] if any(within(module, package) for package in TORCH) else torch
    wrong += [
        name
        for package, forbidden in FORBIDDEN.items()
        if within(module, package)
        for name in found
        if any(within(name, other) for other in forbidden)
    ]
    for package, allowed in ALLOWED.items():
        if within(module, package):
            wrong += [
                name
                for name in found
                if within(name, PACKAGE) and not any(within(name, other) for other in allowed)
            ]
    return wrong


def size_violations(source: str) -> list[str]:
    """What is too long, or does not open with a docstring."""
    tree, found = ast.parse(source), []
    if not ast.get_docstring(tree):
        found.append("no docstring")
    if len(source.splitlines()) > MAX_FILE_LINES:
        found.append(f"{len(source.splitlines())} lines")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MAX_FUNCTION_LINES:
                found.append(f"{node.name} has {length} lines")
    return found


def test_the_sources_are_found() -> None:
    modules = {module_of(path) for path in SOURCES}
    assert {f"{PACKAGE}.bot", f"{PACKAGE}.search.simulation", f"{MEASURES}.measure"} <= modules
    for package in ALLOWED:
        assert sum(within(module, package) for module in modules) > 5


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_point_one_way(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert import_violations(source, module_of(path), path.stem == "__init__") == []


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_files_are_small_and_say_what_they_are(path: Path) -> None:
    assert size_violations(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("module", "source", "wrong"),
    [
        ("games.graph", "from nash_ismcts_spiel.config import SearchConfig", True),
        ("games.graph", "from nash_ismcts_spiel import config", True),
        ("games.graph", "from ..search import trees", True),
        ("games.graph", "from . import tables", False),
        ("games.graph", "import pyspiel", False),
        ("games.graph", "import torch.nn", True),
        ("evaluation.exact", "import nash_ismcts_spiel.search.engine", True),
        ("evaluation.exact", "import pyspiel", True),
        ("evaluation.exact", "from open_spiel.python import policy", True),
        ("evaluation.exact", "from nash_ismcts_spiel.games import GameGraph", False),
        ("search.engine", "def f():\n    import pyspiel", True),
        ("search.engine", "from nash_ismcts_spiel.bot import NashIsmctsBot", True),
        ("search.engine", "from nash_ismcts_spiel.native import _core", True),
        ("search.engine", "from nash_ismcts_spiel.config import SearchConfig", False),
        ("search.engine", "from torchlike import thing", False),
        ("bot", "from nash_ismcts_spiel.search import ReferenceEngine", False),
        ("bot", "import torch", True),
        ("baselines.methods", "from torch import nn", True),
        ("baselines.rebel.network", "from torch import nn", False),
        ("training.networks", "import torch", False),
    ],
)
def test_the_checker_sees_wrong_imports(module: str, source: str, wrong: bool) -> None:
    assert bool(import_violations(source, f"{PACKAGE}.{module}")) == wrong


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("from nash_ismcts_spiel.search.engine import ReferenceEngine", True),
        ("from nash_ismcts_spiel import search", True),
        ("import nash_ismcts_spiel.training", True),
        ("import pyspiel", False),
    ],
)
def test_the_checker_watches_the_measuring_package(source: str, wrong: bool) -> None:
    assert bool(import_violations(source, f"{MEASURES}.measure")) == wrong


@pytest.mark.parametrize(
    ("source", "violation"),
    [
        ("x = 1\n", "no docstring"),
        ('"""Doc."""\n' + "x = 1\n" * MAX_FILE_LINES, "301 lines"),
        ('"""Doc."""\ndef f():\n' + "    x = 1\n" * MAX_FUNCTION_LINES, "f has 61 lines"),
        ('"""Doc."""\nclass C:\n  async def g():\n' + "    x = 1\n" * 60, "g has 61 lines"),
    ],
)
def test_the_checker_sees_long_and_silent_files(source: str, violation: str) -> None:
    assert size_violations(source) == [violation]
