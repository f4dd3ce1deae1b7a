"""Which mechanism finds a world that agrees with a player's log, and which draws further ones.

In random games, decisions spread from the first to the last are asked about out of the blue (a new
graph), and one game is gone through decision by decision (one graph). A question is a first world
and then 64 further ones. Where a mechanism has answered, the question is asked again without it. A
question is given up after some CPU seconds.

    python -m benchmarks.worlds_table --write
    python -m benchmarks.worlds_table --games hearts rbc

Prints a line of JSON per question and setting, with these entries:

    events    of the history that led to the decision
    off       mechanisms that were switched off
    found     which mechanism found the first world; `none` or `late` if none did
    cpu       seconds until then
    pieces    what proved hidden pieces, or drew worlds, and how often
    distinct  of the 64 worlds
    draws     CPU seconds for these
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

from benchmarks.every_game import kind_of, registered
from benchmarks.listed_games import LISTED
from benchmarks.positions import random_decisions
from benchmarks.stored import RESULTS
from benchmarks.timing import report
from nash_ismcts_spiel.games import NoWorldFoundError, guides, support
from nash_ismcts_spiel.games.quiet import silent_stderr
from nash_ismcts_spiel.games.resample import Resampler
from nash_ismcts_spiel.native import _core

MORE = ("dark_hex(board_size=3)", "phantom_ttt", "leduc_poker(suit_isomorphism=True)")
"""Games beside those of every kind that is registered, and the listed ones."""

SLOW = ("bridge",)
"""Left out: bridge with double-dummy results, whose states take long to make."""

NAMES = (
    "backtracking", "explorer", "finder", "listing", "exchange", "completion", "trust", "walk",
    "repair", "proposal",
)  # fmt: skip
FINDERS = NAMES[:3]
PIECES = NAMES[4:7]
DRAWS = 64


def decisions_of(game: Any, count: int, rng: np.random.Generator) -> list[Any]:
    """Decisions of a random game, from the first to the last."""
    decisions = random_decisions(game, rng)
    places = np.linspace(0, len(decisions) - 1, min(count, len(decisions)))
    return [decisions[int(place)] for place in places]


class Table:
    """Questions about one game."""

    def __init__(self, name: str, seed: int, seconds: float) -> None:
        """A game, the seed of draws, and CPU seconds for a question."""
        self.game = support(name)
        self._guide = guides.guide_for(self.game.pyspiel_game)
        self._name = name.partition("(")[0]
        self._row = {"game": name, "seed": seed}
        self._seed, self._seconds = seed, seconds

    def asked(self, state: Any, how: str, off: Sequence[str] = (), kept: Any = None) -> Any:
        """What one question found."""
        player = state.current_player()
        if state.is_simultaneous_node():
            player = 0
        resampler = kept or Resampler(self.game, self._seed, seconds=self._seconds)
        if self._guide is not None:
            guides.register_guide(self._name, _nothing if "guide" in off else self._guide)
        _core.world_mechanisms(sum(1 << NAMES.index(one) for one in off if one in NAMES))
        row = {**self._row, "events": len(state.history()), "how": how, "off": list(off)}
        started = time.process_time()
        try:
            resampler.observe(state, player)
        except NoWorldFoundError:
            return row | {"found": "none", "cpu": _since(started)}
        except TimeoutError:
            return row | {"found": "late", "cpu": _since(started)}
        row |= {"cpu": _since(started), "found": self._finder(self._counts(off))}
        started = time.process_time()
        try:
            drawn = resampler.histories(state, player, DRAWS)
        except TimeoutError:
            return row | {"distinct": 0, "draws": _since(started)}
        pieces = {name: n for name, n in self._counts(off).items() if n}
        distinct = len(set(map(tuple, drawn)))
        return row | {"pieces": pieces, "distinct": distinct, "draws": _since(started)}

    def _counts(self, off: Sequence[str]) -> dict[str, int]:
        mask = sum(1 << NAMES.index(one) for one in off if one in NAMES)
        return dict(zip(NAMES, _core.world_mechanisms(mask), strict=True))

    def _finder(self, counts: dict[str, int]) -> str:
        found = [name for name in FINDERS if counts[name]]
        return found[0] if found else "guide" if self._guide else "known"

    def without(self, state: Any, found: Any) -> Iterator[Any]:
        """The same question without what has answered it."""
        finder, pieces = found["found"], found.get("pieces", {})
        if finder == "guide":
            yield (row := self.asked(state, "blue", ["guide"]))
            if row["found"] in ("explorer", "finder"):
                yield self.asked(state, "blue", ["guide", row["found"]])
        if finder in ("explorer", "finder"):
            yield self.asked(state, "blue", [finder])
        if finder == "backtracking":
            yield self.asked(state, "blue", [finder])
            yield self.asked(state, "blue", [finder, "explorer"])
        for one in ("completion", "trust", "exchange"):
            if pieces.get(one):
                yield self.asked(state, "blue", [one])


def _nothing(*_: Any) -> Iterator[list[int]]:
    return iter(())


def _since(started: float) -> float:
    return round(time.process_time() - started, 4)


def questions(table: Table, games: int, count: int, seed: int) -> Iterator[Any]:
    """All questions about a game."""
    rng = np.random.default_rng(seed)
    pyspiel_game = table.game.pyspiel_game
    for number in range(games):
        for state in decisions_of(pyspiel_game, count, rng):
            found = table.asked(state, "blue")
            yield found
            yield from table.without(state, found)
        if number == 0:
            resampler = Resampler(table.game, seed, seconds=table._seconds)
            for state in decisions_of(pyspiel_game, 3 * count, rng):
                yield table.asked(state, "log", kept=resampler)


def hidden_games() -> list[str]:
    """Games in which something is hidden."""
    names = [name for name, kind in registered().items() if kind != "perfect"]
    found = []
    for name in dict.fromkeys([*names, *LISTED, *MORE]):
        if name in SLOW:
            continue
        try:
            with silent_stderr():
                game = support(name)
        except (ValueError, pyspiel.SpielError):
            continue
        if not game.perfect_information:
            found.append(name)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Asks all questions and prints what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", help="games (default: all with hidden information)")
    parser.add_argument("--random-games", type=int, default=2, help="of each (default: 2)")
    parser.add_argument("--decisions", type=int, default=4, help="of each (default: 4)")
    parser.add_argument("--seconds", type=float, default=3.0, help="a question (default: 3)")
    parser.add_argument("--budget", type=float, default=60.0, help="a game (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="of games and draws (default: 0)")
    parser.add_argument("--write", action="store_true", help="store the table")
    options = parser.parse_args(arguments)
    lines = []
    for name in options.games or hidden_games():
        started = time.process_time()
        try:
            with silent_stderr():
                table = Table(name, options.seed, options.seconds)
                for row in questions(table, options.random_games, options.decisions, options.seed):
                    lines.append(json.dumps(row))
                    print(lines[-1], flush=True)
                    if time.process_time() - started > options.budget:
                        break
        except Exception as error:  # one game must not stop the others
            report(f"{name}: {type(error).__name__}: {error}")
        report(f"{name}: {time.process_time() - started:.1f} s")
    if options.write:
        path = RESULTS / "worlds" / "table.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
