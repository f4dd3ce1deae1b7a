"""Who plays shards: a shard is the same whoever plays it, and killed workers lose nothing."""

from __future__ import annotations

import argparse
import functools
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import helpers
import killed_trainer
import numpy as np
import pytest
import torch

from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.config import LearnerConfig
from nash_ismcts_spiel.learning.learned_loop import SelfPlayTask, SelfPlayWorker
from nash_ismcts_spiel.learning.learner import Learner
from nash_ismcts_spiel.learning.watch import Watch
from nash_ismcts_spiel.learning.workers import Processes, RayActors
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.nets import weights_of
from nash_ismcts_spiel.runs import Budget, Run

PHANTOM_TTT = "phantom_ttt"
FEW = TrainingConfig.preset(
    "large",
    networks=NetworkConfig(width=16, depth=1),
    learner=LearnerConfig(search_games=12, policy_games=40, steps=4),
    visits={"start": 6.0},
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def task(shard: int, game: str = PHANTOM_TTT) -> SelfPlayTask:
    """A shard of the first generation."""
    return SelfPlayTask(1, shard, weights_of(Learner(support(game), FEW, 0).networks))


def assert_same_rows(one: Any, other: Any) -> None:
    """Both shards gave the same rows, bit for bit."""
    for kind in ("policy", "value", "hidden"):
        first, second = getattr(one, kind), getattr(other, kind)
        for name in first.__dataclass_fields__:
            assert np.array_equal(getattr(first, name), getattr(second, name)), (kind, name)


@pytest.mark.parametrize(("game", "whole"), [(PHANTOM_TTT, False), (helpers.KUHN, True)])
def test_a_shard_is_the_same_whoever_plays_it(game: str, whole: bool) -> None:
    config = TrainingConfig.from_dict({**FEW.to_dict(), "shards": 3})
    make_worker = functools.partial(SelfPlayWorker, game, config, 7, whole)
    here = make_worker()
    tasks = [task(shard, game) for shard in range(3)]
    results = [here.run(each) for each in tasks]
    assert [result.games for result in results] == [4 + 14, 4 + 13, 4 + 13]
    assert not np.array_equal(results[0].value.targets, results[1].value.targets)
    workers = Processes(make_worker, 2)
    try:
        for one, other in zip(results, workers.run(tasks), strict=True):
            assert_same_rows(one, other)
    finally:
        workers.close()


class Dying:
    """A worker whose process is killed at the first try of a shard."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def run(self, number: int, watch: Watch | None = None) -> int:
        tried = self._directory / str(number)
        if not tried.exists():
            tried.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number * number


def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    workers: Processes[int, int] = Processes(functools.partial(Dying, tmp_path), 1)
    try:
        assert workers.run([3]) == [9]
        for number in range(4, 10):
            (tmp_path / str(number)).touch()
        assert workers.run([4, 5, 6]) == [16, 25, 36]
        # Three shards that each kill a process once use up all tries.
        with pytest.raises(RuntimeError, match="died 3 times"):
            workers.run([10, 11, 12])
    finally:
        workers.close()


START_ENDLESS = """
import functools, pathlib, sys
import killed_trainer
from nash_ismcts_spiel.learning.workers import Processes
worker = functools.partial(killed_trainer.Endless, pathlib.Path(sys.argv[1]))
Processes(worker, 2).run([1, 1])
"""


@pytest.mark.parametrize("how", killed_trainer.SIGNALS)
def test_workers_end_with_their_parent(tmp_path: Path, how: signal.Signals) -> None:
    parent = killed_trainer.Marked([sys.executable, "-c", START_ENDLESS, str(tmp_path)])
    try:
        deadline = time.monotonic() + 60.0
        while len(list(tmp_path.iterdir())) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert len(parent.others()) >= 2
    finally:
        left = killed_trainer.who_stays(parent, how)
    assert left == []


@pytest.mark.slow
def test_of_forty_trainings_no_worker_is_left(tmp_path: Path) -> None:
    stayed, generations, same = killed_trainer.killed_again_and_again(tmp_path, 40)
    assert (stayed, same) == (0, True)
    assert generations > 0


def test_workers_that_are_let_go_end_in_the_middle_of_a_shard(tmp_path: Path) -> None:
    workers: Processes[int, int] = Processes(functools.partial(killed_trainer.Endless, tmp_path), 1)
    assert workers.run([0]) == [0]
    (process,) = tmp_path.iterdir()

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    try:
        with pytest.raises(KeyboardInterrupt):
            workers.run([1], Watch(None, interrupt))
        assert Path("/proc", process.name).exists()
    finally:
        workers.close()
    deadline = time.monotonic() + killed_trainer.PATIENCE
    while Path("/proc", process.name).exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# Ray.


@pytest.fixture(scope="module")
def ray_here() -> Any:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.mark.parametrize(("address", "cores"), [("", 3), ("auto", None)])
def test_ray_is_told_of_cores_only_where_it_is_started(
    address: str, cores: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    given: list[Any] = []
    workers: RayActors[Any, Any] = RayActors(lambda: None, 3)  # type: ignore[arg-type,return-value]
    monkeypatch.setenv("RAY_ADDRESS", address)
    monkeypatch.setattr(workers, "_new_actor", lambda: None)
    monkeypatch.setattr(
        workers,
        "_ray",
        argparse.Namespace(
            is_initialized=lambda: False, init=lambda num_cpus, **_: given.append(num_cpus)
        ),
    )
    workers.start()
    assert given == [cores]


def test_ray_actors_play_the_same_shards_and_may_be_killed(ray_here: Any) -> None:
    config = TrainingConfig.from_dict({**FEW.to_dict(), "shards": 2})
    make_worker = functools.partial(SelfPlayWorker, PHANTOM_TTT, config, 7)
    here = make_worker()
    tasks = [task(shard) for shard in range(2)]
    workers: RayActors[Any, Any] = RayActors(make_worker, 2)
    try:
        workers.start()
        ray_here.kill(workers.actors[0])
        for one, other in zip([here.run(each) for each in tasks], workers.run(tasks), strict=True):
            assert_same_rows(one, other)
    finally:
        workers.close()


def test_an_enumerated_game_is_searched_by_ray_actors(ray_here: Any, tmp_path: Path) -> None:
    config = TrainingConfig.preset(shards=2, visits={"start": 10.0})
    runs = [
        Run.create(tmp_path / str(ray), helpers.KUHN, 3, config, 2, "exact", ray=ray)
        for ray in (False, True)
    ]
    for run in runs:
        for _ in run.train(Budget(generations=3)):
            pass
    assert np.array_equal(runs[0].policy(), runs[1].policy())
    assert runs[0].loop.elsewhere_seconds == 0.0 < runs[1].loop.elsewhere_seconds
