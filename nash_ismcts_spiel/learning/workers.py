"""Who works off the shards of a generation: this process, threads, other processes, Ray actors.

A shard's result depends on its task alone, whoever works it off. So a worker that dies costs time
only: another one does its shard again. A TimeUpError is raised when the time of the watch is up:
threads and processes look at it themselves and tell how far they have come; Ray actors are killed.
"""

from __future__ import annotations

import abc
import concurrent.futures
import contextlib
import ctypes
import multiprocessing
import os
import pickle
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Any, Generic, Literal, TypeVar

from nash_ismcts_spiel.games.modules import import_games, imported_games
from nash_ismcts_spiel.learning.watch import Progress, Watch

TaskType = TypeVar("TaskType")
ResultType = TypeVar("ResultType")
MakeWorker = Callable[[], Any]
"""Makes what works off one shard at a time, by `run(task, watch)`."""
WorkerKind = Literal["threads", "processes", "ray"]

_TRIES = 3
"""Times that a shard is tried before the death of its workers is taken to be its own fault."""

_LOOK_SECONDS = 0.25
"""Time between two looks at workers in other processes."""

_LEAST_SLOTS = 64
_NUMBERS = len(Progress._fields)


class Workers(abc.ABC, Generic[TaskType, ResultType]):
    """Works off all shards of a generation.

    Attributes:
      elsewhere: whether other processes do it, whose processor time is not this one's.
    """

    elsewhere = True

    @abc.abstractmethod
    def run(self, tasks: Sequence[TaskType], watch: Watch | None = None) -> list[ResultType]:
        """The results of all tasks, in their order; what a dead worker leaves is done again.

        Raises:
          RuntimeError: workers went on dying.
          TimeUpError: the time of the watch is up.
        """

    def close(self) -> None:
        """Lets go of other processes, those in the middle of a shard too."""


class Threads(Workers[TaskType, ResultType]):
    """This process, with as many threads as are asked for, or none but its own."""

    elsewhere = False

    def __init__(self, worker: Any, count: int = 1) -> None:
        """One worker serves all threads."""
        self._worker = worker
        self._count = count

    def run(self, tasks: Sequence[TaskType], watch: Watch | None = None) -> list[ResultType]:
        """The results of all tasks."""
        watch = watch or Watch()
        watches = [watch.part(index) for index in range(len(tasks))]
        if self._count == 1 or len(tasks) == 1:
            return list(map(self._worker.run, tasks, watches))
        with concurrent.futures.ThreadPoolExecutor(self._count) as pool:
            return list(pool.map(self._worker.run, tasks, watches))


class Processes(Workers[TaskType, ResultType]):
    """Processes of their own on this machine.

    They end when this one does, however that ends: each waits for the end of a pipe whose other
    side is here alone. The kernel closes it, where no signal and no clean-up of a killed process
    would tell them.
    """

    def __init__(self, make_worker: MakeWorker, count: int) -> None:
        """Processes start with the first tasks; `make_worker` is called once in each."""
        self._make_worker = make_worker
        self._count = count
        self._pool: concurrent.futures.ProcessPoolExecutor | None = None
        self._lifeline: tuple[Connection, Connection] | None = None
        self._told: Any = []

    def run(self, tasks: Sequence[TaskType], watch: Watch | None = None) -> list[ResultType]:
        """The results of all tasks; if a process dies, what was not finished is done again."""
        watch = watch or Watch()
        results: dict[int, ResultType] = {}
        for _ in range(_TRIES):
            pool = self._running_pool(len(tasks))
            self._told[:] = [0] * len(self._told)
            futures = {
                index: pool.submit(_run_here, task, index, watch.deadline)
                for index, task in enumerate(tasks)
                if index not in results
            }
            try:
                self._wait(futures.values(), len(tasks), watch)
                for index, future in futures.items():
                    results[index] = future.result()
                return [results[index] for index in range(len(tasks))]
            except BrokenProcessPool:
                self.close()
        raise RuntimeError(f"worker processes died {_TRIES} times in one generation")

    def close(self) -> None:
        """Ends the processes, those in the middle of a shard too."""
        if self._pool is not None and self._lifeline is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            for end in self._lifeline:
                end.close()
            self._pool = None

    def _wait(self, futures: Collection[Future[ResultType]], shards: int, watch: Watch) -> None:
        """Until all are done or one has failed; passes on meanwhile what they tell."""
        while True:
            done, waiting = concurrent.futures.wait(
                futures, _LOOK_SECONDS, concurrent.futures.FIRST_EXCEPTION
            )
            for shard in range(shards):
                first = shard * _NUMBERS
                watch.tell_part(shard, Progress(*self._told[first : first + _NUMBERS]))
            if not waiting or any(future.exception() is not None for future in done):
                return

    def _running_pool(self, shards: int) -> concurrent.futures.ProcessPoolExecutor:
        if len(self._told) < shards * _NUMBERS:
            self.close()  # processes share the numbers from their start on
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            # Without a lock: one that a killed process holds would never be free again.
            self._told = context.RawArray(ctypes.c_int64, max(shards, _LEAST_SLOTS) * _NUMBERS)
            self._lifeline = context.Pipe(duplex=False)
            # Pickled, so that a process holds its line before it imports what the worker needs.
            made = pickle.dumps(self._make_worker)
            self._pool = concurrent.futures.ProcessPoolExecutor(
                self._count,
                # Forked processes would inherit torch's threads in an unknown state.
                mp_context=context,
                initializer=_start_here,
                initargs=(self._lifeline[0], made, self._told, imported_games()),
            )
        return self._pool


class RayActors(Workers[TaskType, ResultType]):
    """Ray actors, on this machine or on the cluster that Ray is connected to."""

    def __init__(self, make_worker: MakeWorker, count: int) -> None:
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
        """Makes actors, unless they are there, where Ray is: in the cluster that this process is
        connected to or that RAY_ADDRESS names, or else here, where it is started.
        """
        if self.actors:
            return
        if not self._ray.is_initialized():
            # Of a cluster Ray knows the cores, and refuses to be told.
            cores = None if os.environ.get("RAY_ADDRESS") else self._count
            self._ray.init(num_cpus=cores, include_dashboard=False, log_to_driver=False)
            self._started = True
        self.actors = [self._new_actor() for _ in range(self._count)]

    def run(self, tasks: Sequence[TaskType], watch: Watch | None = None) -> list[ResultType]:
        """The results of all tasks; if an actor dies, a new one does its shard again."""
        watch = watch or Watch()
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
            watch.check()
            done, _ = self._ray.wait(list(under_way), num_returns=1, timeout=_LOOK_SECONDS)
            if not done:
                continue
            index, seat = under_way.pop(done[0])
            try:
                results[index] = self._ray.get(done[0])
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
        return self._ray.remote(num_cpus=1)(_Actor).remote(self._make_worker, imported_games())


class _Actor:
    """A worker in a process of Ray's."""

    def __init__(self, make_worker: MakeWorker, modules: Sequence[str]) -> None:
        for module in modules:
            import_games(module)
        self._worker = make_worker()

    def run(self, task: Any) -> Any:
        return self._worker.run(task)


_worker_here: Any = None
"""The worker of a process of a pool."""

_told_here: Any = None
"""What all processes of the pool tell of progress, shard by shard."""


def _start_here(end: Connection, made: bytes, told: Any, modules: Sequence[str]) -> None:
    global _worker_here, _told_here
    _hold(end)
    for module in modules:  # a game of the user's own is not registered here yet
        import_games(module)
    _told_here = told
    _worker_here = pickle.loads(made)()


def _hold(end: Connection) -> None:
    """Lets this process end as soon as its parent has ended or closes the pipe."""
    threading.Thread(target=_wait, args=(end,), name="lifeline", daemon=True).start()


def _wait(end: Connection) -> None:
    with contextlib.suppress(EOFError, OSError):
        end.recv_bytes()  # nobody ever writes
    os._exit(1)


def _run_here(task: Any, index: int, deadline: float | None) -> Any:
    """Works off a shard; the clock of `time.monotonic` is the same in all processes."""

    def tell(progress: Progress) -> None:
        _told_here[index * _NUMBERS : (index + 1) * _NUMBERS] = list(map(int, progress))

    return _worker_here.run(task, Watch(deadline, tell))


def make_workers(
    kind: WorkerKind, make_worker: MakeWorker, count: int
) -> Workers[TaskType, ResultType]:
    """Workers of a kind; one thread is this process itself."""
    if kind == "ray":
        return RayActors(make_worker, count)
    if kind == "processes" and count > 1:
        return Processes(make_worker, count)
    return Threads(make_worker(), count)
