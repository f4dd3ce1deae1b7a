"""Learns Leduc poker from nothing by search: exploitability by generations, CPU time and visits.

Printed after each power of two generations, and at the end: exploitability = NashConv / 2 of the
average policy P and of the policy that the last generation's searches found. One generation's
search is a noisy answer to P and far more exploitable; what converges is the average. CPU seconds
are those of the training alone.
"""

import time
from pathlib import Path

from absl import app, flags
from open_spiel.python.algorithms import exploitability

from exploitability.curve import Curve, draw_curves
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import TablePolicy
from nash_ismcts_spiel.learning import ExactLoop, Schedule, TrainingConfig
from nash_ismcts_spiel.native import exact

FLAGS = flags.FLAGS
flags.DEFINE_string("game", "leduc_poker", "A two-player zero-sum game that can be enumerated.")
flags.DEFINE_integer("generations", 128, "Generations of training.", lower_bound=1)
flags.DEFINE_integer("visits", 100, "Visits of each search.", lower_bound=1)
flags.DEFINE_integer("seed", 0, "Seeds the searches.", lower_bound=0)
flags.DEFINE_string("plot", None, "Where to save a plot, if anywhere.")


def is_shown(generation: int) -> bool:
    """Whether a line is printed: at powers of two, and at the end."""
    return generation & (generation - 1) == 0 or generation == FLAGS.generations


def main(_: list[str]) -> None:
    """Trains, measures on the way and draws."""
    graph = GameGraph.enumerate(FLAGS.game)
    config = TrainingConfig.preset(visits=Schedule(start=float(FLAGS.visits)))
    loop = ExactLoop(graph, config, FLAGS.seed)
    uniform = exact.exploitability(graph, loop.models.policy())
    print(f"{graph.game.name}, {FLAGS.visits} visits, seed {FLAGS.seed}")
    print(f"exploitability of the uniform policy: {uniform:.4f}\n")
    print("generation  CPU seconds   simulations  exploitability of P  of the search policy")
    seconds: list[float] = []
    average: list[float] = []
    search: list[float] = []
    used = 0.0
    while loop.generation < FLAGS.generations:
        started = time.process_time()
        loop.step()
        used += time.process_time() - started
        seconds.append(used)
        average.append(exact.exploitability(graph, loop.models.policy()))
        search.append(exact.exploitability(graph, loop.search_policy))
        if is_shown(loop.generation):
            print(
                f"{loop.generation:>10} {used:>12.2f} {loop.simulations:>13,} "
                f"{average[-1]:>20.4f} {search[-1]:>21.4f}",
                flush=True,
            )

    policy = TablePolicy(graph, loop.models.policy())
    by_openspiel = exploitability.exploitability(graph.game.pyspiel_game, policy)
    print(f"\nexploitability of P by OpenSpiel: {by_openspiel:.4f}")
    if FLAGS.plot:
        curves = [Curve("average policy P", seconds, average)]
        curves.append(Curve("one generation's search", seconds, search))
        draw_curves(Path(FLAGS.plot), curves, title=graph.game.name, x_label="CPU seconds")
        print(f"plot saved as {FLAGS.plot}")


if __name__ == "__main__":
    app.run(main)
