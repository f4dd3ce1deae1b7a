"""What the study runs: independent tasks with plain arguments and results, for a process pool.

Exploitability is NashConv / number of players. Times are CPU seconds of one core.
"""

from __future__ import annotations

import concurrent.futures
import functools
import multiprocessing
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from benchmarks.fresh_searches import search_each
from nash_ismcts_spiel.baselines import make_method, trace
from nash_ismcts_spiel.baselines.methods import NashIsmctsExact
from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.native.exact import exact_rows

Record = dict[str, Any]
Task = tuple[Callable[..., Record], Mapping[str, Any]]

RPS = "turn_based_simultaneous_game(game=matrix_rps())"
NEARLY_UNIFORM = (0.36, 0.32, 0.32)


def run_all(tasks: Sequence[Task], jobs: int, title: str) -> list[Record]:
    """Results in the order of the tasks, with a bar; longest tasks should come first."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
        futures = [pool.submit(function, **arguments) for function, arguments in tasks]
        for future in tqdm(
            concurrent.futures.as_completed(futures), title, len(futures), file=sys.stderr
        ):
            future.result()
        return [future.result() for future in futures]


@functools.cache
def graph_of(game: str) -> GameGraph:
    """The game's graph, built once per process."""
    return GameGraph.enumerate(game)


def train(game: str, seconds: float, seed: int, settings: Mapping[str, Any]) -> Record:
    """Exploitability of P over CPU time in one training."""
    graph = graph_of(game)
    method = NashIsmctsExact(graph, seed, TrainingConfig.preset(**settings))
    points: list[list[float]] = []

    def record(point: Any) -> None:
        found = exact.exploitability(graph, method.loop.search_policy)
        points.append([*point, method.loop.simulations, found])

    trace(method, graph, seconds, on_point=record)
    return {
        "game": game,
        "method": "nash_ismcts",
        "seed": seed,
        "settings": dict(settings),
        "columns": ["cpu_seconds", "steps", "exploitability", "simulations", "search"],
        "points": points,
        "openspiel": openspiel_exploitability(graph, method.policy()),
    }


def openspiel_exploitability(graph: GameGraph, policy: npt.NDArray[np.float64]) -> float:
    """The same figure by OpenSpiel's own tool, as a check."""
    from exploitability import measure
    from nash_ismcts_spiel.games.policies import TablePolicy

    return measure(graph.game.pyspiel_game, TablePolicy(graph, policy)).exploitability


def solve(game: str, method: str, seconds: float, seed: int) -> Record:
    """Exploitability over CPU time of one of OpenSpiel's solvers."""
    graph = graph_of(game)
    points = trace(make_method(method, graph, seed), graph, seconds, ratio=1.25)
    return {
        "game": game,
        "method": method,
        "seed": seed,
        "columns": ["cpu_seconds", "steps", "exploitability"],
        "points": [list(point) for point in points],
    }


def play(
    game: str,
    policy: str | Sequence[float],
    preset: str,
    visits: int,
    radius: float | None,
    repeats: int,
    seed: int,
) -> Record:
    """Exploitability of search round a policy: a table, "cfr N", or "nearly_uniform".

    Nobody sees the seed of a search: opponents meet the mean policy of all of them.
    """
    graph = graph_of(game)
    table = policy_of(graph, policy)
    changes = {} if radius is None else {"dispersion_radius": radius}
    config = SearchConfig.preset(preset, visits=visits, **changes)
    rows = exact_rows(graph, table)
    found = [
        search_each(graph, rows, config, np.random.default_rng([seed, repeat]))
        for repeat in range(repeats)
    ]
    singles = [exact.exploitability(graph, one) for one in found]
    return {
        "game": game,
        "policy": policy,
        "preset": preset,
        "visits": visits,
        "radius": radius,
        "repeats": repeats,
        "seed": seed,
        "exploitability_of_policy": exact.exploitability(graph, table),
        "mean_policy": exact.exploitability(graph, np.mean(found, axis=0)),
        "single_search": float(np.mean(singles)),
    }


def policy_of(graph: GameGraph, policy: str | Sequence[float]) -> npt.NDArray[np.float64]:
    """A table as it is, "cfr N" (the average of N iterations), "uniform", "nearly_uniform". [A]"""
    if not isinstance(policy, str):
        return policy_table(graph, np.array(policy))
    if policy == "nearly_uniform":
        return np.array(NEARLY_UNIFORM * len(graph.information_sets))
    if policy == "uniform":
        counts = np.asarray(graph.information_sets.action_count)
        return np.repeat(1.0 / counts, counts)
    solver = exact.CfrSolver(graph)
    solver.run(int(policy.removeprefix("cfr ")))
    return solver.average_policy()
