"""Where training with many workers saturates: a formula and a simulation, in seconds and bytes.

A generation is synchronous, as in `LearnedLoop.step`. The learner writes its weights down, hands a
task with these weights to each worker, one after the other, and the tasks leave over one link.
Workers play, which takes lognormally jittered times. Rows come back over the same link, whose two
directions do not hinder each other, and the learner's core unpickles them in the order in which
they arrive, once all tasks are handed out. Then it fits. There are as many shards as workers.

`paper` is a formula, `simulate` a discrete-event simulation of the same, repeatable by its seed.
Both take a `Load`: the seconds that one generation costs in each place.
"""

from __future__ import annotations

import bisect
import dataclasses
import heapq
import math
import random
import statistics
from collections.abc import Sequence
from typing import Literal

LINK = 10e9 / 8
"""Bytes a second of the learner's link, in each direction: 10 Gbit/s, which is assumed."""

Scaling = Literal["fixed", "growing"]
PLACES = (
    "fit: steps", "fit: rows", "weights: link", "weights: core", "rows: link", "rows: core",
    "stragglers",
)  # fmt: skip
"""What workers may wait for; `fit: rows` is the part of a fit that grows with every new row."""


@dataclasses.dataclass(frozen=True, slots=True)
class ShardCost:
    """What a shard costs if a generation is cut into so many.

    Attributes:
      shards: of a generation.
      seconds: of a worker's core.
      searches: information sets searched.
      rows: rows of all kinds that come back.
      row_bytes: their pickle's.
      take: seconds of the learner's core to unpickle them.
    """

    shards: float
    seconds: float
    searches: float
    rows: float
    row_bytes: float
    take: float


@dataclasses.dataclass(frozen=True, slots=True)
class Rates:
    """What was measured in one game.

    Attributes:
      costs: of shards, by rising numbers of them.
      spread: standard deviation of the logarithm of a shard's seconds.
      weight_bytes: of a task.
      prepare: seconds of the learner's core to write the weights down, once a generation.
      send: seconds of the learner's core to hand out a task.
      fits: new rows of a generation, rising, and the seconds of a fit with them.
    """

    costs: Sequence[ShardCost]
    spread: float
    weight_bytes: float
    prepare: float
    send: float
    fits: Sequence[tuple[float, float]]

    def fit(self, rows: float) -> float:
        """Seconds of a fit: on a line between what was measured, beyond it on the last line.

        Steps grow with the rows up to a bound; past it only passes over all new rows do.
        """
        if len(self.fits) == 1 or rows <= self.fits[0][0]:
            return self.fits[0][1]
        after = bisect.bisect_left(self.fits, (rows, 0.0), 1, len(self.fits) - 1)
        (low, least), (high, most) = self.fits[after - 1], self.fits[after]
        return least + max(0.0, most - least) * (rows - low) / (high - low)

    def fit_rows(self, rows: float) -> float:
        """The part of a fit that goes on growing with the rows: the slope of the last line."""
        if len(self.fits) == 1:
            return 0.0
        (low, least), (high, most) = self.fits[-2:]
        return min(self.fit(rows), max(0.0, most - least) / (high - low) * rows)

    def cost(self, shards: float) -> ShardCost:
        """Of a shard of so many: between what was measured on a logarithmic scale."""
        known = [cost.shards for cost in self.costs]
        after = bisect.bisect_left(known, shards)
        if after == 0 or after == len(known):
            return self.costs[min(after, len(known) - 1)]
        low, high = self.costs[after - 1], self.costs[after]
        share = math.log(shards / low.shards) / math.log(high.shards / low.shards)
        names = [field.name for field in dataclasses.fields(ShardCost)]
        pairs = [(getattr(low, name), getattr(high, name)) for name in names]
        return ShardCost(*(a ** (1.0 - share) * b**share if a and b else 0.0 for a, b in pairs))

    def load(self, workers: int, scaling: Scaling) -> Load:
        """One generation: cut into so many shards, or with a whole one's work for each worker."""
        cost = self.cost(workers if scaling == "fixed" else 1)
        return Load(
            workers=workers,
            prepare=self.prepare,
            send=self.send,
            out=self.weight_bytes / LINK,
            work=cost.seconds,
            spread=self.spread,
            back=cost.row_bytes / LINK,
            take=cost.take,
            fit=self.fit(cost.rows * workers),
            fit_rows=self.fit_rows(cost.rows * workers),
            searches=cost.searches * workers,
            row_bytes=cost.row_bytes * workers,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Load:
    """A generation's seconds, of one shard where it is not said otherwise.

    Attributes:
      workers: how many there are, each with one shard.
      prepare: of the learner's core before the first task, once.
      send: of the learner's core.
      out: of the link, for weights.
      work: of a worker, on average.
      spread: standard deviation of the logarithm of that.
      back: of the link, for rows.
      take: of the learner's core.
      fit: of the learner's core, once.
      fit_rows: the part of it that grows with the rows.
      searches, row_bytes: of the whole generation.
    """

    workers: int
    prepare: float
    send: float
    out: float
    work: float
    spread: float
    back: float
    take: float
    fit: float
    fit_rows: float = 0.0
    searches: float = 0.0
    row_bytes: float = 0.0

    def places(self) -> dict[str, float]:
        """Seconds a generation in each of PLACES, all shards together."""
        slowest = self.work * (extreme(self.workers, self.spread) - 1.0)
        count = self.workers
        seconds = (
            self.prepare + self.fit - self.fit_rows,
            self.fit_rows,
            count * self.out,
            count * self.send,
            count * self.back,
            count * self.take,
            slowest,
        )
        return dict(zip(PLACES, seconds, strict=True))

    def binds(self) -> str:
        """The place in which a generation spends most, beside the workers' own play."""
        places = self.places()
        return max(places, key=lambda place: places[place])


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What comes of a load.

    Attributes:
      seconds: of a generation.
      idle: share of the workers' time in which they wait.
    """

    seconds: float
    idle: float

    @property
    def generations_an_hour(self) -> float:
        """How many fit in."""
        return 3600.0 / self.seconds


def extreme(count: int, spread: float, slowest: bool = True) -> float:
    """The slowest (or fastest) of so many jittered times with mean 1, about: by Blom's formula."""
    if count == 1:
        return 1.0
    middle = statistics.NormalDist().inv_cdf((count - 0.375) / (count + 0.25))
    return math.exp((middle if slowest else -middle) * spread - spread**2 / 2.0)


def paper(load: Load) -> Outcome:
    """The formula: the latest of three ends, then the fit.

    The slowest worker is taken to be the last that was handed its task (`by_worker`); or rows queue
    from the fastest worker's on (`by_rows`); or the core does nothing but hand out and unpickle.
    """
    once = load.prepare + load.send + load.out + load.back + load.take
    further = load.workers - 1
    fastest = extreme(load.workers, load.spread, slowest=False)
    by_worker = once + further * max(load.send, load.out)
    by_worker += load.work * extreme(load.workers, load.spread)
    by_rows = once + further * max(load.back, load.take) + load.work * fastest
    by_core = load.prepare + load.workers * (load.send + load.take)
    seconds = max(by_worker, by_rows, by_core) + load.fit
    return Outcome(seconds, 1.0 - load.work / seconds)


def simulate(load: Load, seed: int = 0, generations: int = 20) -> Outcome:
    """The mean over simulated generations."""
    rng = random.Random(seed)
    runs = [_generation(load, rng) for _ in range(generations)]
    seconds = statistics.fmean(end for end, _ in runs)
    played = statistics.fmean(busy for _, busy in runs)
    return Outcome(seconds, 1.0 - played / (load.workers * seconds))


def _generation(load: Load, rng: random.Random) -> tuple[float, float]:
    """When a generation ends, and the seconds that workers played in it, all together."""
    events: list[tuple[float, int, str]] = []
    core, out, back, busy = load.prepare, 0.0, 0.0, 0.0  # when each is free again
    for shard in range(load.workers):
        core += load.send
        out = max(out, core) + load.out
        heapq.heappush(events, (out, shard, "weights are there"))
    while events:
        now, shard, what = heapq.heappop(events)
        if what == "weights are there":
            seconds = load.work * math.exp(rng.gauss(0.0, load.spread) - load.spread**2 / 2.0)
            busy += seconds
            heapq.heappush(events, (now + seconds, shard, "played"))
        elif what == "played":
            back = max(back, now) + load.back
            heapq.heappush(events, (back, shard, "rows are there"))
        else:
            core = max(core, now) + load.take
    return core + load.fit, busy


def saturates_at(rates: Rates, scaling: Scaling, place: str, most: int = 1_000_000) -> int | None:
    """The least number of workers with which a place takes as long as a worker plays.

    None if that is more than `most`. A place's seconds rise with the workers, play's do not.
    """

    def saturated(workers: int) -> bool:
        load = rates.load(workers, scaling)
        return load.places()[place] >= load.work

    if not saturated(most):
        return None
    return bisect.bisect_left(range(1, most), True, key=saturated) + 1
