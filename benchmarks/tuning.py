"""What each knob does: exploitability of the search policy, and of training, knob by knob.

*Search.* Models are exact for the average policy P of some iterations of CFR, or random rollouts.
One setting is changed at a time, all others are those of `nash_ismcts_notes`. Every information set
is searched once, in fresh trees, and an exact best response plays against what was found: the
figure is exploitability = NashConv / 2 in the game's units, one per seed. CPU milliseconds are
those of one search, the mean over all information sets. *Time per move* is wall time. *Kept trees*
are measured by a match of the bot against itself without them. *Training* is exact training of
Leduc poker, exploitability of P over CPU seconds.

Records go to docs/results/tuning; docs/tuning.md and its figures are made from them.

  python -m benchmarks.tuning             # measures what is missing, then the page
  python -m benchmarks.tuning --again     # measures everything anew
  python -m benchmarks.tuning --page      # the page from what is stored
  python -m benchmarks.tuning --quick     # a little of everything, into out/results
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks import tuning_page
from benchmarks.exact_study.tasks import RPS, graph_of, policy_of, train
from benchmarks.fresh_searches import search_each
from benchmarks.stored import RESULTS, VARIABLE, write_record
from benchmarks.timing import report
from nash_ismcts_spiel import SearchConfig, make_bot
from nash_ismcts_spiel.config import MOST_VISITS
from nash_ismcts_spiel.files import versions
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.match import round_robin
from nash_ismcts_spiel.models import ExactEvaluator, Models, RolloutEvaluator
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.native.exact import exact_rows

Record = dict[str, Any]
Changes = Mapping[str, Any]

ROLLOUTS = "rollouts"
SITUATIONS: Mapping[str, tuple[str, str]] = {
    "Kuhn": ("kuhn_poker", "cfr 100"),
    "Leduc": ("leduc_poker", "cfr 100"),
    "Leduc, P far off": ("leduc_poker", "cfr 30"),
    "Leduc, rollouts": ("leduc_poker", ROLLOUTS),
    "rock-paper-scissors": (RPS, "nearly_uniform"),
}
"""By title: the game, and what P is."""
USUAL = ("Kuhn", "Leduc", "Leduc, P far off")
VISITS = (100, 1000)


class Knob(NamedTuple):
    """A setting that is turned: its values with what they change, and where it is tried."""

    values: Mapping[str, Changes]
    situations: Sequence[str] = USUAL
    visits: Sequence[int] = VISITS


def _values(name: str, values: Sequence[Any], **base: Any) -> dict[str, Changes]:
    """Changes by value; the default is no change, so that it is measured once for all knobs."""
    usual = getattr(SearchConfig(), name)
    return {str(value): base if value == usual else {**base, name: value} for value in values}


SEARCH_KNOBS: Mapping[str, Knob] = {
    "visits": Knob({"nash_ismcts_notes": {}, "a_ismcts (radius 0)": {"preset": "a_ismcts"}},
                   (*USUAL, "Leduc, rollouts"), (10, 30, 100, 300, 1000, 3000)),
    "dispersion_radius": Knob(_values("dispersion_radius", [0.0, 0.05, 0.1, 0.2, 0.4, 0.8]),
                              (*USUAL, "Leduc, rollouts")),
    "c_puct": Knob(_values("c_puct", [0.25, 0.5, 1.0, 2.0, 4.0])),
    "prior_noise": Knob(_values("prior_noise", [0.0, 0.1, 0.25])),
    "lcb_width": Knob(_values("lcb_width", [0.0, 0.1, 0.3, 1.0, 3.0])),
    "root_rule": Knob(_values("root_rule", ["visits", "expected_visits"])),
    "opponent_prior_visits": Knob(_values("opponent_prior_visits", [0.0, 3.0, 10.0, 100.0])),
    "sample_backup": Knob(_values("sample_backup", ["expected", "luck_adjusted", "residual"])),
    "spawn_depth": Knob(_values("spawn_depth", [0, 1, 2, 16])),
    "spawning": Knob(_values("spawning", ["always", "when_behind"])),
    "opponent_dispersion": Knob(_values("opponent_dispersion", ["none", "unseen", "always"]),
                                (*USUAL, "rock-paper-scissors")),
}  # fmt: skip

SECONDS = (0.0003, 0.001, 0.003, 0.01)
"""Wall time per move."""

TRAININGS: Mapping[str, Mapping[str, Changes]] = {
    "visits": {
        "25": {"visits": {"start": 25.0}},
        "100": {},
        "400": {"visits": {"start": 400.0}},
    },
    "averaging_power": {"0": {"averaging_power": 0.0}, "1": {}, "2": {"averaging_power": 2.0}},
    "dispersion_radius": {
        "0.03 g^-0.5": {},
        "0.2": {"dispersion_radius": {"start": 0.2}},
    },
    "opponent_prior_visits": {
        "0": {"opponent_prior_visits": {"start": 0.0}},
        "5 g^0.25": {},
    },
    "preset": {"default": {}, "prototype": {"name": "prototype"}},
}
"""Settings of training by knob; g is the number of the generation, {} the default."""


class Amount(NamedTuple):
    """How much is measured."""

    seeds: int = 5
    train_seeds: int = 3
    train_seconds: float = 20.0
    hands: int = 2000
    most_visits: int = MOST_VISITS
    situations: Sequence[str] = tuple(SITUATIONS)
    seconds: Sequence[float] = SECONDS


QUICK = Amount(2, 1, 0.5, 20, 100, ("Kuhn", "rock-paper-scissors"), SECONDS[:2])


@functools.cache
def _models(situation: str) -> tuple[GameGraph, Any, float]:
    """Graph, rows of the exact models (None for rollouts) and exploitability of P."""
    game, kind = SITUATIONS[situation]
    graph = graph_of(game)
    table = policy_of(graph, "uniform" if kind == ROLLOUTS else kind)
    rows = None if kind == ROLLOUTS else exact_rows(graph, table)
    return graph, rows, exact.exploitability(graph, table)


def searched(
    graph: GameGraph, models: Models, config: SearchConfig, seed: int, seconds: float | None = None
) -> tuple[npt.NDArray[np.float64], list[int]]:
    """Root policies of a fresh search at every information set, and its root visits. [A], [I]"""
    rng, engine = np.random.default_rng(seed), NativeEngine(models, config)
    policy: list[float] = []
    visits: list[int] = []
    most = None if seconds is None else MOST_VISITS
    for information_set in range(len(graph.information_sets)):
        engine.forget()
        found = engine.search(information_set, rng, most, seconds=seconds)
        policy += found.policy
        visits.append(sum(found.visits))
    return np.array(policy), visits


def search_record(situation: str, changes: Changes, visits: int, seeds: int) -> Record:
    """Exploitability of the search policy, seed by seed."""
    graph, rows, _ = _models(situation)
    settings = {**changes, "visits": visits}
    config = SearchConfig.preset(settings.pop("preset", "nash_ismcts_notes"), **settings)
    found, started = [], time.process_time()
    for seed in range(seeds):
        if rows is None:
            models = Models(graph, RolloutEvaluator(seed=seed))
            policy, _ = searched(graph, models, config, seed)
        else:
            policy = search_each(graph, rows, config, np.random.default_rng(seed))
        found.append(exact.exploitability(graph, policy))
    used = (time.process_time() - started) / seeds / len(graph.information_sets)
    return {"exploitability": found, "ms_per_search": round(1000 * used, 4)}


def search_tasks(amount: Amount) -> Iterator[Record]:
    """All settings of the search, each once."""
    for knob in SEARCH_KNOBS.values():
        for situation in [s for s in knob.situations if s in amount.situations]:
            for changes in knob.values.values():
                for visits in [v for v in knob.visits if v <= amount.most_visits]:
                    yield {"situation": situation, "changes": changes, "visits": visits}


def seconds_records(amount: Amount) -> list[Record]:
    """Exploitability by wall time per move, of the default search with exact models."""
    records = []
    for situation in [s for s in ("Kuhn", "Leduc") if s in amount.situations]:
        game, kind = SITUATIONS[situation]
        graph = graph_of(game)
        models = Models(graph, ExactEvaluator(graph, policy_of(graph, kind)))
        searched(graph, models, SearchConfig(visits=1), 0)  # the models' rows are there from now on
        for seconds in amount.seconds:
            report(f"seconds: {situation}, {seconds}")
            found: list[float] = []
            visits: list[int] = []
            for seed in range(min(amount.seeds, 3)):
                policy, reached = searched(graph, models, SearchConfig(), seed, seconds)
                found.append(exact.exploitability(graph, policy))
                visits += reached
            records.append({"situation": situation, "seconds": seconds, "exploitability": found,
                            "median_visits": float(np.median(visits))})  # fmt: skip
    return records


def reuse_record(amount: Amount) -> Record:
    """A match in Leduc poker: trees kept from move to move against trees forgotten."""
    graph = graph_of("leduc_poker")
    evaluator = ExactEvaluator(graph, policy_of(graph, "cfr 100"))
    simulations = {"kept": 0, "forgotten": 0}
    moves = dict(simulations)

    def maker(name: str, reuse: bool) -> Any:
        def make(player: int, seed: int) -> Any:
            bot = make_bot("nash_ismcts_notes", graph.game.name, player, evaluator=evaluator,
                           visits=100, reuse_trees=reuse, seed=seed)  # fmt: skip
            search = bot.search

            def counted(*arguments: Any, **named: Any) -> Any:
                result = search(*arguments, **named)
                simulations[name] += result.simulations
                moves[name] += 1
                return result

            bot.search = counted
            return bot

        return make

    report(f"reuse_trees: {amount.hands} hands")
    players = {"kept": maker("kept", True), "forgotten": maker("forgotten", False)}
    pairing = round_robin(graph.game, players, amount.hands, seed=0)[0]
    per_move = {name: simulations[name] / moves[name] for name in moves}
    return {"hands": amount.hands, "visits": 100, "mean": pairing.mean[0],
            "half_width": pairing.half_width[0], "simulations_per_move": per_move}  # fmt: skip


def train_record(settings: Changes, seed: int, amount: Amount) -> Record:
    """Exploitability of P in one training of Leduc poker: CPU seconds, generation, figure."""
    found = train("leduc_poker", amount.train_seconds, seed, settings)
    points = [[round(p[0], 3), p[1], round(p[2], 6)] for p in found["points"]]
    return {"seconds": amount.train_seconds, "openspiel": found["openspiel"], "points": points}


def fill(path: Path, tasks: Iterable[Record], measured: Callable[..., Record]) -> None:
    """Measures the tasks that have no record yet, and stores after each."""
    records: list[Record] = json.loads(path.read_text()) if path.exists() else []
    for task in tasks:
        if any(all(record[name] == task[name] for name in task) for record in records):
            continue
        report(f"{path.stem}: {task}")
        records.append({**task, **measured(**task)})
        write_record(path, records)


def measure(folder: Path, amount: Amount) -> None:
    """Measures what is missing."""
    search = functools.partial(search_record, seeds=amount.seeds)
    fill(folder / "search.json", search_tasks(amount), search)
    policies = {title: _models(title)[2] for title in amount.situations}
    setting = {"seeds": amount.seeds, "policies": policies, "versions": versions()}
    write_record(folder / "setting.json", setting)
    for name, found in {"seconds": seconds_records, "reuse": reuse_record}.items():
        if not (folder / f"{name}.json").exists():
            write_record(folder / f"{name}.json", found(amount))
    settings = [changes for values in TRAININGS.values() for changes in values.values()]
    seeds = range(amount.train_seeds)
    tasks = [{"settings": changes, "seed": seed} for seed in seeds for changes in settings]
    fill(folder / "training.json", tasks, functools.partial(train_record, amount=amount))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures what is missing and writes the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--again", action="store_true", help="measure everything anew")
    how.add_argument("--page", action="store_true", help="write the page from what is stored")
    how.add_argument("--quick", action="store_true", help="a little of everything")
    options = parser.parse_args(arguments)
    results = RESULTS
    if options.quick and VARIABLE not in os.environ:
        results = Path("out/results")
    if options.again:
        shutil.rmtree(results / "tuning", ignore_errors=True)
    if not options.page:
        measure(results / "tuning", QUICK if options.quick else Amount())
    print(tuning_page.write(results, SEARCH_KNOBS, TRAININGS))


if __name__ == "__main__":
    main()
