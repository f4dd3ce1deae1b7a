"""Speed of the search, ours and OpenSpiel's C++ ISMCTSBot in turn, in one process on one core.

Every information set of a game is searched afresh with the same number of root visits. A
simulation is one descent in one tree; ours run further simulations in the trees of simulated
opponents, so two rates are shown: simulations in all trees, and root visits alone. `ratio` is that
of simulations, `root_ratio` counts root visits only. Our models are exact tables round a CFR
policy; OpenSpiel's bot uses its fastest setting, one random rollout per simulation. The reference
engine (Python) searches every n-th information set with the same settings. The last line of the
output is a JSON object keyed by game.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyspiel

from benchmarks.timing import Action, rates_in_turn, report
from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.models import ExactEvaluator, Models
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.search import ReferenceEngine

DEFAULT_GAMES = ("kuhn_poker", "leduc_poker")
CFR_ITERATIONS = 100


class Contest:
    """One game, ready to be searched by all contestants."""

    def __init__(self, name: str, visits: int) -> None:
        """Solves the game roughly and prepares the engines."""
        game = pyspiel.load_game(name)
        solver = pyspiel.CFRSolver(game)
        for _ in range(CFR_ITERATIONS):
            solver.evaluate_and_update_policy()
        self._models = _exact_models(game, solver.average_policy())
        graph = self._models.graph
        self.sets = len(graph.information_sets)
        self.visits = visits
        self._config = SearchConfig(visits=visits)
        self._states = [graph.state(w) for w in graph.information_sets.first_world]
        self._peer = pyspiel.ISMCTSBot(
            1, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, visits, -1,
            pyspiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT, False, False,
        )  # fmt: skip
        self.simulations = 0
        self.reference_sets = range(0, self.sets, max(1, self.sets // 12))
        self.reference_simulations = 0

    def ours(self) -> None:
        """Searches every information set natively."""
        self.simulations = self._search(NativeEngine(self._models, self._config), range(self.sets))

    def peer(self) -> None:
        """Searches every information set by OpenSpiel's bot."""
        for state in self._states:
            self._peer.get_policy(state)

    def reference(self) -> None:
        """Searches some information sets in Python."""
        engine = ReferenceEngine(self._models, self._config)
        self.reference_simulations = self._search(engine, self.reference_sets)

    def _search(self, engine: NativeEngine | ReferenceEngine, information_sets: range) -> int:
        """Fresh searches; returns the number of simulations in all trees."""
        rng = np.random.default_rng(0)
        simulations = 0
        for information_set in information_sets:
            engine.forget()
            simulations += engine.search(information_set, rng).simulations
        return simulations


def _exact_models(game: Any, policy: Any) -> Models:
    evaluator = ExactEvaluator(game, policy)
    return Models(evaluator.graph, evaluator)


def measure_game(name: str, visits: int, rounds: int, seconds: float) -> dict[str, float]:
    """Everything that is printed about one game."""
    report(f"{name}: searching every information set, {visits} root visits each")
    contest = Contest(name, visits)
    actions: dict[str, Action] = {
        "ours": contest.ours,
        "peer": contest.peer,
        "reference": contest.reference,
    }
    passes = rates_in_turn(actions, rounds, seconds)
    roots = contest.sets * visits
    ours = passes["ours"] * contest.simulations
    reference = passes["reference"] * contest.reference_simulations
    peer = passes["peer"] * roots
    return {
        "ours": ours,
        "peer": peer,
        "ratio": ours / peer,
        "root_visits": passes["ours"] * roots,
        "root_ratio": passes["ours"] * roots / peer,
        "reference": reference,
        "ratio_to_reference": ours / reference,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="rounds per game (default: 5)")
    parser.add_argument("--seconds", type=float, default=0.5, help="least time per round")
    parser.add_argument("--visits", type=int, default=1000, help="root visits (default: 1000)")
    parser.add_argument("--games", nargs="+", default=list(DEFAULT_GAMES), help="OpenSpiel games")
    options = parser.parse_args(arguments)
    results = {
        name: measure_game(name, options.visits, options.rounds, options.seconds)
        for name in options.games
    }
    columns = ("ours", "root_visits", "peer", "reference")
    print(f"{'per second':<16}" + "".join(f"{column:>14}" for column in columns), end="")
    print(f"{'ratio':>8}{'by roots':>10}{'to reference':>14}")
    for name, result in results.items():
        print(f"{name:<16}" + "".join(f"{result[column]:>14,.0f}" for column in columns), end="")
        print(f"{result['ratio']:>8.1f}{result['root_ratio']:>10.1f}", end="")
        print(f"{result['ratio_to_reference']:>14.0f}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
