"""What the installed package must do on its own: no sources, no torch, any folder.

`try_release.py` copies this file and some pages of the documentation out of the repository and runs
it by pytest, in a new environment in which nothing but the built package, its requirements and
pytest are installed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

import nash_ismcts_spiel

SCRIPT = Path(sys.prefix, "bin", "nash-ismcts")
PAGES = sorted(Path(__file__).parent.glob("pages/*.md"))
SNIPPETS = [
    (code, shown)
    for page in PAGES
    for code, shown in re.findall(
        r"```python\n(.*?)```\s*(?:```text\n(.*?)```)?", page.read_text(), re.S
    )
    if "pretrained" not in code
]
"""What pages of the documentation show, but for what needs networks, and what it prints if that is
shown.
"""


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program in a folder of its own."""
    return subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_it_is_the_installed_package_without_torch() -> None:
    assert Path(nash_ismcts_spiel.__file__).is_relative_to(sys.prefix)
    assert importlib.metadata.version("nash_ismcts_spiel") == nash_ismcts_spiel.__version__
    assert importlib.util.find_spec("torch") is None


def test_its_files_are_there_and_no_others() -> None:
    files = {str(file) for file in importlib.metadata.files("nash_ismcts_spiel") or ()}
    package = resources.files("nash_ismcts_spiel")
    for name in (
        "py.typed",
        "games/measured.json",
        "pretrained/kuhn_poker.safetensors",
        "page/static/page.js",
    ):
        assert package.joinpath(name).is_file(), name
    assert not [name for name in files if name.startswith(("tests/", "benchmarks/", "examples/"))]
    assert not [name for name in files if name.endswith((".cc", ".o"))]


@pytest.mark.parametrize(
    "arguments",
    [
        "games --filter poker",
        "search --game leduc_poker --random-moves 2 --visits 200",
        "search --game phantom_ttt --visits 50",
        "match --game leduc_poker --players nash_ismcts,oos,uniform --hands 2 --visits 20",
        "exploitability --game kuhn_poker --bot nash_ismcts --visits 20",
        "play --game leduc_poker --visits 20",
    ],
)
def test_commands_run(arguments: str, tmp_path: Path) -> None:
    done = run(str(SCRIPT), *arguments.split(), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert "Warning" not in done.stderr


def test_exact_training_runs_goes_on_and_is_exported(tmp_path: Path) -> None:
    for arguments in (
        "train --game kuhn_poker --models exact --generations 20 --out run",
        "train --resume --generations 40 --out run",
        "exploitability --run run",
        "export --run run --out policy.json",
    ):
        done = run(str(SCRIPT), *arguments.split(), folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout
    assert json.loads((tmp_path / "policy.json").read_text())


def test_there_are_snippets() -> None:
    assert len(PAGES) == 3
    assert len(SNIPPETS) >= 4


@pytest.mark.parametrize(("code", "shown"), SNIPPETS)
def test_snippets_of_the_documentation_run(code: str, shown: str, tmp_path: Path) -> None:
    done = run(sys.executable, "-c", code, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout and (not shown or done.stdout == shown)


def test_openspiel_knows_the_bots(tmp_path: Path) -> None:
    code = (
        "import nash_ismcts_spiel, pyspiel\n"
        "game = pyspiel.load_game('leduc_poker')\n"
        "bots = [pyspiel.load_bot('nash_ismcts', game, seat, {'visits': 20, 'seed': seat})"
        " for seat in (0, 1)]\n"
        "print(pyspiel.evaluate_bots(game.new_initial_state(), bots, 1))"
    )
    done = run(sys.executable, "-W", "error::UserWarning", "-c", code, folder=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        "train --game kuhn_poker --models learned --seconds 1 --out run",
        "search --game kuhn_poker --history 0,1 --checkpoint pretrained",
    ],
)
def test_networks_say_what_to_install(arguments: str, tmp_path: Path) -> None:
    done = run(str(SCRIPT), *arguments.split(), folder=tmp_path)
    assert done.returncode == 2
    assert "pip install 'nash_ismcts_spiel[learned]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
