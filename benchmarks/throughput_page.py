"""The throughput of training as a section of a page, from the record of `benchmarks.throughput`.

Rates are a second, of CPU or wall time; times are in seconds and milliseconds, sizes in megabytes
of a million bytes. The model of saturation is computed here anew, from what the record holds.

    python -m benchmarks.throughput_page
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.exact_study.report import table
from benchmarks.saturation import (
    LINK,
    PLACES,
    Load,
    Outcome,
    Rates,
    Scaling,
    paper,
    saturates_at,
    simulate,
)
from benchmarks.throughput import STORED, rates_of
from benchmarks.throughput_parts import Record

WORKERS = (1, 10, 100, 1_000)
CHANGES = {
    "fit: steps": "fit while workers play on with weights that are one generation old",
    "fit: rows": "take the losses on new rows, which are only reported, over a sample of them",
    "weights: link": "put the weights into Ray's store once a generation, so that a machine "
    "fetches them once for all its workers",
    "weights: core": "put the weights into Ray's store once a generation, not into every task",
    "rows: link": "compress rows before they are sent",
    "rows: core": "unpickle and join rows in processes beside the learner",
    "stragglers": "cut a generation into more shards than there are workers",
}
"""What would be changed first where a place binds."""
SCALINGS: dict[Scaling, str] = {"fixed": "fixed", "growing": "grows"}
_KINDS = {"processes": "processes", "ray": "Ray actors"}


def throughput_section(stored: dict[str, Any]) -> str:
    """The whole section, without a title."""
    games: dict[str, Record] = stored["games"]
    rates = {game: rates_of(found) for game, found in games.items()}
    parts = [_made(stored), _rates_table(games), _parts_table(games)]
    parts += [_bytes_table(games), _shards_part(games)]
    parts += [_model_text(rates, stored["ray"]), _model_table(rates)]
    return "\n\n".join([*parts, _first_table(rates), _findings(rates)])


def _made(stored: dict[str, Any]) -> str:
    known = stored["circumstances"]
    ray = "" if stored["ray"] else " Ray was not installed, so there are no rows of Ray actors."
    return (
        f"Made by `{stored['command']}`, seed {stored['seed']}, on {known['machine']}. "
        "Preset `large` with `learner.search_megabytes=200`, "
        f"{stored['training_shards']} shards a generation for any number of "
        "workers, so all runs of a game do the same work. The first generation, which starts "
        "processes, is not counted, and nothing is measured of what is learned. One worker that "
        "is no Ray actor is the learner's own process. CPU seconds are those of workers and "
        f"learner, without Ray's daemons. Figures are medians over generations.{ray}"
    )


def _middle(run: Record, name: str) -> float:
    return float(statistics.median(generation[name] for generation in run["generations"]))


def _rate(run: Record, count: str, *seconds: str) -> float:
    """The median over generations of a count by the sum of some seconds."""
    rates = [g[count] / sum(g[s] for s in seconds) for g in run["generations"]]
    return float(statistics.median(rates))


def _who(run: Record) -> list[str]:
    return [_KINDS[run["kind"]], str(run["workers"])]


def _rates_table(games: dict[str, Record]) -> str:
    rows = []
    for game, found in games.items():
        alone = _rate(found["runs"][0], "searches", "wall")
        for run in found["runs"]:
            cpu = [_rate(run, c, "worker_cpu", "learner_cpu") for c in ("searches", "simulations")]
            wall = [_rate(run, c, "wall") for c in ("searches", "simulations")]
            cells = [f"{rate:,.1f}" for rate in (cpu[0], wall[0])]
            cells += [f"{rate:,.0f}" for rate in (cpu[1], wall[1])]
            rows.append([game, *_who(run), *cells, f"{wall[0] / alone:.2f}"])
    header = ["game", "as", "workers", "searches/CPU s", "searches/wall s", "simulations/CPU s",
              "simulations/wall s", "speed-up"]  # fmt: skip
    return table(header, rows)


def _parts_table(games: dict[str, Record]) -> str:
    rows = []
    for game, found in games.items():
        for run in found["runs"]:
            passing = statistics.median(g["workers"] - g["busiest"] for g in run["generations"])
            rest = statistics.median(
                g["wall"] - g["workers"] - g["fit"] for g in run["generations"]
            )
            seconds = [_middle(run, "wall"), _middle(run, "busiest"), passing]
            seconds += [_middle(run, "fit"), rest, _middle(run, "worker_cpu")]
            cells = [f"{second:.2f}" for second in [*seconds, _middle(run, "learner_cpu")]]
            rows.append([game, *_who(run), *cells, f"{_middle(run, 'idle'):.0%}"])
    header = ["game", "as", "workers", "generation", "busiest worker", "passing on, waiting",
              "fit", "rest", "workers' CPU", "learner's CPU", "workers idle"]  # fmt: skip
    text = (
        "Seconds of a generation by part. Self-play and searching are the busiest worker's; rest "
        "is writing weights down and joining rows."
    )
    return f"{text}\n\n{table(header, rows)}"


def _bytes_table(games: dict[str, Record]) -> str:
    rows = []
    for game, found in games.items():
        sent = found["sending"]
        last = found["runs"][-1]["generations"]
        each = [
            statistics.fmean(size for generation in last for size in generation[name]) / 1e6
            for name in ("sent", "returned")
        ]
        names = ["weights_written", "task_pickled", "task_unpickled", "weights_read"]
        names += ["rows_pickled", "rows_unpickled", "task_put", "rows_put", "rows_got"]
        cells = [f"{1e3 * sent[name]:.2f}" if name in sent else "" for name in names]
        rows.append([game, *(f"{size:.2f}" for size in each), *cells])
    header = ["game", "MB to a worker", "MB back", "weights written", "task pickled", "unpickled",
              "weights read", "rows pickled", "unpickled", "Ray: task put", "rows put",
              "rows got"]  # fmt: skip
    text = (
        "Megabytes to and from each worker in a generation with one shard each, and milliseconds "
        "that serialising them takes: writing and reading weights is torch's, and arrays that are "
        "got from Ray's store are not copied."
    )
    return f"{text}\n\n{table(header, rows)}\n\n{_squeezed(games)}"


def _squeezed(games: dict[str, Record]) -> str:
    found = ", ".join(
        f"{f['sending']['row_bytes'] / f['sending']['rows_squeezed_bytes']:.0f} times smaller in "
        f"{game} ({1e3 * f['sending']['rows_squeezed']:.0f} ms, and "
        f"{1e3 * f['sending']['rows_unsqueezed']:.0f} ms back)"
        for game, f in games.items()
    )
    return (
        "Most of a row are inputs that are 0 or 1 and are sent as 4 bytes each. Compressed by zlib "
        f"at level 1, rows are {found}. Training does not compress them."
    )


def _shards_part(games: dict[str, Record]) -> str:
    rows, texts = [], []
    for game, found in games.items():
        costs = {int(shards): cost for shards, cost in found["shards"].items()}
        cpu = {shards: statistics.fmean(cost["cpu"]) for shards, cost in costs.items()}
        for shards, cost in costs.items():
            cells = [f"{cpu[shards]:.2f}", f"{cost['games']:,.0f}", f"{cost['searches']:,.0f}"]
            cells += [f"{cost['searches'] / cpu[shards]:,.1f}", f"{cost['bytes'] / 1e6:.2f}"]
            ratio = shards * cpu[shards] / cpu[1]
            whole = shards * cost["bytes"] / 1e6
            rows.append([game, f"{shards:,}", *cells, f"{ratio:,.1f}", f"{whole:,.0f}"])
        most = max(costs)
        texts.append(f"{most * cpu[most] / cpu[1]:,.0f} times in {game}")
    header = ["game", "shards", "CPU s", "games", "searches", "searches/CPU s", "MB of rows",
              "all shards: CPU s, of one's", "MB of rows, all"]  # fmt: skip
    text = (
        "What one shard takes if a generation is cut into so many. A shard plays a first wave of "
        "games and does a first few searches before it looks at its bounds, so it has a least "
        f"size. Cut into {most:,}, a generation takes more CPU seconds than in one piece: "
        f"{', '.join(texts)}."
    )
    return f"{text}\n\n{table(header, rows)}"


def _model_text(rates: dict[str, Rates], ray: bool) -> str:
    spreads = ", ".join(f"{rate.spread:.2f} in {game}" for game, rate in rates.items())
    by = "Ray's store" if ray else "pickle, since Ray is missing,"
    return (
        "**Many workers.** The model: the learner writes its weights down in t seconds and hands a "
        "task to each of n workers, each of which takes s of its core and o of its link; a worker "
        "plays for w on average; its rows take b of the link and u of the core; then comes the fit "
        "f. With M and m for the slowest and the fastest of n lognormal times with mean 1 (Blom's "
        "formula), a generation takes\n\n"
        "```text\n"
        "T = f + max(t+s+o+b+u + (n-1) max(s, o) + M w,\n"
        "            t+s+o+b+u + (n-1) max(b, u) + m w,\n"
        "            t + n (s + u))\n"
        "```\n\n"
        "and workers idle for 1 - w / T of it. The simulation lets the same things happen one by "
        "one with drawn times, 20 generations each. One link of "
        f"{LINK * 8 / 1e9:g} Gbit/s at the learner is assumed, each direction by itself; s and u "
        f"are those of {by} on this machine, w is a shard's CPU seconds, and f is the "
        "CPU seconds of a fit with a full buffer, whose part `fit: rows` grows with every new "
        "row. The spread of w, the standard deviation of its logarithm, was measured: "
        f"{spreads}; machines of different speed would add to it. There are as many shards as "
        "workers. Work that is fixed is one generation cut into shards, as the code does it, down "
        "to the least size of a shard; work that grows is the bounds of one generation for each "
        "worker."
    )


def _outcomes(rates: dict[str, Rates]) -> Iterator[tuple[list[str], Load, Outcome, Outcome]]:
    """What is asked, the load, and what comes of it by formula and by simulation."""
    for game, rate in rates.items():
        for scaling, title in SCALINGS.items():
            for workers in WORKERS:
                load = rate.load(workers, scaling)
                yield [game, title, f"{workers:,}"], load, paper(load), simulate(load)


def _model_table(rates: dict[str, Rates]) -> str:
    rows, apart = [], []
    for asked, load, formula, run in _outcomes(rates):
        cells = [f"{formula.seconds:,.2f}", f"{run.seconds:,.2f}"]
        cells += [f"{run.generations_an_hour:,.0f}", f"{load.searches / run.seconds:,.0f}"]
        cells += [f"{formula.idle:.1%}", f"{run.idle:.1%}", load.binds()]
        rows.append([*asked, *cells, f"{load.row_bytes / 1e9:,.2f}"])
        apart.append((formula.seconds / run.seconds - 1.0, asked))
    header = ["game", "work", "workers", "T: formula", "simulated", "generations/h", "searches/s",
              "idle: formula", "simulated", "most beside play", "GB of rows in memory"]  # fmt: skip
    worst, (game, title, workers) = max(apart, key=lambda pair: abs(pair[0]))
    text = (
        f"Formula and simulation differ most, by {worst:+.1%}, in {game} (workers: {workers}, "
        f"work that {_verb(title)}). With few workers that is the luck of drawn times. With "
        "many the formula lets the last worker to get its weights be the slowest one too, which "
        "makes it too long, or rows queue while some still play, which makes it too short."
    )
    return f"{table(header, rows)}\n\n{text}"


def _verb(title: str) -> str:
    return "is fixed" if title == "fixed" else title


def _first(rate: Rates, scaling: Scaling) -> dict[str, int | None]:
    return {place: saturates_at(rate, scaling, place) for place in PLACES}


def _first_table(rates: dict[str, Rates]) -> str:
    rows = [
        [game, title, *(_number(number) for number in _first(rate, scaling).values())]
        for game, rate in rates.items()
        for scaling, title in SCALINGS.items()
    ]
    text = (
        "The least number of workers with which a place takes as long, a generation, as a worker "
        "plays; from there on a worker waits for it at least as long as it plays, unless the "
        "places overlap."
    )
    return f"{text}\n\n{table(['game', 'work', *PLACES], rows)}"


def _number(number: int | None) -> str:
    return "never" if number is None else f"{number:,}"


def _findings(rates: dict[str, Rates]) -> str:
    """Which place binds first, and what would be changed there."""
    lines, met = [], dict[str, None]()
    for game, rate in rates.items():
        for scaling, title in SCALINGS.items():
            reached = {p: n for p, n in _first(rate, scaling).items() if n is not None}
            if not reached:
                lines.append(f"- {game}, work that {_verb(title)}: no place saturates.")
                continue
            place = min(reached, key=lambda p: reached[p])
            many = "already with one worker"
            if reached[place] > 1:
                many = f"from {reached[place]:,} workers on"
            most = rate.load(WORKERS[-1], scaling).binds()
            met |= {place: None, most: None}
            lines.append(
                f"- {game}, work that {_verb(title)}: first `{place}`, {many}. With "
                f"{WORKERS[-1]:,} workers most time beside play goes to `{most}`."
            )
    changes = [f"- `{place}`: {CHANGES[place]}." for place in met]
    parts = ["What binds first:", "\n".join(lines), "What would be changed first where:"]
    return "\n\n".join([*parts, "\n".join(changes)])


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the section."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stored", type=Path, default=STORED, metavar="FILE.json")
    options = parser.parse_args(arguments)
    print(throughput_section(json.loads(options.stored.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
