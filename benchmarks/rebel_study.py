"""ReBeL by itself: with exact leaves on Leduc poker, and trained from nothing.

Records go to OUT/rebel/records.json, the page to OUT/rebel.md. Exploitability is NashConv / 2 in
the game's utility units, times are CPU seconds of one core; measuring does not count. The policy is
the one that is played: a mixture of playthroughs, exact where the second subgames end the game,
else of as many as the table says.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.exact_study.parts import KUHN, LEDUC, SEEDS, liars_dice
from benchmarks.exact_study.report import spread_of, table
from benchmarks.exact_study.tasks import Record, Task, graph_of, openspiel_exploitability, run_all
from benchmarks.oracle_leaves import OracleLeaves
from benchmarks.stored import RESULTS, write_record
from nash_ismcts_spiel.baselines.rebel.config import RebelConfig
from nash_ismcts_spiel.baselines.rebel.play import Search, safe_policy, unsafe_policy
from nash_ismcts_spiel.baselines.rebel.run import RebelLoop
from nash_ismcts_spiel.baselines.rebel.subgames import Method, PublicTree, Subgames
from nash_ismcts_spiel.files import versions
from nash_ismcts_spiel.native import exact

COMMAND = "python -m benchmarks.rebel_study"
LEAF_ITERATIONS = 300
ORACLE_ITERATIONS = (64, 256, 512)
_POINTS = 4
"""Measurements of a training, each at twice the time of the one before."""


class Target(NamedTuple):
    """How long a game is trained, and what is asked of it.

    Attributes:
      title: how the page calls it.
      seconds: CPU seconds of training.
      playthroughs: whose mixture is measured in the end; None is the exact mixture.
      asked: what the figures are compared with.
    """

    title: str
    seconds: float
    playthroughs: int | None
    asked: str


TARGETS: Mapping[str, Target] = {
    LEDUC: Target("Leduc poker", 300.0, None, ".05 in 1800 s, goal .028"),
    liars_dice(1, 4): Target("Liar's Dice 1x4", 180.0, 512, ".03; paper: .017"),
    KUHN: Target("Kuhn poker", 60.0, None, ".01"),
}


def with_oracle(method: Method, iterations: int) -> Record:
    """Leduc poker by betting rounds, the rest of the game solved anew for each leaf."""
    graph = graph_of(LEDUC)
    tree = PublicTree(graph)
    leaves = OracleLeaves(tree, LEAF_ITERATIONS)
    search = Search(Subgames(tree, 0, stop_at_chance=True), leaves, iterations, method)
    safe = safe_policy(search, None, np.random.default_rng(0))
    return {
        "method": method,
        "iterations": iterations,
        "safe": exact.exploitability(graph, safe),
        "unsafe": exact.exploitability(graph, unsafe_policy(search)),
        "openspiel": openspiel_exploitability(graph, safe),
    }


def train(game: str, seed: int, seconds: float, playthroughs: int | None) -> Record:
    """One training with the default settings, measured on the way and at the end."""
    graph, config = graph_of(game), RebelConfig()
    started = time.process_time()
    loop = RebelLoop(PublicTree(graph), config, seed)
    used = time.process_time() - started
    points = []
    for due in [seconds / 2**k for k in reversed(range(_POINTS))]:
        while used < due:
            started = time.process_time()
            loop.step()
            used += time.process_time() - started
        last = due == seconds
        policy = loop.policy(playthroughs) if last else loop.policy()
        unsafe = exact.exploitability(graph, unsafe_policy(loop.search()))
        points.append([used, loop.generation, exact.exploitability(graph, policy), unsafe])
    return {
        "game": game,
        "seed": seed,
        "config": config.to_dict(),
        "playthroughs": playthroughs,
        "columns": ["cpu_seconds", "generations", "exploitability", "unsafe"],
        "points": points,
        "iterations": loop.simulations,
        "openspiel": openspiel_exploitability(graph, policy),
    }


def training_tasks(quick: bool) -> list[Task]:
    """All games and seeds, longest first."""
    share = 0.02 if quick else 1.0
    return [
        (
            train,
            {
                "game": game,
                "seed": seed,
                "seconds": target.seconds * share,
                "playthroughs": 8 if quick and target.playthroughs else target.playthroughs,
            },
        )
        for game, target in TARGETS.items()
        for seed in SEEDS
    ]


def oracle_tasks(quick: bool) -> list[Task]:
    """Solvers and iterations."""
    counts = (4, 8) if quick else ORACLE_ITERATIONS
    methods: tuple[Method, ...] = ("linear_cfr", "cfr_plus", "fictitious_play")
    return [
        (with_oracle, {"method": method, "iterations": count})
        for count in reversed(counts)
        for method in methods
    ]


def oracle_table(records: Sequence[Record]) -> str:
    """Safe and unsafe search by iterations."""
    rows = [
        [r["method"], str(r["iterations"]), f"{r['safe']:.4f}", f"{r['unsafe']:.4f}"]
        for r in sorted(records, key=lambda r: (r["method"], r["iterations"]))
    ]
    return table(["solver", "iterations", "as it plays", "unsafe"], rows)


def training_table(records: Sequence[Record]) -> str:
    """The end of each training, and the way there."""
    rows = []
    for game, target in TARGETS.items():
        found = [record for record in records if record["game"] == game]
        last = [record["points"][-1] for record in found]
        middle = [statistics.median(r["points"][k][2] for r in found) for k in (-4, -3, -2)]
        rows.append([
            target.title,
            target.asked,
            *(f"{value:.4f}" for value in middle),
            spread_of([point[2] for point in last]),
            spread_of([point[3] for point in last]),
            f"{last[0][0]:.0f}",
            f"{statistics.median(point[1] for point in last):,.0f}",
            "exact" if target.playthroughs is None else str(target.playthroughs),
        ])  # fmt: skip
    header = ["game", "asked", "at 1/8", "at 1/4", "at 1/2", "at the end: median (all seeds)",
              "unsafe", "CPU s", "generations", "playthroughs"]  # fmt: skip
    return table(header, rows)


def page(stored: Mapping[str, Any], findings: str) -> str:
    """The report."""
    packages = ", ".join(f"{name} {version}" for name, version in stored["versions"].items())
    differs = max(
        abs(r["openspiel"] - value)
        for r in (*stored["oracle"], *stored["trainings"])
        for value in [r["safe"] if "safe" in r else r["points"][-1][2]]
    )
    settings = json.dumps(stored["trainings"][0]["config"], indent=1)
    sections = [
        "# ReBeL by itself",
        f"Made by `{COMMAND}`. Exploitability is NashConv / 2 in the game's utility units, times "
        "are CPU seconds of one core, seeds are 0, 1 and 2. *As it plays* is the mixture of "
        "playthroughs that an opponent faces who does not know which iterations are drawn; "
        "*unsafe* plays the average policy of each subgame at beliefs that follow from averages. "
        f"OpenSpiel's best response differs by {differs:.0e} at most. {packages}.",
        findings,
        "## Exact leaves, Leduc poker",
        "Subgames are betting rounds; the second is solved by CFR+ with "
        f"{LEAF_ITERATIONS} iterations for every leaf and iteration. An iteration updates both "
        "players, so 512 are 1024 of those who update one at a time.",
        oracle_table(stored["oracle"]),
        "## Trained",
        "The default settings for all games. Before the end, the mixture has the playthroughs of "
        "the settings.",
        training_table(stored["trainings"]),
        f"## Settings\n\n```json\n{settings}\n```",
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs everything, or writes the page again from what is stored."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=2, help="tasks at a time (default 2)")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    parser.add_argument("--quick", action="store_true", help="a fraction of the time, to try it")
    parser.add_argument("--page", action="store_true", help="write the page from what is stored")
    options = parser.parse_args(arguments)
    folder: Path = options.out / "rebel"
    path = folder / "records.json"
    if not options.page:
        folder.mkdir(parents=True, exist_ok=True)
        found = {
            "command": COMMAND,
            "versions": versions(),
            "trainings": run_all(training_tasks(options.quick), options.jobs, "trainings"),
            "oracle": run_all(oracle_tasks(options.quick), options.jobs, "exact leaves"),
        }
        write_record(path, found)
    notes = folder / "findings.md"
    findings = notes.read_text(encoding="utf-8").strip() if notes.exists() else ""
    text = page(json.loads(path.read_text(encoding="utf-8")), findings)
    (options.out / "rebel.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
