"""OpenSpiel's `is_mcts_exploitability.py` with its bot replaced by ours, in one line.

That script makes one `pyspiel.ISMCTSBot`, asks it for its policy at every information state of both
players, and measures exploitability = NashConv / 2 of what it answered. Here its own functions do
the same twice: with its bot, at all of its settings (five exploration constants, three ways to
choose a final policy), of which the lowest figure is shown, and with

    bot = make_bot("nash_ismcts", game, models="pretrained", visits=n, seed=SEED)

in the place of `bot = pyspiel.ISMCTSBot(SEED, evaluator, uct_c, n, -1, final_policy_type, False,
False)`. Networks come with the package, so most of the difference is training: the last columns are
P, their policy without any search, and the same search without them, by random rollouts. OpenSpiel
counts simulations, we count visits of the root, each of which also moves the trees of others.
"""

from collections.abc import Iterator
from typing import Any

import pyspiel
from absl import app, flags
from open_spiel.python import policy as openspiel_policy
from open_spiel.python.algorithms import exploitability
from open_spiel.python.examples.is_mcts_exploitability import SEED, construct_is_mcts_policy

from nash_ismcts_spiel import make_bot
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.models.networks.saved import pretrained_path
from nash_ismcts_spiel.runs import load_policy

FINAL_POLICIES = (
    pyspiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT,
    pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
    pyspiel.ISMCTSFinalPolicyType.MAX_VALUE,
)

# The script, which is imported, defines --game.
FLAGS = flags.FLAGS
flags.DEFINE_list("budgets", ["10", "100", "1000"], "Simulations, or visits, of each search.")
flags.DEFINE_list("uct_c", ["0.2", "0.5", "1", "2", "4"], "Exploration constants of ISMCTSBot.")


def measured(game: Any, bot: Any) -> float:
    """Exploitability of the policy that a bot tells, as the script measures it."""
    tabular = openspiel_policy.TabularPolicy(game)
    construct_is_mcts_policy(game, game.new_initial_state(), tabular, bot, {})
    return float(exploitability.exploitability(game, tabular))


def their_bots(simulations: int) -> Iterator[Any]:
    """The script's bot at each of its settings."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, SEED)
    for uct_c in map(float, FLAGS.uct_c):
        for final in FINAL_POLICIES:
            yield pyspiel.ISMCTSBot(SEED, evaluator, uct_c, simulations, -1, final, False, False)


def main(_: list[str]) -> None:
    """Measures and prints a line per budget."""
    game = pyspiel.load_game(FLAGS.game)
    policy = load_policy(pretrained_path(support(game)))
    p_alone = float(exploitability.exploitability(game, policy))
    print(f"{game}: exploitability (NashConv / 2) of the policy that a bot tells")
    print(f"{'budget':>8}{'ISMCTSBot':>12}{'ours':>12}{'P alone':>12}{'untrained':>12}")
    for n in map(int, FLAGS.budgets):
        theirs = min(measured(game, bot) for bot in their_bots(n))
        bot = make_bot("nash_ismcts", game, models="pretrained", visits=n, seed=SEED)
        untrained = make_bot("nash_ismcts", game, visits=n, seed=SEED)
        cells = (theirs, measured(game, bot), p_alone, measured(game, untrained))
        print(f"{n:>8}" + "".join(f"{cell:>12.4f}" for cell in cells), flush=True)


if __name__ == "__main__":
    app.run(main)
