"""What is learned without enumeration, measured where the truth is known.

Small games are learned with `graph="grown"`, as games of any size are: on graphs that grow with the
games played, from networks and from nothing else but the rules. P is then measured at every
information set by OpenSpiel's exact best response, and so is the bot that searches with the learned
models (`nash_ismcts`, networks and nothing else): its policy of an own search at each information
set. Seconds are CPU seconds of one core, measuring not
included. A run that is stored is not made again, so a study that was stopped goes on.

    python -m benchmarks.without_enumeration
    python -m benchmarks.without_enumeration --games kuhn_poker --seeds 0 --seconds 20 --out out/w
    python -m benchmarks.without_enumeration --out out/w --changes '{"shards": 2}'
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.stored import RESULTS, game_file, write_record
from benchmarks.timing import report
from exploitability import measure
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.policies import TablePolicy
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.loops import make_loop
from nash_ismcts_spiel.models.networks.tables import whole_policy_and_value
from nash_ismcts_spiel.models.tables import forest_models
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.native.forest import search_everywhere

SECONDS = {
    "kuhn_poker": 60.0,
    "leduc_poker": 300.0,
    "liars_dice(numdice=1,dice_sides=4)": 180.0,
    "liars_dice": 300.0,
    "goofspiel(imp_info=True,num_cards=4,points_order=descending)": 60.0,
}
"""The games and how long each is learned; liars_dice has one die of six sides by default."""

POINTS = 10
"""Measurements on the way."""

VISITS = (300, 3000)
"""Of the bot that searches with what was learned."""

FOLDER = RESULTS / "without_enumeration"

HEAD = """# Learning without enumeration

`python -m benchmarks.without_enumeration`: learned models with `graph="grown"`, the default preset
otherwise. Games are played, searched and learned from as in games of any size; the enumerated game
is only used to measure P, by OpenSpiel's exact best response. Exploitability is NashConv / 2 in the
game's utility units, seconds are CPU seconds of one core without measuring, medians are over the
seeds that are listed. Liar's Dice without parameters is that of one die with six sides each. The
last two columns are the bot that searches with the learned networks (one search at each
information set; the figures here are of `nash_ismcts_play`, a bot that stayed close to P and is
gone since), as a multiple of P's exploitability, lowest and highest of the seeds.

| game | CPU s | median | seeds: exploitability of P | generations | simulations | bot, 300 | 3000 |
|---|---|---|---|---|---|---|---|
"""


class Learning:
    """A run, measured over the enumerated game, which the learner itself never sees."""

    def __init__(self, game: str, seed: int, config: TrainingConfig) -> None:
        """Starts before the first generation."""
        played = support(game)
        self.graph = GameGraph.enumerate(played)
        self.loop: Any = make_loop(played, "learned", config, seed)
        self.seconds = 0.0

    def step(self) -> None:
        """One generation."""
        started = time.process_time()
        self.loop.step()
        self.seconds += time.process_time() - started

    def policy(self) -> npt.NDArray[np.float64]:
        """P at every information set. [A]"""
        return whole_policy_and_value(self.graph, self.loop.models.evaluator())[0]

    def searched(self, visits: int, seed: int) -> npt.NDArray[np.float64]:
        """The policy of the bot that searches with the networks, one search at each set. [A]"""
        self.graph.resolve()
        models = forest_models(self.graph, self.loop.models.evaluator())
        return search_everywhere(models, visits, seed)

    def point(self) -> dict[str, float]:
        """Where it stands."""
        return {
            "seconds": round(self.seconds, 1),
            "generation": self.loop.generation,
            "exploitability": exact.exploitability(self.graph, self.policy()),
        }


def learn(game: str, seed: int, seconds: float, config: TrainingConfig) -> dict[str, Any]:
    """A run with its curve; the last figure is that of OpenSpiel's own tool."""
    run, curve = Learning(game, seed, config), []
    while run.seconds < seconds:
        run.step()
        if run.seconds >= seconds * (len(curve) + 1) / POINTS or run.seconds >= seconds:
            curve.append(run.point())
            report(f"{game}, seed {seed}: {curve[-1]}")
    table = TablePolicy(run.graph, run.policy())
    found = measure(run.graph.game.pyspiel_game, table, engine="openspiel")
    searched = {
        str(visits): exact.exploitability(run.graph, run.searched(visits, seed))
        for visits in VISITS
    }
    report(f"{game}, seed {seed}: P {found.exploitability:.5f}, bot by visits {searched}")
    return {
        "game": game,
        "seed": seed,
        "exploitability": found.exploitability,
        "exploitability_of_search": searched,
        "seconds": round(run.seconds, 1),
        "generations": run.loop.generation,
        "simulations": run.loop.simulations,
        "curve": curve,
        "config": dataclasses.asdict(config),
    }


def write_page(folder: Path) -> None:
    """The page of all that is stored."""
    records = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    lines, curves = [], ["\nOn the way, the median at tenths of the time:\n"]
    for game in [name for name in SECONDS if any(each["game"] == name for each in records)]:
        runs = [each for each in records if each["game"] == game]
        listed = ", ".join(f"{run['seed']}: {run['exploitability']:.4f}" for run in runs)
        middle = statistics.median(run["exploitability"] for run in runs)
        generations = statistics.median(run["generations"] for run in runs)
        simulations = statistics.median(run["simulations"] for run in runs) / 1e6
        lines.append(
            f"| {game} | {runs[0]['seconds']:.0f} | **{middle:.4f}** | {listed} | "
            f"{generations:,.0f} | {simulations:,.0f} M | "
            f"{' | '.join(_of_search(runs, visits) for visits in VISITS)} |"
        )
        columns = [[point["exploitability"] for point in run["curve"]] for run in runs]
        points = zip(*columns, strict=False)
        curve = " ".join(f"{statistics.median(point):.4f}" for point in points)
        curves.append(f"- {game}: {curve}")
    text = HEAD + "\n".join([*lines, *curves]) + "\n"
    folder.with_suffix(".md").write_text(text, encoding="utf-8")


def _of_search(runs: list[dict[str, Any]], visits: int) -> str:
    """The bot's exploitability as a multiple of P's, lowest and highest."""
    shares = [run["exploitability_of_search"][str(visits)] / run["exploitability"] for run in runs]
    return f"{min(shares):.2f} to {max(shares):.2f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Learns what is not stored yet, and prints all that is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", default=list(SECONDS), help="default: all five")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--seconds", type=float, help="for each game, instead of its own")
    parser.add_argument(
        "--changes", type=json.loads, default={}, help="settings of training to change, as JSON"
    )
    parser.add_argument("--out", type=Path, default=FOLDER, help="where records go")
    parser.add_argument("--again", action="store_true", help="learn stored runs again")
    parser.add_argument("--page", action="store_true", help="write the page from what is stored")
    options = parser.parse_args(arguments)
    if options.page:
        write_page(options.out)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    config = TrainingConfig.preset(graph="grown", **options.changes)
    found: dict[str, list[float]] = {}
    for game in options.games:
        seconds = options.seconds or SECONDS.get(game, 60.0)
        for seed in options.seeds:
            path = options.out / f"{game_file(game)}-{seed}.json"
            if options.again or not path.exists():
                write_record(path, learn(game, seed, seconds, config))
            found.setdefault(game, []).append(json.loads(path.read_text())["exploitability"])
        middle = statistics.median(found[game])
        print(f"{game:<62} median {middle:.4f} of {[round(x, 4) for x in found[game]]}", flush=True)
    write_page(options.out)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
