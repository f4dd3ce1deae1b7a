"""Our untrained bot against OpenSpiel's C++ ISMCTSBot at its best, with equal CPU time a move.

Both get the same CPU time a move with a choice (`equal_cpu.py`), resampling included, and worlds
from the same resampler; what each used is measured again during the match. ISMCTSBot plays with the
setting that does best against us (`peers.py`), chosen on other deals. A hand is dealt once
and played in all seatings, our bot in one seat and the peer in all others; the score is what our
bot won more than the peer, per game and seat, in the game's units, with a 95% interval.

    python -m benchmarks.head_to_head --games kuhn_poker leduc_poker

Records are in docs/results/head_to_head/, one file a game; a stored one is played anew with
`--again` only. The page docs/results/head_to_head.md is made of all.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.equal_cpu import Clock, rehearsed
from benchmarks.peers import Setting, budgets, ismcts_maker, our_maker, tune_peer
from benchmarks.positions import random_positions
from benchmarks.stored import RESULTS, game_file, write_record
from benchmarks.timing import report
from nash_ismcts_spiel import make_bot
from nash_ismcts_spiel.files import versions
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.match import round_robin

FOLDER = RESULTS / "head_to_head"
GAMES = ("kuhn_poker", "leduc_poker", "leduc_poker(players=3)")
_TOLD_EVERY = 200
REHEARSED = 2
"""One in so many hands is played before, on other deals, to see what moves take."""

HEAD = """# Untrained, against OpenSpiel's ISMCTS

`python -m benchmarks.head_to_head`: the bot without networks against OpenSpiel's C++ `ISMCTSBot`,
equal CPU time a move with a choice, worlds of one resampler for both. Each gets as many simulations
as take that time on other deals; ms is what they then took, and "once" the CPU seconds until the
first bot can answer, which walks the whole game where it is small. The peer's constant (.5, 1 or 2
value scales), its final policy and its number of worlds are those of twelve settings that did best
against our bot on other deals (`python -m benchmarks.peers`). A hand is played in all seatings.
The score is what our bot won more than the peer, per game and seat, in the game's units, with a
95% interval; **bold** where that leaves out 0. In pairs, ours comes first.

| game | games | seed | peer | simulations | ms a move | once | score |
|---|---|---|---|---|---|---|---|
"""


def first_bot(game: str) -> float:
    """CPU seconds in which the first bot of a game has its first answer, by one simulation."""
    (state,) = random_positions(support(game).pyspiel_game, 1, seed=0)
    started = time.process_time()
    make_bot("nash_ismcts", game, state.current_player(), visits=1).step(state)
    return time.process_time() - started


def played(game: str, setting: Setting, once: float, options: argparse.Namespace) -> dict[str, Any]:
    """One match, as it is stored; `once` is what the first bot took."""
    supported, done = support(game), [0]
    hands = math.ceil(options.count / supported.num_players)

    def on_game() -> None:
        done[0] += 1
        if done[0] % _TOLD_EVERY == 0:
            report(f"{game}: {done[0]} of {hands * supported.num_players} games")

    milliseconds = options.milliseconds
    counts = budgets(game, setting.max_world_samples, milliseconds)
    clocks = {"ours": Clock(), "peer": Clock()}
    makers = {"ours": our_maker(game), "peer": ismcts_maker(game, setting)}
    counts = rehearsed(supported, makers, counts, milliseconds, hands // REHEARSED)
    players = {name: clocks[name].timed(makers[name](counts[name])) for name in clocks}
    (found,) = round_robin(supported, players, hands, options.seed, on_game)
    return {
        "game": supported.name,
        "games": hands * supported.num_players,
        "difference": found.difference,
        "half_width": found.difference_half_width,
        "cpu_ms": milliseconds,
        "cpu_seconds_once": once,
        "visits": counts["ours"],
        "simulations": counts["peer"],
        "cpu_ms_ours": clocks["ours"].milliseconds,
        "cpu_ms_peer": clocks["peer"].milliseconds,
        "peer": setting.words(),
        "seed": options.seed,
        "versions": versions(),
    }


def page() -> str:
    """Writes the page of all that is stored, and returns it."""
    rows = []
    for path in sorted(FOLDER.glob("*.json")):
        row = json.loads(path.read_text(encoding="utf-8"))
        score = f"{row['difference']:+.3f} ± {row['half_width']:.3f}"
        score = f"**{score}**" if abs(row["difference"]) > row["half_width"] else score
        cpu = f"{row['cpu_ms_ours']:.1f} / {row['cpu_ms_peer']:.1f}"
        rows.append(
            f"| {row['game']} | {row['games']:,} | {row['seed']} | {row['peer']} | "
            f"{row['visits']:,} / {row['simulations']:,} | {cpu} | {row['cpu_seconds_once']:.2f} | "
            f"{score} |"
        )
    text = HEAD + "\n".join(rows) + "\n"
    (RESULTS / "head_to_head.md").write_text(text, encoding="utf-8")
    return text


def main(arguments: Sequence[str] | None = None) -> None:
    """Plays what is not stored yet, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--count", type=int, default=2000, help="games each (default 2000)")
    parser.add_argument("--milliseconds", type=float, default=4.0, help="CPU a move (default 4)")
    parser.add_argument("--tuning-hands", type=int, default=100, help="of the first round")
    parser.add_argument("--seed", type=int, default=0, help="of deals and bots (default 0)")
    parser.add_argument("--page", action="store_true", help="write the page from what is stored")
    parser.add_argument("--again", action="store_true", help="play stored matches again")
    options = parser.parse_args(arguments)
    for game in [] if options.page else options.games:
        path = FOLDER / f"{game_file(game)}.json"
        if options.again or not path.exists():
            once = first_bot(game)
            setting = tune_peer(game, options.milliseconds, first_hands=options.tuning_hands)
            write_record(path, played(game, setting, once, options))
    print(page(), end="")


if __name__ == "__main__":
    main()
