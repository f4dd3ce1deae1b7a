"""Our bot in the place of `pyspiel.ISMCTSBot`: one line of a script changes, and it measures less.

The loop is OpenSpiel's own (`open_spiel/python/examples/is_mcts_exploitability.py`), and so is the
tool that measures.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import helpers
import numpy as np
import pyspiel
import pytest
from open_spiel.python.examples import is_mcts_exploitability
from open_spiel.python.policy import UniformRandomPolicy

from nash_ismcts_spiel import make_bot
from nash_ismcts_spiel.models import ExactEvaluator

ROOT = Path(__file__).parents[1]
TABLE = re.compile(r"^ +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$", re.M)
OTHERS_MOVE = [0, 1, 1]  # player 1 is to move


def table(*flags: str) -> list[list[float]]:
    """Budget, ISMCTSBot, ours, P alone, untrained: the lines that the example prints."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "is_mcts_drop_in.py", *flags],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [[float(cell) for cell in row] for row in TABLE.findall(done.stdout)]


@pytest.mark.parametrize(
    ("flags", "budgets", "uniform"),
    [
        (["--game=kuhn_poker"], [10, 100, 1000], 11 / 24),
        (["--game=leduc_poker", "--uct_c=2", "--budgets=10,100"], [10, 100], 2.3736),
        pytest.param(
            ["--game=leduc_poker"], [10, 100, 1000], 2.3736, marks=pytest.mark.slow
        ),  # all settings of the script's: a minute
    ],
)
def test_lower_exploitability_at_every_budget(
    flags: list[str], budgets: list[int], uniform: float
) -> None:
    rows = table(*flags)
    assert [row[0] for row in rows] == budgets
    for budget, theirs, ours, p_alone, _ in rows:
        assert 0.0 < ours < min(theirs, uniform)
        # The peer draws worlds without a seed; by ten in Leduc poker it may be worse than uniform.
        assert theirs < uniform or (budget, flags[0]) == (10, "--game=leduc_poker")
        # The networks are good, and the search must not spoil what they know.
        assert ours < 1.5 * p_alone < 0.05


@pytest.mark.parametrize("name", [helpers.KUHN, helpers.LEDUC])
def test_one_bot_plays_both_seats_as_theirs_does(name: str) -> None:
    game = helpers.load(name)
    theirs = pyspiel.ISMCTSBot(1, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, 10)
    for bot in (theirs, make_bot("nash_ismcts", game, visits=10, seed=1)):
        for seed in range(3):
            returns = pyspiel.evaluate_bots(game.new_initial_state(), [bot, bot], seed)
            assert sum(returns) == 0.0
        assert bot.provides_policy()
        for history in (OTHERS_MOVE[:2], OTHERS_MOVE):
            state = helpers.state_after(game, history)
            bot.restart_at(state)
            policy, action = bot.step_with_policy(state)
            assert action in state.legal_actions()
            assert sum(probability for _, probability in policy) == pytest.approx(1.0)
            assert sorted(action for action, _ in policy) == state.legal_actions()


def test_a_bot_of_both_seats_tells_neither_what_the_other_holds() -> None:
    game = helpers.load(helpers.LEDUC)
    evaluator = ExactEvaluator(game, UniformRandomPolicy(game))
    answers = []
    for own in (0, 2, 4):  # the card of player 0, of which player 1 sees nothing
        bot = make_bot("nash_ismcts", game, evaluator=evaluator, visits=50)
        bot.search(helpers.state_after(game, [own, 1]))
        reply = bot.search(helpers.state_after(game, [own, 1, 1]), rng=np.random.default_rng(5))
        answers.append((reply.policy, reply.visits, reply.simulations))
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("restarts", [False, True])
def test_nor_do_worlds_that_grew_for_the_other(restarts: bool) -> None:
    game = pyspiel.load_game("leduc_poker(players=3)")  # not enumerated, values by rollouts
    answers = []
    for own in (0, 3, 6):  # the card of player 0, of which player 1 sees nothing
        bot = make_bot("nash_ismcts", game, visits=50)
        bot.search(helpers.state_after(game, [own, 1, 2]))
        state = helpers.state_after(game, [own, 1, 2, 1])
        if restarts:
            bot.restart_at(state)
        reply = bot.search(state, rng=np.random.default_rng(5))
        answers.append((reply.policy, reply.visits, reply.simulations))
    assert answers[0] == answers[1] == answers[2]


def test_a_bot_without_a_seat_asks_whom_it_moves_for() -> None:
    bot = make_bot("nash_ismcts", "matrix_rps", visits=10)
    assert bot.player_id is None
    state = pyspiel.load_game("matrix_rps").new_initial_state()
    with pytest.raises(ValueError, match="which player_id"):
        bot.step(state)
    assert [len(bot.get_policy(state, player)) for player in (0, 1)] == [3, 3]
    with pytest.raises(ValueError, match="smooth_uct needs a player_id"):
        make_bot("smooth_uct", "kuhn_poker")


def test_the_script_searches_each_information_state_once() -> None:
    game = helpers.load(helpers.KUHN)
    asked = []
    bot = make_bot("nash_ismcts", game, visits=10)
    get_policy = bot.get_policy
    bot.get_policy = lambda state: asked.append(str(state)) or get_policy(state)  # type: ignore
    tabular = is_mcts_exploitability.policy.TabularPolicy(game)
    is_mcts_exploitability.construct_is_mcts_policy(
        game, game.new_initial_state(), tabular, bot, {}
    )
    assert len(asked) == 12
