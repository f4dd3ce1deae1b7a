"""Large games: work and time of a generation are bounded, and it tells how far it has come."""

from __future__ import annotations

import dataclasses
import functools
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from nash_ismcts_spiel import cli
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.config import LearnerConfig
from nash_ismcts_spiel.learning.learned_loop import SelfPlayRows, SelfPlayTask, SelfPlayWorker
from nash_ismcts_spiel.learning.learner import Learner
from nash_ismcts_spiel.learning.watch import Progress, TimeUpError, Watch
from nash_ismcts_spiel.learning.workers import Processes, Threads
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.nets import weights_of
from nash_ismcts_spiel.runs import Budget, Run
from nash_ismcts_spiel.runs.metrics import read_metrics

PHANTOM_TTT = "phantom_ttt"
FREE = LearnerConfig(search_games=12, policy_games=100, steps=3)
TIGHT = dataclasses.replace(FREE, search_megabytes=0.5, rows_megabytes=0.1, buffer_megabytes=0.01)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def settings(learner: LearnerConfig, shards: int = 1) -> TrainingConfig:
    """A small training with these bounds."""
    return TrainingConfig.preset(
        "large",
        networks=NetworkConfig(width=16, depth=1),
        learner=learner,
        visits={"start": 6.0},
        shards=shards,
    )


def played(learner: LearnerConfig, watch: Watch | None = None) -> SelfPlayRows:
    """The first generation of a run with one shard."""
    config = settings(learner)
    weights = weights_of(Learner(support(PHANTOM_TTT), config, 0).networks)
    return SelfPlayWorker(PHANTOM_TTT, config, 0).run(SelfPlayTask(1, 0, weights), watch)


def trained(directory: Path, generations: int, workers: int = 1) -> Run:
    """A run with tight bounds and two shards."""
    run = Run.create(directory, PHANTOM_TTT, 1, settings(TIGHT, 2), workers, "learned")
    for _ in run.train(Budget(generations=generations)):
        pass
    return run


def assert_same(one: Run, other: Run) -> None:
    """Both runs have the same models and counters, bit for bit."""
    for name, column in one.loop.models.arrays().items():
        assert np.array_equal(column, other.loop.models.arrays()[name]), name
    for name, count in one.loop.counters().items():
        assert name == "elsewhere_seconds" or count == other.loop.counters()[name]


# Bounded work.


def test_bounds_hold_and_bind() -> None:
    free, tight = played(FREE), played(TIGHT)
    assert free.games == 112
    assert len(free.policy) <= free.searches > 2 * tight.searches
    # All search games are played, but only some of their decisions are searched.
    assert 12 + 32 <= tight.games < free.games
    assert 8 <= tight.searches == len(tight.policy)
    assert tight.policy.targets.sum(axis=1) == pytest.approx(1.0)
    for rows, many in ((tight.value, free.value), (tight.hidden, free.hidden)):
        assert 0 < len(rows) < len(many)
        assert rows.inputs.nbytes <= 100_000 * 1.1 < many.inputs.nbytes


def test_searches_are_spread_over_the_games() -> None:
    # The number of own and met pieces that a player knows of grows along a game.
    known = [row.sum() for row in played(TIGHT).policy.inputs]
    assert len(set(known)) >= 3


def test_a_buffer_is_bounded_in_bytes(tmp_path: Path) -> None:
    run = trained(tmp_path, 2)
    (metrics,) = read_metrics(tmp_path)[-1:]
    # 110 inputs and 9 targets of 4 bytes, a mask of 9, a frequency of 8.
    most = 10_000 // (4 * 110 + 5 * 9 + 8)
    assert metrics.figures["rows"] == most < run.loop.counters()["searches"]


def test_a_bounded_run_is_the_same_for_any_workers_and_after_a_break(tmp_path: Path) -> None:
    unbroken = trained(tmp_path / "unbroken", 3)
    assert_same(unbroken, trained(tmp_path / "two", 3, workers=2))
    trained(tmp_path / "broken", 1)
    resumed = Run.resume(tmp_path / "broken")
    for _ in resumed.train(Budget(generations=3)):
        pass
    assert_same(unbroken, resumed)


# Bounded time.


class TimeUpAt(Watch):
    """Time is up at the so-manieth look."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.left = looks

    def check(self) -> None:
        self.left -= 1
        if self.left <= 0:
            raise TimeUpError

    def part(self, number: int) -> Watch:
        return self


@pytest.mark.parametrize("before_the_end", [1, 4, 10_000])
def test_time_that_is_up_inside_a_generation_drops_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before_the_end: int
) -> None:
    # Before the last step of the last fit, in an earlier fit, and at the first look.
    looks = TimeUpAt(1_000_000)
    counted = Run.create(tmp_path / "counted", PHANTOM_TTT, 1, settings(TIGHT), models="learned")
    list(counted.train(Budget(generations=1)))
    counted.advance(looks)
    count = 1_000_000 - looks.left
    unbroken = Run.create(tmp_path / "unbroken", PHANTOM_TTT, 1, settings(TIGHT), models="learned")
    run = Run.create(tmp_path / "cut", PHANTOM_TTT, 1, settings(TIGHT), models="learned")
    for each in (unbroken, run):
        list(each.train(Budget(generations=1)))
    spent = run.wall_seconds
    watch = TimeUpAt(max(1, count - before_the_end + 1))
    monkeypatch.setattr("nash_ismcts_spiel.runs.directory.Watch", lambda *_: watch)
    assert list(run.train(Budget(generations=2))) == []
    monkeypatch.undo()
    assert run.cut_short and run.loop.generation == run.saved_generation == 1
    assert run.wall_seconds > spent
    assert_same(unbroken, run)
    assert [metrics.generation for metrics in read_metrics(tmp_path / "cut")] == [1]
    resumed = Run.resume(tmp_path / "cut")
    assert resumed.wall_seconds == run.wall_seconds
    for each in (unbroken, resumed):
        list(each.train(Budget(generations=2)))
    assert not resumed.cut_short
    assert_same(unbroken, resumed)


def test_seconds_hold_inside_a_generation(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    large = '{"search_games": 100000, "policy_games": 1000000, "search_megabytes": 100000}'
    flags = ["--game", PHANTOM_TTT, "--models", "learned", "--out", str(tmp_path / "run")]
    started = time.monotonic()
    code = cli.main(["train", *flags, "--seconds", "0.5", "--set", f"learner={large}"])
    assert code == 0
    assert time.monotonic() - started < 10.0
    found = capsys.readouterr()
    assert "no generation was finished" in found.out and "search_megabytes" in found.out
    assert "time was up inside generation 1" in found.err
    assert "games 0/1,100,000" in found.err
    run = Run.resume(tmp_path / "run")
    assert run.loop.generation == 0
    assert 0.5 <= run.wall_seconds < 5.0


class Waiting:
    """A worker that waits until its time is up, and says so."""

    def run(self, number: int, watch: Watch | None = None) -> int:
        assert watch is not None
        watch.tell(Progress(games=number, games_planned=10))
        while True:
            watch.check()
            time.sleep(0.01)


@pytest.mark.parametrize("processes", [False, True])
def test_workers_end_when_time_is_up_and_tell_before(processes: bool) -> None:
    told: list[Progress] = []
    workers: Any = Processes(functools.partial(Waiting), 2) if processes else Threads(Waiting(), 2)
    try:
        with pytest.raises(TimeUpError):
            workers.run([3, 4], Watch(time.monotonic() + 0.2, told.append))
    finally:
        workers.close()
    # Each tells before it looks, but the first whose time is up may end the other's.
    assert told[-1] in {Progress(3, 10), Progress(4, 10), Progress(7, 20)}


# Progress.


def test_a_generation_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nash_ismcts_spiel.learning.watch._REPORT_SECONDS", 0.0)
    told: list[Progress] = []
    run = Run.create(tmp_path, PHANTOM_TTT, 1, settings(FREE, 2), models="learned")
    for _ in run.train(Budget(generations=1), report=told.append):
        pass
    assert told[0].games == told[0].simulations == 0 < told[0].games_planned
    assert told[-1].fitting
    playing = [progress for progress in told if not progress.fitting]
    for name in ("games", "searches", "simulations"):
        column = [getattr(progress, name) for progress in playing]
        assert column == sorted(column)
    assert len({progress.simulations for progress in playing}) > 20
    assert playing[-1].games <= 112 == playing[-1].games_planned
    assert playing[-1].simulations == run.loop.simulations


def test_progress_in_words() -> None:
    progress = Progress(12, 1500, 40, 200, 5300)
    assert progress.parts(2.0) == ["games 12/1,500", "searches 40/200", "2,650 simulations/s"]
    assert progress._replace(searches_planned=0).parts(2.0)[1] == "searches 40"
    assert Progress(fitting=True).parts(2.0) == ["fitting"]


@pytest.mark.parametrize("name", ["search_megabytes", "rows_megabytes", "buffer_megabytes"])
def test_bounds_are_above_zero(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be above 0"):
        LearnerConfig.from_dict({name: 0.0})
