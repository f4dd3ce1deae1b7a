"""Search pays: the more the bot searches, the less a perfect opponent wins of it.

Measured is exploitability = NashConv / 2 of what the bot plays: each information set is searched
once, out of the blue, and an exact best response plays against the answers. P is the policy that
the search starts from: uniform play with values by random rollouts, or CFR's average after a few
iterations with exact models of it. Visits are simulations at each decision point of a player's log,
the other players' too.
"""

import json
import statistics
from pathlib import Path

import pyspiel
from absl import app, flags

from exploitability import measure
from exploitability.curve import Curve, draw_curves
from nash_ismcts_spiel import make_bot
from nash_ismcts_spiel.models import ExactEvaluator

FLAGS = flags.FLAGS
flags.DEFINE_list("games", ["kuhn_poker", "leduc_poker"], "Two-player zero-sum games.")
flags.DEFINE_list("visits", ["10", "100", "1000", "10000"], "Of each search.")
flags.DEFINE_integer("iterations", 30, "Iterations of CFR that make P.", lower_bound=1)
flags.DEFINE_integer("seeds", 1, "Number of searches, whose median is shown.", lower_bound=1)
flags.DEFINE_string("plot", None, "Where to save a plot, and its figures as JSON, if anywhere.")

Row = dict[int, list[float]]
"""By visits, the exploitability of each search; 0 visits are P alone."""


def policy_of(game: pyspiel.Game, iterations: int) -> pyspiel.Policy:
    """The average policy of CFR; uniform before the first iteration."""
    solver = pyspiel.CFRSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy()


def measured(name: str, iterations: int) -> Row:
    """A curve, untrained if there are no iterations."""
    game = pyspiel.load_game(name)
    policy = policy_of(game, iterations)
    models = ExactEvaluator(game, policy) if iterations else None
    row: Row = {0: [measure(game, policy, engine="native").exploitability]}
    for visits in map(int, FLAGS.visits):
        bots = (
            make_bot("nash_ismcts", game, evaluator=models, visits=visits, seed=seed)
            for seed in range(FLAGS.seeds)
        )
        row[visits] = [
            measure(game, bot, engine="native", progress=False).exploitability for bot in bots
        ]
    return row


def main(_: list[str]) -> None:
    """Measures, prints a line per curve, and draws."""
    print("exploitability (NashConv / 2) of what the bot plays, by visits of each search\n")
    titles = "".join(f"{int(visits):>9,}" for visits in FLAGS.visits)
    print(f"{'game, and P that the search starts from':<42}{'P':>8}{titles}")
    rows: dict[str, Row] = {}
    for game in FLAGS.games:
        for iterations in (0, FLAGS.iterations):
            start = f"CFR's average of {iterations}" if iterations else "uniform, rollouts"
            name = f"{game}, {start}"
            rows[name] = measured(game, iterations)
            medians = map(statistics.median, rows[name].values())
            of_policy, *others = (f"{median:.4f}" for median in medians)
            print(f"{name:<42}{of_policy:>8}" + "".join(f"{x:>9}" for x in others), flush=True)
    if FLAGS.plot:
        save(Path(FLAGS.plot), rows)


def save(path: Path, rows: dict[str, Row]) -> None:
    """Draws all curves, as multiples of P's exploitability, and keeps the figures beside."""
    curves = []
    for name, row in rows.items():
        ((of_policy,), *searches), visits = row.values(), [each for each in row if each > 0]
        for runs in zip(*searches, strict=True):
            curves.append(Curve(name, visits, [value / of_policy for value in runs]))
    title = "The more the bot searches, the less a perfect opponent wins of it"
    draw_curves(
        path, curves, title, "visits of each search", by_points=True, ours=list(rows),
        y_label="exploitability, in multiples of P's",
    )  # fmt: skip
    path.with_suffix(".json").write_text(json.dumps(rows), encoding="utf-8")
    print(f"\nplot saved as {path}")


if __name__ == "__main__":
    app.run(main)
