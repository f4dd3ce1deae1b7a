"""How much of the exact gain a learned response finds, and whether its intervals are right.

The exact gain is known: Leduc and Kuhn poker are enumerated, phantom_ttt against uniform play is
measured over views (`measure(..., engine="merged")`, best responses .953125 and .624338624). Each
run learns responses for both seats from nothing (`exploitability.responder`), keeps the best of
three trainings a seat and plays fresh games. NashConv is in the game's units.

    python -m benchmarks.learned_response
    python -m benchmarks.learned_response --page-only

Each run is one file in docs/results/learned_response; runs that are there are not made again. The
page docs/results/learned_response.md is made of all files.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
from collections.abc import Callable, Sequence
from typing import Any

from open_spiel.python import policy as openspiel_policy

from benchmarks.stored import RESULTS as ALL
from benchmarks.stored import write_record
from exploitability import measure, tabularize
from exploitability.opponents import Opponents
from exploitability.responder import Effort, Point, learned_response
from nash_ismcts_spiel import make_bot
from nash_ismcts_spiel.files import versions
from nash_ismcts_spiel.games import SupportedGame, support
from nash_ismcts_spiel.learning.response import ResponseTraining
from nash_ismcts_spiel.models.networks.saved import pretrained_path
from nash_ismcts_spiel.runs import load_policy

RESULTS = ALL / "learned_response"
PAGE = ALL / "learned_response.md"
SIMULATIONS = 100


@dataclasses.dataclass(frozen=True)
class Case:
    """Whom responses are learned against.

    Attributes:
      game: its name.
      against: in words.
      source: makes the policy.
      engine: of the exact measurement.
      seeds: how many runs.
      effort: of each run.
      bar: the share of the exact gain that a run has to find.
    """

    game: str
    against: str
    source: Callable[[SupportedGame], Any]
    engine: Any
    seeds: int
    effort: Effort
    bar: float


def _uniform(game: SupportedGame) -> Any:
    return openspiel_policy.UniformRandomPolicy(game.pyspiel_game)


def _ismcts(game: SupportedGame) -> Any:
    """OpenSpiel's C++ ISMCTS, one search per information set, as a table."""
    settings = {"simulations": SIMULATIONS}

    def make(seat: int, seed: int) -> Any:
        return make_bot("ismcts_openspiel", game.pyspiel_game, seat, seed=seed, **settings)

    return tabularize(game.pyspiel_game, make, seed=0)


def _pretrained(game: SupportedGame) -> Any:
    return tabularize(game.pyspiel_game, load_policy(pretrained_path(game)))


_SMALL = Effort(seconds=10.0, games=10**8)
_FINE = Effort(seconds=30.0, games=10**9)  # where the gain is a hundredth of an ante
_LARGE = Effort(seconds=180.0, games=400_000)

CASES = {
    "kuhn-uniform": Case(
        "kuhn_poker", "uniform play", _uniform, "native", 10, Effort(seconds=2.0, games=10**8), 0.9
    ),
    "leduc-uniform": Case("leduc_poker", "uniform play", _uniform, "native", 10, _SMALL, 0.9),
    "leduc-ismcts": Case(
        "leduc_poker",
        f"OpenSpiel's C++ ISMCTS, {SIMULATIONS} simulations, one search per information set",
        _ismcts,
        "native",
        10,
        _SMALL,
        0.9,
    ),
    "leduc-pretrained": Case(
        "leduc_poker", "P of the pretrained models", _pretrained, "native", 10, _FINE, 0.9
    ),
    "phantom_ttt-uniform": Case("phantom_ttt", "uniform play", _uniform, "merged", 3, _LARGE, 0.95),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Makes the runs that are missing, then the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", default=",".join(CASES), help="of " + ", ".join(CASES))
    parser.add_argument("--runs", type=int, help="of each case at most (default: all)")
    parser.add_argument("--again", action="store_true", help="make stored runs again")
    parser.add_argument("--page", action="store_true", help="write the page from what is stored")
    given = parser.parse_args(arguments)
    if not given.page:
        chosen = given.cases.split(",")
        most = max(CASES[name].seeds for name in chosen)
        for seed in range(most if given.runs is None else given.runs):
            for name in chosen:
                if seed < CASES[name].seeds:
                    _run(name, seed, given.again)
    _write_page()


@functools.cache
def _opponents(name: str) -> tuple[Opponents, Any]:
    """Whom is played against, and the exact measurement."""
    case = CASES[name]
    game = support(case.game)
    source = case.source(game)
    exact = measure(game.pyspiel_game, source, engine=case.engine)
    return Opponents(game, source), exact


def _run(name: str, seed: int, again: bool = False) -> None:
    path = RESULTS / f"{name}-{seed}.json"
    if path.exists() and not again:
        return
    case = CASES[name]
    opponents, exact = _opponents(name)
    curve: list[Point] = []
    found = learned_response(
        opponents, ResponseTraining, case.effort, seed=seed, on_point=curve.append
    )
    row = {
        **found.as_dict(),
        "case": name,
        "against": case.against,
        "seed": seed,
        "exact_nash_conv": exact.nash_conv,
        "exact_response_values": exact.best_response_values,
        "share": found.nash_conv[0] / exact.nash_conv,
        "effort": dataclasses.asdict(case.effort),
        "curve": [[p.seat, p.seed, p.seconds, p.games, p.value.mean] for p in curve],
        "versions": versions(),
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    write_record(path, row)
    print(f"{path}: {found.nash_conv} of {exact.nash_conv:.6f}, {row['share']:.4f}", flush=True)


def _write_page() -> None:
    lines = [
        "# What a learned response finds",
        "",
        "`nash-ismcts exploit` learns a response to a fixed policy from nothing but games against "
        "it. Here the",
        "exact answer is known, so that the share of it that is found can be told. A run learns "
        "three times for",
        "each seat, keeps what did best in validation games and plays fresh games; CPU seconds are "
        "of all of that,",
        "on one core. NashConv is what the best responses of both seats win together, in the "
        "game's units; the",
        "estimate is the mean over fresh games. An interval (99%) *excludes the exact value from "
        "below* if its lower",
        "end lies above what an exact best response wins, which a right interval does by chance in "
        "at most one of two",
        "hundred estimates. It is looked at for NashConv and for both seats.",
        "",
        "| game | against | runs | exact NashConv | share found, mean | lowest share | to reach | "
        "fresh games a seat | intervals that exclude it | CPU seconds |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, case in CASES.items():
        paths = sorted(RESULTS.glob(f"{name}-*.json"))
        runs = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
        if runs:
            lines.append(_line(case, runs))
    lines += [
        "",
        "Seeds 0, 1, ... of each. OpenSpiel's ISMCTS is searched anew whenever the benchmark is "
        "started, and its table",
        "differs then; a run counts by the exact value of its own opponent. Made by",
        "`python -m benchmarks.learned_response`; [learned_response/](learned_response/) has every "
        "run with its curve.",
    ]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _line(case: Case, runs: list[dict[str, Any]]) -> str:
    shares = [run["share"] for run in runs]
    excluded = sum(run["nash_conv"][1] > run["exact_nash_conv"] for run in runs)
    looked = len(runs)
    for run in runs:
        pairs = zip(run["response_values"], run["exact_response_values"], strict=True)
        excluded += sum(found[1] > exact for found, exact in pairs)
        looked += len(run["response_values"])
    seconds = max(run["cpu_seconds"] for run in runs)
    known = sorted({f"{run['exact_nash_conv']:.6f}" for run in runs})
    exact_words = known[0] if len(known) == 1 else f"{known[0]} to {known[-1]}"
    return (
        f"| {case.game} | {case.against} | {len(runs)} | {exact_words} | "
        f"{sum(shares) / len(shares):.2%} | {min(shares):.2%} | {case.bar:.0%} | "
        f"{min(runs[0]['games']):,} | {excluded} of {looked} | at most {seconds:.0f} |"
    )


if __name__ == "__main__":
    main()
