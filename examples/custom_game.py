"""A game of one's own, played and measured: see half_street_poker.py for its rules.

Any game that speaks OpenSpiel's Python API will do. The bot searches with exact models of CFR's
average policy. Printed are the probability of a bet or a call at each information set, by CFR and
by one search; the exploitability (NashConv / 2) of both policies; and the bot's mean return
against a uniformly random player, in the game's utility units.
"""

import half_street_poker  # noqa: F401  (registers the game)
import pyspiel
from absl import app, flags

from exploitability import measure, tabularize
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.models import ExactEvaluator

FLAGS = flags.FLAGS
flags.DEFINE_integer("visits", 1000, "Visits of each search.", lower_bound=1)
flags.DEFINE_integer("iterations", 100, "Iterations of CFR that make the models.", lower_bound=1)
flags.DEFINE_integer("num_games", 100, "Games in each seat.", lower_bound=1)
flags.DEFINE_integer("seed", 0, "Seeds the bots and the deals.", lower_bound=0)


def main(_: list[str]) -> None:
    """Solves, searches, measures and plays."""
    game = pyspiel.load_game("half_street_poker")
    solver = pyspiel.CFRSolver(game)
    for _ in range(FLAGS.iterations):
        solver.evaluate_and_update_policy()
    by_cfr = tabularize(game, solver.tabular_average_policy())
    evaluator = ExactEvaluator(game, by_cfr)
    config = SearchConfig(visits=FLAGS.visits)

    def bot(player: int, seed: int) -> NashIsmctsBot:
        return NashIsmctsBot(game, player, evaluator, config, seed)

    by_search = tabularize(game, bot, seed=FLAGS.seed)
    for information_set, row in by_cfr.items():
        cfr, search = dict(row)[1], dict(by_search[information_set])[1]
        print(f"{information_set}: bet or call {cfr:.3f} by CFR, {search:.3f} by search")
    print(f"exploitability of CFR's policy: {measure(game, by_cfr).exploitability:.4f}")
    print(f"exploitability of the search policy: {measure(game, by_search).exploitability:.4f}")

    for seat in (0, 1):
        bots = [pyspiel.make_uniform_random_bot(player, FLAGS.seed) for player in (0, 1)]
        bots[seat] = bot(seat, FLAGS.seed)
        total = sum(
            pyspiel.evaluate_bots(game.new_initial_state(), bots, FLAGS.seed + number)[seat]
            for number in range(FLAGS.num_games)
        )
        mean = total / FLAGS.num_games
        print(f"mean return in seat {seat} against uniform random: {mean:+.3f}")


if __name__ == "__main__":
    app.run(main)
