"""Whole games of the default bot: seconds a move, and memory.

In each game a new default bot (rollouts) sits in every seat and plays whole games against itself,
64 visits a move. A move is timed if its player has a choice; times are CPU seconds, the
construction of the bots is not in them. Memory is the highest resident memory of the process that
plays (one per game), in MiB, the interpreter and all seats included. `without_world` counts moves
for which no world was found that agrees with what the player has seen.

    python -m benchmarks.whole_games
    python -m benchmarks.whole_games --games hearts skat --count 3

Prints a table and, last, one line of JSON. `--write` stores it in docs/results/every_game/, in
place of what was stored of the same games.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
import warnings
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)

from benchmarks.every_game_page import write_page
from benchmarks.listed_games import LISTED, short
from benchmarks.memory import resident
from benchmarks.stored import RESULTS, write_record
from benchmarks.timing import report
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.games.quiet import silent_stderr

STORED = RESULTS / "every_game" / "whole_games.json"


def play(name: str, visits: int, seed: int) -> dict[str, Any]:
    """One game."""
    game, rng = support(name), np.random.default_rng(seed)
    config = SearchConfig(visits=visits)
    bots = [
        NashIsmctsBot(game.pyspiel_game, seat, config=config, seed=seed + seat)
        for seat in range(game.num_players)
    ]
    state, seconds, without_world = game.initial_state(), [], 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=np.array(chances) / sum(chances))))
            continue
        if len(state.legal_actions()) == 1:
            state.apply_action(state.legal_actions()[0])
            continue
        started = time.process_time()
        result = bots[state.current_player()].search(state)
        seconds.append(time.process_time() - started)
        without_world += result.stopped_by == "no_world"
        policy = np.array(result.policy)
        state.apply_action(int(rng.choice(result.actions, p=policy / policy.sum())))
    return {"seconds": seconds, "without_world": without_world}


def _tell(answer: Connection, name: str, visits: int, count: int, seed: int) -> None:
    with silent_stderr(), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # counted instead
        for number in range(count):
            found = play(name, visits, seed + 100 * number)
            answer.send({**found, "megabytes": resident("VmHWM")})


def in_a_process(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """All games in a process of their own, as far as they get in the time allowed."""
    spawn = multiprocessing.get_context("spawn")  # a fork would begin with this one's memory
    mine, theirs = spawn.Pipe(duplex=False)
    arguments = (theirs, name, options.visits, options.count, options.seed)
    process = spawn.Process(target=_tell, args=arguments)
    process.start()
    theirs.close()
    games: list[dict[str, Any]] = []
    until = time.monotonic() + options.seconds
    while len(games) < options.count and mine.poll(max(0.0, until - time.monotonic())):
        try:
            games.append(mine.recv())
        except EOFError:
            break
    process.kill()
    process.join()
    if not games:
        return {"games": 0}
    seconds = [each for game in games for each in game["seconds"]]
    return {
        "games": len(games),
        "moves": len(seconds),
        "seconds_a_move": sum(seconds) / len(seconds),
        "slowest_move": max(seconds),
        "megabytes": games[-1]["megabytes"],
        "without_world": sum(game["without_world"] for game in games),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Plays all games and prints what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=list(LISTED), help="games (default: all)")
    parser.add_argument("--visits", type=int, default=64, help="of a search (default: 64)")
    parser.add_argument("--count", type=int, default=2, help="games of each (default: 2)")
    parser.add_argument("--seconds", type=float, default=300.0, help="per game (default: 300)")
    parser.add_argument("--seed", type=int, default=0, help="of deals and bots (default: 0)")
    parser.add_argument("--write", action="store_true", help="store the result")
    options = parser.parse_args(arguments)
    found: dict[str, Any] = {}
    print(f"{'game':<40}{'games':>6}{'moves':>6}{'s/move':>8}{'worst':>8}{'MiB':>6}  without world")
    for name in options.games:
        report(f"{len(found) + 1} of {len(options.games)}: {short(name)}")
        row = found[name] = in_a_process(name, options)
        if row["games"] == 0:
            print(f"{short(name):<40}  no game was finished in {options.seconds:g} s", flush=True)
            continue
        print(
            f"{short(name):<40}{row['games']:>6}{row['moves']:>6}{row['seconds_a_move']:>8.3f}"
            f"{row['slowest_move']:>8.2f}{row['megabytes']:>6.0f}  {row['without_world']}",
            flush=True,
        )
    result = {"visits": options.visits, "seed": options.seed, "games": found}
    if options.write:
        STORED.parent.mkdir(parents=True, exist_ok=True)
        stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else result
        rows = {**stored["games"], **found}
        result["games"] = {name: rows[name] for name in LISTED if name in rows}
        write_record(STORED, result)
        write_page(STORED.parent)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
