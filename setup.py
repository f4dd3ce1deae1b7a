"""Builds and describes the package: pure Python plus two C++17 extension modules.

`pip install .` needs a C++17 compiler and nothing else that pip does not fetch. Set
NASH_ISMCTS_SANITIZE=1 to build the extension with the address and undefined-behaviour sanitizers.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from glob import glob
from pathlib import Path

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension, build_ext
from setuptools import find_packages, setup

EXTENSIONS = {"native": "_core", "games": "_positions"}
"""Compiled modules, by the subpackage that holds their sources."""

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


class CheckedBuild(build_ext):
    """Stops with one clear line, not a page of compiler output, where nothing can be compiled."""

    def build_extensions(self) -> None:
        """Tries the compiler, then builds."""
        if not self._compiles(COMPILER_PROBE):
            raise SystemExit(COMPILER_MISSING)
        if not self._compiles(HEADERS_PROBE):
            raise SystemExit(HEADERS_MISSING)
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


def _extension(folder: str, module: str) -> Pybind11Extension:
    # No contraction and no fast-math: the Python engine must agree bit for bit.
    compile_arguments = ["-O3", "-ffp-contract=off", "-fvisibility=hidden", "-fno-math-errno"]
    link_arguments: list[str] = []
    if os.environ.get("NASH_ISMCTS_SANITIZE") == "1":
        sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
        compile_arguments += [*sanitizers, "-g", "-O1", "-fno-omit-frame-pointer"]
        link_arguments += sanitizers
    return Pybind11Extension(
        f"nash_ismcts_spiel.{folder}.{module}",
        sorted(glob(f"nash_ismcts_spiel/{folder}/*.cc")),
        depends=sorted(glob("nash_ismcts_spiel/*/*.h")),
        cxx_std=17,
        extra_compile_args=compile_arguments,
        extra_link_args=link_arguments,
    )


README = Path(__file__).with_name("README.md")
TEST_TOOLS = ["pytest", "pytest-xdist", "hypothesis", "mypy", "ruff"]
EXTRAS = {
    "plot": ["matplotlib"],
    "ray": ["ray"],
    "tensorboard": ["tensorboard"],
    "peers": ["dm-tree"],
}
"""What some commands need; the tests try all of it."""

# Several files at a time; the variable is the one that numpy's users know.
ParallelCompile("NPY_NUM_BUILD_JOBS", default=2).install()

setup(
    name="nash_ismcts_spiel",
    version="0.1.0",
    description="Nash-ISMCTS: tree search for imperfect-information games of OpenSpiel",
    long_description=README.read_text(encoding="utf-8") if README.exists() else "",
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.11",
    packages=find_packages(
        include=[
            "nash_ismcts_spiel",
            "nash_ismcts_spiel.*",
            "exploitability",
            "exploitability.*",
        ]
    ),
    package_data={
        "nash_ismcts_spiel": ["py.typed", "pretrained/*.npz", "pretrained/*.md"],
        "nash_ismcts_spiel.native": ["*.h", "*.pyi"],
        "nash_ismcts_spiel.games": ["*.h", "*.pyi"],
        "exploitability": ["py.typed"],
    },
    ext_modules=[_extension(folder, module) for folder, module in EXTENSIONS.items()],
    cmdclass={"build_ext": CheckedBuild},
    zip_safe=False,
    install_requires=["open_spiel", "numpy", "torch", "absl-py", "tqdm"],
    extras_require={**EXTRAS, "test": [*TEST_TOOLS, *sum(EXTRAS.values(), [])]},
    entry_points={"console_scripts": ["nash-ismcts = nash_ismcts_spiel.cli:main"]},
)
