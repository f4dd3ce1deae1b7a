"""`nash-ismcts compare`: methods beside each other, with the same CPU time and one measurement; and
with --search-vs-policy, whether a search beats the policy P that it starts from.

P is that of the search's models, uniform play where it has none. Where exploitability can be
measured exactly, by enumeration or over views, several searches are, and the 95% interval is
Student's, of the mean over their seeds. In larger games the search plays matches against P, and a
response is learned to each: what a response wins is a lower bound on exploitability, so that only
intervals that do not meet say which of the two was beaten by less. Values are in the game's units.
"""

from __future__ import annotations

import argparse
import math
import shlex
import statistics
from pathlib import Path
from typing import Any, Literal

from exploitability.responder import Effort
from nash_ismcts_spiel.baselines import METHODS
from nash_ismcts_spiel.cli.bars import Work
from nash_ismcts_spiel.cli.common import load, print_json
from nash_ismcts_spiel.cli.measure import LEARNED, MERGED, Exactly, respond
from nash_ismcts_spiel.cli.parser import add_json, add_search, describe
from nash_ismcts_spiel.cli.players import Maker, Players
from nash_ismcts_spiel.compare import Study, StudyConfig, write_report
from nash_ismcts_spiel.compare.report import final_figures, shown
from nash_ismcts_spiel.config import PRESETS
from nash_ismcts_spiel.games import SupportedGame
from nash_ismcts_spiel.harness import PolicyBot
from nash_ismcts_spiel.match import games_in, round_robin
from nash_ismcts_spiel.settings import did_you_mean


def add_compare(command: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    describe(
        command,
        _compare,
        "Gives every method the same CPU time on one core and measures its policy at the same "
        "times. Writes comparison.jsonl, a plot per game, report.html and report.md to --out. Safe "
        "to interrupt. With --search-vs-policy, instead: does a search beat the policy P that it "
        "starts from, by exact exploitability, or in large games by matches and by what a learned "
        "response wins of both?",
        "compare --games kuhn_poker --methods nash_ismcts cfr oos --cpu-seconds 5 --out out/c",
        "compare --resume --out out/c --seeds 3 --json",
        "compare --search-vs-policy --games leduc_poker --models pretrained --visits 1000",
    )
    games = "with parameters (default: those of the resumed one)"
    command.add_argument("--games", nargs="+", metavar="GAME", help=games)
    methods = f"of {', '.join(METHODS)} (default: all)"
    command.add_argument("--methods", nargs="+", metavar="METHOD", help=methods)
    command.add_argument(
        "--cpu-seconds",
        type=float,
        metavar="S",
        help="processor time of each run, or of each learned response, on one core "
        f"(default {DEFAULT_SECONDS:g})",
    )
    seeds = "runs of each (default 1); searches with --search-vs-policy (default 5)"
    command.add_argument("--seeds", type=int, metavar="K", help=seeds)
    out = "to write (no default; not for --search-vs-policy)"
    command.add_argument("--out", type=Path, metavar="DIR", help=out)
    on = "go on with what is in --out, and with further games, methods or seeds if given"
    command.add_argument("--resume", action="store_true", help=on)
    add_search_vs_policy(command)
    add_json(command)


def _compare(arguments: argparse.Namespace) -> None:
    if arguments.search_vs_policy is not None:
        search_vs_policy(arguments)
        return
    refuse_search_settings(arguments)
    if arguments.out is None:
        raise ValueError("--out is missing: where is the comparison to be written?")
    study = _resumed(arguments) if arguments.resume else _new(arguments)
    config = study.config
    total = sum(config.seconds for _ in config.runs())
    try:
        with Work("preparing", total, "CPU s", at_once=True) as work:

            def begin(title: str) -> None:
                work.what = title

            study.run(begin, work.update)
    except KeyboardInterrupt:
        write_report(study)
        raise KeyboardInterrupt(
            f"{len(study.records())} records kept; go on with: nash-ismcts compare --resume "
            f"--out {shlex.quote(str(study.directory))}"
        ) from None
    report = write_report(study)
    if arguments.json:
        print_json(_as_json(study, report))
    else:
        _print_tables(study)
        print(f"\nreport: {report}")


def _new(arguments: argparse.Namespace) -> Study:
    if not arguments.games:
        raise ValueError("--games is needed for a new comparison")
    config = StudyConfig(
        games=[load(game).name for game in arguments.games],
        methods=arguments.methods or list(METHODS),
        seconds=DEFAULT_SECONDS if arguments.cpu_seconds is None else arguments.cpu_seconds,
        seeds=1 if arguments.seeds is None else arguments.seeds,
    )
    return Study.create(arguments.out, config)


def _resumed(arguments: argparse.Namespace) -> Study:
    study = Study.resume(arguments.out)
    seconds = study.config.seconds
    if arguments.cpu_seconds not in (None, seconds):
        raise ValueError(f"a comparison of {seconds:g} seconds keeps them: leave --cpu-seconds out")
    games = [load(game).name for game in arguments.games or ()]
    study.extend(games, arguments.methods or (), arguments.seeds or 0)
    return study


def _as_json(study: Study, report: Path) -> dict[str, Any]:
    records = study.records()
    return {
        **study.config.to_dict(),
        "times": study.config.times,
        "final": {game: final_figures(study, game) for game in study.config.games},
        "skipped": [record for record in records if "skipped" in record],
        "report": str(report),
    }


def _print_tables(study: Study) -> None:
    seeds = study.config.seeds
    for game in study.config.games:
        measured = f"exploitability (NashConv / {load(game).num_players})"
        print(f"\n{game}: {measured} after {study.config.seconds:g} CPU s, {seeds} seed(s)")
        found = final_figures(study, game)
        for method in sorted(found, key=found.__getitem__):
            print(f"  {method:<22}{shown(found[method]):>10}")
        for record in study.records():
            if record["game"] == game and "skipped" in record:
                print(f"  {record['method']:<22}skipped: {record['skipped']}")


DEFAULT_SECONDS = 30.0
_DEFAULT_SEEDS, _DEFAULT_HANDS = 5, 200
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""97.5% quantiles of Student's t for 1 degree of freedom on; beyond, 1.96 + 2.5 / degrees."""

Verdict = Literal["yes", "no", "not shown"]


def add_search_vs_policy(command: argparse.ArgumentParser) -> None:
    """Adds the options of this comparison."""
    command.add_argument(
        "--search-vs-policy",
        nargs="?",
        const="nash_ismcts",
        metavar="BOT",
        help=f"one of {', '.join(PRESETS)} against its own P (default: nash_ismcts if given alone)",
    )
    add_search(command)
    hands = f"of the match in a large game (default {_DEFAULT_HANDS})"
    command.add_argument("--hands", type=int, metavar="N", help=hands)


def refuse_search_settings(arguments: argparse.Namespace) -> None:
    """Refuses options that mean nothing to a comparison of methods."""
    for name in ("models", "visits", "hands"):
        if getattr(arguments, name) is not None:
            raise ValueError(f"--{name} is for --search-vs-policy")


def search_vs_policy(arguments: argparse.Namespace) -> None:
    """Compares in each game, and prints."""
    bot = arguments.search_vs_policy
    if bot not in PRESETS:
        raise ValueError(f"unknown search {bot!r}; {did_you_mean(bot, PRESETS)}")
    if not arguments.games:
        raise ValueError("--games is needed: where are the search and P to be compared?")
    if arguments.out is not None or arguments.resume or arguments.methods:
        raise ValueError("--search-vs-policy prints; --out, --resume and --methods are not for it")
    seeds = _DEFAULT_SEEDS if arguments.seeds is None else arguments.seeds
    if seeds < 2:
        raise ValueError(f"an interval needs two searches or more: --seeds {seeds}")
    found = [_compared(arguments, load(name), range(seeds)) for name in arguments.games]
    if arguments.json:
        print_json(found)
        return
    for each in found:
        print(_in_words(each))


def _compared(arguments: argparse.Namespace, game: SupportedGame, seeds: range) -> dict[str, Any]:
    players, bot = Players(game, arguments), arguments.search_vs_policy
    with Work("looking at the game"):
        way, (words, policy) = Exactly(game), players.starting_policy()
    make = players.searching(bot, arguments.visits)
    head = {"game": game.name, "search": bot, "visits": arguments.visits, "policy": words}
    if way.engine != LEARNED:
        try:
            return {**head, **_exact(way, policy, make, seeds)}
        except ValueError:
            if way.engine != MERGED:
                raise
    return {**head, **_large(arguments, game, policy, make)}


def _exact(way: Exactly, policy: Any, make: Maker, seeds: range) -> dict[str, Any]:
    """By the exploitability of several searches."""
    with Work("measuring", None, "parts") as work:
        of_policy = way.figure(policy)
        runs = way.figures(make, seeds, work)
    mean, half = statistics.mean(runs), _half_width(runs)
    return {
        "how": way.how,
        "quantity": way.quantity,
        "of_policy": of_policy,
        "of_search": mean,
        "half_width": half,
        "runs": runs,
        "less_exploitable": _verdict(of_policy - mean, half),
    }


def _large(
    arguments: argparse.Namespace, game: SupportedGame, policy: Any, make: Maker
) -> dict[str, Any]:
    """By a match, and by what a learned response wins of each."""
    hands = _DEFAULT_HANDS if arguments.hands is None else arguments.hands
    players = {"search": make, "policy": lambda seat, seed: PolicyBot(policy, seat, seed)}
    with Work("playing", games_in(2, hands, game.num_players), "games") as work:
        (match,) = round_robin(game, players, hands, 0, work.update)
    seconds = DEFAULT_SECONDS if arguments.cpu_seconds is None else arguments.cpu_seconds
    effort = Effort(seconds=seconds, confidence=0.95)
    of_policy, of_search = (
        respond(game, source, effort)[0].exploitability for source in (policy, make)
    )
    return {
        "how": "by a match, and by a learned response: lower bounds with 95% intervals",
        "match": match.difference,
        "match_half_width": match.difference_half_width,
        "hands": hands,
        "wins_match": _verdict(match.difference, match.difference_half_width),
        "bound_of_policy": of_policy,
        "bound_of_search": of_search,
        "less_exploitable": _apart(of_policy, of_search),
    }


def _half_width(runs: list[float]) -> float:
    freedom = len(runs) - 1
    quantile = _STUDENT[freedom - 1] if freedom <= len(_STUDENT) else 1.96 + 2.5 / freedom
    return quantile * statistics.stdev(runs) / math.sqrt(len(runs))


def _verdict(gain: float, half_width: float) -> Verdict:
    if abs(gain) <= half_width:
        return "not shown"
    return "yes" if gain > 0.0 else "no"


def _apart(policy: tuple[float, float, float], search: tuple[float, float, float]) -> Verdict:
    """Whether responses to the search win less than those to P, by intervals that do not meet."""
    if search[2] < policy[1]:
        return "yes"
    return "no" if policy[2] < search[1] else "not shown"


def _in_words(found: dict[str, Any]) -> str:
    visits = "" if found["visits"] is None else f" with {found['visits']:,} visits"
    head = f"{found['game']}: {found['search']}{visits} against {found['policy']}"
    if "of_search" in found:
        ratio = (
            f", {found['of_search'] / found['of_policy']:.2f} times" if found["of_policy"] else ""
        )
        return (
            f"{head}\n  {found['quantity']}: policy {found['of_policy']:.5f}, search "
            f"{found['of_search']:.5f} ± {found['half_width']:.5f} (95%, {len(found['runs'])} "
            f"searches){ratio}\n  search less exploitable: {found['less_exploitable']}\n"
            f"  {found['how']}"
        )
    bounds = [
        "{:.4f} [{:.4f}, {:.4f}]".format(*found[f"bound_of_{who}"]) for who in ("policy", "search")
    ]
    return (
        f"{head}\n  match: search {found['match']:+.4f} ± {found['match_half_width']:.4f} per game "
        f"and seat (95%, {found['hands']} hands); search wins: {found['wins_match']}\n"
        f"  exploitability at least: policy {bounds[0]}, search {bounds[1]}\n"
        f"  search less exploitable: {found['less_exploitable']}\n  {found['how']}"
    )
