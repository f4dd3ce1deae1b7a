"""Smooth UCT and online outcome sampling: two engines, known curves, bots, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest

from nash_ismcts_spiel import make_bot
from nash_ismcts_spiel.baselines.oos import OosConfig, OosMemory, Target
from nash_ismcts_spiel.baselines.smooth_uct import SmoothUctConfig, SmoothUctTrees
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.native import _core, exact

Enumerated = Callable[[str], GameGraph]


# Methods that learn from sampled games.


def exploitability_after(method: Any, graph: GameGraph, episodes: list[int]) -> list[float]:
    rng, found = np.random.default_rng(0), []
    for total in episodes:
        method.run(total - method.iterations, rng)
        found.append(exact.exploitability(graph, policy_table(graph, method.average_policy())))
    return found


@pytest.mark.parametrize("name", [helpers.KUHN, helpers.LIARS_3, helpers.GOOFSPIEL_3])
@pytest.mark.parametrize("method", ["smooth_uct", "oos"])
def test_both_engines_learn_the_same(name: str, method: str, enumerated: Enumerated) -> None:
    graph, grown = enumerated(name), GameGraph(name)
    native: Any
    python: Any
    if method == "oos":
        native = _core.OutcomeSampling(exact.compiled(graph), 0.4)
        python = OosMemory(grown, OosConfig(exploration=0.4))
    else:
        native = _core.SmoothUct(exact.compiled(graph), 1.5, 0.9, 0.1, 0.01)
        python = SmoothUctTrees(grown, SmoothUctConfig(exploration=1.5, decay=0.01))
    native.run(500, np.random.default_rng(8))
    rng = np.random.default_rng(8)
    for _ in range(500):
        python.play(rng)
    policy, compared = native.average_policy(), 0
    for information_set in range(len(grown.information_sets)):
        weights = python.weights(information_set)
        if sum(weights) == 0:
            continue
        same = graph.find(grown.key(information_set))
        first = graph.information_sets.first_action[same]
        found = policy[first : first + len(weights)]
        assert found == pytest.approx(np.array(weights) / sum(weights), abs=1e-9)
        compared += 1
    assert compared > 5


def test_smooth_uct_approaches_equilibrium_where_uct_does_not(enumerated: Enumerated) -> None:
    # As Heinrich and Silver (2015) found in Kuhn and Leduc poker.
    kuhn = enumerated(helpers.KUHN)
    graph, largest = exact.compiled(kuhn), 2.0
    smooth = exploitability_after(
        _core.SmoothUct(graph, largest, 0.9, 0.1, 0.001), kuhn, [1000, 100_000, 1_000_000]
    )
    plain = exploitability_after(
        _core.SmoothUct(graph, largest, 1.0, 1.0, 0.0), kuhn, [1000, 100_000, 1_000_000]
    )
    assert smooth[0] > smooth[1] > smooth[2]
    assert smooth[2] < 0.005
    assert plain[2] > 3 * smooth[2]


def test_outcome_sampling_approaches_equilibrium(enumerated: Enumerated) -> None:
    for name, bound in ((helpers.KUHN, 0.005), (helpers.GOOFSPIEL_3, 0.01)):
        graph = enumerated(name)
        method = _core.OutcomeSampling(exact.compiled(graph), 0.4)
        found = exploitability_after(method, graph, [100, 10_000, 1_000_000])
        assert found[0] > found[1] > found[2]
        assert found[2] < bound


@pytest.mark.slow
def test_curves_of_larger_games_fall(enumerated: Enumerated) -> None:
    leduc = enumerated(helpers.LEDUC)
    graph = exact.compiled(leduc)
    episodes = [100_000, 1_000_000, 10_000_000]
    smooth = _core.SmoothUct(graph, 13.0, 0.9, 0.1, 0.01)
    plain = _core.SmoothUct(graph, 13.0, 1.0, 1.0, 0.0)
    assert exploitability_after(smooth, leduc, episodes)[-1] < 0.1
    rising = exploitability_after(plain, leduc, episodes)
    assert rising[-1] > rising[-2]
    dice = enumerated("liars_dice(numdice=1,dice_sides=6)")
    method = _core.OutcomeSampling(exact.compiled(dice), 0.4)
    falling = exploitability_after(method, dice, [100_000, 1_000_000, 10_000_000])
    assert falling[0] > falling[1] > falling[2]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda graph: _core.SmoothUct(graph, -1.0, 0.9, 0.1, 0.0), "exploration must not be"),
        (lambda graph: _core.SmoothUct(graph, 1.0, 1.1, 0.1, 0.0), "eta must be from"),
        (lambda graph: _core.SmoothUct(graph, 1.0, 0.9, float("nan"), 0.0), "gamma must be from"),
        (lambda graph: _core.SmoothUct(graph, 1.0, 0.9, 0.1, -1.0), "decay must not be"),
        (lambda graph: _core.OutcomeSampling(graph, 0.0), "exploration must be positive"),
        (lambda graph: _core.OutcomeSampling(graph, 2.0), "exploration must be from"),
        (lambda graph: _core.OutcomeSampling(graph, 0.4).run(-1, None), "episodes must not be"),
        (lambda graph: SmoothUctConfig(gamma=2.0), "eta and gamma must be from 0 to 1"),
        (lambda graph: OosConfig(targeting=1.0), "targeting from 0 to below 1"),
    ],
)
def test_settings_out_of_range_are_named(
    make: Callable[[Any], object], words: str, enumerated: Enumerated
) -> None:
    with pytest.raises(ValueError, match=words):
        make(exact.compiled(enumerated(helpers.KUHN)))


def test_what_is_no_graph_or_generator_is_refused(enumerated: Enumerated) -> None:
    graph: Any = None
    with pytest.raises(TypeError):
        _core.OutcomeSampling(graph, 0.4)
    method = _core.SmoothUct(exact.compiled(enumerated(helpers.KUHN)), 1.0, 0.9, 0.1, 0.0)
    with pytest.raises(AttributeError):
        method.run(1, graph)


# The same as bots.


@pytest.mark.parametrize("bot", ["smooth_uct", "oos"])
@pytest.mark.parametrize(
    "name", [helpers.LEDUC, helpers.LIARS_3, helpers.GOOFSPIEL_3, helpers.PHANTOM_TTT]
)
def test_bots_play_and_report_what_they_draw_from(bot: str, name: str) -> None:
    game = helpers.load(name)
    bots = [make_bot(bot, game, p, seed=p, simulations=30) for p in range(2)]
    assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, 1)) == pytest.approx(0.0)
    state = list(helpers.decisions(game, np.random.default_rng(0)))[1]
    policies = [make_bot(bot, game, 0, seed=3, simulations=40).get_policy(state) for _ in range(2)]
    assert policies[0] == policies[1]
    assert [action for action, _ in policies[0]] == state.legal_actions()
    assert sum(share for _, share in policies[0]) == pytest.approx(1.0)


@pytest.mark.parametrize("bot", ["smooth_uct", "oos"])
def test_bots_do_not_look_at_what_is_hidden(bot: str) -> None:
    game = helpers.load(helpers.LIARS_3)
    for first, second in helpers.world_pairs(game, 5, seed=2):
        player = first.current_player()
        found = [
            make_bot(bot, game, player, seed=1, simulations=30).get_policy(state)
            for state in (first, second)
        ]
        assert found[0] == found[1]


def test_targeting_learns_what_is_to_be_played() -> None:
    # Player 1 has a king and faces a bet: calling wins. Few games come there untargeted.
    state = helpers.state_after(helpers.load(helpers.KUHN), [0, 2, 1])
    found = {}
    for targeting in (0.0, 0.9):
        policies = [
            make_bot(
                "oos", helpers.KUHN, 1, seed=s, simulations=150, targeting=targeting
            ).get_policy(state)[1][1]
            for s in range(20)
        ]
        found[targeting] = np.mean(policies)
    assert found[0.9] > 0.9
    assert found[0.9] > found[0.0]


@pytest.mark.parametrize("name", [helpers.LEDUC, helpers.PHANTOM_TTT, "dark_hex"])
def test_a_target_leads_to_its_information_set(name: str) -> None:
    """Also where pieces that were offered turn out to be dead on the way."""
    game, rng = helpers.load(name), np.random.default_rng(8)
    graph = GameGraph(game)
    for state in helpers.decisions(game, rng):
        information_set = graph.observe(state, state.current_player())
        target = Target(graph, information_set)
        for _ in range(30):
            world = 0
            while (edges := target.open_edges(world)) is not None:
                assert edges
                edge = int(rng.choice(edges))
                if target.take(world, edge):
                    world = graph.child(world, edge)
            assert graph.worlds.information_set[world] == information_set
    if name in (helpers.PHANTOM_TTT, "dark_hex"):
        assert len(graph.buried) > 0


@pytest.mark.parametrize("name", [helpers.PHANTOM_TTT, "dark_hex"])
def test_targeted_games_go_on_where_pieces_are_dead(name: str) -> None:
    game, rng = helpers.load(name), np.random.default_rng(3)
    graph = GameGraph(game)
    memory = OosMemory(graph, OosConfig(targeting=0.9))
    state = list(helpers.decisions(game, rng))[4]
    information_set = graph.observe(state, state.current_player())
    for _ in range(300):
        memory.learn(information_set, rng)
    assert len(graph.buried) > 0
    # Most games are targeted, and half of them teach the averages of the player who is to move.
    assert sum(memory.weights(information_set)) > 0.0
    assert all(np.isfinite(sums).all() for sums in memory.policy_sums.values())


def test_targeting_does_not_bend_the_average_policy(enumerated: Enumerated) -> None:
    graph = GameGraph(helpers.KUHN)
    state = helpers.state_after(helpers.load(helpers.KUHN), [0, 1])
    target = Target(graph, graph.observe(state, 0))
    memory = OosMemory(graph, OosConfig(exploration=0.6, targeting=0.5))
    rng = np.random.default_rng(4)
    for _ in range(60_000):
        memory.play(rng, target)
    whole = enumerated(helpers.KUHN)
    table = np.full(len(whole.information_sets.action), 0.5)
    for information_set, sums in memory.policy_sums.items():
        same = whole.find(graph.key(information_set))
        first = whole.information_sets.first_action[same]
        table[first : first + 2] = np.array(sums) / sum(sums)
    assert exact.exploitability(whole, table) < 0.03  # an equilibrium of the whole game
