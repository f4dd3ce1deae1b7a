"""Worlds that are drawn for an information set: always worlds of it, in the right proportions.

Pieces by the prior: where worlds can be listed, the probability of one is the product of the prior
weights on its way, chance by the game's probabilities and others' moves alike. A chi-square test
compares, and a planted bias must fail it.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest
from scipy import stats

from benchmarks.positions import early_middle_late
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import _core

DRAWS = 3_000
POSITIONS = {
    "leduc_poker": [0, 3],
    "liars_dice(numdice=1,dice_sides=4)": [0, 3, 2],
    "kuhn_poker(players=3)": [1, 2, 0, 1],
    "dark_hex(board_size=2)": [0, 1],
}


def probabilities(graph: GameGraph, information_set: int) -> dict[int, float]:
    """Of each world, by the prior weights of the SAMPLE nodes on the way."""
    found: dict[int, float] = {}
    pending = [(graph.hidden(information_set), 1.0)]
    while pending:
        target, probability = pending.pop()
        if target >= 0:
            found[target] = probability
            continue
        for branch, weight in enumerate(graph.prior_weights(~target)):
            if weight > 0.0:
                pending.append((graph.branch(~target, branch), probability * weight))
    return found


def p_value(drawn: Counter[int], expected: dict[int, float], draws: int) -> float:
    worlds = sorted(expected)
    counts = [drawn[world] for world in worlds]
    return float(stats.chisquare(counts, [expected[world] * draws for world in worlds]).pvalue)


@pytest.mark.parametrize("name", POSITIONS)
def test_drawn_worlds_have_the_right_distribution(name: str) -> None:
    game = helpers.load(name)
    state = helpers.state_after(game, POSITIONS[name])
    graph = GameGraph(game)
    information_set = graph.observe(state, state.current_player())
    expected = probabilities(graph, information_set)
    assert len(expected) > 1
    assert math.isclose(sum(expected.values()), 1.0)
    drawn = Counter(_core.draw_world(graph, information_set, seed) for seed in range(DRAWS))
    assert set(drawn) <= set(expected)
    assert p_value(drawn, expected, DRAWS) > 1e-3
    # One draw in five of one world taken for another is noticed.
    worlds = sorted(expected)
    moved = drawn[worlds[1]] // 5
    biased = Counter(drawn)
    biased[worlds[0]] += moved
    biased[worlds[1]] -= moved
    assert p_value(biased, expected, DRAWS) < 1e-3


def walked(graph: GameGraph, information_set: int, steps: int) -> list[int]:
    walk = _core.Walk(3)
    return [walk.next(graph, information_set) for _ in range(steps)]


def test_a_walk_gets_to_cards_that_were_not_dealt() -> None:
    """The other player's card in Leduc poker is the only hidden event, with nothing to exchange."""
    game = pyspiel.load_game("leduc_poker")
    graph = GameGraph(game)
    information_set = graph.observe(helpers.state_after(game, [0, 3]), 0)
    expected = probabilities(graph, information_set)
    drawn = Counter(walked(graph, information_set, 8 * DRAWS)[::8])
    assert set(drawn) == set(expected)
    assert len(expected) == 5
    assert p_value(drawn, expected, DRAWS) > 1e-3


@pytest.mark.parametrize(("name", "least"), [("gin_rummy", 30), ("oh_hell", 60), ("hearts", 80)])
def test_a_walk_changes_hands(name: str, least: int) -> None:
    game = pyspiel.load_game(name)
    state = early_middle_late(game, seed=3)[1]
    graph = GameGraph(game)
    information_set = graph.observe(state, state.current_player())
    worlds = walked(graph, information_set, 100)
    assert len({str(graph.state(world)) for world in worlds}) >= least


def test_pools_begin_with_the_worlds_of_facts() -> None:
    game = pyspiel.load_game("cribbage")
    state = early_middle_late(game, seed=3)[1]
    graph = GameGraph(game)
    information_set = graph.observe(state, state.current_player())
    offered = graph.offered(information_set)
    assert len(offered) == 8
    assert all(graph.worlds.information_set[world] == information_set for world in offered)
    pools = _core.Pools()
    for _ in range(8):
        pool = pools.next(graph, information_set)
    assert pool == offered


@pytest.mark.parametrize(
    "name", ["phantom_ttt", "dark_hex(board_size=4)", "euchre", "hearts", "universal_poker"]
)
def test_drawn_worlds_are_worlds_of_the_information_set(name: str) -> None:
    game, rng = pyspiel.load_game(name), np.random.default_rng(2)
    states = list(helpers.decisions(game, rng))
    state = states[len(states) // 3]
    player = state.current_player()
    graph = GameGraph(game)
    information_set = graph.observe(state, player)
    key = graph.key(information_set)
    different = set()
    for seed in range(12):
        world = _core.draw_world(graph, information_set, seed)
        assert graph.worlds.information_set[world] == information_set
        assert graph.key_at(graph.state(world), player) == key
        different.add(tuple(graph.history(world)))
    assert len(different) > 1


def test_a_world_that_is_not_found_says_what_was_tried() -> None:
    graph = GameGraph("leduc_poker")
    view = graph.of_log(0, [(-1, "nothing that is ever shown")])
    with pytest.raises(ValueError, match="bounded effort"):
        graph.find_view(0, view)


@pytest.mark.parametrize("search", ["forest", "notes"])
@pytest.mark.parametrize(
    "name", ["leduc_poker", "phantom_ttt", "universal_poker", "python_kuhn_poker"]
)
def test_python_states_give_the_same_policies(name: str, search: Any) -> None:
    import open_spiel.python.games  # noqa: F401  (registers python_kuhn_poker)

    game = pyspiel.load_game(name)
    state = list(helpers.decisions(game, np.random.default_rng(1)))[-1]
    config, policies = SearchConfig(visits=25, search=search), []
    for _ in range(2):
        bot = NashIsmctsBot(game, state.current_player(), config=config, seed=4)
        policies.append(bot.get_policy(state))
        with helpers.python_states_only():
            bot = NashIsmctsBot(game, state.current_player(), config=config, seed=4)
            policies.append(bot.get_policy(state))
    assert all(policy == policies[0] for policy in policies)


def test_a_python_game_plays_alike_through_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    import open_spiel.python.games  # noqa: F401

    game = pyspiel.load_game("python_kuhn_poker")
    state = helpers.state_after(game, [0, 1])
    policies = []
    for states in ("python", "openspiel"):
        monkeypatch.setenv("NASH_ISMCTS_STATES", states)
        bot = NashIsmctsBot(game, 0, config=SearchConfig(visits=50), seed=4)
        policies.append(bot.get_policy(state))
    assert policies[0] == policies[1]
