"""Many searches side by side against one at a time, on games that are not enumerated.

A small torch network gives P, V, Vc and H. One position each of many random games is searched: one
search after another (rows are evaluated as each search comes to need them), and 64 side by side
(the rows that all of them wait for are evaluated in one batch). Both do the same simulations, with
rows of the models that are new in every pass. They are compared twice: *cold*, each pass on a graph
of its own that knows only the positions to be searched, so that worlds are made on the way; and
*warm*, on a graph of the game that an earlier pass has grown, as for a later generation of
networks. `ours`, `peer` and `ratio` are warm. Rates are simulations in all trees per CPU second of
the one thread used, medians over passes; side by side takes a tenth of the time and gets three
passes a round. The last line of the output is a JSON object keyed by game.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence

import numpy as np
import pyspiel
import torch

from benchmarks.small_network import SmallNetwork
from benchmarks.timing import report
from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models import Models
from nash_ismcts_spiel.native.engine import search_together

DEFAULT_GAMES = ("dark_hex", "phantom_ttt")

COLD = 5
"""Cold passes side by side, each on a graph of its own."""


class Contest:
    """One game with positions to search, on a graph of its own."""

    def __init__(self, name: str, searches: int, visits: int) -> None:
        """Plays random games to random positions."""
        self._game = pyspiel.load_game(name)
        self._network = SmallNetwork(self._game)
        self._config = SearchConfig(visits=visits)
        self._graph = GameGraph(self._game)
        # Longer searches first, so that few are left over at the end.
        lengths = sorted(2 + k % 6 for k in range(searches))
        self._positions = [
            self._position(length, np.random.default_rng(k)) for k, length in enumerate(lengths)
        ]
        self.simulations = 0
        # What torch does once, at its first calls, is not measured.
        self._network.flat_information_set_rows(self._graph, self._positions[:1])

    def _position(self, length: int, rng: np.random.Generator) -> int:
        state = self._game.new_initial_state()
        for _ in range(length):
            state.apply_action(int(rng.choice(state.legal_actions())))
            if state.is_terminal():
                return self._position(length, rng)
        return self._graph.observe(state, state.current_player())

    def rate(self, width: int) -> float:
        """Simulations per CPU second with at most `width` searches side by side."""
        rngs = [np.random.default_rng(seed) for seed in range(len(self._positions))]
        models = Models(self._graph, self._network)
        started = time.process_time()
        results = search_together(models, self._config, self._positions, rngs, width)
        self.simulations = sum(result.simulations for result in results)
        return self.simulations / (time.process_time() - started)


def measure_game(name: str, options: argparse.Namespace) -> dict[str, float]:
    """Everything that is printed about one game."""
    report(f"{name}: {options.searches} searches of {options.visits} visits, cold")
    passes = []
    for _ in range(COLD):
        contest = Contest(name, options.searches, options.visits)
        passes.append(contest.rate(options.width))
    rates = {"cold_ours": statistics.median(passes)}
    alone = Contest(name, options.searches, options.visits)
    rates["cold_peer"] = alone.rate(1)
    report(f"{name}: {contest.simulations} simulations a pass, warm, {options.rounds} rounds")
    found: dict[str, list[float]] = {"ours": [], "peer": []}
    for _ in range(options.rounds):
        found["ours"] += [contest.rate(options.width) for _ in range(3)]
        found["peer"].append(contest.rate(1))
    rates |= {who: statistics.median(passes) for who, passes in found.items()}
    rates["ratio"] = rates["ours"] / rates["peer"]
    rates["cold_ratio"] = rates["cold_ours"] / rates["cold_peer"]
    return rates


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1, help="warm rounds per game (default: 1)")
    parser.add_argument("--searches", type=int, default=256, help="positions (default: 256)")
    parser.add_argument("--width", type=int, default=64, help="side by side (default: 64)")
    parser.add_argument("--visits", type=int, default=8, help="root visits (default: 8)")
    parser.add_argument("--games", nargs="+", default=list(DEFAULT_GAMES), help="OpenSpiel games")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    results = {name: measure_game(name, options) for name in options.games}
    print(f"{'simulations/s':<22}{'together':>12}{'one by one':>12}{'ratio':>8}")
    for name, found in results.items():
        for graph, prefix in (("warm", ""), ("cold", "cold_")):
            print(f"{f'{name}, {graph} graph':<22}{found[f'{prefix}ours']:>12,.0f}", end="")
            print(f"{found[f'{prefix}peer']:>12,.0f}{found[f'{prefix}ratio']:>8.1f}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
