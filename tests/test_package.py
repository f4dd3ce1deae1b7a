"""What the package says about itself, and what it says where its compiled part is missing."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import nash_ismcts_spiel

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
VERSION = nash_ismcts_spiel.__version__


def test_there_is_one_version() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    place = PROJECT["tool"]["setuptools"]["dynamic"]["version"]
    assert place == {"attr": "nash_ismcts_spiel.__version__"}
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)[1] == VERSION
    assert importlib.metadata.version("nash_ismcts_spiel") == VERSION
    assert "version" not in (ROOT / "setup.py").read_text().split("setup(")[-1].lower().replace(
        "open_spiel_version", ""
    )


def test_every_requirement_has_a_lower_bound_and_a_pin() -> None:
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *PROJECT["build-system"]["requires"]]
    wanted += [each for name, needs in extras.items() if name != "test" for each in needs]
    pinned = (ROOT / "constraints.txt").read_text()
    pins = {
        re.sub(r"[-_.]+", "-", name).lower()
        for name in re.findall(r"^([\w.-]+)==[\w.]+$", pinned, re.M)
    }
    assert len(wanted) > 8
    for requirement in wanted:
        assert ">=" in requirement, requirement
    for requirement in [*wanted, *extras["test"][1:]]:
        name = re.match(r"[\w.-]+", requirement)[0]
        assert re.sub(r"[-_.]+", "-", name).lower() in pins, name


def test_sources_that_were_not_built_say_so(tmp_path: Path) -> None:
    """As in a clone: the folder that Python is started in comes before what is installed."""
    clone = tmp_path / "clone"
    for package in ("nash_ismcts_spiel", "exploitability"):
        only_python = shutil.ignore_patterns("*.so", "*.cc", "*.h", "__pycache__")
        shutil.copytree(ROOT / package, clone / package, ignore=only_python)

    done = subprocess.run(
        [sys.executable, "-c", "import nash_ismcts_spiel"],
        env={"PYTHONPATH": str(ROOT)},
        cwd=clone,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ModuleNotFoundError: Python found the sources of nash_ismcts_spiel")
    assert str(clone) in last and f"the installed package in {ROOT}" in last
    assert "start Python in another folder" in last
