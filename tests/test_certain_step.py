"""The root's step away from P: along certain advantages only, and never far for small errors."""

from __future__ import annotations

import math

import numpy as np
import pyspiel
import pytest

from exploitability import measure
from nash_ismcts_spiel import SearchConfig
from nash_ismcts_spiel.games.policies import TablePolicy
from nash_ismcts_spiel.models import ExactEvaluator
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.native.engine import search_each
from nash_ismcts_spiel.native.models import exact_rows
from nash_ismcts_spiel.search.interval import Interval, point
from nash_ismcts_spiel.search.root_policy import certain_advantage, certain_step

PRIOR = [0.5, 0.3, 0.2]
STEP = SearchConfig.preset("nash_ismcts_play", visits=100)


def test_an_advantage_is_the_distance_of_intervals() -> None:
    expected = Interval(-1.0, 1.0)
    assert certain_advantage(Interval(1.5, 9.0), 0.0, expected) == 0.5
    assert certain_advantage(Interval(1.5, 9.0), 0.2, expected) == pytest.approx(0.3)
    assert certain_advantage(Interval(1.5, 9.0), 0.6, expected) == 0.0
    assert certain_advantage(Interval(-9.0, -3.0), 0.5, expected) == -1.5
    assert certain_advantage(Interval(-9.0, 0.0), 0.0, expected) == 0.0


def test_intervals_that_overlap_leave_the_prior_as_it_is() -> None:
    values = [Interval(-1.0, 1.0), Interval(0.5, 2.0), Interval(-3.0, 0.0)]
    assert certain_step(PRIOR, values, [5, 3, 2], 0.0, 7.0) == pytest.approx(PRIOR)


def test_points_make_a_step_of_mirror_ascent() -> None:
    q = [1.0, 0.0, -2.0]
    mean = sum(p * each for p, each in zip(PRIOR, q, strict=True))
    weights = [p * math.exp(3.0 * (each - mean)) for p, each in zip(PRIOR, q, strict=True)]
    wanted = [weight / sum(weights) for weight in weights]
    assert certain_step(PRIOR, [point(each) for each in q], [5, 3, 2], 0.0, 3.0) == pytest.approx(
        wanted
    )


def test_few_visits_make_an_advantage_uncertain_but_not_that_of_an_untried_action() -> None:
    values = [point(0.0), point(0.0), point(-1.0)]
    sure = certain_step(PRIOR, values, [5, 3, 100], 1.0, 2.0)
    unsure = certain_step(PRIOR, values, [5, 3, 2], 1.0, 2.0)
    untried = certain_step(PRIOR, values, [5, 3, 0], 1.0, 2.0)
    assert untried[2] < sure[2] < unsure[2] < PRIOR[2]


def test_an_action_that_the_prior_has_given_up_stays_so() -> None:
    values = [point(0.0), point(0.0), point(1e6)]
    found = certain_step([0.6, 0.4, 0.0], values, [1, 1, 1], 0.0, 3.0)
    assert found == pytest.approx([0.6, 0.4, 0.0])


def test_a_step_of_size_0_is_the_prior() -> None:
    values = [point(3.0), point(0.0), point(-1.0)]
    assert certain_step(PRIOR, values, [9, 9, 9], 0.0, 0.0) == pytest.approx(PRIOR)
    with pytest.raises(ValueError, match="step_size"):
        SearchConfig(step_size=-1.0)


def _average_of_cfr(name: str, iterations: int) -> ExactEvaluator:
    game = pyspiel.load_game(name)
    solver = pyspiel.CFRSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return ExactEvaluator(game, solver.tabular_average_policy())


@pytest.mark.parametrize(
    ("name", "iterations", "most"),
    [("kuhn_poker", 100, 1.0), ("leduc_poker", 30, 0.98), ("leduc_poker", 300, 1.0)],
)
def test_the_step_improves_policies_that_are_off(name: str, iterations: int, most: float) -> None:
    """Measured by the best response, as a share of P's exploitability; `most` has a margin."""
    evaluator = _average_of_cfr(name, iterations)
    graph = evaluator.graph
    before = exact.exploitability(graph, evaluator.policy)
    rows = exact_rows(graph, evaluator.policy)
    found = search_each(graph, rows, STEP, np.random.default_rng(0))
    assert exact.exploitability(graph, found) < most * before


def test_what_the_native_engine_found_is_what_openspiel_measures() -> None:
    evaluator = _average_of_cfr("kuhn_poker", 20)
    rows = exact_rows(evaluator.graph, evaluator.policy)
    found = search_each(evaluator.graph, rows, STEP, np.random.default_rng(0))
    table = TablePolicy(evaluator.graph, found)
    measured = measure(pyspiel.load_game("kuhn_poker"), table, engine="openspiel").exploitability
    assert measured == pytest.approx(exact.exploitability(evaluator.graph, found), abs=1e-9)
