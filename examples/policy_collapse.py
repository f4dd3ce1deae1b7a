"""Search collapses without belief dispersion and does not with it: exploitability against visits.

Models are exact for a policy P that is close to equilibrium: H by Bayes' rule, V by evaluation.
Measured is exploitability = NashConv / 2 of the search policy: each information set is searched
once, afresh, and an exact best response plays against it. Medians over seeds; radius 0 is A-ISMCTS.

In `rock_paper_scissors` (turn by turn) P plays Rock with 0.36, in any other game as CFR on average.
"""

import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyspiel
from absl import app, flags
from tqdm import tqdm

from exploitability import Measurement, information_sets, measure
from exploitability.curve import OTHER_COLOURS, OUR_COLOURS
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.models import ExactEvaluator

ROCK_PAPER_SCISSORS = "rock_paper_scissors"
TITLE = "exploitability (NashConv / 2) of the search policy, one search per information set"

FLAGS = flags.FLAGS
flags.DEFINE_list("games", [ROCK_PAPER_SCISSORS, "kuhn_poker"], "Two-player zero-sum games.")
flags.DEFINE_list("visits", "30,100,300,1000,3000,10000,30000", "Visits of each search.")
flags.DEFINE_list("radii", ["0", "0.1", "0.2", "0.4"], "Dispersion radii.")
flags.DEFINE_integer("seeds", 5, "Number of seeds, from 0 on.", lower_bound=1)
flags.DEFINE_integer("iterations", 100, "Iterations of CFR that make P.", lower_bound=1)
flags.DEFINE_bool("by_seat", False, "Also show what a best response wins against each seat.")
flags.DEFINE_string("plot", None, "Where to save a plot, and its figures as JSON, if anywhere.")

Cell = tuple[float, int]  # radius and visits


def game_and_policy(name: str) -> tuple[Any, Any]:
    """A game and a policy close to its equilibrium."""
    if name == ROCK_PAPER_SCISSORS:
        game = pyspiel.load_game_as_turn_based("matrix_rps")
        return game, {info.string: {0: 0.36, 1: 0.32, 2: 0.32} for info in information_sets(game)}
    game = pyspiel.load_game(name)
    solver = pyspiel.CFRSolver(game)
    for _ in range(FLAGS.iterations):
        solver.evaluate_and_update_policy()
    return game, solver.tabular_average_policy()


def measure_all(game: Any, policy: Any, cells: list[Cell]) -> dict[Cell, list[Measurement]]:
    """One measurement per seed in each cell, with a bar on stderr after two seconds."""
    evaluator = ExactEvaluator(game, policy)
    results: dict[Cell, list[Measurement]] = {cell: [] for cell in cells}
    runs = [(cell, seed) for cell in cells for seed in range(FLAGS.seeds)]
    for (radius, visits), seed in tqdm(runs, str(game), delay=2.0, leave=False, file=sys.stderr):
        config = SearchConfig(search="notes", visits=visits, dispersion_radius=radius)

        def bot(player: int, bot_seed: int, config: SearchConfig = config) -> NashIsmctsBot:
            return NashIsmctsBot(game, player, evaluator, config, bot_seed)

        results[radius, visits].append(measure(game, bot, seed=seed, progress=False))
    return results


def show(
    title: str, results: dict[Cell, list[Measurement]], quantity: Callable[[Measurement], float]
) -> dict[float, dict[int, float]]:
    """Prints medians, a row per radius and a column per number of visits; returns them."""
    rows: dict[float, dict[int, float]] = {}
    for (radius, visits), runs in sorted(results.items()):
        rows.setdefault(radius, {})[visits] = statistics.median(map(quantity, runs))
    print(f"\n{title}; median of {FLAGS.seeds} seeds")
    print(f"{'visits':>11}" + "".join(f"{visits:>9}" for visits in next(iter(rows.values()))))
    for radius, row in rows.items():
        print(f"{f'radius {radius:g}':>11}" + "".join(f"{figure:9.4f}" for figure in row.values()))
    return rows


def plot(path: str, panels: dict[str, tuple[float, dict[float, dict[int, float]]]]) -> None:
    """Draws one panel per game, one line per radius, and P itself as a dashed line."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6 * len(panels), 4.5), layout="constrained")
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axis, (name, (of_policy, rows)) in zip(axes, panels.items(), strict=True):
        axis.set_prop_cycle(color=[*OUR_COLOURS[::-1], *OTHER_COLOURS])
        for radius, row in rows.items():
            axis.plot(list(row), list(row.values()), marker="o", label=f"radius {radius:g}")
        axis.axhline(of_policy, linestyle="--", color="gray", label="P, without search")
        axis.set(title=name, xlabel="visits of each search", xscale="log", yscale="log")
        axis.set_ylabel(f"exploitability (NashConv / 2), median of {FLAGS.seeds} seeds")
        axis.legend()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).with_suffix(".json").write_text(json.dumps(panels), encoding="utf-8")
    figure.savefig(path, dpi=150)
    print(f"\nplot saved as {path}")


def main(_: list[str]) -> None:
    """Measures, prints and draws."""
    cells = [(float(radius), int(visits)) for radius in FLAGS.radii for visits in FLAGS.visits]
    panels = {}
    for name in FLAGS.games:
        game, policy = game_and_policy(name)
        of_policy = measure(game, policy).exploitability
        print(f"\n{game}: exploitability of P, without search: {of_policy:.4f}")
        results = measure_all(game, policy, cells)
        panels[name] = (of_policy, show(TITLE, results, lambda m: m.exploitability))
        for seat in (0, 1) if FLAGS.by_seat else ():
            title = f"what a best response wins against the search in seat {seat}"
            show(title, results, lambda m, seat=seat: m.best_response_values[1 - seat])
    if FLAGS.plot:
        plot(FLAGS.plot, panels)


if __name__ == "__main__":
    app.run(main)
