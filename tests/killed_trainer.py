"""Trainings with workers that are killed at random moments: no process stays, and none of the run
is lost.

`python tests/killed_trainer.py N` kills one N times, by SIGKILL and by SIGTERM in turn, resumes it
each time, and prints how many processes were left five seconds later; with `--ray` the workers are
Ray actors. In the end the run is compared, bit for bit, with one that nobody killed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.config import LearnerConfig
from nash_ismcts_spiel.learning.watch import Watch
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.runs import Budget, Run

ROOT = Path(__file__).parents[1]
GAME, SEED = "kuhn_poker", 3
CONFIG = TrainingConfig(
    networks=NetworkConfig(width=8, depth=1),
    learner=LearnerConfig(search_games=8, policy_games=20, steps=2),
    shards=2,
)
PATIENCE = 5.0
"""Seconds that a process may live on."""

LATEST = 16.0
"""Seconds after the start at which a training is killed at the latest; workers start after five."""

SIGNALS = (signal.SIGKILL, signal.SIGTERM)
SAVED = 128 + signal.SIGTERM


class Endless:
    """A worker that tells which process it is, and whose shards but the first take an hour."""

    def __init__(self, directory: Path) -> None:
        (directory / str(os.getpid())).touch()

    def run(self, hours: int, watch: Watch | None = None) -> int:
        time.sleep(3600.0 * hours)
        return hours


class Marked:
    """A command in a process of its own, whose descendants are known by a mark."""

    def __init__(self, command: Sequence[str]) -> None:
        """Starts it."""
        self.mark = f"KILLED_TRAINER={uuid.uuid4().hex}"
        name, _, value = self.mark.partition("=")
        path = os.pathsep.join(map(str, (ROOT, ROOT / "tests")))
        self.process = subprocess.Popen(
            command,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path, name: value},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def others(self) -> list[int]:
        """Its descendants, those whose parents are gone included."""
        return [each for each in marked(self.mark) if each != self.process.pid]

    def end(self, how: signal.Signals) -> tuple[int, str]:
        """Kills it; the exit code, and what it said."""
        self.process.send_signal(how)
        code = self.process.wait(60.0)
        assert self.process.stderr is not None
        os.set_blocking(self.process.stderr.fileno(), False)  # workers that stay may hold it
        return code, (self.process.stderr.read() or b"").decode()

    def left(self) -> list[int]:
        """Who of the others is still there after some seconds."""
        deadline = time.monotonic() + PATIENCE
        while (found := self.others()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return found


def trainer(directory: Path, *options: str) -> Marked:
    """A training that goes on with the run in a directory, with two workers, and saves always."""
    command = [sys.executable, "-m", "nash_ismcts_spiel.cli", "train", "--resume", *options]
    command += ["--workers", "2", "--checkpoint-seconds", "0", "--generations", "1000000"]
    return Marked([*command, "--out", str(directory)])


def marked(mark: str) -> list[int]:
    """All processes that were started with a mark, zombies left out."""
    found = []
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdigit() and mark.encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
        except OSError:  # it has ended, or is somebody else's
            continue
    return found


def kill(process: int) -> None:
    """Kills a process, if it is there."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def begin(directory: Path) -> None:
    """A run that has not gone anywhere yet."""
    Run.create(directory, GAME, SEED, CONFIG, models="learned")


def end_of(directory: Path) -> list[Any]:
    """How far a run has come, and its networks."""
    run = Run.resume(directory)
    arrays = {name: each.tobytes() for name, each in run.loop.models.arrays().items()}
    return [run.loop.generation, run.loop.simulations, arrays]


def unbroken(directory: Path, generations: int) -> list[Any]:
    """The end of the same run that nobody kills."""
    begin(directory)
    run = Run.resume(directory)
    for _ in run.train(Budget(generations=generations)):
        pass
    return end_of(directory)


def trial(directory: Path, how: signal.Signals, moment: float, *options: str) -> list[int]:
    """Who stays after a training was killed so many seconds after its start."""
    started = trainer(directory, *options)
    time.sleep(moment)
    return who_stays(started, how)


def who_stays(started: Marked, how: signal.Signals) -> list[int]:
    """Which descendants of a process outlive its death for long; they are killed then."""
    code, said = started.end(how)
    left = started.left()
    for each in left:
        kill(each)
    assert code in (-how, SAVED if how == signal.SIGTERM else -how), said
    return left


def killed_again_and_again(folder: Path, trials: int, *options: str) -> tuple[int, int, bool]:
    """How many processes stayed, how far the run came, and whether it is as if unbroken."""
    rng, stayed = random.Random(0), 0
    killed = folder / "killed"
    begin(killed)
    for number in range(trials):
        how, moment = SIGNALS[number % 2], rng.uniform(0.0, LATEST)
        stayed += len(left := trial(killed, how, moment, *options))
        print(f"{how.name} after {moment:.2f} s: {len(left)} left", flush=True)
    end = end_of(killed)
    return stayed, end[0], end == unbroken(folder / "unbroken", end[0])


def main() -> int:
    """Kills a run as often as asked; 0 if nobody stayed and nothing was lost."""
    trials = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        stayed, far, same = killed_again_and_again(Path(folder), trials, *sys.argv[2:])
    print(f"{trials} kills, {far} generations: {stayed} processes left, the same end: {same}")
    return 0 if stayed == 0 and same else 1


if __name__ == "__main__":
    sys.exit(main())
