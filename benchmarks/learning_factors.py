"""What each part of learning without enumeration is worth, one factor at a time.

Small games are learned with `graph="grown"` and the default preset, but for one change each. P is
measured at every information set; exploitability is NashConv / 2 in the game's units. Seconds are
CPU seconds of one core, measuring not included. The runs of a game are one file; a run that is
stored is not made again.

    python -m benchmarks.learning_factors
    python -m benchmarks.learning_factors --games leduc_poker --factors all few_games --seeds 0
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.stored import RESULTS, game_file, write_record
from benchmarks.timing import report
from benchmarks.without_enumeration import Learning
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.native import exact

SECONDS = {
    "kuhn_poker": 5.0,
    "leduc_poker": 20.0,
    "liars_dice(numdice=1,dice_sides=4)": 10.0,
}
"""The games and how long each is learned."""

FOLDER = RESULTS / "learned" / "factors"


@dataclasses.dataclass(frozen=True)
class Factor:
    """A change of the default preset.

    Attributes:
      changes: settings of training.
      words: what the page calls it.
    """

    changes: Mapping[str, Any]
    words: str


_FEW_GAMES = {"search_games": 256, "policy_games": 1_500}
_LEFT_OUT = {"unvisited_events": "left_out"}
ALL = "all"
FACTORS: Mapping[str, Factor] = {
    ALL: Factor({}, "nothing changed"),
    "enumerated": Factor({"graph": "enumerated"}, "with the tables of the enumerated game"),
    "few_games": Factor(
        {"learner": _FEW_GAMES}, "256 search games and 1,500 policy games a generation"
    ),
    "left_out": Factor({"search": _LEFT_OUT}, "events that no simulation followed are left out"),
    "short": Factor(
        {"visits": {"start": 16.0}, "search": {"spawn_depth": 1}},
        "16 visits and one level of spawned trees",
    ),
    "three": Factor(
        {
            "visits": {"start": 16.0},
            "search": {"spawn_depth": 1, **_LEFT_OUT},
            "learner": _FEW_GAMES,
        },
        "these three together",
    ),
    "long": Factor({"visits": {"start": 400.0}}, "400 visits"),
    "expected": Factor(
        {"search": {"sample_backup": "expected"}}, "backups that are not adjusted for luck"
    ),
    "latest": Factor({"learner": {"policy_average": 0.0}}, "P of the latest weights"),
    "fewer_steps": Factor({"learner": {"steps": 15}}, "15 steps a fit at most"),
    "constant_rate": Factor(
        {"learner": {"learning_rate": {"start": 0.003}}}, "a learning rate that does not fall"
    ),
    "wide": Factor({"networks": {"width": 128}}, "networks of 128 units a layer"),
}


def learn(game: str, factor: str, seed: int, seconds: float) -> dict[str, Any]:
    """A run and what its P comes to."""
    config = TrainingConfig.preset(**{"graph": "grown", **FACTORS[factor].changes})
    run = Learning(game, seed, config)
    while run.seconds < seconds:
        run.step()
    found = exact.exploitability(run.graph, run.policy())
    report(f"{game}, {factor}, seed {seed}: {found:.5f}")
    return {
        "game": game,
        "factor": factor,
        "seed": seed,
        "exploitability": found,
        "seconds": round(run.seconds, 1),
        "generations": run.loop.generation,
        "simulations": run.loop.simulations,
        "changes": FACTORS[factor].changes,
    }


def factors_section(folder: Path = FOLDER) -> str:
    """The table of all that is stored: medians, and ratios to the run with nothing changed."""
    records = [run for path in sorted(folder.glob("*.json")) for run in _stored(path).values()]
    games = [game for game in SECONDS if any(each["game"] == game for each in records)]
    if not games:
        return "Nothing is stored."
    titles = [f"{game}, {SECONDS[game]:g} s" for game in games]
    lines = [f"| one change | {' | '.join(titles)} |", "|---|" + "---|" * len(games)]
    for factor, change in FACTORS.items():
        cells = [_cell(records, game, factor) for game in games]
        if any(cells):
            lines.append(f"| {change.words} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _stored(path: Path) -> dict[str, dict[str, Any]]:
    """The runs of a game, by factor and seed."""
    found: dict[str, dict[str, Any]] = json.loads(path.read_text()) if path.exists() else {}
    return found


def _cell(records: Sequence[Mapping[str, Any]], game: str, factor: str) -> str:
    own, base = (_figures(records, game, name) for name in (factor, ALL))
    if not own:
        return ""
    middle = statistics.median(own)
    ratio = f" ({middle / statistics.median(base):.2f})" if base and factor != ALL else ""
    return f"**{middle:.4f}**{ratio}, {min(own):.4f} to {max(own):.4f}"


def _figures(records: Sequence[Mapping[str, Any]], game: str, factor: str) -> list[float]:
    found = [each for each in records if (each["game"], each["factor"]) == (game, factor)]
    return [each["exploitability"] for each in found]


def main(arguments: Sequence[str] | None = None) -> None:
    """Learns what is not stored yet, and prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", default=list(SECONDS), choices=list(SECONDS))
    parser.add_argument("--factors", nargs="+", default=list(FACTORS), choices=list(FACTORS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--seconds", type=float, help="for each game, instead of its own")
    parser.add_argument("--out", type=Path, default=FOLDER, help="where records go")
    parser.add_argument("--again", action="store_true", help="learn stored runs again")
    given = parser.parse_args(arguments)
    for seed in given.seeds:
        for game in given.games:
            path = given.out / f"{game_file(game)}.json"
            for factor in given.factors:
                runs, name = _stored(path), f"{factor} {seed}"
                if given.again or name not in runs:
                    runs[name] = learn(game, factor, seed, given.seconds or SECONDS[game])
                    write_record(path, runs)
    print(factors_section(given.out))


if __name__ == "__main__":
    main()
