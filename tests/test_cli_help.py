"""What all commands share: help, completion, --json, --set, --import, and progress in one line."""

from __future__ import annotations

import argparse
import json
import os
import pickle
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nash_ismcts_spiel import cli
from nash_ismcts_spiel.cli import bars, common
from nash_ismcts_spiel.cli.main import make_parser
from nash_ismcts_spiel.cli.parser import changed
from nash_ismcts_spiel.learning import Schedule, TrainingConfig

ROOT = Path(__file__).parents[1]

DELAY = bars._DELAY  # before tests keep progress away


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command."""
    (action,) = (a for a in make_parser()._actions if isinstance(a, argparse._SubParsersAction))
    return dict(action.choices)


COMMANDS = sorted(commands())


def test_the_bare_command_shows_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out.startswith("usage: nash-ismcts")
    for name in COMMANDS:
        assert re.search(rf"^    {name}\s", shown.out, re.M)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_has_examples_that_can_be_parsed(name: str) -> None:
    text = commands()[name].format_help()
    lines = re.findall(r"^  nash-ismcts (.*)$", text.partition("examples:\n")[2], re.M)
    assert lines
    for line in lines:
        assert line.split()[0] == name
        assert len(line) < 100
        assert make_parser().parse_args(shlex.split(line)).run is not None


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_its_default(name: str) -> None:
    parser = commands()[name]
    must = [a for group in parser._mutually_exclusive_groups if group.required
            for a in group._group_actions]  # fmt: skip
    for action in parser._actions:
        if action.nargs == 0 or action.required or action in must or action.dest == "modules":
            continue
        formatter = parser._get_formatter()
        text = formatter._expand_help(action) if action.help else ""
        assert "default" in text, f"{name} {action.option_strings}"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_time_says_whose_it_is(name: str) -> None:
    for action in commands()[name]._actions:
        for option in action.option_strings:
            if option == "--cpu-seconds":
                assert "processor time" in str(action.help)
            elif "seconds" in option:
                assert "wall time" in str(action.help)


def test_every_command_that_prints_a_table_prints_json() -> None:
    without = {name for name, parser in commands().items() if "--json" not in parser.format_help()}
    assert without <= {"export", "inspect", "play"}  # which write files, or talk to a person


def test_train_and_compare_print_one_document(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    flags = ["--generations", "3", "--set", "visits=5", "--out", str(run), "--json"]
    assert cli.main(["train", "--game", "kuhn_poker", *flags]) == 0
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert (found["game"], found["metrics"]["generation"]) == ("kuhn_poker()", 3)
    assert "generation 3/3" in shown.err
    flags = ["--methods", "cfr", "--cpu-seconds", "0.01", "--out", str(tmp_path / "compared")]
    assert cli.main(["compare", "--games", "kuhn_poker", *flags, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert 0.0 < found["final"]["kuhn_poker()"]["cfr"] < 11 / 24
    assert Path(found["report"]).exists()


def test_json_has_no_numbers_that_json_has_not(capsys: pytest.CaptureFixture[str]) -> None:
    common.print_json({"a": [float("nan"), 1.5], "b": (float("inf"),)})
    assert json.loads(capsys.readouterr().out) == {"a": [None, 1.5], "b": [None]}


def test_objects_change_parts_of_a_config_but_whole_schedules() -> None:
    prototype = TrainingConfig.preset("prototype")
    assert prototype.search.sample_backup == "expected"
    texts = ["learner.steps=7", 'learner={"batch": 9}', 'search={"spawn_depth": 3}']
    found = changed(prototype, [*texts, 'dispersion_radius={"start": 0.2}'])
    assert (found.learner.steps, found.learner.batch) == (7, 9)
    assert (found.search.sample_backup, found.search.spawn_depth) == ("expected", 3)
    assert found.dispersion_radius == Schedule(start=0.2)
    assert prototype.dispersion_radius.power == -0.5


def test_dots_and_plain_numbers_change_settings() -> None:
    config = changed(
        TrainingConfig.preset("large"),
        ["visits=50", "dispersion_radius.start=0.1", "search.c_puct=2", "learner.learning_rate=1"],
    )
    assert config.visits == Schedule(start=50.0)
    assert config.dispersion_radius == Schedule(start=0.1, power=-0.5, highest=2.0)
    assert (config.search.c_puct, config.search.spawn_depth) == (2.0, 1)
    assert config.learner.learning_rate == Schedule(start=1.0)
    rest = changed(config, ["visits=16", "search.c_puct=" + str(TrainingConfig().search.c_puct)])
    back = ["dispersion_radius.start=0.03", 'learner.learning_rate={"start":0.003,"power":-0.25}']
    assert changed(rest, back) == TrainingConfig.preset("large")


def in_process(program: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in a folder and a process of its own."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={**os.environ, "PYTHONPATH": path, **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_game_of_ones_own_in_the_present_folder(tmp_path: Path) -> None:
    program = f"""
from nash_ismcts_spiel import cli
for line in (
    "search --game half_street_poker --history 0,1 --visits 20",
    "games --filter half_street",
    "train --game half_street_poker --generations 2 --out {tmp_path}",
    "exploitability --run {tmp_path}",
):
    assert cli.main([*line.split(), "--import", "half_street_poker"]) == 0, line
"""
    done = in_process(program, ROOT / "examples")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("half_street_poker") >= 4


def test_workers_import_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from nash_ismcts_spiel.learning import workers

    held: list[object] = []
    monkeypatch.setattr(workers, "_hold", held.append)  # which would end this process later on
    end = object()
    workers._start_here(end, pickle.dumps(_Started), None, ["colorsys"])  # type: ignore[arg-type]
    assert "colorsys" in sys.modules and isinstance(workers._worker_here, _Started)
    assert held == [end]
    with pytest.raises(ValueError, match="no_such_module cannot be imported"):
        workers._start_here(end, pickle.dumps(_Started), None, ["no_such_module"])  # type: ignore[arg-type]


class _Started:
    """A worker."""


def test_work_is_told_within_two_seconds_in_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert DELAY < 2.0
    monkeypatch.setattr(bars, "_DELAY", 0.05)
    monkeypatch.setattr(bars, "_FILE_SECONDS", 0.05)
    with bars.Work("counting " + "sheep " * 20, 10, "sheep") as work:
        work.update(4)
        time.sleep(0.4)
    lines = re.split(r"[\r\n]+", capsys.readouterr().err)
    assert max(map(len, lines)) <= 79
    with bars.Work("counting", 10, "sheep") as work:
        work.update(4)
        time.sleep(0.4)
    assert re.search(r"counting, 4/10 sheep, 0 s, about \d s left", capsys.readouterr().err)
    with bars.Work("nothing"):
        pass
    assert capsys.readouterr().err == ""


def test_what_matters_most_stays_in_a_narrow_line() -> None:
    assert bars.fitting(["abc", "", "d" * 80, "ef"]) == "abc, ef"
    assert bars.fitting(["x" * 100], 10) == "x" * 9 + "…"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nash-ismcts sear", {"search "}),
        ("nash-ismcts search --game kuhn", {"kuhn_poker "}),
        ("nash-ismcts compare --cpu", {"--cpu-seconds "}),
    ],
)
def test_shells_complete_commands_games_and_options(
    line: str, words: set[str], tmp_path: Path
) -> None:
    pytest.importorskip("argcomplete", reason="the extra `completion` is not installed")
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))}
    asked |= {"_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "words")}
    in_process("from nash_ismcts_spiel import cli; cli.main()", tmp_path, **asked)
    assert set((tmp_path / "words").read_text().split("\n")) == words
