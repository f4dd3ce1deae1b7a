"""The bot where OpenSpiel expects one: in evaluate_bots, and in an exploitability measurement.

Prints mean returns (in the game's utility units, with their standard error) of the bot in each
seat against uniformly random players, and of the bot against itself. Then, as OpenSpiel's
is_mcts_exploitability.py does, every information set is searched once and the exploitability
(NashConv / number of players) of the resulting policy is measured. Values come from random
rollouts: nothing is learned here.
"""

import math
from typing import Any

import numpy as np
import pyspiel
from absl import app, flags

from exploitability import measure
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import support

# Larger games are played but not measured.
MOST_SEARCHES = 10_000
MOST_HISTORIES = 500_000

FLAGS = flags.FLAGS
flags.DEFINE_string("game", "kuhn_poker", "The game; a simultaneous one is played turn by turn.")
flags.DEFINE_integer("num_games", 200, "Games in each pairing.", lower_bound=2)
flags.DEFINE_integer("visits", 200, "Visits of each search.", lower_bound=1)
flags.DEFINE_integer("seed", 0, "Seeds the bots, the random players and the deals.")


def search_bot(game: Any, player: int, seed: int) -> NashIsmctsBot:
    """Our bot."""
    config = SearchConfig(visits=FLAGS.visits)
    return NashIsmctsBot(game, player, config=config, seed=seed)


def play(game: Any, bots: list[Any], first_seed: int) -> np.ndarray:
    """Returns of `num_games` games. [games, players]"""
    games = [
        pyspiel.evaluate_bots(game.new_initial_state(), bots, first_seed + number)
        for number in range(FLAGS.num_games)
    ]
    return np.array(games)


def shown(returns: np.ndarray) -> str:
    """The mean and its standard error."""
    error = returns.std(ddof=1) / math.sqrt(len(returns))
    return f"{returns.mean():+.3f} +- {error:.3f}"


def main(_: list[str]) -> None:
    """Plays, then measures."""
    game = support(FLAGS.game).pyspiel_game
    players = range(game.num_players())
    seeds = np.random.SeedSequence(FLAGS.seed).generate_state(game.num_players() + 1) >> 1
    own = [search_bot(game, player, int(seeds[player])) for player in players]
    random = [pyspiel.make_uniform_random_bot(player, int(seeds[player])) for player in players]
    first_seed = int(seeds[-1]) % 2**30

    print(f"{game}, {FLAGS.num_games} games each, searches of {FLAGS.visits} visits")
    for seat in players:
        bots = [own[player] if player == seat else random[player] for player in players]
        returns = play(game, bots, first_seed)[:, seat]
        print(f"mean return in seat {seat} against uniform random: {shown(returns)}")
    against_itself = play(game, own, first_seed)
    for seat in players:
        print(f"mean return in seat {seat} against itself: {shown(against_itself[:, seat])}")

    try:
        measurement = measure(
            game,
            lambda player, seed: search_bot(game, player, seed),
            seed=FLAGS.seed,
            max_information_sets=MOST_SEARCHES,
            max_histories=MOST_HISTORIES,
        )
        print(measurement)
    except ValueError as error:
        print(f"exploitability not measured: {error}")


if __name__ == "__main__":
    app.run(main)
