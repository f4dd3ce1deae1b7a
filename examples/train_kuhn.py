"""Learns Kuhn poker from nothing by search, and shows the learned policy beside an equilibrium.

Training starts at the uniform policy. Measured is exploitability = NashConv / 2 of the average
policy P, by OpenSpiel's own tool. Kuhn poker has a family of equilibria: player 0 may bet the
lowest card with any probability alpha up to 1/3, and all else follows from alpha. The table shows
the probability of betting (or calling) at each information set, P's and that of the equilibrium
whose alpha is nearest to P.
"""

import time

from absl import app, flags
from open_spiel.python.algorithms import exploitability

from exploitability import kuhn_equilibrium
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import TablePolicy
from nash_ismcts_spiel.learning import ExactLoop, TrainingConfig

BET = 1  # or call
CARDS = ("Jack", "Queen", "King")
SITUATIONS = {"": "first move", "pb": "facing a bet", "p": "after a pass", "b": "after a bet"}

FLAGS = flags.FLAGS
flags.DEFINE_float("seconds", 3.0, "Seconds of training.", lower_bound=0.0)
flags.DEFINE_integer("seed", 0, "Seeds the searches.", lower_bound=0)


def nearest_alpha(bets: dict[str, float]) -> float:
    """The alpha of the equilibrium whose player 0 is nearest, by the sum of squared differences.

    Alpha enters in three places: a Jack bets with alpha, a King with 3 alpha, and a Queen that has
    passed calls with 1/3 + alpha.
    """
    alpha = (bets["0"] + 3 * bets["2"] + bets["1pb"] - 1 / 3) / 11
    return min(max(alpha, 0.0), 1 / 3)


def main(_: list[str]) -> None:
    """Trains, measures and compares."""
    graph = GameGraph.enumerate("kuhn_poker")
    config = TrainingConfig.preset()
    loop = ExactLoop(graph, config, FLAGS.seed)
    started = time.monotonic()
    while loop.generation == 0 or time.monotonic() - started < FLAGS.seconds:
        loop.step()

    policy = TablePolicy(graph, loop.models.policy())
    measured = exploitability.exploitability(graph.game.pyspiel_game, policy)
    print(f"exploitability of P: {measured:.5f} after {loop.generation} generations, ", end="")
    print(f"{loop.simulations:,} simulations (uniform policy: {11 / 24:.5f})")

    bets = {string: row[BET] for string, row in policy.rows.items()}
    alpha = nearest_alpha(bets)
    equilibrium = {string: dict(row)[BET] for string, row in kuhn_equilibrium(alpha).items()}
    print(f"\nprobability of a bet or call; equilibrium with alpha = {alpha:.3f}")
    print("player  card   situation      learned  equilibrium")
    for string in equilibrium:
        card, moves = CARDS[int(string[0])], string[1:]
        player = len(moves) % 2
        print(f"{player:>6}  {card:<5}  {SITUATIONS[moves]:<13} ", end="")
        print(f"{bets[string]:>8.3f} {equilibrium[string]:>12.3f}")


if __name__ == "__main__":
    app.run(main)
