"""What the default bot does in every game that OpenSpiel registers.

Games are loaded with their default parameters; simultaneous ones are searched in their turn-based
form. In each, decisions early, in the middle and late in three random games are searched by a new
default bot (rollouts), once with 16 and once with 64 visits, in a process of its own that is
stopped after a while. `seconds_16_visits` is the slowest of the three, in CPU seconds, the
construction of the bot included. A game is

    fine      16 visits took at most 1 s at each position
    slow      they took longer
    no answer the process was stopped
    no world  no world was found that agrees with what the player has seen
    no choice no position with a choice was met
    failed    anything else went wrong
    refused   our package says why it does not search the game

    python -m benchmarks.every_game
    python -m benchmarks.every_game --games hearts rbc --seconds 30

Prints a table and, last, one line of JSON. `--write` stores what `nash-ismcts games` and
docs/games.md show, and writes that page.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections import Counter
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)
import pyspiel

from benchmarks.positions import early_middle_late
from benchmarks.timing import report
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.cli.games import all_graded, row_of
from nash_ismcts_spiel.games import SupportedGame, grades, support
from nash_ismcts_spiel.games.grades import Graded
from nash_ismcts_spiel.games.quiet import silent_stderr

MEASURED = Path(grades.__file__).with_name("measured.json")
PAGE = Path(__file__).parents[1] / "docs" / "games.md"

FINE = 1.0
"""CPU seconds that a search of 16 visits may take."""

_PAGE = """# Games

How far the package goes in each game that OpenSpiel registers, with default parameters
(simultaneous games in their turn-based form).

- *exact*: every history fits into memory; exact models, exact training and exact measurement.
- *learned*: too large for that; networks can read it, and the search has rollouts or networks.
- *search only*: networks have nothing to read.
- *refused*: the reason says what would work.

Sizes are numbers of histories, estimated by random games. Seconds are CPU seconds of a search of 64
visits by the default bot, its construction included, the slowest of a position early, in the middle
and late in random games. Remade by `python -m benchmarks.every_game --write`.

| game | grade | players | histories | hidden | 64 visits | |
|---|---|---|---|---|---|---|
"""


class Found(NamedTuple):
    """What was found out about one game.

    Attributes:
      seconds: CPU seconds of a search by the number of visits, the slowest position; None if there
        was no answer.
      outcome: one of the words of this module's head.
      why: the reason, where it is not plain.
      hidden: what players are not shown, see `what_is_hidden`.
    """

    seconds: dict[int, float]
    outcome: str
    why: str = ""
    hidden: str = ""


def what_is_hidden(game: SupportedGame, events: int = 200) -> str:
    """`chance`, `moves`, both or `nothing`: events of random games that somebody was not shown.

    An event counts as hidden from a player if it is shown the same after another one.
    """
    if game.perfect_information:
        return "nothing"
    found, rng = set(), np.random.default_rng(0)
    state = game.initial_state()
    for _ in range(events):
        if state.is_terminal():
            state = game.initial_state()
        mover, kind = state.current_player(), "chance" if state.is_chance_node() else "moves"
        action, other = (int(rng.choice(state.legal_actions())) for _ in range(2))
        after, instead = state.child(action), state.child(other)
        for player in set(range(game.num_players)) - {mover}:
            shown = {_shown(game, child, player) for child in (after, instead)}
            if action != other and len(shown) == 1:
                found.add(kind)
        state = after
    return " and ".join(sorted(found)) or "nothing"


def _shown(game: SupportedGame, state: Any, player: int) -> str:
    if game.has_information_states:
        return str(state.information_state_string(player))
    return str(state.observation_string(player))


def search_all(name: str, visits: Sequence[int], seed: int) -> Found:
    """Searches all positions of a game."""
    try:
        game = support(name)
    except ValueError as error:
        return Found({}, "refused", str(error))
    hidden = what_is_hidden(game)
    positions = early_middle_late(game.pyspiel_game, seed)
    if not positions:
        return Found({}, "no choice", hidden=hidden)
    seconds = dict.fromkeys(visits, 0.0)
    for state in positions:
        for count in visits:
            started = time.process_time()
            config = SearchConfig(visits=count)
            bot = NashIsmctsBot(game.pyspiel_game, state.current_player(), config=config, seed=seed)
            if bot.search(state).stopped_by == "no_world":
                return Found({}, "no world", f"after {len(state.history())} events", hidden)
            seconds[count] = max(seconds[count], time.process_time() - started)
    return Found(seconds, "fine" if seconds[min(visits)] <= FINE else "slow", hidden=hidden)


def _tell(answer: Connection, name: str, visits: Sequence[int], seed: int) -> None:
    try:
        with silent_stderr():
            answer.send(search_all(name, visits, seed))
    except Exception as error:  # one game must not stop the others
        answer.send(Found({}, "failed", f"{type(error).__name__}: {error}"))


def in_a_process(name: str, visits: Sequence[int], seed: int, limit: float) -> Found:
    """The same in a fork that is stopped after `limit` seconds of wall time."""
    fork = multiprocessing.get_context("fork")
    mine, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=_tell, args=(theirs, name, visits, seed))
    process.start()
    theirs.close()
    found = Found({}, "no answer", f"stopped after {limit:g} s")
    if mine.poll(limit):
        try:
            found = mine.recv()
        except EOFError:
            found = Found({}, "failed", "the process died")
    process.kill()
    process.join()
    return found


def kind_of(game: Any) -> str:
    """`imperfect`, `simultaneous`, or `perfect` where nothing is hidden."""
    if game.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return "simultaneous"
    hidden = game.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    return "imperfect" if hidden else "perfect"


def registered() -> dict[str, str]:
    """Games that load without parameters, and their kinds, mean-field games left out."""
    kinds = {
        game.short_name: kind_of(game)
        for game in pyspiel.registered_games()
        if game.default_loadable and game.dynamics != pyspiel.GameType.Dynamics.MEAN_FIELD
    }
    return dict(sorted(kinds.items()))


def store(found: dict[str, Found]) -> None:
    """Writes the figures and the page that shows them."""
    measured = {
        name: {
            "outcome": row.outcome,
            "hidden": row.hidden,
            "seconds_64_visits": round(row.seconds[64], 3) if row.seconds else None,
        }
        for name, row in sorted(found.items())
        if row.outcome != "refused"
    }
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in measured.items())
    MEASURED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    grades.measured.cache_clear()
    PAGE.write_text(games_page(all_graded()), encoding="utf-8")


def games_page(found: list[Graded]) -> str:
    """The page docs/games.md."""
    rows = [f"| {' | '.join((game.game, *row_of(game)))} |\n" for game in found]
    return _PAGE + "".join(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Searches all games and prints what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", help="games (default: all)")
    parser.add_argument("--seconds", type=float, default=20.0, help="per game (default: 20)")
    parser.add_argument("--seed", type=int, default=0, help="of positions and bots (default: 0)")
    parser.add_argument("--write", action="store_true", help="store the figures and the page")
    options = parser.parse_args(arguments)
    kinds = registered()
    if options.write and options.games:
        parser.error("--write stores all games, not some")
    names = options.games or list(kinds)
    found = {}
    for number, name in enumerate(names, start=1):
        found[name] = in_a_process(name, (16, 64), options.seed, options.seconds)
        report(f"{number} of {len(names)}: {name}: {found[name].outcome}")
    print(f"{'game':<36}{'16 visits':>10}{'64 visits':>10}  outcome")
    for name, row in found.items():
        cells = [f"{row.seconds[n]:>10.3f}" if row.seconds else f"{'':>10}" for n in (16, 64)]
        print(f"{name:<36}{cells[0]}{cells[1]}  {row.outcome}  {' '.join(row.why.split())[:120]}")
    summary: dict[str, Any] = {}
    for kind in ("imperfect", "simultaneous", "perfect"):
        outcomes = Counter(row.outcome for name, row in found.items() if kinds.get(name) == kind)
        summary[kind] = {"tried": outcomes.total(), **outcomes}
        print(f"{kind}: {summary[kind]}")
    summary["games"] = {
        name: {"seconds_16_visits": row.seconds.get(16), "grade": row.outcome}
        for name, row in found.items()
    }
    if options.write:
        store(found)
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
