"""What is drawn how often, and how searches share their work."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.config import LearnerConfig
from nash_ismcts_spiel.learning.draws import allotted, inclusion_probabilities, systematic_sample
from nash_ismcts_spiel.learning.learner import Learner
from nash_ismcts_spiel.learning.searches import BoundedSearches
from nash_ismcts_spiel.learning.self_play import SelfPlay

PHANTOM_TTT = "phantom_ttt"


@pytest.fixture(scope="module")
def learner() -> Learner:
    """Networks of phantom tic-tac-toe that have learned nothing."""
    config = TrainingConfig.preset("large", networks={"width": 8, "depth": 1})
    return Learner(support(PHANTOM_TTT), config, 0)


def test_a_sample_is_unbiased() -> None:
    weights = np.array([5.0, 1.0, 0.5, 2.0, 0.25, 1.25])
    chances = inclusion_probabilities(weights, 3)
    assert chances.sum() == pytest.approx(3.0)
    assert chances.max() == chances[0] == 1.0
    rng = np.random.default_rng(0)
    counts = np.zeros(len(weights))
    for _ in range(4000):
        counts[systematic_sample(chances, rng)] += 1.0
    assert counts / 4000 == pytest.approx(chances, abs=0.02)


@pytest.mark.parametrize("focus", [0.25, 0.5, 1.0])
def test_work_is_allotted_by_weight(focus: float) -> None:
    weights = np.array([100.0, 10.0, 3.0, *[0.1] * 50])
    chance, work = allotted(weights, 20.0, focus, 64.0)
    assert chance @ work == pytest.approx(20.0)
    due = weights * (chance[-1] / weights[-1])
    assert chance == pytest.approx(np.minimum(due, 1.0))
    assert work == pytest.approx(np.maximum(due, 1.0) ** focus)
    assert work[0] > work[1] > work[-1] == 1.0


def test_work_is_bounded_and_the_rest_gets_what_is_left() -> None:
    weights = np.array([100.0, 10.0, 3.0, *[0.1] * 50])
    chance, work = allotted(weights, 20.0, 1.0, 4.0)
    assert chance @ work == pytest.approx(20.0)
    assert work[0] == work[1] == 4.0
    # With room for all, everything is done with what it may get at most.
    chance, work = allotted(weights, 1e9, 1.0, 4.0)
    assert chance == pytest.approx(1.0)
    assert work == pytest.approx(4.0)


def test_without_focus_all_get_the_same() -> None:
    weights = np.array([100.0, 10.0, 3.0, *[0.1] * 50])
    chance, work = allotted(weights, 20.0, 0.0, 64.0)
    assert chance == pytest.approx(inclusion_probabilities(weights, 20))
    assert (work == 1.0).all()


def test_a_search_gets_its_effort_in_visits(learner: Learner) -> None:
    graph = GameGraph(PHANTOM_TTT)
    config = SearchConfig(visits=6, spawn_depth=0)
    searches = BoundedSearches(
        graph, learner.evaluator(), config, np.random.default_rng(0), 4, 1e9, lambda _: None
    )
    searches.search({0: 5.0})
    assert searches.simulations == 30
    searches.search({0: 9.0})  # what was searched is not searched again
    assert searches.simulations == 30


def test_games_come_by_early_information_sets_most(learner: Learner) -> None:
    simulations, rows = [], []
    for focus in (0.0, 1.0):
        config = dataclasses.replace(LearnerConfig(), focus=focus)
        play = SelfPlay(support(PHANTOM_TTT), learner.evaluator(), config, np.random.default_rng(3))
        play.policy_games(50, hidden_share=0.1)
        weights, efforts = play._drawn({0: 400, 1: 80, **dict.fromkeys(range(2, 90), 1)}, 20.0)
        assert weights[0] == 400.0  # drawn surely, so its games count once
        simulations.append(sum(efforts.values()))
        rows.append(efforts)
    assert simulations == pytest.approx([20.0, 20.0], rel=0.2)
    assert set(rows[0].values()) == {1.0}
    assert rows[1][0] == pytest.approx(5.0 * rows[1][1])
    assert next(iter(rows[1])) == 0  # the longest search begins first
