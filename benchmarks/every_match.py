"""The default bot against a uniform player and OpenSpiel's ISMCTS at its best, game by game.

Each pairing plays `--count` games: hands with the same chance outcomes in all seatings, our bot in
one seat and the other player in all others, then in the next seat (`nash_ismcts_spiel/match.py`).
Each has `--milliseconds` of CPU time a move with a choice (`equal_cpu.py`). ISMCTS is OpenSpiel's
C++ bot with the worlds of our resampler, as our own bot has them, and with the best of twelve
settings for the game, which `peers.py` chooses on other deals before the first match.

    python -m benchmarks.every_match --games skat hearts
    python -m benchmarks.every_match --against uniform

A pairing that is stored in docs/results/every_game/ is not played again unless `--again` is given,
so a run that was stopped goes on. docs/results/every_game.md is written from all that is stored.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import time
import warnings
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)
import pyspiel

from benchmarks.equal_cpu import Clock, Maker, calibrated, rehearsed
from benchmarks.every_game_page import write_page
from benchmarks.head_to_head import REHEARSED
from benchmarks.listed_games import LISTED, file_name, short
from benchmarks.peers import budgets, ismcts_maker, our_maker, tune_peer
from benchmarks.stored import RESULTS, write_record
from benchmarks.timing import report
from nash_ismcts_spiel.games import SupportedGame, support
from nash_ismcts_spiel.games.quiet import silent_stderr
from nash_ismcts_spiel.match import round_robin

FOLDER = RESULTS / "every_game"
OPPONENTS = ("uniform", "ismcts")


class Pair(NamedTuple):
    """Two players of a game, by the simulations that they make, and how the second one plays."""

    makers: dict[str, Maker]
    simulations: dict[str, int]
    setting: str


def pair(game: SupportedGame, kind: str, options: argparse.Namespace) -> Pair:
    """Our bot and an opponent, with equal CPU time if it searches."""
    makers: dict[str, Maker] = {"ours": our_maker(game.pyspiel_game)}
    if kind == "uniform":
        makers[kind] = lambda _: pyspiel.make_uniform_random_bot
        return Pair(makers, calibrated(game, makers, options.milliseconds), "")
    setting = tune_peer(game.name, options.milliseconds, first_hands=options.tuning_hands)
    found = budgets(game.name, setting.max_world_samples, options.milliseconds)
    makers[kind] = ismcts_maker(game.pyspiel_game, setting)
    return Pair(makers, {"ours": found["ours"], kind: found["peer"]}, setting.words())


def _play(answer: Connection, name: str, kind: str, options: argparse.Namespace) -> None:
    game = support(name)
    hands = math.ceil(options.count / game.num_players)
    played = [0]

    def on_game() -> None:
        played[0] += 1
        if played[0] % 20 == 0:
            answer.send(f"{short(name)} against {kind}: {played[0]} of {hands * game.num_players}")

    clocks = {"ours": Clock(), kind: Clock()}
    with silent_stderr(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        made = pair(game, kind, options)
        counts = rehearsed(
            game, made.makers, made.simulations, options.milliseconds, hands // REHEARSED
        )
        players = {who: clocks[who].timed(maker(counts[who])) for who, maker in made.makers.items()}
        caught.clear()
        (found,) = round_robin(game, players, hands, options.seed, on_game)
    answer.send(
        {
            "game": name,
            "opponent": kind,
            "setting": made.setting,
            "games": hands * game.num_players,
            "mean": found.mean[0],
            "half_width": found.half_width[0],
            "their_mean": found.mean[1],
            "their_half_width": found.half_width[1],
            "difference": found.difference,
            "difference_half_width": found.difference_half_width,
            "cpu_ms": options.milliseconds,
            "cpu_ms_ours": clocks["ours"].milliseconds,
            "cpu_ms_theirs": clocks[kind].milliseconds,
            "simulations": counts,
            "seed": options.seed,
            "moves_without_world": len(caught),
        }
    )


def _answer(pipe: Connection) -> dict[str, Any]:
    """What a process found, after what it says on the way."""
    while isinstance(said := pipe.recv(), str):
        report(said)
    found: dict[str, Any] = said
    return found


def pairing(name: str, against: str, options: argparse.Namespace) -> dict[str, Any] | None:
    """One pairing in a process of its own, which some games crash."""
    spawn = multiprocessing.get_context("spawn")
    mine, theirs = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_play, args=(theirs, name, against, options))
    process.start()
    theirs.close()
    try:
        return _answer(mine)
    except EOFError:
        report(f"{short(name)}: the process of {against} died")
        return None
    finally:
        process.join()


def _one(task: tuple[str, str, argparse.Namespace]) -> None:
    name, against, options = task
    path = FOLDER / f"{file_name(name)}-{against}.json"
    if path.exists() and not options.again:
        return
    started = time.monotonic()
    found = pairing(name, against, options)
    if found is None:
        return
    write_record(path, found)
    report(
        f"{short(name)} against {found['opponent']}: {found['difference']:+.3f} ± "
        f"{found['difference_half_width']:.3f}, {time.monotonic() - started:.0f} s"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Plays what is not stored yet, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=list(LISTED), help="games (default: all)")
    parser.add_argument("--against", nargs="+", default=OPPONENTS, choices=OPPONENTS)
    parser.add_argument("--count", type=int, default=200, help="games a pairing (default: 200)")
    parser.add_argument("--milliseconds", type=float, default=50.0, help="CPU a move (default: 50)")
    parser.add_argument("--tuning-hands", type=int, default=20, help="see peers.py (default: 20)")
    parser.add_argument("--seed", type=int, default=0, help="of deals and bots (default: 0)")
    parser.add_argument("--again", action="store_true", help="play stored pairings again")
    parser.add_argument("--page", action="store_true", help="write the page from what is stored")
    options = parser.parse_args(arguments)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for against in [] if options.page else options.against:
        for name in options.games:
            _one((name, against, options))
    print(write_page(FOLDER))


if __name__ == "__main__":
    main()
