"""Remakes every table and figure of docs/results, part by part, and prints the time of each.

Without options pages and figures are made from the records that are stored, in some minutes; what
is stored is not measured again. `--measure` measures everything anew first, which takes days on
one core. `--quick` measures a little of everything into a folder of its own, to see that each part
works. `--only` chooses parts. A part that fails is named at the end, and the exit code is 1.

  python -m benchmarks.results
  python -m benchmarks.results --quick --only exact soak
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.stored import RESULTS, VARIABLE
from nash_ismcts_spiel.compare.study import RECORDS

_FOLDER = "{folder}"
_COMPARE = "nash_ismcts_spiel.cli compare"


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """What makes a page: modules with their arguments, one after the other.

    Attributes:
      page: the page, as seen from docs/results.
      stored: from records alone.
      measured: with everything measured anew.
      quick: with a little of everything measured, in an empty folder.
    """

    page: str
    stored: Sequence[str]
    measured: Sequence[str]
    quick: Sequence[str]


PARTS = {
    "exact": Part(
        "exact.md",
        ["benchmarks.exact_study"],
        ["benchmarks.exact_study --parts curves ablations collapse"],
        ["benchmarks.exact_study --quick --jobs 1"],
    ),
    "learned": Part(
        "learned.md",
        ["benchmarks.learned_page"],
        [
            "benchmarks.learning_factors --again",
            "benchmarks.large_games --seconds 1200 --games 1000 --seconds-per-move 0.05 --out "
            f"{_FOLDER}/learned/large_games.json",
            "benchmarks.throughput",
            "benchmarks.learned_page",
        ],
        [
            "benchmarks.learning_factors --games kuhn_poker --factors all --seeds 0 --seconds 2",
            "benchmarks.learned_page",
        ],
    ),
    "many_players": Part(
        "many_players.md",
        ["benchmarks.many_players"],
        [
            "benchmarks.many_players --games 'kuhn_poker(players=3)' "
            "'leduc_poker(players=3,suit_isomorphism=True)' 'sheriff(num_rounds=2)' sheriff "
            "'bargaining(max_turns=3,max_num_instances=10)'"
        ],
        ["benchmarks.many_players --quick"],
    ),
    "rebel": Part(
        "rebel.md",
        ["benchmarks.rebel_study --page"],
        ["benchmarks.rebel_study"],
        ["benchmarks.rebel_study --quick --jobs 1"],
    ),
    "without_enumeration": Part(
        "without_enumeration.md",
        ["benchmarks.without_enumeration --page"],
        ["benchmarks.without_enumeration --again"],
        ["benchmarks.without_enumeration --games kuhn_poker --seeds 0 --seconds 5"],
    ),
    "beyond_enumeration": Part(
        "beyond_enumeration.md",
        ["benchmarks.beyond_enumeration --page"],
        ["benchmarks.beyond_enumeration --stored"],
        ["benchmarks.beyond_enumeration --agents uniform,cfr_plus --visits 1"],
    ),
    "learned_views": Part(
        "learned_views.md",
        ["benchmarks.learned_views --page"],
        ["benchmarks.learned_views --again"],
        [
            "benchmarks.learned_views --seeds 0 --seconds 5 --visits= "
            f"--trainings {_FOLDER}/trainings"
        ],
    ),
    "search_pays": Part(
        "search_pays.md",
        ["benchmarks.search_pays --page"],
        [
            "benchmarks.search_pays --panels exact",
            "benchmarks.search_pays --panels untrained --agents nash_ismcts ismcts mo_ismcts",
            "benchmarks.search_pays --panels untrained --agents nash_ismcts_notes a_ismcts oos "
            "--visits 10 100 1000",
            "benchmarks.search_pays --panels learned --pretrained",
        ],
        ["benchmarks.search_pays --panels exact --games kuhn --visits 10 --seeds 201"],
    ),
    "head_to_head": Part(
        "head_to_head.md",
        ["benchmarks.head_to_head --page"],
        ["benchmarks.head_to_head --again"],
        ["benchmarks.head_to_head --games kuhn_poker --count 20 --tuning-hands 2"],
    ),
    "every_game": Part(
        "every_game.md",
        ["benchmarks.every_match --page"],
        ["benchmarks.every_match --again", "benchmarks.whole_games --write"],
        [
            "benchmarks.every_match --games hanabi --count 2 --against uniform",
            "benchmarks.whole_games --games hanabi --count 1 --visits 4 --write",
        ],
    ),
    "learned_response": Part(
        "learned_response.md",
        ["benchmarks.learned_response --page"],
        ["benchmarks.learned_response --again"],
        ["benchmarks.learned_response --cases kuhn-uniform --runs 1"],
    ),
    "soak": Part(
        "soak.md",
        ["benchmarks.soak --page"],
        ["benchmarks.soak --write"],
        ["benchmarks.soak --games 100 --only leduc_poker --write"],
    ),
    "network_memory": Part(
        "network_memory.md",
        ["benchmarks.network_memory --page"],
        ["benchmarks.network_memory"],
        ["benchmarks.network_memory"],
    ),
    "tuning": Part(
        "../tuning.md",
        ["benchmarks.tuning --page"],
        ["benchmarks.tuning --again"],
        ["benchmarks.tuning --quick"],
    ),
    "comparison": Part(
        "comparison.md",
        [f"{_COMPARE} --resume --out {_FOLDER}/comparison", "benchmarks.as_they_play --page"],
        [f"{_COMPARE} --resume --out {_FOLDER}/comparison", "benchmarks.as_they_play --again"],
        [f"{_COMPARE} --games kuhn_poker --methods nash_ismcts cfr --cpu-seconds 1 "
         f"--out {_FOLDER}/comparison",
         "benchmarks.as_they_play --games kuhn_poker --seeds 0 --seconds 1"],
    ),
}  # fmt: skip
"""By name. Pages of `network_memory` and `comparison` are written by hand; their figures and tables
are made here."""


def commands(name: str, options: argparse.Namespace) -> Sequence[str]:
    """The modules of a part, with arguments."""
    part = PARTS[name]
    if options.quick:
        return part.quick
    return part.measured if options.measure else part.stored


def run(name: str, options: argparse.Namespace) -> tuple[float, bool]:
    """Wall seconds of a part, and whether it went well."""
    started = time.monotonic()
    if options.measure and name == "comparison":
        (options.out / "comparison" / RECORDS).unlink(missing_ok=True)  # its settings stay
    environment = {**os.environ, VARIABLE: str(options.out)}
    for text in commands(name, options):
        words = [word.replace(_FOLDER, str(options.out)) for word in shlex.split(text)]
        print(f"{name}: python -m {shlex.join(words)}", file=sys.stderr, flush=True)
        done = subprocess.run(
            [sys.executable, "-m", *words],
            env=environment,
            stdout=subprocess.DEVNULL if not options.verbose else None,
            check=False,
        )
        if done.returncode != 0:
            return time.monotonic() - started, False
    return time.monotonic() - started, True


def main(arguments: Sequence[str] | None = None) -> int:
    """Remakes what was asked for; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--measure", action="store_true", help="measure everything anew; days")
    how.add_argument("--quick", action="store_true", help="a little of everything, to try it")
    parser.add_argument(
        "--out", type=Path, help="default: docs/results, or out/results with --quick"
    )
    parser.add_argument("--verbose", action="store_true", help="show what the parts print")
    options = parser.parse_args(arguments)
    options.out = (options.out or (Path("out/results") if options.quick else RESULTS)).resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in options.only:
        seconds, well = run(name, options)
        failed += [] if well else [name]
        print(f"{name:<20}{seconds:>8.1f} s  {'' if well else 'failed'}".rstrip(), flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
