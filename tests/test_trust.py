"""Files of a run that cannot be trusted: two writers, mixed and damaged files, hard limits."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import helpers
import numpy as np
import pytest
import safetensors.numpy

from nash_ismcts_spiel import cli, files
from nash_ismcts_spiel.baselines.rebel.config import RebelConfig
from nash_ismcts_spiel.baselines.rebel.run import RebelRun
from nash_ismcts_spiel.files import CheckpointError, DamagedFileError
from nash_ismcts_spiel.learning import Schedule, TrainingConfig
from nash_ismcts_spiel.learning.config import LearnerConfig
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.runs import Budget, Run, load_policy
from nash_ismcts_spiel.runs.config import CHECKPOINT, CONFIG, DIGEST, RUN
from nash_ismcts_spiel.runs.directory import RunDirectory
from nash_ismcts_spiel.runs.metrics import METRICS, read_metrics

ROOT = Path(__file__).parents[1]
FEW = TrainingConfig(
    visits=Schedule(start=4.0),
    networks=NetworkConfig(width=4, depth=1),
    learner=LearnerConfig(search_games=4, policy_games=20, steps=2),
)
REBEL = RebelConfig(iterations=4, play_iterations=4, playthroughs=4, steps=2, buffer=100, width=8)


def train(run: RunDirectory, generations: int) -> None:
    for _ in run.train(Budget(generations=generations)):
        pass


def new_run(directory: Path, kind: str = "exact", seed: int = 3, generations: int = 3) -> Any:
    run: RunDirectory
    if kind == "rebel":
        run = RebelRun.create(directory, helpers.KUHN, seed, REBEL)
    else:
        run = Run.create(directory, helpers.KUHN, seed, FEW, models=kind)  # type: ignore[arg-type]
    train(run, generations)
    return run


def resume(directory: Path, kind: str = "exact") -> Any:
    return (RebelRun if kind == "rebel" else Run).resume(directory)


# One writer at a time.


def test_a_second_training_is_refused_and_readers_are_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new_run(tmp_path)
    first, second = Run.resume(tmp_path), Run.resume(tmp_path)
    under_way = first.train(Budget(generations=9))
    next(under_way)
    with pytest.raises(files.BusyError, match=f"{tmp_path} is in use"):
        next(second.train(Budget(generations=9)))
    flags = ["--out", str(tmp_path), "--generations", "9"]
    assert cli.main(["train", "--resume", *flags]) == 2
    assert f"nash-ismcts: error: {tmp_path} is in use" in capsys.readouterr().err
    # Others may look at what is saved.
    load_policy(tmp_path)
    assert cli.main(["export", "--run", str(tmp_path), "--out", str(tmp_path / "p.json")]) == 0
    list(under_way)
    assert [line.generation for line in read_metrics(tmp_path)] == list(range(1, 10))


def test_who_comes_later_goes_on_from_what_the_first_has_saved(tmp_path: Path) -> None:
    new_run(tmp_path / "unbroken", generations=8)
    new_run(tmp_path / "shared")
    first, second = Run.resume(tmp_path / "shared"), Run.resume(tmp_path / "shared")
    train(first, 6)
    generations = [second.loop.generation for _ in second.train(Budget(generations=8))]
    assert generations == [7, 8]  # and not from 4, as it was when it was resumed
    assert [line.generation for line in read_metrics(tmp_path / "shared")] == list(range(1, 9))
    unbroken = Run.resume(tmp_path / "unbroken")
    assert np.array_equal(Run.resume(tmp_path / "shared").policy(), unbroken.policy())


def test_two_processes_that_begin_in_one_directory(tmp_path: Path) -> None:
    with files.writing(tmp_path):
        with pytest.raises(files.BusyError):
            Run.create(tmp_path, helpers.KUHN, 3, FEW)
    assert {path.name for path in tmp_path.iterdir()} == {files.LOCK}


def two_writers(trials: int) -> str:
    script = ROOT / "tests" / "two_writers.py"
    path = {"PYTHONPATH": str(ROOT), "PATH": ""}
    command = [sys.executable, str(script), str(trials)]
    done = subprocess.run(command, env=path, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr[-500:]


def test_of_two_trainings_one_goes_on() -> None:
    assert two_writers(3) == "one went on and one refused in 3 of 3\n"


@pytest.mark.slow
def test_of_two_trainings_one_goes_on_each_time() -> None:
    assert two_writers(100) == "one went on and one refused in 100 of 100\n"


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    new_run(tmp_path)
    code = (
        "import sys, time; from pathlib import Path; from nash_ismcts_spiel import files\n"
        f"with files.writing(Path({str(tmp_path)!r})): print('locked', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "locked\n"
        with pytest.raises(files.BusyError):
            train(Run.resume(tmp_path), 4)
        holder.kill()
    train(Run.resume(tmp_path), 4)
    assert Run.resume(tmp_path).loop.generation == 4


# Metrics.


def test_every_bit_of_the_metrics_counts(tmp_path: Path) -> None:
    new_run(tmp_path, generations=2)
    path = tmp_path / METRICS
    content = path.read_bytes()
    for at in range(0, len(content), 7):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(DamagedFileError, match=r"metrics\.jsonl"):
            Run.resume(tmp_path)
    path.write_bytes(content)
    lines = content.splitlines(keepends=True)
    first, second = (lines[k].decode() for k in (0, 1))
    swapped, without, twice = second + first, second, first + first + second
    for text in (swapped, without, twice, first, "", "[1]\n" + second, "{}\n" + second):
        path.write_text(text)
        with pytest.raises(DamagedFileError, match=r"metrics\.jsonl"):
            Run.resume(tmp_path)
    path.write_text(first.replace('"generation": 1', '"generation": 7') + second)
    with pytest.raises(DamagedFileError, match=r"metrics\.jsonl, line 1 is damaged"):
        read_metrics(tmp_path)


def test_metrics_without_their_last_newline_go_on(tmp_path: Path) -> None:
    new_run(tmp_path / "unbroken", generations=5)
    new_run(tmp_path / "broken")
    path = tmp_path / "broken" / METRICS
    path.write_bytes(path.read_bytes()[:-1])
    assert len(read_metrics(tmp_path / "broken")) == 3
    train(Run.resume(tmp_path / "broken"), 5)
    found = [line.exploitability_average for line in read_metrics(tmp_path / "broken")]
    wanted = [line.exploitability_average for line in read_metrics(tmp_path / "unbroken")]
    assert found == wanted


# Files of different runs.


@pytest.mark.parametrize("kind", ["exact", "learned", "rebel"])
@pytest.mark.parametrize("name", [CONFIG, METRICS, CHECKPOINT])
def test_files_of_another_run_are_refused_by_name(tmp_path: Path, kind: str, name: str) -> None:
    new_run(tmp_path / "ours", kind, generations=2)
    new_run(tmp_path / "theirs", kind, seed=4, generations=2)
    shutil.copy(tmp_path / "theirs" / name, tmp_path / "ours" / name)
    with pytest.raises(DamagedFileError, match="another run") as refusal:
        resume(tmp_path / "ours", kind)
    blamed = METRICS if name == METRICS else CHECKPOINT
    assert str(tmp_path / "ours" / blamed) in str(refusal.value)


def test_a_config_of_exact_models_is_not_taken_for_learned_ones(tmp_path: Path) -> None:
    new_run(tmp_path / "exact")
    new_run(tmp_path / "learned", "learned")
    shutil.copy(tmp_path / "exact" / CONFIG, tmp_path / "learned" / CONFIG)
    with pytest.raises(CheckpointError, match="another run"):
        Run.resume(tmp_path / "learned")


@pytest.mark.parametrize("kind", ["exact", "rebel"])
def test_a_changed_config_is_refused(tmp_path: Path, kind: str) -> None:
    new_run(tmp_path, kind)
    path = tmp_path / CONFIG
    path.write_text(path.read_text().replace('"seed": 3', '"seed": 4'))
    with pytest.raises(DamagedFileError, match=r"config\.json is not .* as it was written"):
        resume(tmp_path, kind)


def test_runs_without_an_identity_are_refused(tmp_path: Path) -> None:
    new_run(tmp_path)
    settings = json.loads((tmp_path / CONFIG).read_text())
    plain = {name: value for name, value in settings.items() if name not in (RUN, DIGEST)}
    (tmp_path / CONFIG).write_text(json.dumps(plain))
    with pytest.raises(DamagedFileError, match=r"config\.json is not .* as it was written"):
        Run.resume(tmp_path)


# Limits on what is read.


def with_array(path: Path, name: str, shape: Any, kind: str = "F64", content: bytes = b"") -> None:
    """A checkpoint in whose header an array claims a shape and a type."""
    with safetensors.safe_open(path, "np") as stored:
        metadata = stored.metadata()
    entry = {"dtype": kind, "shape": shape, "data_offsets": [0, len(content)]}
    header = json.dumps({"__metadata__": metadata, name: entry}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + content)


def rewritten(path: Path, **arrays: Any) -> None:
    """A checkpoint with other arrays, as a run writes it."""
    numbers, kept = files.load(path)
    files.save(path, files.Checkpoint(numbers, {**kept, **arrays}))


def deep(path: Path) -> None:
    header = {"numbers": "[" * 100_000, "digest": ""}
    path.write_bytes(safetensors.numpy.save({"weight": np.ones(12)}, header))


def with_a_hole(path: Path) -> None:
    with open(path, "r+b") as file:
        file.truncate(200 << 30)  # most of it takes no room


HOSTILE: dict[str, Callable[[Path], None]] = {
    "an array that nobody asked for": lambda path: rewritten(path, more=np.ones(10)),
    "30 GB": lambda path: with_array(path, "weight", [4_000_000_000]),
    "a negative size": lambda path: with_array(path, "weight", [-12]),
    "a size that is none": lambda path: with_array(path, "weight", ["x"]),
    "a size that overflows": lambda path: with_array(path, "weight", [2**40, 2**40]),
    "objects": lambda path: with_array(path, "weight", [1], "O", bytes(8)),
    "a type that numpy has not": lambda path: with_array(path, "weight", [4], "F8_E4M3", bytes(4)),
    "a header without an end": lambda path: path.write_bytes((1 << 62).to_bytes(8, "little")),
    "a hole": with_a_hole,
    "deep JSON": deep,
    "deep headers": lambda path: path.write_bytes(
        (200_000).to_bytes(8, "little") + b"[" * 100_000 + b"]" * 100_000
    ),
    "NaN": lambda path: rewritten(path, weight=np.full(12, np.nan)),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_checkpoints_are_refused_at_once(tmp_path: Path, what: str) -> None:
    new_run(tmp_path)
    path = tmp_path / CHECKPOINT
    HOSTILE[what](path)
    started = time.process_time()
    with pytest.raises(CheckpointError) as refusal:
        Run.resume(tmp_path)
    assert str(refusal.value).startswith(str(path))
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize("name", [CONFIG, METRICS])
@pytest.mark.parametrize("content", [b"[" * 200_000, b'{"a":' * 900 + b"1" + b"}" * 900, b"\xff"])
def test_hostile_json_is_refused_by_name(tmp_path: Path, name: str, content: bytes) -> None:
    new_run(tmp_path)
    (tmp_path / name).write_bytes(content + b"\n")
    with pytest.raises(DamagedFileError) as refusal:
        Run.resume(tmp_path)
    assert str(tmp_path / name) in str(refusal.value)


def test_files_that_are_too_large_are_refused_unread(tmp_path: Path) -> None:
    new_run(tmp_path)
    with open(tmp_path / CONFIG, "r+b") as file:
        file.truncate(20 << 30)  # most of it is a hole that takes no room
    with pytest.raises(DamagedFileError, match=r"config\.json is larger than"):
        Run.resume(tmp_path)


# Settings that break files.


def test_numpy_numbers_are_settings_too(tmp_path: Path) -> None:
    config = dataclasses.replace(FEW, shards=np.int64(2), averaging_power=np.float32(2.0))
    run = Run.create(tmp_path, helpers.KUHN, 0, config)
    train(run, 2)
    assert Run.resume(tmp_path).config == config


def test_settings_that_are_no_plain_values_leave_nothing_behind(tmp_path: Path) -> None:
    run = Run(tmp_path / "new", helpers.KUHN, 0, FEW)
    with pytest.raises(TypeError, match="not JSON serializable"):
        run._begin("exact", {"shards": object()})
    assert not (tmp_path / "new").exists()


def test_weights_of_generations_cannot_overflow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--game", "kuhn_poker", "--generations", "9", "--out", str(tmp_path / "run")]
    assert cli.main(["train", *flags, "--set", "averaging_power=400"]) == 2
    assert "averaging_power must be at most 30, not 400" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    assert cli.main(["train", *flags, "--set", "averaging_power=30"]) == 0
    capsys.readouterr()
    assert cli.main(["train", *flags, "--set", "averaging_power=" + "[" * 100_000]) == 2
    assert "averaging_power: JSON is nested too deeply" in capsys.readouterr().err
