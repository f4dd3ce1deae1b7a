"""Builds the two C++17 extension modules; `pyproject.toml` says all else about the package.

`_core` is the search and all it needs; `_spiel` adds OpenSpiel's C++ states, and is compiled with
the headers that come with the open_spiel wheel. `pip install .` needs a C++17 compiler and nothing
else that pip does not fetch. Set NASH_ISMCTS_SANITIZE=1 to build both with the address and
undefined-behaviour sanitizers.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from glob import glob
from pathlib import Path
from typing import Any

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension, build_ext
from setuptools import setup

NATIVE = "nash_ismcts_spiel/native"
CORE = ("common", "worlds", "search", "forest", "exact", "play", "solvers", "bindings")
"""Folders of `_core`; `_spiel` has its own, of the same name."""

COMPILER_PROBE = "#include <optional>\nint main() { return std::optional<int>(0).value(); }\n"
HEADERS_PROBE = "#include <Python.h>\nint main() { return 0; }\n"
COMPILER_MISSING = (
    "nash_ismcts_spiel needs a C++17 compiler to build its search engine, and none works here: "
    "install one (e.g. apt-get install g++) and try again"
)
HEADERS_MISSING = (
    "nash_ismcts_spiel needs the C headers of this Python to build its search engine: "
    "install them (e.g. apt-get install python3-dev) and try again"
)
OPEN_SPIEL_MISSING = (
    "nash_ismcts_spiel needs the C++ headers of OpenSpiel, which its wheel brings along, and finds "
    "none here: install it (pip install open_spiel) and try again"
)


class CheckedBuild(build_ext):
    """Stops with one clear line, not a page of compiler output, where nothing can be compiled."""

    def build_extensions(self) -> None:
        """Tries the compiler, then builds."""
        if not self._compiles(COMPILER_PROBE):
            raise SystemExit(COMPILER_MISSING)
        if not self._compiles(HEADERS_PROBE):
            raise SystemExit(HEADERS_MISSING)
        if not OPEN_SPIEL_HEADERS or not all(map(os.path.isdir, OPEN_SPIEL_HEADERS)):
            raise SystemExit(OPEN_SPIEL_MISSING)
        super().build_extensions()

    def _compiles(self, program: str) -> bool:
        flags = ["/std:c++17"] if self.compiler.compiler_type == "msvc" else ["-std=c++17"]
        with tempfile.TemporaryDirectory() as folder, _silence():
            source = Path(folder, "probe.cc")
            source.write_text(program)
            try:
                self.compiler.compile([str(source)], folder, extra_postargs=flags)
            except Exception:  # distutils, setuptools and each compiler have their own
                return False
        return True


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Hides what this process and those that it starts print."""
    streams = (sys.stdout, sys.stderr)
    kept = [os.dup(descriptor) for descriptor in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for stream, descriptor in zip(streams, (1, 2), strict=True):
            stream.flush()
            os.dup2(nowhere, descriptor)
        yield
    finally:
        for stream, descriptor, original in zip(streams, (1, 2), kept, strict=True):
            stream.flush()
            os.dup2(original, descriptor)
            os.close(original)
        os.close(nowhere)


def _open_spiel() -> tuple[str, list[str]]:
    """The version of OpenSpiel that is installed here, and the folders of its headers."""
    spec = importlib.util.find_spec("open_spiel")
    if spec is None or spec.origin is None:
        return "", []
    package = Path(spec.origin).parent
    folders = [package.parent, package, package / "abseil-cpp", package / "json" / "include"]
    try:
        version = importlib.metadata.version("open_spiel")
    except importlib.metadata.PackageNotFoundError:
        version = "unknown"
    return version, [str(folder) for folder in folders]


OPEN_SPIEL_VERSION, OPEN_SPIEL_HEADERS = _open_spiel()


def _extension(
    module: str, folders: Sequence[str], headers: Sequence[str] = (), **settings: Any
) -> Pybind11Extension:
    """A module from the sources in `folders`, with OpenSpiel's headers if they are given."""
    # No contraction and no fast-math: the Python engine must agree bit for bit.
    compile_arguments = ["-O3", "-ffp-contract=off", "-fvisibility=hidden", "-fno-math-errno"]
    compile_arguments += [f"-isystem{folder}" for folder in headers]  # whose warnings are not ours
    link_arguments: list[str] = []
    if os.environ.get("NASH_ISMCTS_SANITIZE") == "1":
        sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
        compile_arguments += [*sanitizers, "-g", "-O1", "-fno-omit-frame-pointer"]
        link_arguments += sanitizers
    # OpenSpiel's headers all change together: one of them is enough to see a new version.
    known = [*glob(f"{NATIVE}/*/*.h"), *(f"{folder}/open_spiel/spiel.h" for folder in headers[:1])]
    return Pybind11Extension(
        f"nash_ismcts_spiel.native.{module}",
        sorted(source for folder in folders for source in glob(f"{NATIVE}/{folder}/*.cc")),
        depends=sorted(known),
        cxx_std=17,
        extra_compile_args=compile_arguments,
        extra_link_args=link_arguments,
        **settings,
    )


# Several files at a time; the variable is the one that numpy's users know.
ParallelCompile("NPY_NUM_BUILD_JOBS", default=2).install()

setup(
    ext_modules=[
        _extension("_core", CORE),
        _extension(
            "_spiel",
            ["spiel"],
            OPEN_SPIEL_HEADERS,
            define_macros=[("NASH_ISMCTS_OPEN_SPIEL_VERSION", f'"{OPEN_SPIEL_VERSION}"')],
        ),
    ],
    cmdclass={"build_ext": CheckedBuild},
)
