"""A comparison of methods in a directory, which can be interrupted at any time and resumed.

Every method gets the same CPU seconds on one core, one after the other in this process, and its
policy is measured at the same times by the same exact best response; exploitability is NashConv /
number of players. Only a method's own time counts, not that of measuring, nor that of building the
game graph, which the records tell apart. A step that a time falls into is finished first.

`settings.json` says what is compared. `comparison.jsonl` has one line per finished run, per game,
and per method that could not run, with the reason. Each line has a digest (`files/lines.py`), is
written whole, and checked when it is read.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import math
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyspiel

from nash_ismcts_spiel.baselines import DETERMINISTIC, METHODS, make_method, trace_at
from nash_ismcts_spiel.files import (
    DamagedFileError,
    make_directories,
    read_object,
    replace_file,
    versions,
    writing,
)
from nash_ismcts_spiel.files.damage import read_bytes
from nash_ismcts_spiel.files.disk import append_to_file, sync_directory, sync_file
from nash_ismcts_spiel.files.lines import MOST_BYTES, Line, read_lines, sealed
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.settings import Settings, did_you_mean

Record = dict[str, Any]

RECORDS = "comparison.jsonl"
_ORIGIN = "comparison"
"""What the first line's digest follows."""
_LARGEST = 1 << 63


def read_records(path: Path) -> list[Record]:
    """All records; a last line that was cut off by an interruption does not count.

    Raises:
      DamagedFileError: a line is no record, or not as it was written; file and line are named.
    """
    return [_checked(path, line) for line in read_lines(path, _ORIGIN)]


def append_record(path: Path, record: Record) -> None:
    """Adds a record, and returns when it is on the disk."""
    lines = read_lines(path, _ORIGIN)
    text, _ = sealed(json.dumps(record), lines[-1].digest if lines else _ORIGIN)
    append_to_file(path, (text + "\n").encode())
    sync_file(path)
    sync_directory(path.parent)


def drop_cut_line(path: Path) -> None:
    """Takes away a last line that was cut off, and ends one that only lacks its end."""
    if path.exists():
        lines = read_lines(path, _ORIGIN)
        written = read_bytes(path, MOST_BYTES)
        whole = written[: lines[-1].end if lines else 0].removesuffix(b"\n")
        whole += b"\n" if whole else b""
        if whole != written:
            replace_file(path, whole)


def _checked(path: Path, line: Line) -> Record:
    try:
        _check(line.record)
    except ValueError as error:
        raise DamagedFileError(f"{path}, line {line.number} is no record: {error}") from error
    return line.record


_KINDS: tuple[dict[str, type], ...] = (
    {"game": str, "method": str, "skipped": str},
    {"game": str, "method": str, "seed": int, "points": list},
    {
        "game": str, "information_sets": int, "worlds": int, "players": int,
        "utility_sum": float, "graph_seconds": float,
    },
)  # fmt: skip
"""The entries of a method that could not run, of a run, and of a game; a sum may not be known."""


def _check(record: Record) -> None:
    """Raises ValueError unless a record is one of the three kinds."""
    kind = next((kind for kind in _KINDS if kind.keys() == record.keys()), None)
    if kind is None:
        raise ValueError(f"its entries are {', '.join(sorted(map(str, record)))}")
    for name, wanted in kind.items():
        value = record[name]
        unknown = name == "utility_sum" and value is None
        right = _is_number(value) if wanted is float else type(value) is wanted
        if not (right or unknown):
            raise ValueError(f"{name} is {value!r}")
    points = record.get("points", [[0, 0, 0]])
    if not points or not all(map(_is_point, points)):
        raise ValueError("points are not (CPU seconds, steps, exploitability)")


def _is_number(value: Any) -> bool:
    if type(value) is int:
        return abs(value) < _LARGEST
    return type(value) is float and math.isfinite(value)


def _is_point(point: Any) -> bool:
    return isinstance(point, list) and len(point) == 3 and all(map(_is_number, point))


SETTINGS = "settings.json"
_MOST = 100_000
"""Most seeds, and most points of a run."""
_MOST_SECONDS = 1e9

_EARLIEST = 1 / 200
"""Of the whole time, when methods are measured first."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StudyConfig(Settings):
    """What is compared.

    games: names, with parameters.
    methods: names of METHODS.
    seconds: CPU seconds of each run.
    seeds: runs of each method and game, with seeds from 0; a method that draws nothing runs once.
    points: measurements of each run, at times that grow by a factor.
    """

    games: list[str]
    methods: list[str]
    seconds: float
    seeds: int = 1
    points: int = 16

    def __post_init__(self) -> None:
        """Refuses what cannot be run."""
        for name in ("games", "methods"):
            texts = getattr(self, name)
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise TypeError(f"{name} must be a list of names, not {texts!r}")
        for name in ("seeds", "points"):
            if not isinstance(getattr(self, name), int) or getattr(self, name) > _MOST:
                raise TypeError(f"{name} must be a number up to {_MOST:,}")
        if isinstance(self.seconds, bool) or not isinstance(self.seconds, int | float):
            raise TypeError(f"seconds must be a number, not {self.seconds!r}")
        if not self.games or not self.methods:
            raise ValueError("a comparison needs at least one game and one method")
        for name in self.methods:
            if name not in METHODS:
                raise ValueError(f"unknown method {name!r}; {did_you_mean(name, METHODS)}")
        if not (0.0 < self.seconds <= _MOST_SECONDS and self.seeds >= 1 and self.points >= 2):
            raise ValueError(
                f"seconds must be positive and at most {_MOST_SECONDS:g}, seeds at least 1 and "
                "points at least 2"
            )

    @property
    def times(self) -> list[float]:
        """When policies are measured, in CPU seconds."""
        found = np.geomspace(self.seconds * _EARLIEST, self.seconds, self.points)
        return [float(f"{moment:.4g}") for moment in found]

    def runs(self) -> Iterator[tuple[int, str, str]]:
        """(seed, game, method): in turn, so that a slow hour of the machine hits all of them."""
        for seed in range(self.seeds):
            for game in self.games:
                for method in self.methods:
                    if seed == 0 or method not in DETERMINISTIC:
                        yield seed, game, method


class Study:
    """A comparison and its directory.

    Attributes:
      directory: where it lives.
      config: what is compared.
      circumstances: versions, machine and date of its beginning.
    """

    def __init__(self, directory: str | Path, config: StudyConfig, circumstances: Record) -> None:
        """Connects what is in memory; use `create` or `resume`."""
        self.directory = Path(directory)
        self.config = config
        self.circumstances = circumstances

    @classmethod
    def create(cls, directory: str | Path, config: StudyConfig) -> Self:
        """Begins a comparison in a directory that has none.

        Raises:
          ValueError: there is one already, or a game is not supported.
        """
        directory = Path(directory)
        if (directory / SETTINGS).exists():
            raise ValueError(f"{directory} has a comparison already; --resume it")
        for game in config.games:
            support(game)
        make_directories(directory)
        study = cls(directory, config, circumstances())
        with writing(directory):
            (directory / RECORDS).unlink(missing_ok=True)
            study._write_settings()
        return study

    @classmethod
    def resume(cls, directory: str | Path) -> Self:
        """Goes on with a comparison.

        Raises:
          ValueError: there is none.
          DamagedFileError: its settings are damaged.
        """
        path = Path(directory) / SETTINGS
        if not path.exists():
            raise ValueError(f"{directory} has no comparison: {SETTINGS} is missing")
        stored = read_object(path, "the settings of a comparison")
        try:
            config = StudyConfig.from_dict(stored["config"])
            known = stored["circumstances"]
            texts = [known["machine"], known["begun"], *known["versions"].values()]
            if not all(isinstance(text, str) for text in texts):
                raise ValueError("circumstances are not text")
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            message = f"{path} has no settings of a comparison: {error}"
            raise DamagedFileError(message) from error
        return cls(directory, config, known)

    def extend(
        self, games: Sequence[str] = (), methods: Sequence[str] = (), seeds: int = 0
    ) -> None:
        """Adds games and methods that are not compared yet, and seeds up to so many."""
        for game in games:
            support(game)
        config = self.config
        self.config = dataclasses.replace(
            config,
            games=list(dict.fromkeys([*config.games, *games])),
            methods=list(dict.fromkeys([*config.methods, *methods])),
            seeds=max(config.seeds, seeds),
        )
        self._write_settings()

    def records(self) -> list[Record]:
        """All that is finished. A last line that was cut off by an interruption does not count.

        Raises:
          DamagedFileError: a line is not as it was written.
        """
        found = read_records(self.directory / RECORDS)
        for record in found:
            if len(record.get("points", self.config.times)) != self.config.points:
                path = self.directory / RECORDS
                raise DamagedFileError(f"{path} has a run of another number of points")
        return found

    def run(
        self,
        on_run: Callable[[str], object] = lambda title: None,
        on_time: Callable[[float], object] = lambda cpu_seconds: None,
    ) -> None:
        """Runs what is not finished yet.

        Args:
          on_run: called with a title before each run.
          on_time: called with further CPU seconds of the budget that are used up.

        Raises:
          BusyError: another process runs the comparison.
        """
        with writing(self.directory):
            drop_cut_line(self.directory / RECORDS)
            self._run(on_run, on_time)

    def _run(self, on_run: Callable[[str], object], on_time: Callable[[float], object]) -> None:
        finished = {_key(record) for record in self.records()}
        graph, graph_of = None, ""
        for seed, game, method in self.config.runs():
            if not finished.isdisjoint({(game, method, seed), (game, method, None)}):
                on_time(self.config.seconds)
                continue
            on_run(f"{game}, {method}, seed {seed}")
            if graph_of != game:
                graph, graph_of = self._graph(game, finished), game
            if graph is None:
                on_time(self.config.seconds)
                continue
            record = self._record(game, graph, method, seed, on_time)
            self._append(record)
            finished.add(_key(record))

    def _graph(self, game: str, finished: set[Any]) -> GameGraph | None:
        """The game's graph; None if it is too large, which is said of every method."""
        started = time.process_time()
        try:
            graph = GameGraph.enumerate(game)
        except ValueError as error:
            for method in self.config.methods:
                self._append({"game": game, "method": method, "skipped": str(error)})
                finished.add((game, method, None))
            return None
        graph.resolve()
        exact.compiled(graph)
        if (game, None, None) not in finished:
            self._append(
                {
                    "game": game,
                    "information_sets": len(graph.information_sets),
                    "worlds": len(graph.worlds),
                    "players": graph.game.num_players,
                    "utility_sum": graph.game.utility_sum,
                    "graph_seconds": round(time.process_time() - started, 3),
                }
            )
            finished.add((game, None, None))
        return graph

    def _record(
        self,
        game: str,
        graph: GameGraph,
        method: str,
        seed: int,
        on_time: Callable[[float], object],
    ) -> Record:
        told = 0.0

        def tell(used: float) -> None:
            nonlocal told
            used = min(used, self.config.seconds)
            on_time(used - told)
            told = used

        try:
            made = make_method(method, graph, seed)
            points = trace_at(made, graph, self.config.times, on_time=tell)
        except (ValueError, TypeError, ImportError, pyspiel.SpielError) as error:
            tell(self.config.seconds)
            return {"game": game, "method": method, "skipped": " ".join(str(error).split())}
        tell(self.config.seconds)
        return {"game": game, "method": method, "seed": seed, "points": points}

    def _write_settings(self) -> None:
        settings = {"config": self.config.to_dict(), "circumstances": self.circumstances}
        replace_file(self.directory / SETTINGS, (json.dumps(settings, indent=2) + "\n").encode())

    def _append(self, record: Record) -> None:
        append_record(self.directory / RECORDS, record)


def _key(record: Record) -> tuple[str, str | None, int | None]:
    """(game, method, seed); no seed for a method that cannot run, no method for a game."""
    return record["game"], record.get("method"), record.get("seed")


def circumstances() -> Record:
    """When, where and with what a comparison is begun: date, versions and machine, as texts."""
    return {
        "begun": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": versions(),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
    }


def _processor() -> str:
    """The processor's model, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.partition(":")[2].strip() for line in file if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
