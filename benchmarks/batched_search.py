"""Many searches side by side against one at a time, on games that are not enumerated.

A small torch network gives P, V, Vc and H. One position each of many random games is searched: one
search after another (rows are evaluated as each search comes to need them), and 64 side by side
(the rows that all of them wait for are evaluated in one batch). Both do the same simulations. The
graph of the game is grown beforehand by a first pass, as it is for a later generation of networks;
the models' rows are new in every round. That first pass is shown as `cold`: there pyspiel makes the
worlds, one by one, and batching cannot help. Rates are simulations a second in all trees, medians
over rounds. The last line of the output is a JSON object keyed by game.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence

import numpy as np
import pyspiel
import torch

from benchmarks.small_network import SmallNetwork
from benchmarks.timing import Action, rates_in_turn, report
from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.evaluation import Models
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native.engine import search_together

DEFAULT_GAMES = ("dark_hex", "phantom_ttt")


class Contest:
    """One game with positions to search."""

    def __init__(self, name: str, searches: int, width: int, visits: int) -> None:
        """Plays random games to random positions."""
        self._width = width
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

    def _position(self, length: int, rng: np.random.Generator) -> int:
        state = self._game.new_initial_state()
        for _ in range(length):
            state.apply_action(int(rng.choice(state.legal_actions())))
            if state.is_terminal():
                return self._position(length, rng)
        return self._graph.observe(state, state.current_player())

    def together(self) -> None:
        """Searches side by side."""
        self._run(self._width)

    def one_at_a_time(self) -> None:
        """One search after another."""
        self._run(1)

    def _run(self, width: int) -> None:
        results = search_together(
            Models(self._graph, self._network),
            self._config,
            self._positions,
            [np.random.default_rng(seed) for seed in range(len(self._positions))],
            width,
        )
        self.simulations = sum(result.simulations for result in results)


def measure_game(name: str, options: argparse.Namespace) -> dict[str, float]:
    """Everything that is printed about one game."""
    searches, visits, rounds = options.searches, options.visits, options.rounds
    report(f"{name}: {searches} searches of {visits} visits; growing the graph")
    contest = Contest(name, searches, options.width, visits)
    started = time.perf_counter()
    contest.together()
    cold = contest.simulations / (time.perf_counter() - started)
    report(f"{name}: {contest.simulations} simulations a pass, {rounds} rounds")
    actions: dict[str, Action] = {"ours": contest.together, "peer": contest.one_at_a_time}
    passes = rates_in_turn(actions, rounds, seconds=0.0)
    ours, peer = (passes[who] * contest.simulations for who in ("ours", "peer"))
    return {"ours": ours, "peer": peer, "ratio": ours / peer, "cold": cold}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds per game (default: 3)")
    parser.add_argument("--searches", type=int, default=768, help="positions (default: 768)")
    parser.add_argument("--width", type=int, default=64, help="side by side (default: 64)")
    parser.add_argument("--visits", type=int, default=1, help="root visits (default: 1)")
    parser.add_argument("--games", nargs="+", default=list(DEFAULT_GAMES), help="OpenSpiel games")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    results = {name: measure_game(name, options) for name in options.games}
    print(f"{'simulations/s':<16}{'together':>12}{'one by one':>12}{'ratio':>8}{'cold':>10}")
    for name, found in results.items():
        print(f"{name:<16}{found['ours']:>12,.0f}{found['peer']:>12,.0f}", end="")
        print(f"{found['ratio']:>8.1f}{found['cold']:>10,.0f}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
