"""How fast the default bot searches without models, cold, beside the bot that it replaces.

For each game some positions of random games are drawn. In each of them a new bot (our default one,
with rollouts) and then a new C++ `pyspiel.ISMCTSBot` (one rollout) search once, in turn, the peer
in a fork of the process, since it may crash: nothing is warm but what all bots of a game share.
Rates are per CPU second, the construction of the bot included. The ratio is that of our root visits
to the peer's simulations, all of which visit its root; simulations of ours are also those at the
decision points on the way to the root. "First" is the CPU time in which a new bot has an answer by
one simulation, its median and the longest one. All else are medians over the positions. Games
without a resampler of their own have no peer. Positions in which our bot finds no world that agrees
with what its player has seen are counted apart (`without_world`).

    python -m benchmarks.growing_search
    python -m benchmarks.growing_search --games leduc_poker bridge --positions 40

Prints a table and, last, one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from benchmarks.positions import random_positions
from benchmarks.timing import report
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.games.quiet import silent_stderr

GAMES = {
    "kuhn_poker": "kuhn_poker",
    "leduc_poker": "leduc_poker",
    "universal_poker": "universal_poker",
    "hearts": "hearts",
    "euchre": "euchre",
    "oh_hell": "oh_hell",
    "bridge": "bridge(use_double_dummy_result=False)",
    "gin_rummy": "gin_rummy",
    "phantom_ttt": "phantom_ttt",
    "dark_hex": "dark_hex(board_size=3)",
}
"""Short names, and the games as pyspiel loads them."""


SLOW = {"gin_rummy": 10}
"""Games in which a search has so many times fewer visits."""


def has_own_resampler(game: Any) -> bool:
    """Whether the game itself can draw a world that agrees with what its first mover has seen."""
    state, rng = support(game).initial_state(), np.random.default_rng(0)
    while state.is_chance_node():  # always the same outcome could go on for ever (crazy_eights)
        outcomes = state.chance_outcomes()
        state.apply_action(outcomes[int(rng.integers(len(outcomes)))][0])
    sampler = pyspiel.UniformProbabilitySampler(0, 0.0, 1.0)
    try:
        with silent_stderr():
            state.resample_from_infostate(state.current_player(), sampler)
    except pyspiel.SpielError:
        return False
    return True


class Rates(NamedTuple):
    """Rates of one search, per CPU second, and the milliseconds of a shortest one."""

    simulations: float
    root_visits: float
    first_ms: float


def ours(game: Any, state: Any, visits: int, seed: int) -> Rates | None:
    """A new default bot; None if it found no world."""
    started = time.process_time()
    mover = state.current_player()
    NashIsmctsBot(game, mover, config=SearchConfig(visits=1), seed=seed).step(state)
    first = time.process_time() - started
    started = time.process_time()
    bot = NashIsmctsBot(game, mover, config=SearchConfig(visits=visits), seed=seed)
    result = bot.search(state)
    seconds = time.process_time() - started
    if result.stopped_by == "no_world":
        return None
    return Rates(result.simulations / seconds, sum(result.visits) / seconds, 1e3 * first)


def peer(game: Any, state: Any, simulations: int, seed: int) -> float:
    """A new C++ ISMCTSBot."""
    started = time.process_time()
    bot = pyspiel.ISMCTSBot(
        seed, pyspiel.RandomRolloutEvaluator(1, seed), game.max_utility(), simulations
    )
    bot.get_policy(state)
    return simulations / (time.process_time() - started)


def peer_in_a_fork(game: Any, state: Any, simulations: int, seed: int) -> float | None:
    """The same in a child of this process; None if it died.

    OpenSpiel's resampler of hearts makes impossible worlds, and playing on in one may crash.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, str(peer(game, state, simulations, seed)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        found = answer.read()
    os.waitpid(child, 0)
    return float(found) if found else None


def measure_game(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Everything that is printed about one game."""
    game = pyspiel.load_game(GAMES.get(name, name))
    visits = max(options.visits // SLOW.get(name, 1), 1)
    with_peer = has_own_resampler(game)
    found: list[Rates] = []
    peers: list[float] = []
    without_world = 0
    for number, state in enumerate(random_positions(game, options.positions, options.seed)):
        rates = ours(game, state, visits, number)
        if rates is None:
            without_world += 1
        else:
            found.append(rates)
        rate = peer_in_a_fork(game, state, visits, number) if with_peer else None
        if rate is not None:
            peers.append(rate)
        report(f"{name}: position {number + 1} of {options.positions}")
    roots = statistics.median(each.root_visits for each in found)
    other = statistics.median(peers) if peers else None
    return {
        "simulations": statistics.median(each.simulations for each in found),
        "root_visits": roots,
        "peer": other,
        "ratio": None if other is None else roots / other,
        "first_ms": statistics.median(each.first_ms for each in found),
        "longest_first_ms": max(each.first_ms for each in found),
        "without_world": without_world,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=list(GAMES), help="games (default: all)")
    parser.add_argument("--positions", type=int, default=20, help="per game (default: 20)")
    parser.add_argument("--visits", type=int, default=2000, help="per search (default: 2000)")
    parser.add_argument("--seed", type=int, default=0, help="of the positions (default: 0)")
    options = parser.parse_args(arguments)
    results = {name: measure_game(name, options) for name in options.games}
    print("| game | root visits | ISMCTSBot | ratio | simulations | first, ms | no world |")
    print("|---|---|---|---|---|---|---|")
    for name, row in results.items():
        beside = f"{row['peer']:,.0f} | {row['ratio']:.2f}" if row["peer"] else "none | "
        print(
            f"| {name} | {row['root_visits']:,.0f} | {beside} | {row['simulations']:,.0f} | "
            f"{row['first_ms']:.1f} ({row['longest_first_ms']:.1f}) | {row['without_world']} |"
        )
    print(json.dumps(results))


if __name__ == "__main__":
    main()
