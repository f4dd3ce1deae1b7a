"""What the search is compared with: methods that improve step by step, and their policies."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from typing import Any

import helpers
import numpy as np
import pytest

from nash_ismcts_spiel.baselines import METHODS, make_method, register_method, trace, trace_at
from nash_ismcts_spiel.baselines.deep import DeepCfr, Nfsp
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.native import exact

Enumerated = Callable[[str], GameGraph]

SMALL_DEEP_CFR = {
    "policy_network_layers": (16,),
    "advantage_network_layers": (16,),
    "num_traversals": 40,
    "batch_size_advantage": 32,
    "batch_size_strategy": 32,
    "memory_capacity": 2000,
    "policy_network_train_steps": 40,
    "advantage_network_train_steps": 40,
}
SMALL_NFSP = {
    "hidden_layers_sizes": [16],
    "replay_buffer_capacity": 2000,
    "reservoir_buffer_capacity": 2000,
}
NFSP = functools.partial(Nfsp, games_per_step=20)


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


def test_a_method_of_ones_own_is_made_by_name(
    enumerated: Enumerated, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = enumerated(helpers.KUHN)
    monkeypatch.setitem(METHODS, "steady", METHODS["cfr"])  # so that it is taken away again
    del METHODS["steady"]
    register_method("steady", lambda graph, seed: Steady(graph))
    assert isinstance(make_method("steady", graph, 0), Steady)
    with pytest.raises(ValueError, match="registered as 'steady' already"):
        register_method("steady", METHODS["cfr"])


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


@pytest.mark.parametrize(("maker", "config"), [(DeepCfr, SMALL_DEEP_CFR), (NFSP, SMALL_NFSP)])
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
        assert not np.array_equal(before, found[-1]) or maker is NFSP  # NFSP fills buffers first
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
