"""Models whose P and beliefs come from random rollouts: their rows, and how searches use them."""

from __future__ import annotations

import re
from typing import Any

import helpers
import numpy as np
import pytest
from test_native_search import POSITIONS, compare_grown

from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.config import ROLLOUT_RADIUS
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models import ExactEvaluator, Models, RolloutPolicyEvaluator
from nash_ismcts_spiel.models.sources import compiled_only
from nash_ismcts_spiel.native import _core

TEMPERATURE = 0.2


def set_after(graph: GameGraph, history: list[int]) -> int:
    """The information set of the player to move."""
    return int(graph.worlds.information_set[graph.follow(history)])


def evaluator_of(**changes: Any) -> RolloutPolicyEvaluator:
    return RolloutPolicyEvaluator(**{"rollouts": 32, "temperature": TEMPERATURE, **changes})


@pytest.mark.parametrize("name", ["kuhn_poker", "phantom_ttt", "leduc_poker"])
def test_p_is_a_softmax_of_child_values_and_v_their_mean(name: str) -> None:
    graph = GameGraph(name)
    history = {"kuhn_poker": [0, 1], "phantom_ttt": [4], "leduc_poker": [0, 3]}[name]
    (row,) = evaluator_of().information_set_rows(graph, [set_after(graph, history)])
    values = np.array(row.child_values)
    weights = np.exp(values / (TEMPERATURE * graph.game.value_scale()))
    assert row.policy == pytest.approx(weights / weights.sum())
    assert row.value == pytest.approx(float(np.dot(row.policy, values)))


def test_random_games_tell_the_best_opening() -> None:
    graph = GameGraph("phantom_ttt")
    evaluator = RolloutPolicyEvaluator(rollouts=256)
    policy = evaluator.policy_row(graph, set_after(graph, []))
    assert int(np.argmax(policy)) == 4
    assert policy[4] > 2 * max(policy[:4] + policy[5:])


def test_hidden_moves_are_as_likely_as_their_players_make_them() -> None:
    graph = GameGraph("phantom_ttt")
    evaluator = evaluator_of()
    node = ~graph.hidden(set_after(graph, [4]))
    first = np.array(evaluator.policy_row(graph, set_after(graph, [])))
    (row,) = evaluator.sample_rows(graph, [node])
    assert row.beliefs == pytest.approx(0.98 * first + 0.02 / 9)
    assert Models(graph, evaluator).sample(node).beliefs == pytest.approx(row.beliefs)
    assert max(row.beliefs) > 2 * min(row.beliefs)


def test_beliefs_are_over_moves_after_which_a_world_is_left() -> None:
    """Player 1 tried the centre in vain and then moved; player 0 has seen neither."""
    graph = GameGraph("phantom_ttt")
    evaluator = evaluator_of()
    where = set_after(graph, [4, 4, 0])  # 0 is player 1's stone, and player 0 is to move
    assert graph.information_sets.player[where] == 0
    target = graph.hidden(where)
    while target < 0:
        (row,) = evaluator.sample_rows(graph, [~target])
        assert sum(row.beliefs) == pytest.approx(1.0)
        branch = int(np.argmax(row.beliefs))
        assert row.beliefs[branch] > 0.0
        target = graph.branch(~target, branch)
    assert graph.worlds.information_set[target] == where


def test_chance_is_as_the_game_has_it() -> None:
    graph = GameGraph("kuhn_poker")
    node = ~graph.hidden(set_after(graph, [0, 1]))
    evaluator = evaluator_of()
    assert evaluator.beliefs(graph, node) == graph.prior_weights(node)


def test_rows_are_functions_of_the_seed_and_of_what_is_known() -> None:
    """Whatever was asked before, and in whichever graph."""
    evaluator, again, other = evaluator_of(), evaluator_of(), evaluator_of(seed=1)
    graph = GameGraph("phantom_ttt")
    sets = [set_after(graph, history) for history in ([4], [4, 0], [])]
    rows = evaluator.information_set_rows(graph, sets)
    worlds = len(graph.worlds)
    for each in (evaluator, again):
        new = GameGraph("phantom_ttt")
        found = [
            each.information_set_rows(new, [set_after(new, history)])[0]
            for history in ([], [0, 4], [4])  # [0, 4] is another world of no set above
        ]
        assert (found[0], found[2]) == (rows[2], rows[0])
    assert other.information_set_rows(graph, sets) != rows
    assert len(graph.worlds) == worlds  # random games leave the graph of a search as it is


def test_by_observation_one_row_stands_for_all_orders() -> None:
    histories = [0, 8, 4, 7], [4, 8, 0, 7]
    for together in (False, True):
        evaluator = evaluator_of(by_observation=together)
        rows = []
        for history in histories:
            graph = GameGraph("phantom_ttt")
            rows += evaluator.information_set_rows(graph, [set_after(graph, list(history))])
        assert (rows[0] == rows[1]) == together


@pytest.mark.parametrize("name", POSITIONS)
def test_engines_agree(name: str) -> None:
    evaluator = evaluator_of(rollouts=4)
    for preset in ("nash_ismcts", "nash_ismcts_play"):
        config = SearchConfig.preset(preset, visits=25)
        compare_grown(name, POSITIONS[name], config, 1, evaluator)


def test_a_search_depends_on_what_its_player_knows_alone() -> None:
    """Player 0 cannot tell where player 1 has put its stone."""
    game = helpers.load(helpers.PHANTOM_TTT)
    found = []
    for hidden in (0, 2, 7):
        bot = NashIsmctsBot(game, 0, evaluator_of(), SearchConfig(visits=60), seed=3)
        found.append(bot.get_policy(helpers.state_after(game, [4, hidden])))
    assert found[0] == found[1] == found[2]


def test_the_play_preset_has_the_radius_of_rollouts_with_them() -> None:
    game = helpers.load(helpers.KUHN)
    graph = GameGraph.enumerate(game)
    exact = ExactEvaluator(graph, helpers.uniform_table(graph))
    config = SearchConfig.preset("nash_ismcts_play")
    assert NashIsmctsBot(game, 0, evaluator_of(), config).config.radius == ROLLOUT_RADIUS
    assert NashIsmctsBot(game, 0, exact, config).config.radius == 0.4
    assert compiled_only(evaluator_of()) is not None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rollouts": 0}, "rollouts must be at least 1, not 0"),
        ({"temperature": 0.0}, "temperature must be positive, not 0.0"),
        ({"temperature": float("nan")}, "temperature must be positive, not nan"),
        ({"game": "negotiation"}, "negotiation"),
    ],
)
def test_wrong_settings_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=re.escape(message)):
        evaluator_of(**changes)


@pytest.mark.parametrize("by_observation", [False, True])
def test_boards_that_look_alike_are_played_out_once(by_observation: bool) -> None:
    """What is found on a board is found on its images; without turning these have other games."""
    quarter = [2, 5, 8, 1, 4, 7, 0, 3, 6]
    history = [0, 3, 4, 1]
    image = [quarter[event] for event in history]
    for turned in (True, False):
        evaluator = evaluator_of(turned=turned, by_observation=by_observation)
        found = []
        for played in (image, history):
            graph = GameGraph("phantom_ttt")
            where = set_after(graph, played)
            (row,) = evaluator.information_set_rows(graph, [where])
            values = np.zeros(9)
            values[graph.legal_actions(where)] = row.child_values
            found.append((values, row.value))
        (there, value), (here, same) = found
        assert (there[quarter] == here).all() == turned
        assert (value == pytest.approx(same)) is turned


def test_a_game_without_symmetries_is_not_turned() -> None:
    graph = GameGraph("kuhn_poker")
    where = set_after(graph, [0, 1])
    plain, turned = (
        evaluator_of(turned=turned).policy_row(graph, where) for turned in (False, True)
    )
    assert plain == turned


@pytest.mark.parametrize("wrong", [[0, 0], [0, 2], [-1, 0]])
def test_what_is_no_symmetry_is_refused(wrong: list[int]) -> None:
    with pytest.raises(ValueError, match="permutation of actions"):
        _core.rollout_policy_rows(1, 1.0, False, [wrong], 0)


@pytest.mark.parametrize("by_observation", [False, True])
def test_rows_of_turned_boards_do_not_depend_on_what_is_hidden(by_observation: bool) -> None:
    """Player 1's stone is elsewhere, and player 0 has seen nothing of it."""
    rows = []
    for hidden in (0, 2, 7):
        evaluator = evaluator_of(turned=True, by_observation=by_observation)
        graph = GameGraph("phantom_ttt")
        rows += evaluator.information_set_rows(graph, [set_after(graph, [5, hidden])])
    assert rows[0] == rows[1] == rows[2]
