"""How a world that agrees with a player's log is found, and further ones drawn, in every game.

In random games, decisions from the first to the last are asked about out of the blue (a new graph),
and one game is gone through decision by decision (one graph). A question is a first world and then
64 further ones. `--without-facts` asks again without the facts where those have answered.

    python -m benchmarks.worlds_table --write
    python -m benchmarks.worlds_table --games hearts rbc

Prints a line of JSON for each question, with these entries, and a line for each game on stderr:

    events    of the history that led to the decision
    how       `blue`, or `log`
    off       what was switched off
    found     by `facts` or `search`; `none` if no world was found
    cpu       seconds until then
    distinct  of the 64 worlds
    draws     CPU seconds for these

docs/results/worlds/mechanisms.jsonl was made in the same way while the search for worlds had more
mechanisms; there `found` and `off` name them, `pieces` says what drew or proved further worlds, and
a question was given up after 2 CPU seconds (`late`).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)
import pyspiel

from benchmarks.every_game import registered
from benchmarks.listed_games import LISTED
from benchmarks.positions import random_decisions
from benchmarks.stored import RESULTS
from benchmarks.timing import report
from nash_ismcts_spiel import facts
from nash_ismcts_spiel.games import NoWorldFoundError, support
from nash_ismcts_spiel.games.quiet import silent_stderr
from nash_ismcts_spiel.games.resample import Resampler

MORE = ("dark_hex(board_size=3)", "phantom_ttt", "leduc_poker(suit_isomorphism=True)")
"""Games beside those of every kind that is registered, and the listed ones."""

SLOW = ("bridge",)
"""Left out: bridge with double-dummy results, whose states take long to make."""

DRAWS = 64
GAMES = 2
"""Random games of each game."""

Row = dict[str, Any]


def decisions_of(game: Any, count: int, rng: np.random.Generator) -> list[Any]:
    """Decisions of a random game, from the first to the last."""
    decisions = random_decisions(game, rng)
    places = np.linspace(0, len(decisions) - 1, min(count, len(decisions)))
    return [decisions[int(place)] for place in places]


class Questions:
    """Questions about one game."""

    def __init__(self, name: str, seed: int) -> None:
        """A game, and the seed of its positions and draws."""
        self.game = support(name)
        self.name, self.seed = name, seed
        self._facts = facts.facts_for(self.game.pyspiel_game)

    def all(self, decisions: int, without_facts: bool) -> Iterator[Row]:
        """Asks about so many decisions of each random game."""
        rng = np.random.default_rng(self.seed)
        played = self.game.pyspiel_game
        for _ in range(GAMES):
            for state in decisions_of(played, decisions, rng):
                row = self.asked(state, "blue")
                yield row
                if without_facts and row["found"] == "facts":
                    yield self.asked(state, "blue", informed=False)
        resampler = Resampler(self.game, self.seed)
        for state in decisions_of(played, 3 * decisions, rng):
            yield self.asked(state, "log", resampler)

    def asked(
        self, state: Any, how: str, kept: Resampler | None = None, *, informed: bool = True
    ) -> Row:
        """What one question found."""
        player = max(state.current_player(), 0)
        resampler = kept or Resampler(self.game, self.seed)
        known = self._facts if informed else None
        if self._facts is not None:
            facts.register_facts(self.name.partition("(")[0], known or _nothing)
        row: Row = {"game": self.name, "seed": self.seed, "events": len(state.history())}
        row |= {"how": how, "off": [] if informed else ["facts"]}
        started = time.process_time()
        try:
            information_set = resampler.observe(state, player)
        except NoWorldFoundError:
            return row | {"found": "none", "cpu": _since(started)}
        by_facts = known is not None and resampler.offered(information_set)
        row |= {"found": "facts" if by_facts else "search", "cpu": _since(started)}
        started = time.process_time()
        drawn = resampler.histories(state, player, DRAWS)
        return row | {"distinct": len(set(map(tuple, drawn))), "draws": _since(started)}


def _nothing(*_: Any) -> Iterator[list[int]]:
    return iter(())


def _since(started: float) -> float:
    return round(time.process_time() - started, 4)


def hidden_games() -> list[str]:
    """Games in which something is hidden."""
    names = [name for name, kind in registered().items() if kind != "perfect"]
    found = []
    for name in dict.fromkeys([*names, *LISTED, *MORE]):
        try:
            if name not in SLOW and not support(name).perfect_information:
                found.append(name)
        except (ValueError, pyspiel.SpielError):
            continue
    return found


def summary(rows: Sequence[Row]) -> str:
    """How many of a game's questions were answered, and the slowest answers, by kind."""
    cells = []
    for how, off in (("blue", []), ("blue", ["facts"]), ("log", [])):
        asked = [row for row in rows if row["how"] == how and row["off"] == off]
        if asked:
            found = sum(row["found"] != "none" for row in asked)
            slowest = max(row["cpu"] for row in asked)
            what = how if not off else "no facts"
            cells.append(f"{what} {found}/{len(asked)} {slowest:.2f} s")
    return ", ".join(cells)


def main(arguments: Sequence[str] | None = None) -> None:
    """Asks all questions and prints what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", help="games (default: all with hidden information)")
    parser.add_argument("--decisions", type=int, default=4, help="of a random game (default: 4)")
    parser.add_argument("--seed", type=int, default=0, help="of games and draws (default: 0)")
    parser.add_argument("--without-facts", action="store_true", help="ask without them too")
    parser.add_argument("--write", action="store_true", help="store the table")
    options = parser.parse_args(arguments)
    lines: list[str] = []
    with silent_stderr():
        names = options.games or hidden_games()
    for name in names:
        rows = []
        asked = Questions(name, options.seed).all(options.decisions, options.without_facts)
        for row in asked:
            rows.append(row)
            lines.append(json.dumps(row))
            print(lines[-1], flush=True)
        report(f"{name}: {summary(rows)}")
    if options.write:
        path = RESULTS / "worlds" / "table.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
