"""Files that are none: links, pipes and devices where a run has its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nash_ismcts_spiel import files
from nash_ismcts_spiel.cli import main
from nash_ismcts_spiel.files.damage import read_bytes
from nash_ismcts_spiel.files.disk import append_to_file
from nash_ismcts_spiel.learning import Schedule, TrainingConfig
from nash_ismcts_spiel.runs import Budget, Run
from nash_ismcts_spiel.runs.config import CHECKPOINT, CONFIG
from nash_ismcts_spiel.runs.metrics import METRICS


@pytest.fixture
def run(tmp_path: Path) -> Path:
    made = Run.create(tmp_path / "run", "kuhn_poker", 0, TrainingConfig(visits=Schedule(start=2.0)))
    for _ in made.train(Budget(generations=1)):
        pass
    return made.directory


def test_a_link_is_not_followed_when_a_file_is_replaced(tmp_path: Path, run: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"mine")
    (run / f"{CHECKPOINT}.new").symlink_to(precious)
    assert main(["train", "--resume", "--out", str(run), "--generations", "2"]) == 0
    assert precious.read_bytes() == b"mine"
    assert not (run / f"{CHECKPOINT}.new").exists()
    assert Run.resume(run).loop.generation == 2


def test_what_a_killed_process_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "file.new").write_bytes(b"half")
    files.replace_file(tmp_path / "file", b"whole")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"whole"


@pytest.mark.parametrize("name", [CONFIG, METRICS, CHECKPOINT])
def test_pipes_are_refused_at_once(run: Path, name: str) -> None:
    """In processes of their own, which could hang."""
    (run / name).unlink()
    os.mkfifo(run / name)
    for command in (["exploitability", "--run"], ["train", "--resume", "--out"]):
        done = subprocess.run(
            [sys.executable, "-m", "nash_ismcts_spiel.cli", *command, str(run)],
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
        )
        if (name, command[0]) == (METRICS, "exploitability"):
            continue  # which has no use for it
        assert done.returncode == 2
        assert "not a regular file" in done.stderr and name in done.stderr


def test_what_never_ends_is_not_read() -> None:
    with pytest.raises(files.DamagedFileError, match="/dev/zero.*not a regular file"):
        read_bytes(Path("/dev/zero"))


def test_nothing_is_written_into_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="pipe"):
        append_to_file(tmp_path / "pipe", b"line\n")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(OSError, match="not a regular file"):
        append_to_file(tmp_path / "pipe", b"line\n")
    os.close(reader)
