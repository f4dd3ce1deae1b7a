"""What it costs to let simulated players answer from what is known (`spawning="when_behind"`).

Round the average policy of some iterations of CFR, with exact models, every information set is
searched once in fresh trees; shown is the exploitability (NashConv / 2) of the search policy for
each seed, with a simulation at every question ("always") and without.

    python -m benchmarks.spawning
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyspiel

from benchmarks.fresh_searches import search_each
from benchmarks.timing import report
from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.native.exact import exact_rows


class Setting(NamedTuple):
    """One line of the table."""

    game: str
    iterations: int
    radius: float
    visits: int


SETTINGS = (
    Setting("kuhn_poker", 100, 0.2, 1000),
    Setting("kuhn_poker", 100, 0.0, 1000),
    Setting("leduc_poker", 100, 0.4, 300),
    Setting("leduc_poker", 100, 0.0, 300),
    Setting("liars_dice(numdice=1,dice_sides=4)", 20, 0.4, 300),
)


def exploitabilities(setting: Setting, spawning: str, seeds: int) -> list[float]:
    """Of the search policy, seed by seed."""
    graph = GameGraph.enumerate(setting.game)
    solver = pyspiel.CFRSolver(pyspiel.load_game(setting.game))
    for _ in range(setting.iterations):
        solver.evaluate_and_update_policy()
    rows = exact_rows(graph, policy_table(graph, solver.tabular_average_policy()))
    config = SearchConfig.from_dict(
        {
            "visits": setting.visits,
            "dispersion_radius": setting.radius,
            "spawning": spawning,
        }
    )
    found = []
    for seed in range(seeds):
        policy = search_each(graph, rows, config, np.random.default_rng(seed))
        found.append(exact.nash_conv(graph, policy).exploitability)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints a table, then one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="seeds from 0 on (default: 5)")
    options = parser.parse_args(arguments)
    results = []
    for setting in SETTINGS:
        for spawning in ("always", "when_behind"):
            report(f"{setting.game}, radius {setting.radius}, {spawning}")
            found = exploitabilities(setting, spawning, options.seeds)
            results.append({**setting._asdict(), "spawning": spawning, "exploitability": found})
    for row in results:
        values = " ".join(f"{value:.4f}" for value in row["exploitability"])
        print(f"{row['game']:<36} radius {row['radius']:<4} {row['spawning']:<12} {values}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
