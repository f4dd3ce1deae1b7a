"""Two trainings in one directory at the same moment, again and again, each in a process of its own.

`python tests/two_writers.py N` does it N times and prints how often one went on and one refused.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from nash_ismcts_spiel import cli, files
from nash_ismcts_spiel.learning import Schedule, TrainingConfig
from nash_ismcts_spiel.runs import Run
from nash_ismcts_spiel.runs.config import CHECKPOINT

REFUSED, INTERRUPTED = 2, 130
SECONDS = 60.0
"""For what takes a tenth on an idle machine."""


def start(directory: Path, number: int, gate: int) -> int:
    """A process that resumes the run as soon as the gate is closed; its id."""
    process = os.fork()
    if process != 0:
        return process
    signal.signal(signal.SIGINT, signal.default_int_handler)
    errors = os.open(directory / f"errors-{number}", os.O_WRONLY | os.O_CREAT)
    os.dup2(errors, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.read(gate, 1)
    flags = ["--out", str(directory), "--generations", str(10**9), "--checkpoint-seconds", "0"]
    os._exit(cli.main(["train", "--resume", *flags]))


def generation(directory: Path) -> int:
    """How far the run has come that is saved."""
    return int(files.load(directory / CHECKPOINT).numbers["generation"])


def one_goes_on(directory: Path) -> bool:
    """Whether of two trainings one refuses in one line, while the other goes on."""
    config = TrainingConfig(visits=Schedule(start=2.0))
    Run.create(directory, "kuhn_poker", 0, config)
    gate, closing = os.pipe()
    processes = {start(directory, number, gate): number for number in (0, 1)}
    os.close(gate)
    os.write(closing, b"..")
    os.close(closing)
    first, status = os.wait()
    refused = os.waitstatus_to_exitcode(status) == REFUSED
    (other,) = processes.keys() - {first}
    said = (directory / f"errors-{processes[first]}").read_text().splitlines()
    refused &= said[-1].startswith(f"nash-ismcts: error: {directory} is in use")
    refused &= not any("Traceback" in line for line in said)
    before, deadline = generation(directory), time.monotonic() + SECONDS
    while generation(directory) < before + 3 and time.monotonic() < deadline:
        time.sleep(0.002)
    went_on = generation(directory) >= before + 3
    os.kill(other, signal.SIGINT)
    code = os.waitstatus_to_exitcode(os.waitpid(other, 0)[1])
    whole = Run.resume(directory).loop.generation == generation(directory)
    return refused and went_on and whole and code == INTERRUPTED


def main() -> int:
    """Does it as often as asked; 0 if all went well."""
    trials = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        well = sum(one_goes_on(Path(folder, str(trial))) for trial in range(trials))
    print(f"one went on and one refused in {well} of {trials}")
    return 0 if well == trials else 1


if __name__ == "__main__":
    sys.exit(main())
