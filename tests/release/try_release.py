"""Builds a release and tries it in new environments outside the repository.

An sdist is made from the working tree and a wheel from that sdist, so all that the C++ part needs
must be in it. The wheel is installed in a new environment without torch, and `installed_checks.py`
runs there, in a folder that has no sources. Then the working tree, copied without compiled modules,
is installed by `pip install .` in a second new environment; it gets the modules that the wheel was
built with, since compiling the same sources again would show nothing.

Every installation uses the pinned versions. `--wheel FILE` tries a wheel that is there already.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONSTRAINTS = ROOT / "constraints.txt"
CHECKS = Path(__file__).with_name("installed_checks.py")
PAGES = [ROOT / "docs" / name for name in ("bots.md", "training.md", "measuring.md")]
SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
PACKAGES = ("nash_ismcts_spiel", "exploitability")


def environment() -> dict[str, str]:
    """The variables of this process, with pinned versions for isolated builds too."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    pinned = {"PIP_CONSTRAINT": str(CONSTRAINTS), "PIP_BUILD_CONSTRAINT": str(CONSTRAINTS)}
    return {**kept, **pinned, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def run(*command: str | Path, folder: Path) -> None:
    """Runs a command, and shows it."""
    print("+", *command, flush=True)
    subprocess.run(command, cwd=folder, env=environment(), check=True)


def build(folder: Path) -> Path:
    """Makes an sdist from the working tree and a wheel from the sdist; returns the wheel."""
    dist = folder / "dist"
    run(sys.executable, "-m", "build", "--outdir", dist, ROOT, folder=folder)
    (wheel,) = dist.glob("*.whl")
    return wheel


def new_environment(folder: Path, name: str) -> Path:
    """Makes an environment; returns its Python."""
    run(sys.executable, "-m", "venv", folder / name, folder=folder)
    return folder / name / "bin" / "python"


def try_wheel(wheel: Path, folder: Path) -> None:
    """Runs the checks against the wheel, in a folder without sources."""
    python = new_environment(folder, "with_wheel")
    run(python, "-m", "pip", "install", "-q", "-c", CONSTRAINTS, wheel, "pytest", folder=folder)
    empty = folder / "elsewhere"
    empty.mkdir()
    checks = Path(shutil.copy(CHECKS, empty))
    (empty / "pages").mkdir()
    for page in PAGES:
        shutil.copy(page, empty / "pages")
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", checks, folder=empty)


def try_sources(wheel: Path, folder: Path) -> None:
    """Installs a copy of the working tree, with the modules of the wheel."""
    clone = folder / "clone"
    clone.mkdir()
    for name in SOURCES:
        shutil.copy(ROOT / name, clone)
    for package in PACKAGES:
        ignored = shutil.ignore_patterns("*.so", "__pycache__")
        shutil.copytree(ROOT / package, clone / package, ignore=ignored)
    built = f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
    with zipfile.ZipFile(wheel) as archive:
        modules = [name for name in archive.namelist() if name.endswith(".so")]
        for name in modules:
            (clone / "build" / built / name).parent.mkdir(parents=True, exist_ok=True)
            (clone / "build" / built / name).write_bytes(archive.read(name))
    python = new_environment(folder, "with_sources")
    run(python, "-m", "pip", "install", "-q", "-c", CONSTRAINTS, ".", folder=clone)
    search = ("search", "--game", "kuhn_poker", "--history", "0,1")
    run(python.with_name("nash-ismcts"), *search, folder=folder)


def main() -> None:
    """Builds, and tries what was built."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=Path, help="a wheel that was built before")
    wheel: Path | None = parser.parse_args().wheel
    with tempfile.TemporaryDirectory(prefix="nash_ismcts_release_") as name:
        folder = Path(name)
        wheel = build(folder) if wheel is None else wheel.resolve()
        try_wheel(wheel, folder)
        try_sources(wheel, folder)
    print(f"{wheel.name}: the release installs and runs")


if __name__ == "__main__":
    main()
