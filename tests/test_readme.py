"""What pages name exists: files, settings, and the commands that README and CONTRIBUTING promise.

What they show is run by `test_pages.py`.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from open_spiel.python import examples
from pages import PAGES, ROOT, blocks, commands

from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.learning import TrainingConfig

CONTRIBUTING = PAGES["CONTRIBUTING.md"].read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
CI = ROOT / ".ci" / "run"
ELSEWHERE = {"include_full_state", "suit_isomorphism"}
"""Parameters of OpenSpiel, of games and of torch."""


def named_files(page: str) -> list[str]:
    """Sources and pages that stand as code in the text of a page."""
    text = PAGES[page].read_text(encoding="utf-8")
    return re.findall(r"`([\w./-]+\.(?:py|h|cc|md|ipynb))`", text)


def named_settings(page: str) -> list[tuple[str, object]]:
    """Settings with values that stand as code in the text of a page: `spawning="always"`."""
    text = PAGES[page].read_text(encoding="utf-8")
    found = re.findall(r"`([a-z]\w*)=(\"\w+\"|[\w.]+)`", text)
    words = {"True": True, "False": False, "None": None}
    return [
        (name, value.strip('"') if '"' in value else words.get(value, value))
        for name, value in found
    ]


@functools.cache
def parameters() -> frozenset[str]:
    """Names of all parameters of all functions of both packages, and of all attributes."""
    found: set[str] = set()
    for package in ("nash_ismcts_spiel", "exploitability"):
        for source in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
                if isinstance(node, ast.arg):
                    found.add(node.arg)
                elif isinstance(node, ast.AnnAssign):
                    found.add(ast.unparse(node.target))
    return frozenset(found)


@pytest.mark.parametrize("page", list(PAGES))
def test_named_files_exist(page: str) -> None:
    written = {block.title for block in blocks(page)}
    places = (ROOT, ROOT / "nash_ismcts_spiel", PAGES[page].parent, Path(examples.__path__[0]))
    for name in set(named_files(page)) - written:
        assert any((place / name).exists() for place in places), name


@pytest.mark.parametrize("page", list(PAGES))
def test_named_settings_exist(page: str) -> None:
    searching = {field.name for field in dataclasses.fields(SearchConfig)}
    training = {field.name for field in dataclasses.fields(TrainingConfig)}
    for name, value in named_settings(page):
        if name in searching and isinstance(value, str) and not re.match(r"[\d.]", value):
            assert SearchConfig.from_dict({name: value}).to_dict()[name] == value
        elif name in training and isinstance(value, str) and not re.match(r"[\d.]", value):
            assert TrainingConfig.from_dict({name: value}).to_dict()[name] == value
        else:
            assert name in parameters() | ELSEWHERE, name


def test_there_are_names_to_check() -> None:
    assert sum(len(named_files(page)) for page in PAGES) > 20
    assert sum(len(named_settings(page)) for page in PAGES) > 4


def test_the_readme_has_the_two_commands() -> None:
    found = [words for block in blocks("README.md") if block.language == "sh"
             for words in commands(block.text)]  # fmt: skip
    assert ["make", "demo"] in found and ["make", "test"] in found


def test_ci_runs_what_contributing_says() -> None:
    (block,) = (block for block in blocks("CONTRIBUTING.md") if "make test" in block.text)
    wanted = [" ".join(words) for words in commands(block.text)]
    lines = CI.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("make ")] == wanted
    assert {"make test", "make docs"} <= set(wanted)
    assert os.access(CI, os.X_OK)


def test_make_test_is_what_contributing_says() -> None:
    recipe = re.search(r"^test:.*\n\t.*-m (pytest .*)$", MAKEFILE, re.M)
    assert recipe is not None and recipe[1] in CONTRIBUTING


@pytest.mark.slow
def test_the_demo_prints_a_table_that_is_shown() -> None:
    recipe = re.search(r"^demo:.*\n\t\S+ (.*)$", MAKEFILE, re.M)
    assert recipe is not None
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, *(word for word in shlex.split(recipe[1]) if "--plot" not in word)],
        env={**os.environ, "PYTHONPATH": path},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    shown = [block.text.strip() for page in PAGES for block in blocks(page)]
    assert done.stdout.strip() in shown
