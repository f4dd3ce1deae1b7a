"""The throughput of training with learned models, and what many workers would wait for.

Trains with the preset `large` on graphs that grow, in memory, with 1 and 2 workers, as processes
and as Ray actors; one worker that is no Ray actor is the learner's own process. All have the same
seed and the same shards, so they do the same work. Recorded for each generation after the first,
which starts processes: wall seconds by part, CPU seconds of workers and learner, searches and
simulations, bytes that went to each worker and came back (nothing is measured of what is learned).
CPU seconds do not include Ray's own daemons.

Then what a cluster would pass on and wait for: seconds to serialise weights and rows, seconds and
bytes of a shard if a generation is cut into 1 to 1,000, and seconds of a fit with a full buffer of
policy targets by the number of rows. `benchmarks.saturation` makes a model of these, and
`benchmarks.throughput_page` shows both. Without Ray, its part is left out.

    python -m benchmarks.throughput
    python -m benchmarks.throughput --games phantom_ttt --generations 1 --quick --out out/t.json
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib.util
import math
import pickle
import statistics
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.large_games import LARGER
from benchmarks.saturation import Rates, ShardCost
from benchmarks.stored import RESULTS, write_record
from benchmarks.throughput_parts import (
    Record,
    TimedTraining,
    fill_buffer,
    learn_from,
    pickled_bytes,
)
from benchmarks.timing import report
from nash_ismcts_spiel.compare.study import circumstances
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.learned_loop import SelfPlayRows, SelfPlayTask, SelfPlayWorker
from nash_ismcts_spiel.learning.learner import Learner
from nash_ismcts_spiel.learning.rows import PolicyRows
from nash_ismcts_spiel.learning.workers import WorkerKind
from nash_ismcts_spiel.models.networks.nets import load_weights, weights_of

GAMES = ("phantom_ttt", "dark_hex(board_size=5)", "hearts")
STORED = RESULTS / "learned" / "throughput.json"
SHARDS = 2
"""Of the trainings, so that two workers have one each."""
COUNTS = (1, 2)
PARTS = {1: 4, 10: 5, 100: 8, 1_000: 12}
"""Into how many shards a generation is cut, and how many of these are played."""
COPIES = (1, 2, 4, 8)
"""How often a learner is given the rows of a generation."""
ROUNDS = 5
"""Of which the median is taken."""


def config_with(shards: int) -> TrainingConfig:
    """The preset of large games, with room for more searches."""
    return TrainingConfig.preset("large", shards=shards, learner=LARGER)


def seconds_of(
    action: Callable[[], object],
    rounds: int = ROUNDS,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Median seconds of a call, wall time unless another clock is given."""
    found = []
    for _ in range(rounds):
        began = clock()
        action()
        found.append(clock() - began)
    return statistics.median(found)


def has_ray() -> bool:
    """Whether Ray is installed."""
    return importlib.util.find_spec("ray") is not None


@contextlib.contextmanager
def ray_here(cores: int) -> Iterator[Any]:
    """Ray on this machine alone, whatever cluster there is; None if it is not installed."""
    if not has_ray():
        yield None
        return
    import ray

    ray.init(address="local", num_cpus=cores, include_dashboard=False, log_to_driver=False)
    try:
        yield ray
    finally:
        ray.shutdown()


def trained(
    game: str, kind: WorkerKind, count: int, generations: int, seed: int
) -> tuple[Record, bytes, list[SelfPlayRows]]:
    """A training's generations, its weights at the end, and the rows of its last generation."""
    training = TimedTraining(game, config_with(SHARDS), seed, kind, count)
    try:
        found = []
        for number in range(1 + generations):
            now = training.generation()
            found.append(now)
            report(
                f"{game}, {count} by {kind}, generation {number + 1} of {1 + generations}: "
                f"{now['wall']:.1f} s, {now['fit']:.1f} s of it fitting"
            )
        rows = [result.rows for result in training.workers.results]
        record = {"kind": kind, "workers": count, "generations": found[1:]}
        return record, weights_of(training.learner.networks), rows
    finally:
        training.close()


def sending(game: str, weights: bytes, rows: SelfPlayRows, ray: Any) -> Record:
    """Seconds to serialise a task and a shard's rows: by pickle, and by Ray's store if it runs."""
    networks = Learner(support(game), config_with(1), 0).networks
    task = SelfPlayTask(1, 0, weights)
    found: Record = {
        "task_bytes": pickled_bytes(task),
        "row_bytes": pickled_bytes(rows),
        "weights_written": seconds_of(lambda: weights_of(networks)),
        "weights_read": seconds_of(lambda: load_weights(networks, weights)),
    }
    for name, payload in (("task", task), ("rows", rows)):
        pickled = pickle.dumps(payload, pickle.HIGHEST_PROTOCOL)
        write = functools.partial(pickle.dumps, payload, pickle.HIGHEST_PROTOCOL)
        found[f"{name}_pickled"] = seconds_of(write)
        found[f"{name}_unpickled"] = seconds_of(functools.partial(pickle.loads, pickled))
        if ray is not None:
            found[f"{name}_put"] = seconds_of(functools.partial(ray.put, payload))
            found[f"{name}_got"] = ray_got(ray, payload)
    squeezed = zlib.compress(pickled, 1)
    found["rows_squeezed_bytes"] = len(squeezed)
    found["rows_squeezed"] = seconds_of(functools.partial(zlib.compress, pickled, 1))
    found["rows_unsqueezed"] = seconds_of(functools.partial(zlib.decompress, squeezed))
    return found


def ray_got(ray: Any, payload: object) -> float:
    """Median wall seconds to get a payload from Ray's store on this machine."""
    stored = [ray.put(payload) for _ in range(ROUNDS)]
    waiting = iter(stored)
    return seconds_of(lambda: ray.get(next(waiting)))


def shard_costs(game: str, weights: bytes, parts: dict[int, int], seed: int, ray: Any) -> Record:
    """What shards take, by how many a generation is cut into."""
    found: Record = {}
    for shards, count in parts.items():
        worker = SelfPlayWorker(game, config_with(shards), seed)
        worker.run(SelfPlayTask(1, count, weights))  # the first is slower
        played = [worker.run(SelfPlayTask(2, shard, weights)) for shard in range(count)]
        last = played[-1]
        pickled = pickle.dumps(last, pickle.HIGHEST_PROTOCOL)
        found[str(shards)] = {
            "cpu": [rows.cpu_seconds for rows in played],
            "games": statistics.fmean(rows.games for rows in played),
            "searches": statistics.fmean(rows.searches for rows in played),
            "simulations": statistics.fmean(rows.simulations for rows in played),
            "rows": statistics.fmean(
                len(rows.policy) + len(rows.value) + len(rows.hidden) for rows in played
            ),
            "bytes": statistics.fmean(map(pickled_bytes, played)),
            "unpickled": seconds_of(functools.partial(pickle.loads, pickled)),
            "got": None if ray is None else ray_got(ray, last),
        }
        mean = statistics.fmean(found[str(shards)]["cpu"])
        report(f"{game}, {count} of {shards} shards: {mean:.2f} CPU s each")
    return found


def fits(game: str, rows: Sequence[SelfPlayRows], copies: Sequence[int], rounds: int) -> Record:
    """CPU seconds of a fit, by the number of rows that came back, with a full buffer."""
    config = config_with(SHARDS)
    learner = Learner(support(game), config, 0)
    fill_buffer(learner, config, PolicyRows.together([shard.policy for shard in rows]))
    each = sum(len(r.policy) + len(r.value) + len(r.hidden) for r in rows)
    learn_from(learner, rows, 1)  # the first is slower
    counts, seconds = [], []
    for times in copies:
        counts.append(times * each)
        learn = functools.partial(learn_from, learner, list(rows) * times, 2)
        seconds.append(seconds_of(learn, rounds, time.process_time))
        report(f"{game}, a fit with {counts[-1]:,} new rows: {seconds[-1]:.2f} CPU s")
    return {"buffer": len(learner.buffer), "rows": counts, "seconds": seconds}


def rates_of(found: Record) -> Rates:
    """What the model of saturation needs of a game's record: Ray's figures, or else pickle's."""
    sent, fit = found["sending"], found["fits"]
    ray = "task_put" in sent
    costs = [
        ShardCost(
            int(shards),
            statistics.fmean(cost["cpu"]),
            cost["searches"],
            cost["rows"],
            cost["bytes"],
            cost["got"] if ray else cost["unpickled"],
        )
        for shards, cost in sorted(found["shards"].items(), key=lambda entry: int(entry[0]))
    ]
    return Rates(
        costs,
        spread_of(found),
        sent["task_bytes"],
        sent["weights_written"],
        sent["task_put" if ray else "task_pickled"],
        list(zip(fit["rows"], fit["seconds"], strict=True)),
    )


def spread_of(found: Record) -> float:
    """Standard deviation of the logarithm of a shard's CPU seconds, pooled over sizes of shards."""
    logs = [[math.log(seconds) for seconds in cost["cpu"]] for cost in found["shards"].values()]
    squares = sum(statistics.pvariance(each) * len(each) for each in logs)
    return math.sqrt(squares / max(1, sum(len(each) - 1 for each in logs)))


def measured(game: str, options: argparse.Namespace) -> Record:
    """All of a game."""
    runs = []
    weights, rows = b"", list[SelfPlayRows]()
    for count in COUNTS:
        run, weights, rows = trained(game, "processes", count, options.generations, options.seed)
        runs.append(run)
    with ray_here(max(COUNTS)) as ray:
        if ray is None:
            report("Ray is not installed: its part is left out")
        for count in COUNTS if ray is not None else ():
            run, weights, rows = trained(game, "ray", count, options.generations, options.seed)
            runs.append(run)
        sent = sending(game, weights, rows[0], ray)
        parts = {
            shards: min(count, 2) if options.quick else count for shards, count in PARTS.items()
        }
        shards = shard_costs(game, weights, parts, options.seed, ray)
    fit = fits(game, rows, COPIES[:2] if options.quick else COPIES, 1 if options.quick else 3)
    work = {tuple(g["simulations"] for g in run["generations"]) for run in runs}
    if len(work) > 1:
        raise RuntimeError(f"{game}: workers of different kinds did different work: {work}")
    return {"runs": runs, "sending": sent, "shards": shards, "fits": fit}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and stores, game by game."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", default=list(GAMES), help="names as OpenSpiel's")
    parser.add_argument("--generations", type=int, default=6, help="measured of each run (6)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="fewer shards and fits, to try it")
    parser.add_argument("--out", type=Path, default=STORED, metavar="FILE.json")
    options = parser.parse_args(arguments)
    if options.generations < 1:
        parser.error(f"--generations must be at least 1, not {options.generations}")
    torch.set_num_threads(1)  # as in training
    quick = " --quick" if options.quick else ""
    stored: Record = {
        "command": f"python -m benchmarks.throughput --generations {options.generations}{quick}",
        "seed": options.seed,
        "training_shards": SHARDS,
        "ray": has_ray(),
        "circumstances": circumstances(),
        "games": {},
    }
    began = time.monotonic()
    for game in options.games:
        stored["games"][game] = measured(game, options)
        write_record(options.out, stored)
        report(f"{game} is stored, {time.monotonic() - began:.0f} s since the beginning")


if __name__ == "__main__":
    main()
