"""The commands train and export: files, figures, and every mistake in one line."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest

from nash_ismcts_spiel import cli
from nash_ismcts_spiel.files import LOCK
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.runs import load_policy
from nash_ismcts_spiel.runs.config import read_config
from nash_ismcts_spiel.runs.metrics import read_metrics
from nash_ismcts_spiel.runs.run import Run

METRIC_KEYS = [
    "generation",
    "wall_seconds",
    "cpu_seconds",
    "simulations",
    "exploitability_average",
    "exploitability_search",
    "run",
    "digest",
]
FEW = ("--set", 'visits={"start": 10}')


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a run of Kuhn poker after 20 generations; not to be changed."""
    directory = tmp_path_factory.mktemp("runs") / "kuhn"
    assert cli.main(["train", "--game", "kuhn_poker", "--generations", "20", *out(directory)]) == 0
    return directory


def out(directory: Path) -> tuple[str, str]:
    """The option that names a run's directory."""
    return "--out", str(directory)


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """What a command that goes well prints."""
    code = cli.main(argv)
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return captured.out


def training(directory: Path) -> TrainingConfig:
    """The settings that a run was made with."""
    return TrainingConfig.from_dict(read_config(directory)["training"])


# train.


def test_train_writes_what_it_says(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    directory = tmp_path / "new"
    printed = run(
        capsys, "train", "--game", "kuhn_poker", "--generations", "12", "--seed", "5",
        *out(directory),
    )  # fmt: skip
    names = {"config.json", "metrics.jsonl", "checkpoint.safetensors", "curve.png", LOCK}
    assert {path.name for path in directory.iterdir()} == names
    assert (directory / "curve.png").read_bytes().startswith(b"\x89PNG")
    rows = [json.loads(line) for line in (directory / "metrics.jsonl").read_text().splitlines()]
    assert [list(row) for row in rows] == [METRIC_KEYS] * 12
    assert [row["generation"] for row in rows] == list(range(1, 13))
    for key in ("wall_seconds", "cpu_seconds", "simulations"):
        assert [row[key] for row in rows] == sorted(row[key] for row in rows)
    assert rows[0]["simulations"] >= 12 * 100
    assert rows[-1]["exploitability_average"] < 11 / 24  # that of the uniform policy
    settings = read_config(directory)
    assert (settings["game"], settings["seed"]) == ("kuhn_poker()", 5)
    assert training(directory) == TrainingConfig()
    assert printed.startswith(
        "kuhn_poker(), seed 5: exploitability of the average policy "
        f"{rows[-1]['exploitability_average']:.5f} after 12 generations, "
        f"{rows[-1]['simulations']:,} simulations"
    )
    assert printed.count("\n") == 1


def test_train_chooses_a_directory(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(capsys, "train", "--game", "kuhn_poker(players=3)", "--generations", "1", "--seed", "7")
    assert [path.name for path in Path("out").iterdir()] == ["kuhn_poker-players-3-7"]
    assert read_metrics(Path("out/kuhn_poker-players-3-7"))[-1].generation == 1


def test_train_stops_after_seconds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "train", "--game", "kuhn_poker", "--seconds", "0.05", *FEW, *out(tmp_path))
    last = read_metrics(tmp_path)[-1]
    assert last.generation > 1
    assert 0.05 <= last.wall_seconds < 5.0


def test_train_without_matplotlib(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert cli.main(["train", "--game", "kuhn_poker", "--generations", "1", *out(tmp_path)]) == 0
    assert "matplotlib is not installed (the extra `plot`)" in capsys.readouterr().err
    assert not (tmp_path / "curve.png").exists()


def test_settings_and_presets(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(
        capsys, "train", "--game", "kuhn_poker", "--generations", "2", "--preset", "prototype",
        "--set", 'visits={"start": 3, "power": 0.5}', "--set", "shards=2",
        "--set", 'search={"unvisited_events": "left_out"}', *out(tmp_path),
    )  # fmt: skip
    assert training(tmp_path) == TrainingConfig.preset(
        "prototype",
        visits={"start": 3.0, "power": 0.5},
        shards=2,
        search={"unvisited_events": "left_out"},
    )


def test_workers_set_shards(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    common = ("train", "--game", "leduc_poker", "--generations", "2", *FEW)
    run(capsys, *common, "--workers", "2", *out(tmp_path / "two"))
    assert training(tmp_path / "two").shards == 2
    run(capsys, *common, "--workers", "2", "--set", "shards=3", *out(tmp_path / "three"))
    assert training(tmp_path / "three").shards == 3
    # What counts is the number of shards.
    run(capsys, *common, "--set", "shards=2", *out(tmp_path / "one"))
    one, two = (Run.resume(tmp_path / name).policy() for name in ("one", "two"))
    assert np.array_equal(one, two)


def test_resume_goes_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    begin = ("train", "--game", "kuhn_poker", "--seed", "2", *FEW)
    run(capsys, *begin, "--generations", "9", *out(tmp_path / "unbroken"))
    run(capsys, *begin, "--generations", "4", *out(tmp_path / "broken"))
    again = ("train", "--resume", *out(tmp_path / "broken"), "--game", "kuhn_poker", "--seed", "2")
    printed = run(capsys, *again, "--generations", "9")
    assert "after 9 generations" in printed
    first, second = (Run.resume(tmp_path / name).policy() for name in ("unbroken", "broken"))
    assert np.array_equal(first, second)
    # Once there, nothing is left to do, and that is no error.
    assert run(capsys, *again, "--generations", "9") == printed


def test_a_budget_of_nothing_is_no_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    flags = ["--game", "kuhn_poker", "--generations", "0", *out(tmp_path)]
    assert cli.main(["train", *flags]) == 0
    assert "nothing was left to do" in capsys.readouterr().err


# export.


def test_exploitability_and_export_change_nothing(
    capsys: pytest.CaptureFixture[str], kuhn: Path, tmp_path: Path
) -> None:
    before = {path.name: path.read_bytes() for path in kuhn.iterdir()}
    run(capsys, "exploitability", "--run", str(kuhn))
    run(capsys, "export", "--run", str(kuhn), "--out", str(tmp_path / "policy.json"))
    assert {path.name: path.read_bytes() for path in kuhn.iterdir()} == before


def information_states(game: Any) -> dict[str, list[int]]:
    """Legal actions at every information state, by a walk over all states."""
    found: dict[str, list[int]] = {}
    pending = [game.new_initial_state()]
    while pending:
        state = pending.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            found[state.information_state_string()] = state.legal_actions()
        pending.extend(state.child(action) for action in state.legal_actions())
    return found


@pytest.mark.parametrize("name", [helpers.KUHN, helpers.GOOFSPIEL_4])
def test_export_is_a_policy_for_openspiel(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    run(capsys, "train", "--game", name, "--generations", "5", *FEW, *out(tmp_path / "run"))
    file = tmp_path / "new" / "policy.json"
    printed = run(capsys, "export", "--run", str(tmp_path / "run"), "--out", str(file))
    rows = json.loads(file.read_text())
    game = helpers.load(name)
    legal = information_states(game)
    assert printed == f"{len(legal)} information states written to {file}\n"
    assert {string: [int(a) for a in row] for string, row in rows.items()} == legal
    for row in rows.values():
        assert min(row.values()) >= 0.0
        assert sum(row.values()) == pytest.approx(1.0, abs=1e-9)
    table = {string: [(int(a), p) for a, p in row.items()] for string, row in rows.items()}
    average = read_metrics(tmp_path / "run")[-1].exploitability_average
    assert pyspiel.nash_conv(game, table) / 2 == pytest.approx(average, abs=1e-9)
    assert load_policy(tmp_path / "run").rows == {s: dict(row) for s, row in table.items()}


# Mistakes.


def refused(capfd: pytest.CaptureFixture[str], *argv: str) -> str:
    """The one line that a command ends with."""
    code = cli.main(argv)
    captured = capfd.readouterr()
    assert (code, captured.out) == (2, "")
    assert captured.err.startswith("nash-ismcts: error: ")
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "--game is needed"),
        ("--game kuhn_pker", "unknown game 'kuhn_pker'; did you mean 'kuhn_poker'"),
        ("--game tarok", "cannot be listed"),
        ("--resume", "--resume needs --out"),
        ("--game kuhn_poker --set vists=3", "unknown TrainingConfig key 'vists'; did you mean"),
        ("--game kuhn_poker --set visits={\"strt\":1}", "Schedule key 'strt'; did you mean 'start"),
        ("--game kuhn_poker --set visits=true", "visits must be Schedule"),
        ("--game kuhn_poker --set visits.strt=3", "Schedule key 'strt'; did you mean 'start'"),
        ("--game kuhn_poker --set leaner.batch=3", "TrainingConfig key 'leaner'; did you mean"),
        ("--game kuhn_poker --set shards.x=3", "--set shards.x: shards has no fields"),
        ("--game kuhn_poker --set .x=3", "--set needs NAME=JSON, not '.x=3'"),
        ("--gmae kuhn_poker", "unknown option --gmae; did you mean '--game'?"),
        ("--game kuhn_poker --cpu-seconds 3", "this command counts wall time: --seconds"),
        ("--game kuhn_poker --sed 3", "did you mean '--seed'?"),
        ("--game kuhn_poker --set shards", "--set needs NAME=JSON, not 'shards'"),
        ("--game kuhn_poker --set shards=two", "shards must be int, not 'two'"),
        ("--game kuhn_poker --set most_searches=6", "most_searches is gone: it is always 4,000"),
        ("--game kuhn_poker --preset defalt", "invalid choice 'defalt'; did you mean 'default'?"),
        ("--game kuhn_poker --models guessed", "invalid choice 'guessed'; there are exact"),
        ("--game kuhn_poker --seed -1", "need a seed from 0"),
        ("--game kuhn_poker --workers 0", "--workers must be at least 1"),
        ("--game kuhn_poker --generations many", "invalid int value"),
    ],
)  # fmt: skip
def test_mistakes_in_training(
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in refused(capfd, "train", *arguments.split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--generations -1", "--generations"),
        ("--seconds -1", "--seconds"),
        ("--seconds nan --generations 1", "--seconds"),
        ("--checkpoint-seconds nan --generations 1", "--checkpoint-seconds"),
        ('--generations 1 --set visits={"start":1,"power":60}', "visits"),
        ('--generations 1 --set visits={"start":1e12}', "visits"),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, arguments: str, message: str
) -> None:
    flags = ["--game", "kuhn_poker", *out(tmp_path / "run"), *arguments.split()]
    line = refused(capfd, "train", *flags)
    assert message in line
    assert len(line) < 200
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("game", ["phantom_go(board_size=2)", "go(board_size=5)"])
def test_games_that_cannot_be_enumerated(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, game: str
) -> None:
    line = refused(capfd, "train", "--game", game, "--generations", "1", *out(tmp_path / "run"))
    assert re.search(r"has more than 2000000 worlds \(about 1?\de\+\d+\); too many to", line)
    assert "nor can views be had" in line
    assert "--models learned" in line
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--game leduc_poker", "is a run of kuhn_poker() with seed 0"),
        ("--seed 1", "is a run of kuhn_poker() with seed 0"),
        ("--set shards=2", "keeps its settings"),
        ("--preset prototype", "keeps its settings"),
    ],
)
def test_a_resumed_run_stays_what_it_is(
    capfd: pytest.CaptureFixture[str], kuhn: Path, tmp_path: Path, arguments: str, message: str
) -> None:
    copy = shutil.copytree(kuhn, tmp_path / "copy")
    assert message in refused(capfd, "train", "--resume", *out(copy), *arguments.split())


def test_runs_that_are_there_or_not(
    capfd: pytest.CaptureFixture[str], kuhn: Path, tmp_path: Path
) -> None:
    assert "has a run already" in refused(capfd, "train", "--game", "kuhn_poker", *out(kuhn))
    nowhere = str(tmp_path / "nowhere")
    for command in (
        ["train", "--resume", "--out", nowhere],
        ["exploitability", "--run", nowhere],
        ["export", "--run", nowhere, "--out", str(tmp_path / "x.json")],
    ):
        assert f"{nowhere} has no run: config.json is missing" in refused(capfd, *command)


def test_a_truncated_checkpoint_is_one_line(
    capfd: pytest.CaptureFixture[str], kuhn: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(kuhn, tmp_path / "copy")
    whole = (copy / "checkpoint.safetensors").read_bytes()
    (copy / "checkpoint.safetensors").write_bytes(whole[:100])
    for command in (["train", "--resume", "--out"], ["exploitability", "--run"]):
        line = refused(capfd, *command, str(copy))
        assert f"{copy / 'checkpoint.safetensors'} is not a whole checkpoint" in line


def test_an_interrupt_without_words_says_that_it_was_one(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("nash_ismcts_spiel.cli.train.Run.resume", interrupted)
    assert cli.main(["train", "--resume", "--out", "anywhere"]) == 130
    assert capfd.readouterr().err == "\nnash-ismcts: interrupted\n"
