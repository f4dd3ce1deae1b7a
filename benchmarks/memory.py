"""Memory of the search: in an enumerated game step by step, and along a match on a growing graph.

In the enumerated game the graph is built, exact models round the uniform policy are computed, and
every information set is searched; for each step the highest resident memory above where it began
is shown, in total that above where the first began; what a step has freed goes back to the system
before the next. In the match, one bot plays both seats, game after game, on a graph that grows on
demand and is begun anew beyond `max_worlds`; its resident memory is shown along the way, and by
how much it grew in the second half. Each runs in a process of its own, so that neither reuses what
the other has freed. All sizes are in MiB; they are read from /proc, so this needs Linux. The last
line of the output is a JSON object keyed by game.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel

from benchmarks.timing import report
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models import UniformEvaluator
from nash_ismcts_spiel.native.engine import search_everywhere
from nash_ismcts_spiel.native.exact import exact_rows

ENUMERATED = "liars_dice(numdice=1,dice_sides=6)"
GROWN = "dark_hex"
BAR = 1024
"""MiB that the steps in the enumerated game may take in total."""
MATCH = SearchConfig(visits=2, spawn_depth=2, max_worlds=4_000)
INTERVAL = 25
"""Moves between two looks at the memory."""

PROCESS = Path("/proc/self")
Result = dict[str, Any]


def resident(field: str = "VmRSS") -> float:
    """This process's resident memory in MiB: now, or at its highest (VmHWM)."""
    lines = (PROCESS / "status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(f"{field}:"))
    return int(line.split()[1]) / 1024


def give_back() -> None:
    """Gives freed memory back to the system, so that the next step cannot hide in it."""
    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):  # glibc
        library.malloc_trim(0)


class Steps:
    """Highest resident memory of one step after another."""

    def __init__(self) -> None:
        """Starts counting here."""
        give_back()
        self._start = self._highest = resident()
        self.peaks: dict[str, float] = {}

    def run(self, name: str, step: Callable[[], Any]) -> Any:
        """Takes a step and returns what it returns."""
        report(f"{ENUMERATED}: {name}")
        give_back()
        (PROCESS / "clear_refs").write_text("5")  # the highest from here on
        before = resident()
        result = step()
        highest = resident("VmHWM")
        self.peaks[name] = highest - before
        self._highest = max(self._highest, highest)
        return result

    @property
    def total(self) -> float:
        """The highest of all steps, above where the first began."""
        return self._highest - self._start


def measure_enumerated(visits: int) -> Result:
    """What each step takes, and all together."""
    steps = Steps()
    graph = steps.run("graph", lambda: GameGraph.enumerate(ENUMERATED))
    counts = np.array(graph.information_sets.action_count)
    rows = steps.run("models", lambda: exact_rows(graph, np.repeat(1.0 / counts, counts)))
    config = SearchConfig(visits=visits)
    _, simulations = steps.run(
        "search", lambda: search_everywhere(graph, rows, config, np.random.default_rng(0))
    )
    return {
        "worlds": len(graph.worlds),
        "information_sets": len(graph.information_sets),
        "visits": visits,
        "simulations": simulations,
        "peak_mib": steps.peaks,
        "total_mib": steps.total,
        "bar_mib": BAR,
        "within_bar": steps.total < BAR,
    }


def measure_match(moves: int) -> Result:
    """Resident memory along a match, its highest, and how it grew in the second half."""
    game = pyspiel.load_game(GROWN)
    bot = NashIsmctsBot(game, 0, UniformEvaluator(), MATCH)
    rng = np.random.default_rng(0)
    state = game.new_initial_state()
    found: dict[int, float] = {}
    games = 1
    for move in range(1, moves + 1):
        if state.is_terminal():
            state = game.new_initial_state()
            bot.restart()
            games += 1
        actions, probabilities = zip(*bot.get_policy(state), strict=True)
        state.apply_action(int(rng.choice(actions, p=probabilities)))
        if move % INTERVAL == 0 or move in (moves // 2, moves):
            found[move] = resident()
            report(f"{GROWN}: move {move} of {moves}, {found[move]:.1f} MiB")
    return {
        "moves": moves,
        "games": games,
        "rss_mib": found,
        "peak_mib": resident("VmHWM"),
        "growth_mib": found[moves] - found[moves // 2],
    }


def alone(measure: Callable[[Any], Result], argument: Any) -> Result:
    """Measures in a fresh process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as executor:
        return executor.submit(measure, argument).result()


def print_tables(enumerated: Result, match: Result) -> None:
    """One line per step, then one per look at the match."""
    print(f"{ENUMERATED}, {enumerated['visits']} visits everywhere: peak increase in MiB")
    for name, peak in {**enumerated["peak_mib"], "total": enumerated["total_mib"]}.items():
        print(f"{name:<10}{peak:>10,.1f}")
    print(f"{'bar':<10}{BAR:>10,.1f}  {'met' if enumerated['within_bar'] else 'missed'}")
    print(f"{GROWN}, {match['games']} games: resident memory in MiB")
    for move, size in match["rss_mib"].items():
        print(f"{f'move {move}':<10}{size:>10,.1f}")
    moves = match["moves"]
    print(f"growth from move {moves // 2} to {moves}: {match['growth_mib']:+.1f}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--moves", type=int, default=200, help=f"length of the match in {GROWN} (default: 200)"
    )
    parser.add_argument(
        "--visits", type=int, default=20, help=f"root visits in {ENUMERATED} (default: 20)"
    )
    options = parser.parse_args(arguments)
    if options.moves < 2:
        parser.error("--moves must be at least 2")
    if options.visits < 1:
        parser.error("--visits must be at least 1")
    if not (PROCESS / "clear_refs").exists():
        raise SystemExit("this system has no /proc/self/clear_refs to measure memory by")
    enumerated = alone(measure_enumerated, options.visits)
    match = alone(measure_match, options.moves)
    print_tables(enumerated, match)
    print(json.dumps({ENUMERATED: enumerated, GROWN: match}))


if __name__ == "__main__":
    main()
