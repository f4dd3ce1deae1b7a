"""How often declared facts explain what a player has seen, and in what time, game by game.

Decisions at random plies of random games are asked about out of the blue. Of the histories that
facts propose at most 50 are checked, until eight have shown the player its log.

    python -m benchmarks.facts_table --seed 21 --write
    python -m benchmarks.facts_table --games hearts rbc

Prints a line of JSON for each question (events of the history that led to the decision; histories
proposed, right and different; CPU milliseconds until the first right one and in all), and a line
for each game on stderr. The first question of a game pays for tables that are made once.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)
import pyspiel

from benchmarks.positions import random_positions
from benchmarks.stored import RESULTS
from benchmarks.timing import report
from nash_ismcts_spiel.facts import facts_for, proposals, read_log
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.tables import MISSING

GAMES = (
    "battleship",
    "bridge(use_double_dummy_result=false)",
    "crazy_eights",
    "crazy_eights(players=2,use_special_cards=True)",
    "crazy_eights(players=7)",
    "cribbage",
    "cribbage(players=3)",
    "cribbage(players=4)",
    "dou_dizhu",
    "euchre",
    "euchre(allow_lone_defender=true,stick_the_dealer=false)",
    "gin_rummy",
    "go_fish",
    "go_fish(players=3)",
    "hearts",
    "hearts(pass_cards=false,can_lead_any_club=true,can_lead_hearts_instead_of_qs=true)",
    "oh_hell",
    "oh_hell(players=5,num_suits=3,num_cards_per_suit=9)",
    "phantom_go",
    "python_block_dominoes",
    "python_liars_poker",
    "python_liars_poker(hand_length=2,num_digits=3)",
    "python_team_dominoes",
    "rbc",
    "skat",
    "social_deduction",
    "solitaire",
    "spades",
)
GUESSES, WANTED, SECONDS = 50, 8, 10.0


def asked(game: Any, state: Any, seed: int) -> dict[str, Any]:
    """One question."""
    player, facts = state.current_player(), facts_for(game)
    assert facts is not None
    graph = GameGraph(game)
    view = graph.view_along(state.history(), player, False)
    log = read_log(graph.log(view))
    started, first = time.process_time(), None
    proposed, right = 0, []
    for history in proposals(facts, game, player, log, np.random.default_rng(seed)):
        if history is not None:
            proposed += 1
            if graph.offer(player, view, history) != MISSING:
                right.append(tuple(history))
                first = first or _since(started)
        if len(right) == WANTED or proposed == GUESSES or _since(started) > 1000 * SECONDS:
            break
    return {
        "events": len(state.history()), "proposed": proposed, "right": len(right),
        "different": len(set(right)), "first": first, "all": _since(started),
    }  # fmt: skip


def _since(started: float) -> float:
    return round(1000 * (time.process_time() - started), 2)


def main(arguments: Sequence[str] | None = None) -> None:
    """Asks all questions and prints what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=GAMES, help="games (default: all with facts)")
    parser.add_argument("--count", type=int, default=30, help="questions a game (default: 30)")
    parser.add_argument("--seed", type=int, default=0, help="of games and draws (default: 0)")
    parser.add_argument("--write", action="store_true", help="store the lines")
    options = parser.parse_args(arguments)
    lines: list[str] = []
    for name in options.games:
        game = pyspiel.load_game(name)
        states = random_positions(game, options.count, options.seed)
        rows = [asked(game, state, 1000 + number) for number, state in enumerate(states)]
        lines += [json.dumps({"game": name, "seed": options.seed, **row}) for row in rows]
        print("\n".join(lines[-len(rows) :]), flush=True)
        first = [row["first"] for row in rows if row["right"]]
        average = np.mean(first) if first else float("nan")
        everything = np.mean([row["all"] for row in rows])
        report(f"{name}: {len(first)}/{len(rows)}, {average:.1f} and {everything:.1f} ms")
    if options.write:
        path = RESULTS / "worlds" / "facts.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
