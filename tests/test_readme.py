"""The README and its neighbours say what is so: snippets run, commands and files exist."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from nash_ismcts_spiel import SearchConfig, cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.S)


def blocks(language):
    """Each block in `language`, with the text block right after it, if there is one."""
    found = list(BLOCK.finditer(README))
    after = {block.start(): block for block in found}
    for block in found:
        if block[1] != language:
            continue
        gap = re.match(r"\s*", README[block.end() :]).end()
        following = after.get(block.end() + gap)
        yield block[2], following[2] if following and following[1] == "text" else None


def commands():
    return [line for block, _ in blocks("sh") for line in block.splitlines() if line]


def run(*command):
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, *command], env=environment, cwd=ROOT, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("snippet", "expected"), list(blocks("python")))
def test_python_snippets_run_and_print_what_is_shown(snippet, expected):
    out = run("-c", snippet)
    assert out
    if expected is not None:
        assert out == expected


def test_there_are_snippets_and_commands_to_test():
    assert len(list(blocks("python"))) >= 2
    assert {"make demo", "make test"} <= set(commands())


def test_make_targets_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README + CONTRIBUTING, re.M))
    assert {"demo", "test", "lint"} <= named
    assert named <= targets


def test_ci_runs_the_test_command_of_the_readme():
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert "make test" in lines
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_make_test_is_what_contributing_says():
    recipe = re.search(r"^test:.*\n\t.*-m (pytest .*)$", (ROOT / "Makefile").read_text(), re.M)
    assert recipe[1] in CONTRIBUTING


def test_shell_commands_run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shorter = {"--seconds": "1", "--cpu-seconds": "1", "--repeats": "1"}
    ran = 0
    for command in commands():
        program, *arguments = shlex.split(command)
        if program == ".venv/bin/nash-ismcts":
            for flag in shorter.keys() & set(arguments):
                arguments[arguments.index(flag) + 1] = shorter[flag]
            assert cli.main(arguments) == 0
            assert capsys.readouterr().out
            ran += 1
    assert ran >= 3


def test_example_commands_name_scripts_and_flags_that_exist():
    named = re.findall(r"\.venv/bin/python (examples/\w+\.py)([^`\n]*)", README)
    assert len(named) >= 2
    for script, arguments in named:
        text = (ROOT / script).read_text()
        for flag in re.findall(r"--(\w+)", arguments):
            assert re.search(rf'flags\.DEFINE_\w+\(\s*"{flag}"', text), f"{script} --{flag}"


def test_the_demo_prints_the_table_in_the_readme():
    recipe = re.search(r"^demo:.*\n\t\S+ (.*)$", (ROOT / "Makefile").read_text(), re.M)[1]
    out = run(*[argument for argument in shlex.split(recipe) if not argument.startswith("--plot")])
    assert out.strip() in README


def test_named_files_exist():
    named = re.findall(r"`([\w./]+\.(?:py|h|cc|md))`", README + CONTRIBUTING)
    named += re.findall(r"\]\((?!http)([^)]+)\)", README + CONTRIBUTING)
    assert len(named) > 20
    inside = {path.name for path in (ROOT / "nash_ismcts_spiel").glob("*.py")}
    for name in named:
        package = ROOT / "nash_ismcts_spiel" / name
        assert (ROOT / name).exists() or package.exists() or name in inside, name


def test_named_settings_exist():
    settings = SearchConfig().to_dict()
    named = re.findall(r"`(\w+)=(\"?)([\w.]+)\2`", README)
    assert len(named) >= 4
    for field, _, value in named:
        quoted = {"False": False, "True": True}.get(value, value)
        assert SearchConfig.from_dict({field: quoted}).to_dict()[field] == quoted
    for field in re.findall(r"`(\w+)` =", README):
        assert field in settings
