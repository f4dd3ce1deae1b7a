"""Runs the searches of docs/algorithm.md and draws its figures, algorithm_*.png, in docs/images.

All searches draw from seed 0, those of `collapse` from seeds 0 to 4. `chain` trains networks in
Liar's Dice for ten generations; `learning` reads the records of docs/results/comparison. All
together take about a minute on an idle core, most of it for `chain`.

  python -m benchmarks.algorithm_figures
  python -m benchmarks.algorithm_figures --only trees intervals
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyspiel
from tqdm import tqdm

from benchmarks.algorithm_figures import boxes, cases, charts
from benchmarks.stored import RESULTS
from exploitability import measure
from exploitability.curve import Curve
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.models import ExactEvaluator

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
RADII = (0.0, 0.1, 0.2, 0.4)
VISITS = (30, 100, 300, 1000, 3000, 10000, 30000)
SEEDS = range(5)
TREE_VISITS = 1000
SOFT_VISITS = (100, 1000, 10000)
ACTIONS = ("call", "raise")
METHODS = {
    "nash_ismcts": "ours, exact models",
    "nash_ismcts_learned": "ours, networks",
    "cfr": "CFR",
    "rebel": "ReBeL, re-implemented",
}


def collapse(path: Path) -> None:
    """Exploitability of the search policy against visits, in Kuhn poker."""
    game = pyspiel.load_game("kuhn_poker")
    policy = cases.cfr_policy(game)
    evaluator = ExactEvaluator(game, policy)
    runs: dict[float, list[dict[int, float]]] = {radius: [{} for _ in SEEDS] for radius in RADII}
    cells = [(radius, visits, seed) for radius in RADII for visits in VISITS for seed in SEEDS]
    for radius, visits, seed in tqdm(cells, "searches", file=sys.stderr):
        config = SearchConfig(search="notes", visits=visits, dispersion_radius=radius)

        def bot(player: int, bot_seed: int, config: SearchConfig = config) -> NashIsmctsBot:
            return NashIsmctsBot(game, player, evaluator, config, bot_seed)

        found = measure(game, bot, seed=seed, progress=False)
        runs[radius][seed][visits] = found.exploitability
    charts.collapse(path, measure(game, policy).exploitability, runs)


def trees(path: Path) -> None:
    """Three trees of a search by the player who holds the jack in Kuhn poker."""
    case = cases.exact_case("kuhn_poker", (0, 1))
    forest, simulations = cases.grown_forest(case, TREE_VISITS, 0.2)
    boxes.trees(path, case, forest, simulations, TREE_VISITS)


def chain(path: Path) -> None:
    """H and Bayes' rule along a chain of two dice."""
    charts.chain(path, cases.dice_chain())


def ball(path: Path) -> None:
    """Intervals against the radius, from the models at one position of Leduc poker."""
    case = cases.exact_case(cases.LEDUC, cases.BLUFF)
    node = ~case.graph.hidden(case.root)
    row = case.evaluator.sample_rows(case.graph, [node])[0]
    charts.ball(path, row.beliefs, dict(zip(ACTIONS, row.child_values, strict=True)), 0.2)


def intervals(path: Path) -> None:
    """Q intervals of one node after more and more visits, with and without dispersion."""
    case = cases.exact_case(cases.LEDUC, cases.BLUFF)
    found = {
        radius: {visits: case.search(visits, radius) for visits in (100, 1000, 10000)}
        for radius in (0.0, 0.2)
    }
    charts.intervals(path, found, ACTIONS)


def soft_ties(path: Path) -> None:
    """How often the raise is played, by its advantage: ties of intervals and soft ones."""
    case = cases.exact_case(cases.LEDUC, cases.BLUFF)
    found = {visits: case.soft_search(visits) for visits in SOFT_VISITS}
    temperatures = {visits: each.q[0].high - each.q[0].low for visits, each in found.items()}
    share = found[SOFT_VISITS[0]].prior[ACTIONS.index("raise")]
    charts.soft_ties(path, share, cases.reach_of_ties(case, 0.2), temperatures)


def learning(path: Path) -> None:
    """Exploitability of P against CPU seconds in Leduc poker, from stored records."""
    text = (RESULTS / "comparison" / "comparison.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line) for line in text.splitlines()]
    runs: dict[str, list[Curve]] = {label: [] for label in METHODS.values()}
    for record in records:
        label = METHODS.get(record.get("method", ""))
        if record["game"] == "leduc_poker()" and label is not None:
            seconds, _, measured = zip(*record["points"], strict=True)
            runs[label].append(Curve(label, seconds, measured))
    charts.learning(path, runs)


FIGURES: Mapping[str, Callable[[Path], None]] = {
    "collapse": collapse,
    "trees": trees,
    "chain": chain,
    "ball": ball,
    "intervals": intervals,
    "soft_ties": soft_ties,
    "learning": learning,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Draws what was asked for, and prints the time and the size of each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=list(FIGURES), default=list(FIGURES))
    parser.add_argument("--out", type=Path, default=IMAGES, help="default: docs/images")
    options = parser.parse_args(arguments)
    for name in options.only:
        started = time.monotonic()
        path = options.out / f"algorithm_{name}.png"
        FIGURES[name](path)
        size = path.stat().st_size / 1000
        print(f"{path.name:<28}{time.monotonic() - started:>7.1f} s{size:>7.0f} kB", flush=True)


if __name__ == "__main__":
    main()
