"""Training with a clock at its parts: wall and CPU seconds of a generation, and what is passed on.

A loop is put together from the package's own parts, each with a stopwatch around it; what is
learned is what `nash-ismcts train` learns. Times are in seconds: wall time is `time.monotonic`,
which all processes of a machine share, CPU time is that of threads that work off shards and of the
learner's process. Sizes are in bytes of a pickle.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import pickle
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.learned_loop import (
    LearnedLoop,
    SelfPlayRows,
    SelfPlayTask,
    SelfPlayWorker,
)
from nash_ismcts_spiel.learning.learner import Learner, buffer_rows
from nash_ismcts_spiel.learning.rows import HiddenRows, PolicyRows, ValueRows
from nash_ismcts_spiel.learning.watch import Watch
from nash_ismcts_spiel.learning.workers import WorkerKind, Workers, make_workers

Record = dict[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class TimedRows:
    """A shard's rows, with when and by which process they were made."""

    rows: SelfPlayRows
    began: float
    ended: float
    process: int


class TimedWorker:
    """A worker of self-play that says when it began and ended."""

    def __init__(self, game: str, config: TrainingConfig, seed: int) -> None:
        """As a worker of a graph that grows."""
        self._worker = SelfPlayWorker(game, config, seed)

    def run(self, task: SelfPlayTask, watch: Watch | None = None, /) -> TimedRows:
        """Plays a shard."""
        began = time.monotonic()
        rows = self._worker.run(task, watch)
        return TimedRows(rows, began, time.monotonic(), os.getpid())


class TimedWorkers:
    """Workers of a generation, and what went to them and came back in the last one.

    Attributes:
      elsewhere: whether other processes do the work.
      tasks, results: of the last generation.
      seconds: wall time from the first task that was handed out to the last result.
    """

    def __init__(self, workers: Workers[SelfPlayTask, TimedRows]) -> None:
        """Takes who does the work."""
        self._workers = workers
        self.elsewhere = workers.elsewhere
        self.tasks: list[SelfPlayTask] = []
        self.results: list[TimedRows] = []
        self.seconds = 0.0

    def run(self, tasks: Sequence[SelfPlayTask], watch: Watch | None = None) -> list[SelfPlayRows]:
        """The rows of all tasks, in their order."""
        began = time.monotonic()
        self.results = self._workers.run(tasks, watch)
        self.seconds = time.monotonic() - began
        self.tasks = list(tasks)
        return [result.rows for result in self.results]

    def close(self) -> None:
        """Lets go of processes."""
        self._workers.close()


class TimedLearner(Learner):
    """A learner that knows how long its last fit took in wall seconds."""

    seconds = 0.0

    def learn(
        self,
        generation: int,
        policy: PolicyRows,
        value: ValueRows,
        hidden: HiddenRows,
        rng: np.random.Generator,
        watch: Watch | None = None,
    ) -> None:
        """Learns, and looks at the clock."""
        began = time.monotonic()
        super().learn(generation, policy, value, hidden, rng, watch)
        self.seconds = time.monotonic() - began


class TimedTraining:
    """A training in memory, generation by generation.

    Attributes:
      learner: what learns.
      workers: who plays.
    """

    def __init__(
        self, game: str, config: TrainingConfig, seed: int, kind: WorkerKind, count: int
    ) -> None:
        """Prepares; processes and actors start with the first generation."""
        make_worker = functools.partial(TimedWorker, game, config, seed)
        self.workers = TimedWorkers(make_workers(kind, make_worker, count))
        self.learner = TimedLearner(support(game), config, seed)
        self._count = count
        self._loop = LearnedLoop(self.learner, config, seed, self.workers)

    def generation(self) -> Record:
        """One generation: its seconds by part, its counts, and the bytes that were passed on."""
        cpu, began = time.process_time(), time.monotonic()
        self._loop.step()
        wall, learner_cpu = time.monotonic() - began, time.process_time() - cpu
        results = self.workers.results
        worker_cpu = sum(result.rows.cpu_seconds for result in results)
        if not self.workers.elsewhere:  # their time is part of this process's
            learner_cpu -= worker_cpu
        playing = sum(result.ended - result.began for result in results)
        spans: dict[int, float] = {}
        sent: dict[int, int] = {}
        returned: dict[int, int] = {}
        for task, result in zip(self.workers.tasks, results, strict=True):
            who = result.process
            spans[who] = spans.get(who, 0.0) + result.ended - result.began
            sent[who] = sent.get(who, 0) + self._passed(task)
            returned[who] = returned.get(who, 0) + self._passed(result.rows)
        return {
            "wall": wall,
            "workers": self.workers.seconds,
            "busiest": max(spans.values()),
            "fit": self.learner.seconds,
            "worker_cpu": worker_cpu,
            "learner_cpu": learner_cpu,
            "idle": 1.0 - playing / (self._count * wall),
            "games": sum(result.rows.games for result in results),
            "searches": sum(result.rows.searches for result in results),
            "simulations": sum(result.rows.simulations for result in results),
            "sent": sorted(sent.values()),
            "returned": sorted(returned.values()),
        }

    def close(self) -> None:
        """Lets go of processes."""
        self._loop.close()

    def _passed(self, payload: object) -> int:
        """Bytes of what another process is given or gives; nothing is pickled within this one."""
        return pickled_bytes(payload) if self.workers.elsewhere else 0


def pickled_bytes(payload: object) -> int:
    """The length of a pickle."""
    return len(pickle.dumps(payload, pickle.HIGHEST_PROTOCOL))


def learn_from(learner: Learner, shards: Sequence[SelfPlayRows], generation: int) -> None:
    """What a learner does once all rows are there."""
    learner.learn(
        generation,
        PolicyRows.together([shard.policy for shard in shards]),
        ValueRows.together([shard.value for shard in shards]),
        HiddenRows.together([shard.hidden for shard in shards]),
        np.random.default_rng([0, generation]),
    )


def fill_buffer(learner: Learner, config: TrainingConfig, rows: PolicyRows) -> None:
    """Fills the buffer of policy targets, as it is in a long run, with rows that all differ."""
    count = buffer_rows(learner.tensors, config.learner)
    picked = np.arange(count) % len(rows)
    rng = np.random.default_rng(0)
    inputs = rows.inputs[picked]
    inputs[:, 0] += rng.random(count, dtype=np.float32)  # rows with the same inputs are merged
    filled = PolicyRows(
        inputs, rows.mask[picked], rows.frequency[picked], targets=rows.targets[picked]
    )
    learner.buffer.add(filled, 1.0, rng)
