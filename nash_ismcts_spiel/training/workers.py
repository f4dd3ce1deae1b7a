"""Who works off the shards of a generation: this process, threads, other processes, Ray actors.

A shard's result depends on its task alone, whoever works it off. So a worker that dies costs time
only: another one does its shard again.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Generic, Literal, Protocol, TypeVar

TaskType = TypeVar("TaskType")
ResultType = TypeVar("ResultType")
TaskIn = TypeVar("TaskIn", contravariant=True)
ResultOut = TypeVar("ResultOut", covariant=True)
WorkerKind = Literal["threads", "processes", "ray"]

_TRIES = 3
"""Times that a shard is tried before the death of its workers is taken to be its own fault."""


class Worker(Protocol[TaskIn, ResultOut]):
    """Works off one shard at a time."""

    def run(self, task: TaskIn, /) -> ResultOut:
        """The result of a shard."""
        ...


class Workers(Protocol[TaskIn, ResultType]):
    """Works off all shards of a generation.

    Attributes:
      elsewhere: whether other processes do it, whose processor time is not this one's.
    """

    elsewhere: bool

    def run(self, tasks: Sequence[TaskIn]) -> list[ResultType]:
        """The results of all tasks, in their order."""
        ...

    def close(self) -> None:
        """Lets go of threads and processes."""
        ...


class Threads(Generic[TaskType, ResultType]):
    """This process, with as many threads as are asked for, or none but its own."""

    elsewhere = False

    def __init__(self, worker: Worker[TaskType, ResultType], count: int = 1) -> None:
        """One worker serves all threads."""
        self._worker = worker
        self._count = count

    def run(self, tasks: Sequence[TaskType]) -> list[ResultType]:
        """The results of all tasks."""
        if self._count == 1 or len(tasks) == 1:
            return [self._worker.run(task) for task in tasks]
        with concurrent.futures.ThreadPoolExecutor(self._count) as pool:
            return list(pool.map(self._worker.run, tasks))

    def close(self) -> None:
        """Nothing to do: threads end with each generation."""


class Processes(Generic[TaskType, ResultType]):
    """Processes of their own on this machine."""

    elsewhere = True

    def __init__(self, make_worker: Callable[[], Worker[TaskType, ResultType]], count: int) -> None:
        """Processes start with the first tasks; `make_worker` is called once in each."""
        self._make_worker = make_worker
        self._count = count
        self._pool: concurrent.futures.ProcessPoolExecutor | None = None

    def run(self, tasks: Sequence[TaskType]) -> list[ResultType]:
        """The results of all tasks; if a process dies, what was not finished is done again.

        Raises:
          RuntimeError: processes went on dying.
        """
        results: dict[int, ResultType] = {}
        for _ in range(_TRIES):
            pool = self._running_pool()
            futures = {
                index: pool.submit(_run_here, task)
                for index, task in enumerate(tasks)
                if index not in results
            }
            try:
                for index, future in futures.items():
                    results[index] = future.result()
                return [results[index] for index in range(len(tasks))]
            except BrokenProcessPool:
                self.close()
        raise RuntimeError(f"worker processes died {_TRIES} times in one generation")

    def close(self) -> None:
        """Ends the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _running_pool(self) -> concurrent.futures.ProcessPoolExecutor:
        if self._pool is None:
            self._pool = concurrent.futures.ProcessPoolExecutor(
                self._count,
                # Forked processes would inherit torch's threads in an unknown state.
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_start_here,
                initargs=(self._make_worker,),
            )
        return self._pool


class RayActors(Generic[TaskType, ResultType]):
    """Ray actors, on this machine or on the cluster that Ray is connected to."""

    elsewhere = True

    def __init__(self, make_worker: Callable[[], Worker[TaskType, ResultType]], count: int) -> None:
        """Actors start with the first tasks; `make_worker` is called once in each.

        Raises:
          ValueError: Ray is not installed.
        """
        try:
            import ray
        except ModuleNotFoundError:
            wanted = "pip install 'nash_ismcts_spiel[ray]'"
            raise ValueError(f"Ray actors need the package ray: {wanted}") from None
        self._ray: Any = ray
        self._make_worker = make_worker
        self._count = count
        self._started = False
        self.actors: list[Any] = []

    def start(self) -> None:
        """Connects to Ray, or starts it here, and makes actors, unless they are there."""
        if self.actors:
            return
        if not self._ray.is_initialized():
            self._ray.init(num_cpus=self._count, include_dashboard=False, log_to_driver=False)
            self._started = True
        self.actors = [self._new_actor() for _ in range(self._count)]

    def run(self, tasks: Sequence[TaskType]) -> list[ResultType]:
        """The results of all tasks; if an actor dies, a new one does its shard again.

        Raises:
          RuntimeError: actors went on dying.
        """
        self.start()
        results: dict[int, ResultType] = {}
        tries = [0] * len(tasks)
        waiting = list(reversed(range(len(tasks))))
        idle = list(range(len(self.actors)))
        under_way: dict[Any, tuple[int, int]] = {}
        while len(results) < len(tasks):
            while waiting and idle:
                index, seat = waiting.pop(), idle.pop()
                tries[index] += 1
                under_way[self.actors[seat].run.remote(tasks[index])] = (index, seat)
            (done,), _ = self._ray.wait(list(under_way), num_returns=1)
            index, seat = under_way.pop(done)
            try:
                results[index] = self._ray.get(done)
            except self._ray.exceptions.RayActorError as error:
                if tries[index] == _TRIES:
                    raise RuntimeError(f"shard {index} lost {_TRIES} actors") from error
                self.actors[seat] = self._new_actor()
                waiting.append(index)
            idle.append(seat)
        return [results[index] for index in range(len(tasks))]

    def close(self) -> None:
        """Ends the actors, and Ray if it was started here."""
        for actor in self.actors:
            self._ray.kill(actor)
        self.actors = []
        if self._started:
            self._ray.shutdown()
            self._started = False

    def _new_actor(self) -> Any:
        return self._ray.remote(num_cpus=1)(_Actor).remote(self._make_worker)


class _Actor:
    """A worker in a process of Ray's."""

    def __init__(self, make_worker: Callable[[], Worker[Any, Any]]) -> None:
        self._worker = make_worker()

    def run(self, task: Any) -> Any:
        return self._worker.run(task)


_worker_here: Worker[Any, Any] | None = None
"""The worker of a process of a pool."""


def _start_here(make_worker: Callable[[], Worker[Any, Any]]) -> None:
    global _worker_here
    _worker_here = make_worker()


def _run_here(task: Any) -> Any:
    assert _worker_here is not None
    return _worker_here.run(task)


def make_workers(
    kind: WorkerKind, make_worker: Callable[[], Worker[TaskType, ResultType]], count: int
) -> Workers[TaskType, ResultType]:
    """Workers of a kind; one thread is this process itself."""
    if kind == "ray":
        return RayActors(make_worker, count)
    if kind == "processes" and count > 1:
        return Processes(make_worker, count)
    return Threads(make_worker(), count)
