"""Speed of the exact tools, ours and OpenSpiel's (C++) in turn, in one process on one core.

Measured are exploitability calls per second on a random policy and CFR iterations per second, the
median over rounds. Ours work on a graph that is built once per game; the seconds that takes are
shown too. The last line of the output is a JSON object keyed by game.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyspiel

from benchmarks.timing import Action, rates_in_turn, report
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import exact

DEFAULT_GAMES = (
    "kuhn_poker",
    "leduc_poker",
    "liars_dice(numdice=1,dice_sides=4)",
    "liars_dice(numdice=1,dice_sides=6)",
)
Result = dict[str, Any]


def compare(ours: Action, peer: Action, rounds: int, seconds: float) -> Result:
    """Median rates of two actions that are measured in turn."""
    found = rates_in_turn({"ours": ours, "peer": peer}, rounds, seconds)
    return {**found, "ratio": found["ours"] / found["peer"]}


def measure_game(name: str, rounds: int, seconds: float) -> Result:
    """Everything that is printed about one game."""
    report(f"{name}: building the graph")
    started = time.perf_counter()
    graph = GameGraph.enumerate(name)
    exact.compiled(graph)
    result: Result = {
        "build_seconds": time.perf_counter() - started,
        "worlds": len(graph.worlds),
        "information_sets": len(graph.information_sets),
    }
    game = graph.game.pyspiel_game
    policy = random_policy(graph)
    table = openspiel_policy(graph, policy)
    check_agreement(name, exact.nash_conv(graph, policy).nash_conv, pyspiel.nash_conv(game, table))
    report(f"{name}: exploitability")
    result["exploitability"] = compare(
        lambda: exact.exploitability(graph, policy),
        lambda: pyspiel.nash_conv(game, table),
        rounds,
        seconds,
    )
    report(f"{name}: CFR")
    ours, peer = exact.CfrSolver(graph), pyspiel.CFRSolver(game)
    result["cfr"] = compare(lambda: ours.run(1), peer.evaluate_and_update_policy, rounds, seconds)
    return result


def random_policy(graph: GameGraph) -> exact.Floats:
    """The same random probabilities in every run; every action is possible."""
    rng = np.random.default_rng(0)
    counts = graph.information_sets.action_count
    return np.concatenate([rng.dirichlet(np.ones(count)) for count in counts])


def openspiel_policy(graph: GameGraph, policy: exact.Floats) -> Any:
    """A policy array as OpenSpiel's fastest policy object."""
    sets = graph.information_sets
    rows: dict[str, list[tuple[int, float]]] = {}
    for information_set in range(len(sets)):
        state = graph.state(sets.first_world[information_set])
        first = sets.first_action[information_set]
        legal = graph.legal_actions(information_set)
        rows[state.information_state_string()] = [
            (action, float(policy[first + k])) for k, action in enumerate(legal)
        ]
    return pyspiel.TabularPolicy(rows)


def check_agreement(name: str, ours: float, peer: float) -> None:
    """A fast wrong answer is not worth measuring."""
    if abs(ours - peer) > 1e-9:
        raise SystemExit(f"{name}: NashConv is {ours} here and {peer} in OpenSpiel")


def print_table(results: dict[str, Result]) -> None:
    """One line per game and tool."""
    print(f"{'game':<38}{'worlds':>9}{'build s':>9}  {'per second':<15}", end="")
    print(f"{'ours':>12}{'OpenSpiel':>12}{'ratio':>10}")
    for name, result in results.items():
        for label in ("exploitability", "cfr"):
            found = result[label]
            print(f"{name:<38}{result['worlds']:>9}{result['build_seconds']:>9.2f}", end="")
            print(f"  {label:<15}{found['ours']:>12,.1f}{found['peer']:>12,.2f}", end="")
            print(f"{found['ratio']:>10,.0f}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds per game (default: 3)")
    parser.add_argument(
        "--seconds", type=float, default=0.5, help="least time per tool and round (default: 0.5)"
    )
    parser.add_argument(
        "--games", nargs="+", default=list(DEFAULT_GAMES), help="OpenSpiel games to measure"
    )
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    results = {name: measure_game(name, options.rounds, options.seconds) for name in options.games}
    print_table(results)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
