"""The root's step towards the quantal response, and training on such steps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.models import Models, RolloutEvaluator
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.schedule import Schedule
from nash_ismcts_spiel.search.engine import ReferenceEngine
from nash_ismcts_spiel.search.interval import Interval, point
from nash_ismcts_spiel.search.root_policy import GIVEN_UP, quantal_step

PRIOR = [0.5, 0.3, 0.2]
Q = [1.0, 0.0, -2.0]


def normalised(weights: list[float]) -> list[float]:
    return [weight / sum(weights) for weight in weights]


def test_a_whole_step_is_the_quantal_response_whatever_the_prior() -> None:
    wanted = normalised([math.exp(q / 0.5) for q in Q])
    for prior in (PRIOR, [0.0, 0.0, 1.0]):
        assert quantal_step(prior, [point(q) for q in Q], 0.5, 1.0) == pytest.approx(wanted)


def test_a_part_of_a_step_is_magnetic_mirror_descent() -> None:
    """Of step size eta with a uniform magnet of strength alpha: d = alpha eta / (1 + alpha eta) at
    the temperature alpha.
    """
    eta, alpha = 2.0, 0.5
    wanted = normalised(
        [(p * math.exp(eta * q)) ** (1 / (1 + alpha * eta)) for p, q in zip(PRIOR, Q, strict=True)]
    )
    share = alpha * eta / (1 + alpha * eta)
    assert quantal_step(PRIOR, [point(q) for q in Q], alpha, share) == pytest.approx(wanted)


def test_repeated_steps_end_at_the_quantal_response() -> None:
    policy = PRIOR
    for _ in range(200):
        policy = quantal_step(policy, [point(q) for q in Q], 0.5, 0.2)
    assert policy == pytest.approx(normalised([math.exp(q / 0.5) for q in Q]), abs=1e-9)


def test_middles_of_intervals_count_and_large_values_do_not_overflow() -> None:
    wide = [Interval(0.0, 2.0), Interval(-3.0, 3.0), Interval(-2.5, -1.5)]
    assert quantal_step(PRIOR, wide, 0.5, 0.4) == quantal_step(
        PRIOR, [point(q) for q in Q], 0.5, 0.4
    )
    assert quantal_step(PRIOR, [point(1e6 * q) for q in Q], 0.01, 1.0) == [1.0, 0.0, 0.0]


def test_an_action_that_was_given_up_may_come_back() -> None:
    found = quantal_step([1.0, 0.0], [point(0.0), point(1.0)], 0.1, 0.5)
    weights = [1.0, math.sqrt(GIVEN_UP) * math.exp(5.0)]
    assert found == pytest.approx(normalised(weights))


@pytest.mark.parametrize(
    ("name", "value"), [("temperature", 0.0), ("quantal_share", 0.0), ("quantal_share", 1.5)]
)
def test_impossible_steps_are_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        SearchConfig.from_dict({name: value})


@pytest.mark.parametrize("engine", [NativeEngine, ReferenceEngine])
def test_a_search_steps_by_what_it_has_found(
    engine: type[NativeEngine] | type[ReferenceEngine],
) -> None:
    config = SearchConfig(
        visits=30,
        dispersion_radius=0.1,
        root_rule="quantal_step",
        temperature=0.3,
        quantal_share=0.6,
    )
    graph = GameGraph("phantom_ttt")
    first = int(graph.worlds.information_set[graph.follow([])])
    found = engine(Models(graph, RolloutEvaluator()), config).search(
        first, np.random.default_rng(0)
    )
    temperature = 0.3 * graph.value_scale
    assert found.policy == pytest.approx(quantal_step(found.prior, found.q, temperature, 0.6))
    assert found.policy != pytest.approx(found.policy_before_filter)


def test_training_lowers_the_temperature() -> None:
    config = TrainingConfig(temperature=Schedule(start=0.4, power=-0.5))
    assert [config.search_config(generation).temperature for generation in (1, 4, 100)] == (
        pytest.approx([0.4, 0.2, 0.04])
    )
    with pytest.raises(ValueError, match="temperature"):
        TrainingConfig(temperature=Schedule(start=0.0))
