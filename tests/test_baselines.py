"""What the search is compared with: methods that improve step by step, and their policies."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest

from benchmarks import learned_against_peers
from nash_ismcts_spiel import make_bot
from nash_ismcts_spiel.baselines import METHODS, make_method, trace, trace_at
from nash_ismcts_spiel.baselines.deep import DeepCfr, DeepCfrConfig, Nfsp, NfspConfig
from nash_ismcts_spiel.baselines.oos import OosConfig, OosMemory, Target
from nash_ismcts_spiel.baselines.smooth_uct import SmoothUctConfig, SmoothUctTrees
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.native import _core, exact

Enumerated = Callable[[str], GameGraph]

SMALL_DEEP_CFR = DeepCfrConfig(
    traversals=40, width=16, batch=32, advantage_steps=40, policy_steps=40, memory=2000
)
SMALL_NFSP = NfspConfig(width=16, replay=2000, reservoir=2000, games_per_step=20)


class Steady:
    """A method without progress whose steps take no time worth mentioning."""

    def __init__(self, graph: GameGraph) -> None:
        self._policy = np.concatenate(
            [np.full(count, 1 / count) for count in graph.information_sets.action_count]
        )
        self.steps = 0

    def step(self) -> None:
        self.steps += 1
        sum(range(10_000))

    def policy(self) -> Any:
        return self._policy


# Measuring over time.


def test_methods_are_measured_at_the_times_asked_for(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    method, seen = Steady(graph), []
    points = trace_at(method, graph, [0.01, 0.02, 0.02], seen.append)
    assert points == seen
    assert points[0].cpu_seconds >= 0.01 and points[1].cpu_seconds >= 0.02
    assert points[0].steps < points[1].steps == points[2].steps == method.steps
    assert [point.exploitability for point in points] == pytest.approx([11 / 24] * 3)  # uniform


def test_a_trace_ends_when_a_policy_is_good_enough(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    assert len(trace(Steady(graph), graph, 10.0, enough=0.5)) == 1


def test_unknown_methods_are_named(enumerated: Enumerated) -> None:
    with pytest.raises(ValueError, match="unknown method 'magic'; there are nash_ismcts"):
        make_method("magic", enumerated(helpers.KUHN), 0)


# Methods that learn from sampled games.


def exploitability_after(method: Any, graph: GameGraph, episodes: list[int]) -> list[float]:
    rng, found = np.random.default_rng(0), []
    for total in episodes:
        method.run(total - method.episodes, rng)
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
    # Heinrich and Silver 2015, figures 1 and 2, in Kuhn and Leduc poker.
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
            make_bot("oos", helpers.KUHN, 1, seed=s, simulations=150, targeting=targeting)
            .get_policy(state)[1][1]
            for s in range(20)
        ]
        found[targeting] = np.mean(policies)
    assert found[0.9] > 0.9
    assert found[0.9] > found[0.0]


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


# Further methods of OpenSpiel.


@pytest.mark.parametrize(("name", "bound"), [("linear_cfr", 0.01), ("discounted_cfr", 0.01)])
def test_weighted_cfr_solves_kuhn_poker(name: str, bound: float, enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    method = make_method(name, graph, 0)
    for _ in range(100):
        method.step()
    assert exact.exploitability(graph, method.policy()) < bound
    if name == "linear_cfr":
        ours = exact.CfrSolver(graph, "linear_cfr")
        ours.run(100)
        assert method.policy() == pytest.approx(ours.average_policy(), abs=1e-9)


@pytest.mark.parametrize("name", [helpers.KUHN, helpers.LIARS_2])
def test_ismcts_at_every_information_set(name: str, enumerated: Enumerated) -> None:
    graph = enumerated(name)
    method = make_method("ismcts", graph, 0)
    uniform = exact.exploitability(graph, method.policy())
    for _ in range(3 * len(graph.information_sets)):
        method.step()
    assert exact.exploitability(graph, policy_table(graph, method.policy())) < uniform


# Learners of OpenSpiel.


@pytest.mark.parametrize(("maker", "config"), [(DeepCfr, SMALL_DEEP_CFR), (Nfsp, SMALL_NFSP)])
def test_learners_hand_out_tables_that_depend_on_the_seed_alone(
    maker: Any, config: Any, enumerated: Enumerated
) -> None:
    graph, found = enumerated(helpers.KUHN), []
    for seed in (1, 1, 2):
        method = maker(graph, seed, config)
        before = policy_table(graph, method.policy())
        for _ in range(2):
            method.step()
        found.append(policy_table(graph, method.policy()))  # refuses what is no distribution
        assert not np.array_equal(before, found[-1]) or maker is Nfsp  # NFSP fills buffers first
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


def test_deep_cfr_learns_kuhn_poker(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    method = DeepCfr(graph, 0, SMALL_DEEP_CFR)
    for _ in range(16):
        method.step()
    assert exact.exploitability(graph, method.policy()) < 0.25  # uniform: 0.458


def test_deep_cfr_answers_as_openspiel_reads_its_network(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    method = DeepCfr(graph, 0, SMALL_DEEP_CFR)
    method.step()
    method.step()
    state = helpers.state_after(graph.game.pyspiel_game, [0, 1, 1])
    answer = method._solver.action_probabilities(state)
    information_set = graph.observe(state, 1)
    first = graph.information_sets.first_action[information_set]
    expected = [answer[action] for action in graph.legal_actions(information_set)]
    assert method.policy()[first : first + 2] == pytest.approx(expected, abs=1e-6)


def test_learners_say_what_they_lack(
    enumerated: Enumerated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="nfsp needs dm-tree, which the extra `peers` installs"):
        METHODS["nfsp"](enumerated(helpers.KUHN), 0)


def test_learners_are_measured_at_the_same_times(capsys: pytest.CaptureFixture[str]) -> None:
    assert learned_against_peers.times_up_to(100.0) == [15.0, 30.0, 60.0, 90.0, 100.0]
    assert learned_against_peers.times_up_to(0.1) == [0.1]
    found = {
        "times": [30.0, 60.0, 90.0],
        "median": {"nash_ismcts": [0.1] * 3, "deep_cfr": [0.3] * 3, "nfsp": [0.2] * 3},
        "ours_below_both_at": [60.0],
    }
    learned_against_peers.print_game(helpers.KUHN, found, 1)
    assert "ours is below both at: 60; not at: 90" in capsys.readouterr().out
