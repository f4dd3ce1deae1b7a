"""Every page does what it says: Python runs and prints what is shown, commands run or exist.

The blocks of a page run in order, in one process and one folder of its own. A block with a title
is written to a file of that name. Commands are made shorter, see SHORTER. What a page of results
names made its figures, and is not run again: there, and in code within the text, commands and
their options only have to exist.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pages import PAGES, ROOT, blocks, commands, inline

from nash_ismcts_spiel.cli.main import make_parser

SHORTER: dict[str, float] = {
    "--count": 2,
    "--cpu-seconds": 1,
    "--generations": 20,
    "--hands": 5,
    "--repeats": 1,
    "--seconds": 1,
    "--seeds": 1,
    "--visits": 100,
    "--port": 0,
}
"""The most that a command in a page is given when it is tested."""

SLOW = {
    "docs/how_to/cluster_with_ray.md": "starts Ray",
}
"""Pages that take more than a few seconds even so, and why."""

RECORDS = ("docs/results/", "nash_ismcts_spiel/pretrained/")
"""Where pages tell what was run."""

ALONE = "README.md"
"""Where each block is a program of its own."""

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))


def shorter(words: list[str]) -> list[str]:
    """A command that takes less time; lists of numbers become lists of smaller numbers."""
    made = list(words)
    for place, flag in enumerate(words[:-1]):
        if flag in SHORTER:
            numbers = words[place + 1].split(",")
            most = SHORTER[flag]
            made[place + 1] = ",".join(
                number if float(number) <= most else f"{most:g}" for number in numbers
            )
    return made


def steps(page: str, folder: Path) -> list[dict[str, Any]]:
    """What is run of a page; files are written, and what is not run is checked, on the way."""
    made: list[dict[str, Any]] = []
    for block in blocks(page):
        where = f"{page}, line {block.line}"
        about = {"where": where, "alone": page == ALONE}
        if block.title is not None:
            (folder / block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            about.update(kind="python", text=block.text, shown=block.shown)
            made.append(about)
        elif block.language == "sh":
            whole = list(commands(block.text))
            for words in whole:
                step = {**about, "shown": None}
                if words[0] == "nash-ismcts" and not page.startswith(RECORDS):
                    given = shorter(words[1:])
                    step.update(kind="command", words=given)
                    if len(whole) == 1 and given == words[1:]:
                        step["shown"] = block.shown
                elif words[0] == "python" and (folder / words[1]).exists():
                    step.update(kind="script", words=words[1:])
                    step["shown"] = block.shown if len(whole) == 1 else None
                else:
                    check(words, where)
                    continue
                made.append(step)
    if page == ALONE:  # its table of tasks has whole commands
        for words in inline(page):
            if words[0] == "nash-ismcts":
                step = {"where": f"{page}: {words[1]}", "alone": True, "shown": None}
                made.append({**step, "kind": "command", "words": shorter(words[1:])})
    return made


def check(words: list[str], where: str) -> None:
    """A command that is not run has to exist, with its options."""
    program, *rest = words
    if program == "nash-ismcts":
        check_options(rest, where)
    elif program == "make":
        targets = [word for word in rest if re.fullmatch(r"[a-z-]+", word)]
        assert set(targets) <= TARGETS, where
    elif program == "pip":
        named = re.findall(r"\[([\w,]+)\]", " ".join(rest))
        assert set(",".join(named).split(",")) - {""} <= set(EXTRAS), where
    elif program == "ray":
        assert rest[0] in ("start", "stop"), where
    elif program == "python" and rest[:2] == ["-m", "pytest"]:
        paths = [word for word in rest if word.startswith("tests/")]
        assert paths and all((ROOT / path).exists() for path in paths), where
    elif program == "python" and rest[0] == "-m":
        check_module(rest[1], rest[2:], where)
    elif program == "python":
        check_script(rest[0], rest[1:], where)
    else:
        pytest.fail(f"{where}: no check for {program}")


def check_options(words: list[str], where: str) -> None:
    """The command exists, unless it stands for any, and its options do."""
    parser = make_parser()
    (every,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    name = words[0]
    if name.isupper():
        return
    assert name in every.choices, where
    known = every.choices[name]._option_string_actions
    assert {word for word in words if word.startswith("--")} <= set(known), where


def check_module(name: str, words: list[str], where: str) -> None:
    """The parser of a benchmark takes the options; nothing is run after that."""
    assert name.startswith("benchmarks."), where
    file = ROOT / Path(*name.split("."))
    module = importlib.import_module(f"{name}.__main__" if file.is_dir() else name)
    parsed: list[argparse.Namespace] = []

    class ParsedError(Exception):
        pass

    def parse(parser: argparse.ArgumentParser, given: Any = None, namespace: Any = None) -> None:
        found, unknown = parser.parse_known_args(given, namespace)
        assert not unknown, f"{where}: {unknown}"
        parsed.append(found)
        raise ParsedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", parse)
        with pytest.raises(ParsedError):
            module.main(words)
    assert parsed, where


def check_script(name: str, words: list[str], where: str) -> None:
    """A script exists; it, or one of OpenSpiel's that it builds on, defines the flags by absl."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if name == "setup.py":
        return
    for other in re.findall(r"^from (open_spiel\.python\.examples\.\w+) import", text, re.M):
        found = importlib.util.find_spec(other)
        assert found is not None and found.origin is not None
        text += Path(found.origin).read_text(encoding="utf-8")
    for flag in re.findall(r"--(\w+)", " ".join(words)):
        assert re.search(rf'flags\.DEFINE_\w+\(\s*"{flag}"', text), f"{where}: {name} --{flag}"


WITH_CODE = [
    pytest.param(page, marks=[pytest.mark.slow] if page in SLOW else [])
    for page in PAGES
    if any(block.language in ("python", "sh") for block in blocks(page))
]


@pytest.mark.parametrize("page", WITH_CODE)
def test_blocks_run_and_print_what_is_shown(page: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    wanted = steps(page, folder)
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    told = tmp_path / "told.jsonl"
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "page_runner.py"), str(told)],
        input=json.dumps(wanted),
        env={**os.environ, "PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in told.read_text().splitlines()]
    for step, result in zip(wanted, found, strict=False):
        assert result["error"] is None, f"{step['where']}\n{result['error']}{done.stderr}"
        if step["shown"] is not None:
            assert result["printed"] == step["shown"], step["where"]
        elif step["kind"] == "command":
            assert result["printed"], step["where"]
    assert len(found) == len(wanted)


@pytest.mark.parametrize("page", list(PAGES))
def test_commands_within_the_text_exist(page: str) -> None:
    for words in inline(page):
        check(words, f"{page}: {' '.join(words)}")


@pytest.mark.parametrize(
    "words",
    [
        "make no-such-target",
        "nash-ismcts no_such_command",
        "nash-ismcts train --no-such-option",
        "pip install .[no_such_extra]",
        "python -m benchmarks.soak --no-such-option",
        "python -m benchmarks.soak --games many",
        "python -m benchmarks.no_such_module",
        "python -m pytest tests/no_such_test.py",
        "python examples/policy_collapse.py --no_such_flag=1",
        "python examples/no_such_example.py",
        "curl something",
    ],
)
def test_the_checker_sees_what_is_not_there(words: str) -> None:
    wrong = (AssertionError, ImportError, OSError, SystemExit, pytest.fail.Exception)
    with pytest.raises(wrong):
        check(words.split(), "here")


def test_commands_are_made_shorter_and_never_longer() -> None:
    given = "exploitability --run DIR --visits 3000 --repeats 20 --seed 7".split()
    assert shorter(given) == "exploitability --run DIR --visits 100 --repeats 1 --seed 7".split()
    assert shorter(["search", "--visits", "5"]) == ["search", "--visits", "5"]
