"""What the package does without its extras: it stands without torch, and says what to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
INSTALL = "pip install 'nash_ismcts_spiel[learned]'"


def without_torch(program: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program in which torch cannot be imported."""
    head = "import sys; sys.modules['torch'] = None\n"
    return subprocess.run(
        [sys.executable, "-c", head + program],
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        "train --game kuhn_poker --models learned --seconds 1 --out run",
        "train --game kuhn_poker --algorithm rebel --seconds 1 --out run",
        "search --game kuhn_poker --history 0,1 --checkpoint pretrained",
        "match --game kuhn_poker --players nash_ismcts,uniform --hands 1 --checkpoint pretrained",
    ],
)
def test_commands_with_networks_name_the_extra(arguments: str, tmp_path: Path) -> None:
    program = f"from nash_ismcts_spiel import cli\nsys.exit(cli.main({arguments.split()!r}))"
    done = without_torch(program, tmp_path)
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("nash-ismcts: error: ") and INSTALL in line


def test_all_that_needs_no_network_runs_without_torch(tmp_path: Path) -> None:
    program = """
from nash_ismcts_spiel import cli
for line in (
    "games --filter kuhn",
    "search --game kuhn_poker --history 0,1 --visits 20",
    "train --game kuhn_poker --models exact --generations 2 --out run",
    "exploitability --run run",
    "export --run run --out policy.json",
    "match --game kuhn_poker --players nash_ismcts,oos,uniform --hands 1 --visits 10",
    "exploitability --game kuhn_poker --bot nash_ismcts --visits 10",
    "compare --games kuhn_poker --methods nash_ismcts cfr --cpu-seconds 1 --out compared",
):
    assert cli.main(line.split()) == 0, line
assert sys.modules["torch"] is None
"""
    done = without_torch(program, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "module",
    [
        "models.networks.saved",
        "models.networks.nets",
        "baselines.rebel.run",
        "baselines.rebel.learner",
    ],
)
def test_modules_with_networks_name_the_extra(module: str, tmp_path: Path) -> None:
    done = without_torch(f"import nash_ismcts_spiel.{module}", tmp_path)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ModuleNotFoundError: networks need torch") and INSTALL in last
