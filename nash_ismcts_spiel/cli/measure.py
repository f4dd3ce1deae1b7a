"""`nash-ismcts exploitability`: how much a best response wins against a bot or a policy, and
`nash-ismcts exploit`: what a learned response wins, in any game.

Small games are enumerated. Larger ones are measured over views where their histories merge: the bot
then plays by what its player sees, not by the order in which it came, and the best response still
has perfect recall. Where neither can be done a response is learned; what it wins in fresh games is
a lower bound on what a best response wins, with a confidence interval. The command says which way
it took. A curve is exploitability against visits: the median over several searches, with the range,
and as a multiple of what the policy has that the search starts from. Values are in the game's
units.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from exploitability import Measurement, information_sets, measure
from exploitability.opponents import Opponents
from exploitability.responder import Effort, LowerBound, Point, learned_response
from exploitability.rows import tells_policy
from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.common import load, print_json, quantity_of
from nash_ismcts_spiel.cli.parser import (
    add_game,
    add_json,
    add_search,
    add_seed,
    check_numbers,
    describe,
)
from nash_ismcts_spiel.cli.players import BOTS, PLAYERS, Maker, Players, policy_of_run
from nash_ismcts_spiel.config import MOST_VISITS
from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.games.merged import PolicyKey, merged_game
from nash_ismcts_spiel.harness import ViewBot, ViewPolicy
from nash_ismcts_spiel.runs.config import read_config

AUTO, EXACT, MERGED, LEARNED = "auto", "exact", "merged", "learned"
_UNITS = {EXACT: "information sets", MERGED: "views"}
_ENUMERATED = 300_000
"""Histories up to which a game is enumerated, by a random estimate."""

Report = Callable[[int, int], None]
"""Told how many parts of a measurement are done, and of how many."""


def add_exploitability(command: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    describe(
        command,
        _exploitability,
        "NashConv, exploitability (NashConv / players) and what each player gains by a best "
        "response. Small games are enumerated; others are measured over views, where their "
        "histories merge; both are exact. Elsewhere a response is learned, which gives a lower "
        "bound with a confidence interval.",
        "exploitability --game leduc_poker --bot nash_ismcts --visits 100 --repeats 5",
        "exploitability --game leduc_poker --bot nash_ismcts --models pretrained --curve 10,100",
        "exploitability --run out/leduc --json",
        "exploitability --game kuhn_poker --bot my_bots:MyBot",
    )
    command.add_argument("--game", help="the game (default: that of --run)")
    what = command.add_mutually_exclusive_group(required=True)
    whom = f"{PLAYERS}, where MAKER(game, player_id, seed=...) makes it"
    what.add_argument("--bot", metavar="BOT", help=whom)
    policy = "the policy P of a training"
    what.add_argument("--run", dest="directory", type=Path, metavar="DIR", help=policy)
    command.add_argument(
        "--engine",
        choices=[AUTO, EXACT, MERGED, LEARNED],
        default=AUTO,
        help="exact: enumerate the game; merged: over views; learned: a lower bound by a learned "
        "response, see `exploit` (default: the first that can be done)",
    )
    keys = ["observation", "information_state"]
    tells = "what a view tells, for merged"
    command.add_argument("--key", choices=keys, default=keys[0], help=tells)
    command.add_argument(
        "--curve",
        metavar="V,V,...",
        help="exploitability for each of these numbers of visits, median of --seeds searches, and "
        "as a multiple of P's (default: one measurement)",
    )
    command.set_defaults(live=False)
    _add_effort(command, "trainings per seat of a learned response; searches of --curve")


def add_exploit(command: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    describe(
        command,
        _exploit,
        "Learns a response to a fixed bot or policy for each seat, in games of any size, and shows "
        "its curve. The best of several trainings plays fresh games. What it wins is a lower bound "
        "on exploitability (NashConv / players), with a confidence interval.",
        "exploit --game leduc_poker --against pretrained --cpu-seconds 60",
        "exploit --game kuhn_poker --against nash_ismcts --visits 10 --json",
        "exploit --game kuhn_poker --against run:out/kuhn",
    )
    add_game(command)
    command.add_argument("--against", required=True, metavar="WHOM", help=PLAYERS)
    command.add_argument(
        "--live",
        action="store_true",
        help="the bot searches anew in every game; without, each information set is searched once "
        "and the answer kept, as in `exploitability`. Bots that only make moves are always live",
    )
    _add_effort(command, "trainings per seat, of which the best is kept")


def _add_effort(command: argparse.ArgumentParser, seeds: str) -> None:
    """Adds who searches how long, and how much is done; `seeds` says of what there are so many."""
    usual = Effort()
    add_search(command)
    repeats = "searches whose mean is measured"
    command.add_argument("--repeats", type=int, default=1, help=repeats)
    command.add_argument(
        "--cpu-seconds",
        type=float,
        default=usual.seconds,
        metavar="S",
        help="processor time of a learned response in all: all seats, trainings and the estimate",
    )
    command.add_argument("--seeds", type=int, default=usual.seeds, metavar="K", help=seeds)
    games = "fresh games of each seat's estimate (default: as many as 15%% of the time allow)"
    command.add_argument("--games", type=int, metavar="N", help=games)
    share: Any = {"type": float, "default": usual.confidence, "metavar": "SHARE"}
    command.add_argument("--confidence", help="of the intervals", **share)
    add_seed(command, "everything, searches included")
    add_json(command, ", the curve of a learned response included")


def _exploitability(arguments: argparse.Namespace) -> None:
    check_numbers(arguments)
    game = load(_game_name(arguments))
    if arguments.curve is not None:
        _curve(arguments, game)
        return
    with Work("looking at the game"):
        way = Exactly(game, arguments.engine, arguments.key, arguments.repeats)
        source = _source(arguments, game)
    how = "learned, a lower bound"
    if way.engine != LEARNED:
        try:
            with Work("measuring", None, _UNITS[way.engine]) as work:
                found = way.measured(source, arguments.seed, work.at)
            _print(arguments, found, way.how)
            return
        except ValueError as error:
            if way.engine == EXACT or arguments.engine == MERGED:
                raise
            how += f", since neither enumeration nor views can be had: {error}"
    _learn(arguments, game, source, how)


def _exploit(arguments: argparse.Namespace) -> None:
    game = load(arguments.game)
    source = Players(game, arguments).alone(arguments.against)
    _learn(arguments, game, source, "learned, a lower bound")


def _learn(arguments: argparse.Namespace, game: SupportedGame, source: Any, how: str) -> None:
    check_numbers(arguments)
    seconds, confidence = arguments.cpu_seconds, arguments.confidence
    effort = Effort(seconds, arguments.seeds, arguments.games, confidence)
    options = {"repeats": arguments.repeats, "live": arguments.live, "seed": arguments.seed}
    bound, curve = respond(game, source, effort, **options)
    _print(arguments, bound, how, {"curve": [_flat(point) for point in curve]})


def _print(
    arguments: argparse.Namespace,
    found: Measurement | LowerBound,
    how: str,
    more: dict[str, Any] | None = None,
) -> None:
    if arguments.json:
        print_json({**found.as_dict(), "how": how, **(more or {})})
    else:
        print(f"{found}\n{how}")


def _game_name(arguments: argparse.Namespace) -> str:
    if arguments.game is not None:
        return str(arguments.game)
    if arguments.directory is None:
        raise ValueError("--game is missing: which game is it?")
    return str(read_config(arguments.directory)["game"])


def _source(arguments: argparse.Namespace, game: SupportedGame) -> Any:
    """A policy, or what makes a bot for a seat and a seed."""
    if arguments.directory is not None:
        return policy_of_run(arguments.directory, game)
    return Players(game, arguments).alone(arguments.bot)


class Exactly:
    """Measures exactly, by enumeration or over views.

    Attributes:
      engine: which way is taken: what was asked for, else enumeration where that can be done. It
        may be that nothing exact can be had.
      how: the same in words.
      quantity, scale: what is shown of a measurement, as `quantity_of`.
    """

    def __init__(
        self,
        game: SupportedGame,
        asked: str = AUTO,
        key: PolicyKey = "observation",
        repeats: int = 1,
    ) -> None:
        """Looks at the game."""
        self.engine = asked if asked != AUTO else _first_way(game)
        words = f"over views ({key}); the best response has perfect recall"
        self.how = f"exact, {'by enumeration' if self.engine == EXACT else words}"
        self.quantity, self.scale = quantity_of(game)
        self._game = game
        self._key: PolicyKey = key
        self._repeats = repeats

    def measured(
        self, source: Any, seed: int = 0, report: Report = lambda done, total: None
    ) -> Measurement:
        """Measures a policy, or what makes bots."""
        game, repeats = self._game.pyspiel_game, self._repeats
        if self.engine == EXACT:
            return measure(game, source, repeats, seed=seed, progress=report, engine="native")
        merged = merged_game(self._game, self._key)
        options: Any = {"engine": "merged", "key": self._key, "progress": report}
        if hasattr(source, "action_probabilities"):
            policy = ViewPolicy(merged, source)
            return measure(game, policy if policy.table is None else policy.table, **options)
        bot: Any = source(0, seed)
        if not tells_policy(bot):
            raise ValueError("a bot that only makes moves cannot be asked about views")

        def over_views(player: int, each: int) -> Any:
            return ViewBot(merged, player, source, each)

        by_views = getattr(bot, "plays_by_views", False)
        if repeats == 1:
            one = bot if by_views else over_views(0, seed)
            return measure(game, one, seed=seed, **options)
        make = source if by_views else over_views
        return measure(game, make, repeats, seed=seed, **options)

    def figure(self, source: Any, seed: int = 0, report: Report = lambda *done: None) -> float:
        """What is shown of a measurement."""
        return self.scale * self.measured(source, seed, report).exploitability

    def figures(
        self, make: Maker, seeds: range, work: Work, part: int = 0, parts: int = 1
    ) -> list[float]:
        """That of several searches, which are one of so many parts of some work."""
        searches = parts * len(seeds)

        def figure(number: int, seed: int) -> float:
            def report(done: int, total: int) -> None:
                work.at(number * total + done, searches * total)

            return self.figure(make, seed, report)

        return [figure(number, seed) for number, seed in enumerate(seeds, part * len(seeds))]


def _first_way(game: SupportedGame) -> str:
    if game.estimated_worlds() > _ENUMERATED:
        return MERGED
    try:
        information_sets(game.pyspiel_game, max_histories=2 * _ENUMERATED)
    except ValueError:
        return MERGED
    return EXACT


def _curve(arguments: argparse.Namespace, game: SupportedGame) -> None:
    """Measures and prints exploitability for several numbers of visits."""
    if arguments.bot not in BOTS:
        raise ValueError("--curve is for a bot by name, which can be told its visits")
    if arguments.visits is not None:
        raise ValueError("--curve says the visits: leave --visits out")
    if arguments.seeds < 1:
        raise ValueError(f"--seeds must be at least 1, not {arguments.seeds}")
    visits = _visits(arguments.curve)
    with Work("looking at the game"):
        way = Exactly(game, arguments.engine, arguments.key, arguments.repeats)
        players = Players(game, arguments)
        players.alone(arguments.bot)
        words, policy = players.starting_policy()
    if way.engine == LEARNED:
        raise ValueError("--curve measures exactly; `exploit` bounds a search with given visits")
    seeds = range(arguments.seed, arguments.seed + arguments.seeds)
    with Work("measuring", None, "parts") as work:
        start = way.figure(policy)
        runs = [
            way.figures(players.searching(arguments.bot, each), seeds, work, part, len(visits))
            for part, each in enumerate(visits)
        ]
    found = {
        "game": game.name,
        "bot": arguments.bot,
        "quantity": way.quantity,
        "start": {"policy": words, "value": start},
        "curve": [_point(each, of, start) for each, of in zip(visits, runs, strict=True)],
        "seeds": list(seeds),
        "how": way.how,
    }
    if arguments.json:
        print_json(found)
    else:
        print(_table(found))


def _visits(text: str) -> list[int]:
    """Numbers of visits, as --curve takes them."""
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    increase = all(low < high for low, high in zip(found, found[1:], strict=False))
    if not found or not increase or not 0 < found[0] <= found[-1] <= MOST_VISITS:
        raise ValueError(f"--curve takes increasing numbers such as 10,100,1000, not {text!r}")
    return found


def _point(visits: int, runs: list[float], start: float) -> dict[str, Any]:
    """The figures with so many visits, and the median as a multiple of where the search starts."""
    median = statistics.median(runs)
    multiple = median / start if start > 0.0 else None
    spread = {"median": median, "low": min(runs), "high": max(runs)}
    return {"visits": visits, **spread, "multiple": multiple, "runs": runs}


def _table(found: dict[str, Any]) -> str:
    start, searches = found["start"], len(found["seeds"])
    lines = [
        f"{found['game']}: {found['quantity']} of {found['bot']}, median of {searches} "
        f"{'search' if searches == 1 else 'searches'} and range",
        f"{start['policy']}, without search: {start['value']:.4f}",
        f"{'visits':>10}{'median':>10}{'range':>20}{'multiple':>10}",
    ]
    for point in found["curve"]:
        spread = f"{point['low']:.4f} to {point['high']:.4f}"
        multiple = "" if point["multiple"] is None else f"{point['multiple']:.2f}"
        lines.append(f"{point['visits']:>10,}{point['median']:>10.4f}{spread:>20}{multiple:>10}")
    return "\n".join([*lines, found["how"]])


def respond(
    game: SupportedGame,
    source: Any,
    effort: Effort,
    *,
    repeats: int = 1,
    live: bool = False,
    seed: int = 0,
) -> tuple[LowerBound, list[Point]]:
    """Learns responses, and shows how they come on; also returns their curve."""
    from nash_ismcts_spiel.learning.response import ResponseTraining  # who needs torch waits for it

    begun, curve = time.process_time(), list[Point]()

    def words(_: float) -> list[str]:
        used = min(time.process_time() - begun, effort.seconds)
        left = f"{effort.seconds - used:.0f} CPU s left"
        return ["learning", f"{used:.0f}/{effort.seconds:.0f} CPU s", left]

    with Work("learning", at_once=True, words=words) as work:
        opponents = Opponents(game, source, repeats, live=live, seed=seed)

        def on_point(point: Point) -> None:
            curve.append(point)
            half = 1.96 * point.value.error
            work.write(
                f"seat {point.seat}, training {point.seed}: {point.seconds:.1f} CPU s, "
                f"{point.games:,} games, wins {point.value.mean:+.4f} ±{half:.4f}"
            )

        found = learned_response(opponents, ResponseTraining, effort, seed=seed, on_point=on_point)
    return found, curve


def _flat(point: Point) -> dict[str, float]:
    return {
        "seat": point.seat,
        "training": point.seed,
        "cpu_seconds": point.seconds,
        "games": point.games,
        "value": point.value.mean,
        "standard_error": point.value.error,
    }
