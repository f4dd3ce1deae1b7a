"""One bot plays game after game: resident memory and open descriptors along the way.

The bot has seat 0 and searches with few visits, by rollouts, on a graph that grows; the others move
at random. Memory is VmRSS in MiB, and RssAnon, the part of it that the process has allocated: the
system may take pages of program files from a process and give them back, which VmRSS shows as well.
Descriptors are counted. All is read from /proc, so this needs Linux; nothing is given back to the
system before a look. Looks are after 1%, 10%, 50% and 100% of the games. The bar is on the growth
of both from 10% to 100%. Each of the games of OpenSpiel has a process of its own.

With --write, what was found goes into docs/results/soak.json, beside what is there of other games,
and docs/results/soak.md is made from it.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyspiel

from benchmarks.memory import alone, resident
from benchmarks.stored import RESULTS, write_record
from benchmarks.timing import report
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.files import versions

VISITS: Mapping[str, int] = {"leduc_poker": 32, "phantom_ttt": 32, "hearts": 2}
"""Visits a move: few, as games count here and a move of hearts takes long."""

BAR = 0.05
"""Share by which memory may grow from 10% to 100% of the games."""

LOOKS = (0.01, 0.1, 0.5, 1.0)
Result = dict[str, Any]

PAGE = """# Ten thousand games by one bot

`python -m benchmarks.soak --write`: one bot in seat 0, with rollouts on a graph that grows, plays
game after game against players who move at random; seed 0. Memory is the process's VmRSS in MiB
and, in brackets, RssAnon, the part of it that it has allocated; the rest are pages of program
files, which the system may take away and bring back. Descriptors are its open files. The bar is
that both kinds of memory grow by less than 5% from 10% to 100% of the games. Visits are few, as
games count here and not the quality of play: a search of hearts has {hearts} visits a move.

| game | games | visits a move | moves | MiB at 10% | 50% | 100% | growth | descriptors | CPU s |
|---|---|---|---|---|---|---|---|---|---|
"""


def play(game: Any, bot: NashIsmctsBot, rng: np.random.Generator) -> int:
    """One game; returns how many moves the bot made."""
    bot.restart()
    state, moves = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
            action = int(rng.choice(outcomes, p=probabilities))
        elif state.current_player() == bot.player_id:
            action = bot.step(state)
            moves += 1
        else:
            action = int(rng.choice(state.legal_actions()))
        state.apply_action(action)
    return moves


def soak(task: tuple[str, int, int]) -> Result:
    """Plays so many games of a name with so many visits a move."""
    name, games, visits = task
    game = pyspiel.load_game(name)
    bot = NashIsmctsBot(game, 0, config=SearchConfig(visits=visits), seed=0)
    rng = np.random.default_rng(0)
    looks = {max(round(share * games), 1): share for share in LOOKS}
    seen: dict[str, Result] = {}
    moves, started = 0, time.process_time()
    for played in range(1, games + 1):
        moves += play(game, bot, rng)
        if played in looks:
            descriptors = len(os.listdir("/proc/self/fd")) - 1  # listing them opens one
            look = {
                "games": played,
                "rss_mib": resident(),
                "anonymous_mib": resident("RssAnon"),
                "descriptors": descriptors,
            }
            seen[f"{looks[played]:.0%}"] = look
            report(f"{name}: {look}")
    growth = {
        kind: seen["100%"][kind] / seen["10%"][kind] - 1.0 for kind in ("rss_mib", "anonymous_mib")
    }
    return {
        "games": games,
        "visits": visits,
        "seed": 0,
        "moves": moves,
        "cpu_seconds": time.process_time() - started,
        "looks": seen,
        "growth": growth,
        "within_bar": max(growth.values()) < BAR,
        "versions": versions(),
    }


def page(found: Mapping[str, Result]) -> str:
    """The page of results."""
    lines = []
    for name, row in found.items():
        looks = [row["looks"][share] for share in ("10%", "50%", "100%")]
        sizes = " | ".join(f"{look['rss_mib']:.1f} ({look['anonymous_mib']:.1f})" for look in looks)
        growth = f"{row['growth']['rss_mib']:+.1%} ({row['growth']['anonymous_mib']:+.1%})"
        descriptors = ", ".join(str(look["descriptors"]) for look in looks)
        lines.append(
            f"| {name} | {row['games']:,} | {row['visits']} | {row['moves']:,} | {sizes} | "
            f"{growth} | {descriptors} | {row['cpu_seconds']:,.0f} |"
        )
    hearts = found["hearts"]["visits"] if "hearts" in found else VISITS["hearts"]
    return PAGE.format(hearts=hearts) + "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, prints and, if asked to, writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000, help="games of each (default: 10000)")
    parser.add_argument("--only", nargs="+", choices=VISITS, default=list(VISITS))
    parser.add_argument("--visits", type=int, help="visits a move, instead of those of the game")
    parser.add_argument("--write", action="store_true", help="write docs/results/soak.*")
    parser.add_argument("--page", action="store_true", help="write the page from what is stored")
    options = parser.parse_args(arguments)
    if options.page:
        found = json.loads((RESULTS / "soak.json").read_text(encoding="utf-8"))
        (RESULTS / "soak.md").write_text(page(found), encoding="utf-8")
        return
    if options.games < 100:
        parser.error("--games must be at least 100")
    stored = RESULTS / "soak.json"
    found = {}
    if options.write and stored.exists():
        found = json.loads(stored.read_text(encoding="utf-8"))
    for name in options.only:
        found[name] = alone(soak, (name, options.games, options.visits or VISITS[name]))
        found = {each: found[each] for each in VISITS if each in found}
        if options.write:
            write_record(stored, found)
            (RESULTS / "soak.md").write_text(page(found), encoding="utf-8")
    print(page({name: found[name] for name in options.only}))
    print(json.dumps({name: found[name] for name in options.only}))


if __name__ == "__main__":
    main()
