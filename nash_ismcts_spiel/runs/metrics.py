"""What is measured of a run, and when: one line of `metrics.jsonl` per measured generation.

A line also says to which run it belongs, and ends with a digest (`files/lines.py`). Lines are
flushed to the disk before the checkpoint that counts them is.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nash_ismcts_spiel.files import DISK, DamagedFileError, Disk
from nash_ismcts_spiel.files import disk as disks
from nash_ismcts_spiel.files.damage import read_bytes
from nash_ismcts_spiel.files.lines import MOST_BYTES, Line, read_lines, sealed
from nash_ismcts_spiel.runs.config import CHECKPOINT, RUN, run_of

METRICS = "metrics.jsonl"


@dataclasses.dataclass(frozen=True, slots=True)
class Metrics:
    """One line of `metrics.jsonl`; exploitability is NashConv / number of players.

    Learned models add their losses, counts of games, searches and rows and, where the game can be
    enumerated, `hidden_divergence` (of H from Bayes' rule, in nats). Games for more than two
    players, or whose utilities do not add up to a constant, add what each player gets and gains
    (`learning/measure.py`).

    Attributes:
      generation: generations done.
      wall_seconds: time spent on generations, measurements and checkpoints left out.
      cpu_seconds: processor time for the same, over all threads.
      simulations: done in all trees; iterations of subgame solvers in ReBeL; nodes visited by
        sweeps over views.
      exploitability_average: of P, the average policy; None if the game is too large for that.
      exploitability_search: of the policy that this generation's searches found, or None.
      figures: everything else, by name.
    """

    generation: int
    wall_seconds: float
    cpu_seconds: float
    simulations: int
    exploitability_average: float | None
    exploitability_search: float | None
    figures: Mapping[str, float]

    def line(self) -> str:
        """The metrics as a JSON object."""
        return json.dumps(self._entries())

    def sealed_line(self, run: str, before: str) -> tuple[str, str]:
        """The line of `metrics.jsonl` in a run, and its digest."""
        return sealed(json.dumps({**self._entries(), RUN: run}), before)

    def _entries(self) -> dict[str, Any]:
        fixed = {name: getattr(self, name) for name in _FIXED}
        return {**fixed, **self.figures}


_FIXED = [field.name for field in dataclasses.fields(Metrics) if field.name != "figures"]
_COUNTS = ("generation", "simulations")
_OPTIONAL = ("exploitability_average", "exploitability_search")


def read_metrics(directory: str | Path) -> list[Metrics]:
    """The measured generations of a run, oldest first.

    Raises:
      DamagedFileError: a line is not one that was written; the file and the line are named.
    """
    directory = Path(directory)
    return [metrics for metrics, _ in read_log(directory / METRICS, run_of(directory))]


def read_log(path: Path, run: str, most: int | None = None) -> list[tuple[Metrics, Line]]:
    """The lines of a run, of the first so many bytes, and what they say; raises as above."""
    try:
        lines = read_lines(path, run, most)
    except DamagedFileError as error:
        if re.search(rf'"{RUN}": "(?!{run}")'.encode(), read_bytes(path, MOST_BYTES)):
            raise DamagedFileError(f"{path} has lines of another run: {error}") from error
        raise
    return [(_read(path, line), line) for line in lines]


def _read(path: Path, line: Line) -> Metrics:
    stored = {name: value for name, value in line.record.items() if name != RUN}
    try:
        for name, value in stored.items():
            _check(name, value)
        fixed = {name: stored.pop(name) for name in _FIXED}
    except (KeyError, ValueError) as error:
        raise DamagedFileError(f"{path}, line {line.number} has wrong entries: {error}") from error
    return Metrics(**fixed, figures=stored)


def _check(name: str, value: Any) -> None:
    """Refuses what is no number; figures may be NaN, where nothing was fitted."""
    if value is None and name in _OPTIONAL:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} is {value!r}")
    if name in _COUNTS and not (isinstance(value, int) and value >= 0):
        raise ValueError(f"{name} is {value!r}")


class MetricsLog:
    """The lines of a run that is trained.

    Attributes:
      path: the file.
      run: the run's identity.
      size: bytes of all lines that count.
      digest: of the last of them.
    """

    def __init__(self, path: Path, run: str = "", disk: Disk = DISK) -> None:
        """Starts before the first line."""
        self.path = path
        self.run = run
        self.size = 0
        self.digest = run
        self._disk = disk
        self._flushed = 0
        self._in_doubt = False

    def check(self, size: int, digest: str) -> list[Metrics]:
        """What the first so many bytes say, if they are whole lines that end with a digest.

        Raises:
          DamagedFileError: they are not.
        """
        found = read_log(self.path, self.run, size)
        end = found[-1][1].end if found else 0
        # A last line may lack its end, as editors leave it.
        if end not in (size, size - 1) or (found and found[-1][1].digest != digest):
            raise DamagedFileError(f"{self.path} lacks lines that {CHECKPOINT} was written after")
        return [metrics for metrics, _ in found]

    def go_back(self, size: int, digest: str) -> list[Metrics]:
        """Drops what comes after so many bytes, and returns what the lines before say.

        Raises:
          DamagedFileError: they are not those that end with this digest.
        """
        found = self.check(size, digest)
        there = self.path.stat().st_size if self.path.exists() else 0
        if there > size:
            disks.truncate_file(self.path, size, self._disk)
        elif there < size:
            disks.append_to_file(self.path, b"\n", self._disk)
        self.size, self.digest, self._flushed = size, digest, 0
        return found

    def append(self, metrics: Metrics) -> None:
        """Adds a line, which a power cut may still take away."""
        line, digest = metrics.sealed_line(self.run, self.digest)
        content = (line + "\n").encode()
        disks.append_to_file(self.path, content, self._disk)
        self.size += len(content)
        self.digest = digest

    def flush(self) -> None:
        """Returns when a power cut cannot take a line away.

        After a flush that failed the system may think that all is written, and another one would
        mean nothing; then the file is written anew.
        """
        if self.size == self._flushed:
            return
        try:
            if self._in_doubt:
                content = self.path.read_bytes()[: self.size]
                disks.replace_file(self.path, content, self._disk)
            else:
                disks.sync_file(self.path, self._disk)
                disks.sync_directory(self.path.parent, self._disk)
        except OSError:
            self._in_doubt = True
            raise
        self._flushed, self._in_doubt = self.size, False


def is_measured(generation: int, ratio: float) -> bool:
    """Whether a power of the ratio lies between the generation before and this one."""
    if generation == 1:
        return True
    step = math.log(ratio)
    return int(math.log(generation) / step) > int(math.log(generation - 1) / step)
