"""Runs on a disk that fails: whatever happens, no generation that was saved is lost.

After every fault the run is resumed and trained to its end, which must be that of a run without
faults, bit for bit.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import helpers
import numpy as np
import pytest
from faulty_disk import FaultyDisk, Kind, Operation, PowerCut

from nash_ismcts_spiel import cli, files
from nash_ismcts_spiel.files.disk import opened, write_all
from nash_ismcts_spiel.learning import Schedule, TrainingConfig
from nash_ismcts_spiel.runs import Budget, Run
from nash_ismcts_spiel.runs.config import CHECKPOINT, CONFIG
from nash_ismcts_spiel.runs.directory import RunDirectory
from nash_ismcts_spiel.runs.metrics import METRICS, read_metrics

GENERATIONS = 4
CONFIG_OF_RUNS = TrainingConfig(visits=Schedule(start=2.0))


class Saved:
    """The last generation of which a run was told that it is saved; -1 before there is a run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.generation = -1
        original = RunDirectory.save

        def save(run: RunDirectory) -> None:
            original(run)
            self.generation = max(self.generation, run.saved_generation)

        monkeypatch.setattr(RunDirectory, "save", save)


def create(directory: Path) -> Run:
    return Run.create(directory, helpers.KUHN, 3, CONFIG_OF_RUNS)


def train(run: Run) -> None:
    """Trains to the end, and saves after every generation."""
    for _ in run.train(Budget(generations=GENERATIONS), checkpoint_seconds=0.0):
        pass


def end_of(directory: Path) -> list[Any]:
    """All that a run came to, times left out."""
    run = Run.resume(directory)
    rows = [dataclasses.asdict(metrics) for metrics in read_metrics(directory)]
    timeless = [{k: v for k, v in row.items() if not k.endswith("_seconds")} for row in rows]
    return [run.loop.generation, run.loop.simulations, run.policy().tolist(), timeless]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    directory = tmp_path_factory.mktemp("unbroken") / "run"
    train(create(directory))
    return end_of(directory)


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> list[Operation]:
    """The calls of a whole run without faults."""
    root = tmp_path_factory.mktemp("counted")
    disk = FaultyDisk(root, np.random.default_rng(0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunDirectory, "disk", disk)
        train(create(root / "run"))
    assert {"open", "write", "sync", "rename", "make"} <= set(disk.log)
    return disk.log


class Unflushed(files.Disk):
    """The disk of this machine, without the time that flushing takes."""

    def sync(self, descriptor: int) -> None:
        """Nothing."""


def check_after(directory: Path, saved: Saved, unbroken: list[Any], created: bool) -> None:
    """The run is there with what was saved, and goes on as if nothing had happened.

    Only if there never was one, since making it has failed, there may be none.
    """
    promised = created or saved.generation > 0
    if not promised and not (directory / CONFIG).exists():
        run = create(directory)
    else:
        run = Run.resume(directory)
        assert run.loop.generation >= saved.generation
    train(run)
    assert end_of(directory) == unbroken


def fail_once(
    root: Path, trial: int, kind: Kind, at: int, then_cut_after: int | None, unbroken: list[Any]
) -> None:
    """A run with one fault on a disk of its own."""
    rng = np.random.default_rng([trial, at])
    disk = FaultyDisk(root, rng, kind, at, then_cut_after)
    directory, created, off = root / "run", False, False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunDirectory, "disk", disk)
        saved = Saved(patch)
        for _ in range(2):  # after an error, the user tries again
            try:
                if (directory / CONFIG).exists():
                    run = Run.resume(directory)
                else:
                    run, created = create(directory), True
                train(run)
            except OSError as error:
                assert error.filename is not None and str(root) in str(error.filename)
            except PowerCut:
                off = True
                break
    after = root / "after"
    if off:
        after.mkdir()
        disk.leave_behind(after)
        directory = after / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunDirectory, "disk", Unflushed())
        check_after(directory, saved, unbroken, created)


WHERE: dict[Kind, set[Operation]] = {
    "cut": set(get_args(Operation)),
    "full": {"open", "write", "rename", "make", "sync"},
    "error": {"sync"},
    "short": {"write"},
}
"""At which calls a fault makes a difference."""


def many_faults(
    folder: Path, trials: range, calls: list[Operation], unbroken: list[Any]
) -> Counter[str]:
    """Faults of all kinds at all calls, in turn; how many there were of each."""
    kinds, done = get_args(Kind), Counter[str]()
    for trial in trials:
        rng = np.random.default_rng(trial)
        kind = kinds[trial % len(kinds)]
        places = [step for step, call in enumerate(calls) if call in WHERE[kind]]
        at = places[trial // len(kinds) * 7 % len(places)]
        cut = int(rng.integers(1, 40)) if kind != "cut" and rng.random() < 0.7 else None
        root = folder / str(trial)
        root.mkdir()
        fail_once(root, trial, kind, at, cut, unbroken)
        shutil.rmtree(root)
        done[kind if cut is None else f"{kind}, then cut"] += 1
    return done


def test_no_fault_loses_a_saved_generation(
    tmp_path: Path, calls: list[Operation], unbroken: list[Any]
) -> None:
    many_faults(tmp_path, range(80), calls, unbroken)


@pytest.mark.slow
def test_a_thousand_faults_lose_no_saved_generation(
    tmp_path: Path, calls: list[Operation], unbroken: list[Any]
) -> None:
    done = many_faults(tmp_path, range(80, 1080), calls, unbroken)
    assert done.total() == 1000
    print(dict(done))


@pytest.mark.parametrize(("at", "name"), [(1, METRICS), (7, CHECKPOINT)])
def test_a_full_disk_is_reported_in_one_line_with_the_file(
    tmp_path: Path,
    unbroken: list[Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    at: int,
    name: str,
) -> None:
    directory = tmp_path / "root" / "run"
    directory.parent.mkdir()
    create(directory)
    disk = FaultyDisk(directory.parent, np.random.default_rng(1), "full", at)
    monkeypatch.setattr(RunDirectory, "disk", disk)
    command = ["train", "--resume", "--out", str(directory), "--generations", str(GENERATIONS)]
    assert cli.main([*command, "--checkpoint-seconds", "0"]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert disk.log[at] == "write"
    full = "[Errno 28] No space left on device"
    assert said == f"nash-ismcts: error: {full}: '{directory / name}'"
    assert cli.main([*command, "--checkpoint-seconds", "0"]) == 0
    assert end_of(directory) == unbroken


def test_a_full_disk_leaves_no_part_of_a_file_behind(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    disk = FaultyDisk(tmp_path, np.random.default_rng(0), "full", at=1)
    with pytest.raises(OSError, match=str(path)):
        files.replace_file(path, b"after" * 1000, disk)
    assert disk.log == ["open", "write", "remove"]
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"before"


def test_the_disk_loses_what_is_not_flushed(tmp_path: Path) -> None:
    """The disk of these tests can lose something: else they could not fail."""
    lost = Counter[str]()
    for trial in range(40):
        root, after = tmp_path / f"{trial}", tmp_path / f"{trial}-after"
        root.mkdir()
        after.mkdir()
        (root / "file").write_bytes(b"before")
        disk = FaultyDisk(root, np.random.default_rng(trial))
        with opened(root / "new", os.O_WRONLY | os.O_CREAT, disk) as descriptor:
            write_all(descriptor, b"afterwards", disk)
        disk.rename(root / "new", root / "file")
        disk.leave_behind(after)
        content = (after / "file").read_bytes()
        assert content in (b"before", b"", b"aft", b"afterward", b"afterwards")
        lost[content.decode()] += 1
    assert len(lost) >= 4
