"""House rules: imports and includes point one way, files and functions stay small, every file says
what it is.

The checker reads Python with `ast` and C++ by its #include lines; the last tests show that it sees
violations.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "nash_ismcts_spiel"
MEASURES = "exploitability"
NATIVE = ROOT / PACKAGE / "native"
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_NATIVE_LINES = 400

LAYERS: tuple[tuple[str, ...], ...] = (
    ("notebook", "settings", "threads"),
    ("config", "files", "schedule"),
    ("native", "native._core", "native._spiel", "native.openspiel"),
    ("facts",),
    ("games",),
    ("native.exact",),
    ("models",),
    ("search",),
    ("native.forest", "native.state_forest", "native.models", "native.engine"),
    ("models.networks",),
    ("engines",),
    ("bot_checks",),
    ("bot",),
    ("aec", "harness", "match", "registry"),
    ("",),
    ("learning",),
    ("runs",),
    ("baselines",),
    ("compare",),
    ("page",),
    ("cli",),
)
"""All modules and subpackages of the package, lowest first; "" is the package itself. A module
imports from its own layer and from those above it in this list, never from those below.
"""

LATER: Mapping[str, tuple[str, ...]] = {f"{PACKAGE}.registry": (f"{PACKAGE}.runs",)}
"""What a module may import against the order, inside functions only: who asks for it waits."""

ALLOWED: Mapping[str, tuple[str, ...]] = {
    MEASURES: (f"{PACKAGE}.games", f"{PACKAGE}.native.exact", f"{PACKAGE}.notebook"),
}
"""What the modules of another package may import of this one."""

FORBIDDEN: Mapping[str, tuple[str, ...]] = {
    f"{PACKAGE}.facts": ("torch", MEASURES, f"{PACKAGE}.config"),
    f"{PACKAGE}.games": ("torch", MEASURES, f"{PACKAGE}.config"),
    f"{PACKAGE}.models": ("torch", "pyspiel", "open_spiel", MEASURES, f"{PACKAGE}.config"),
    f"{PACKAGE}.models.networks": (MEASURES, f"{PACKAGE}.config"),
    f"{PACKAGE}.search": ("torch", "pyspiel", "open_spiel", MEASURES),
    f"{PACKAGE}.learning": (MEASURES,),
    f"{PACKAGE}.runs": (MEASURES,),
    MEASURES: ("torch",),
}
"""What the modules of a package may not import at all; the longest name that fits counts."""

TORCH: tuple[str, ...] = (
    f"{PACKAGE}.learning",
    f"{PACKAGE}.models.networks",
    f"{PACKAGE}.runs.board",
    f"{PACKAGE}.baselines.rebel",
    f"{PACKAGE}.baselines.deep",
)
"""The only packages and modules that may import torch."""

ROOMS: Mapping[str, tuple[str, ...]] = {
    "common": (),
    "worlds": ("common",),
    "search": ("common", "worlds"),
    "forest": ("common", "worlds"),
    "exact": ("common", "worlds", "search"),
    "solvers": ("common", "worlds", "search", "exact"),
    "play": ("common", "worlds", "search"),
    "bindings": ("common", "worlds", "search", "forest", "exact", "solvers", "play"),
    "spiel": ("common", "worlds"),
}
"""The folders of native/, and whose headers the sources of each may include."""

CPP_SOURCES = sorted([*NATIVE.glob("**/*.cc"), *NATIVE.glob("**/*.h")])
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


def layer_of(module: str, exact: bool = False) -> int | None:
    """The layer that a module belongs to, by the longest name that fits.

    A name of the package itself may be anything that its `__init__` offers, unless `exact`.
    """
    found: int | None = None
    longest = -1
    for layer, names in enumerate(LAYERS):
        for name in names:
            whole = f"{PACKAGE}.{name}".rstrip(".")
            fits = module == whole if exact and name in ("", "native") else within(module, whole)
            if fits and len(name) > longest:
                found, longest = layer, len(name)
    return found


def top_level(source: str) -> str:
    """A source without the bodies of its functions."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [ast.Pass()]
    return ast.unparse(tree)


def order_violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """Imports of what stands further down in LAYERS."""
    own = layer_of(module, exact=True)
    if own is None:
        return [f"{module} is in no layer"]
    at_once = set(imports(top_level(source), module, is_package))
    wrong = []
    for name in imports(source, module, is_package):
        other = layer_of(name)
        if other is None or other <= own:
            continue
        later = any(within(name, allowed) for allowed in LATER.get(module, ()))
        if name in at_once or not later:
            wrong.append(name)
    return wrong


def import_violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """Imports that point the wrong way."""
    found = list(imports(source, module, is_package))
    torch = [name for name in found if within(name, "torch")]
    wrong = [] if any(within(module, package) for package in TORCH) else torch
    packages = [package for package in FORBIDDEN if within(module, package)]
    forbidden = FORBIDDEN[max(packages, key=len)] if packages else ()
    wrong += [name for name in found if any(within(name, other) for other in forbidden)]
    if within(module, PACKAGE):
        wrong += order_violations(source, module, is_package)
    for package, allowed in ALLOWED.items():
        if within(module, package):
            wrong += [
                name
                for name in found
                if within(name, PACKAGE) and not any(within(name, other) for other in allowed)
            ]
    return wrong


def include_violations(source: str, room: str, stem: str) -> list[str]:
    """Lines of a C++ source in a room of native/ that include what it must not know."""
    binds = room == "bindings" or (room == "spiel" and stem in ("bindings", "bot_bindings"))
    wrong = []
    for header in re.findall(r"^\s*#\s*include\s*[<\"]([^>\"]+)[>\"]", source, re.MULTILINE):
        if header.startswith("pybind11/") or header == "Python.h":
            right = binds
        elif header.startswith("open_spiel/"):
            right = room == "spiel"
        elif header.startswith("../"):
            right = header.split("/")[1] in ROOMS[room]
        else:
            right = True  # of the same room, or of the standard library
        if not right:
            wrong.append(header)
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
    for layer, names in enumerate(LAYERS):
        for name in names:
            whole = f"{PACKAGE}.{name}".rstrip(".")
            compiled = name.startswith("native._")
            assert compiled or any(within(module, whole) for module in modules), name
            assert layer_of(whole) == layer
    rooms = {path.relative_to(NATIVE).parts[0] for path in CPP_SOURCES}
    assert rooms == set(ROOMS)


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_point_one_way(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert import_violations(source, module_of(path), path.stem == "__init__") == []


def cpp_name(path: Path) -> str:
    return path.relative_to(NATIVE).as_posix()


@pytest.mark.parametrize("path", CPP_SOURCES, ids=cpp_name)
def test_includes_point_one_way(path: Path) -> None:
    room = path.relative_to(NATIVE).parts[0]
    assert include_violations(path.read_text(encoding="utf-8"), room, path.stem) == []


@pytest.mark.parametrize("path", CPP_SOURCES, ids=cpp_name)
def test_cpp_files_are_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_NATIVE_LINES


@pytest.mark.parametrize("path", sorted(NATIVE.rglob("*.cc")) + sorted(NATIVE.rglob("*.h")))
def test_random_numbers_do_not_depend_on_the_standard_library(path: Path) -> None:
    """Its distributions are not the same in all libraries, and games have to be."""
    assert "_distribution<" not in path.read_text(encoding="utf-8")


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
        ("games.graph", "from nash_ismcts_spiel.facts import facts_for", False),
        ("facts.bridge", "from nash_ismcts_spiel.games import GameGraph", True),
        ("models.exact", "import nash_ismcts_spiel.search.engine", True),
        ("models.exact", "import pyspiel", True),
        ("models.exact", "from open_spiel.python import policy", True),
        ("models.exact", "from nash_ismcts_spiel.games import GameGraph", False),
        ("search.engine", "def f():\n    import pyspiel", True),
        ("search.engine", "from nash_ismcts_spiel.bot import NashIsmctsBot", True),
        ("search.engine", "from nash_ismcts_spiel.native import _core", False),
        ("search.engine", "from nash_ismcts_spiel.native.engine import NativeEngine", True),
        ("games.graph", "from nash_ismcts_spiel.native.exact import nash_conv", True),
        ("search.engine", "from nash_ismcts_spiel.config import SearchConfig", False),
        ("search.engine", "from torchlike import thing", False),
        ("bot", "from nash_ismcts_spiel.search import ReferenceEngine", False),
        ("bot", "from nash_ismcts_spiel.native.engine import NativeEngine", False),
        ("bot", "from nash_ismcts_spiel import make_bot", True),
        ("bot", "def f():\n    from nash_ismcts_spiel.runs import Run", True),
        ("config", "from nash_ismcts_spiel.games import support", True),
        ("config", "from nash_ismcts_spiel.settings import Settings", False),
        ("settings", "from nash_ismcts_spiel.config import SearchConfig", True),
        ("games.graph", "from nash_ismcts_spiel.native import _core", False),
        ("games.graph", "from nash_ismcts_spiel.native import exact", True),
        ("games.states", "from nash_ismcts_spiel.native.openspiel import spiel_module", False),
        ("native.openspiel", "from nash_ismcts_spiel.games import support", True),
        ("native.exact", "from nash_ismcts_spiel.games import GameGraph", False),
        ("native.exact", "from nash_ismcts_spiel.bot import NashIsmctsBot", True),
        ("native.engine", "from nash_ismcts_spiel.search.result import SearchResult", False),
        ("native.newcomer", "import numpy", True),
        ("newcomer", "import numpy", True),
        ("registry", "def f():\n    from nash_ismcts_spiel.runs import Run", False),
        ("registry", "from nash_ismcts_spiel.runs import Run", True),
        ("registry", "def f():\n    from nash_ismcts_spiel.learning import TrainingConfig", True),
        ("registry", "def f():\n    from nash_ismcts_spiel.baselines import METHODS", True),
        ("runs.run", "from nash_ismcts_spiel import SearchConfig", False),
        ("runs.run", "from nash_ismcts_spiel.baselines import METHODS", True),
        ("runs.run", "import exploitability", True),
        ("runs.run", "import torch", True),
        ("learning.loop", "from nash_ismcts_spiel.runs import Run", True),
        ("models.networks.policy", "from open_spiel.python import policy", False),
        ("models.networks.nets", "from nash_ismcts_spiel.learning import TrainingConfig", True),
        ("models.store", "import torch", True),
        ("baselines.oos", "from nash_ismcts_spiel.compare import Study", True),
        ("compare.study", "from nash_ismcts_spiel.baselines import METHODS", False),
        ("compare.study", "from nash_ismcts_spiel.cli import main", True),
        ("cli.main", "import nash_ismcts_spiel", False),
        ("bot", "import torch", True),
        ("baselines.methods", "from torch import nn", True),
        ("baselines.rebel.network", "from torch import nn", False),
        ("models.networks.nets", "import torch", False),
    ],
)
def test_the_checker_sees_wrong_imports(module: str, source: str, wrong: bool) -> None:
    assert bool(import_violations(source, f"{PACKAGE}.{module}")) == wrong


@pytest.mark.parametrize(
    ("room", "stem", "header", "wrong"),
    [
        ("worlds", "graph", '"../common/hash.h"', False),
        ("worlds", "graph", '"../search/rows.h"', True),
        ("worlds", "graph", '"game.h"', False),
        ("worlds", "graph", "<vector>", False),
        ("worlds", "graph", "<pybind11/pybind11.h>", True),
        ("search", "search", "<Python.h>", True),
        ("common", "draw", '"../worlds/game.h"', True),
        ("bindings", "graph", "<pybind11/stl.h>", False),
        ("bindings", "graph", '"../spiel/spiel_game.h"', True),
        ("bindings", "graph", '"open_spiel/spiel.h"', True),
        ("spiel", "bindings", "<pybind11/pybind11.h>", False),
        ("spiel", "spiel_game", "<pybind11/pybind11.h>", True),
        ("spiel", "spiel_game", '"open_spiel/spiel.h"', False),
        ("spiel", "spiel_game", '"../search/search.h"', True),
    ],
)
def test_the_checker_sees_wrong_includes(room: str, stem: str, header: str, wrong: bool) -> None:
    assert bool(include_violations(f"#include {header}\n", room, stem)) == wrong


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("from nash_ismcts_spiel.search.engine import ReferenceEngine", True),
        ("from nash_ismcts_spiel import search", True),
        ("import nash_ismcts_spiel.learning", True),
        ("import pyspiel", False),
    ],
)
def test_the_checker_watches_the_measuring_package(source: str, wrong: bool) -> None:
    assert bool(import_violations(source, f"{MEASURES}.measure")) == wrong


@pytest.mark.parametrize(
    ("source", "violation"),
    [
        ("x = 1\n", "no docstring"),
        ('"""Doc."""\n' + "x = 1\n" * MAX_FILE_LINES, f"{MAX_FILE_LINES + 1} lines"),
        ('"""Doc."""\ndef f():\n' + "    x = 1\n" * MAX_FUNCTION_LINES, "f has 61 lines"),
        ('"""Doc."""\nclass C:\n  async def g():\n' + "    x = 1\n" * 60, "g has 61 lines"),
    ],
)
def test_the_checker_sees_long_and_silent_files(source: str, violation: str) -> None:
    assert size_violations(source) == [violation]
