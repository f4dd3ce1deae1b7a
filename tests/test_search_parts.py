"""The parts of the search, each against its formula or a hand computation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.models import InformationSetRow
from nash_ismcts_spiel.search.act_node import (
    ActNode,
    Choices,
    act_value,
    choose,
    exploration_prior,
    mixing_distribution,
)
from nash_ismcts_spiel.search.dispersion import (
    dispersed,
    expectation,
    highest_expectation,
    lowest_expectation,
)
from nash_ismcts_spiel.search.draw import draw
from nash_ismcts_spiel.search.interval import Interval, mirrored, point
from nash_ismcts_spiel.search.root_policy import (
    kept_actions,
    root_policy,
    visit_shares,
)
from nash_ismcts_spiel.search.sample_node import SampleNode, back_up, luck
from nash_ismcts_spiel.search.trees import ChanceNode, MirrorNode, TerminalNode

NO_LUCK = Interval(0.0, 0.0)


def fixed(*numbers: float) -> Any:
    """A stand-in for a generator that gives these numbers."""
    return SimpleNamespace(random=iter(numbers).__next__)


def no_draw() -> Any:
    """A stand-in for a generator that must not be used."""
    return fixed()


# Utility belief dispersion.


def extreme_by_linear_program(
    beliefs: Sequence[float], values: Sequence[float], radius: float, sign: float
) -> float:
    """The extreme of E[q] over h' with |h' - h|_1 <= radius; the variables are h' and |h' - h|."""
    k = len(beliefs)
    eye, h = np.eye(k), np.asarray(beliefs)
    solution = linprog(
        sign * np.concatenate([values, np.zeros(k)]),
        A_ub=np.block([[eye, -eye], [-eye, -eye], [np.zeros((1, k)), np.ones((1, k))]]),
        b_ub=np.concatenate([h, -h, [radius]]),
        A_eq=np.concatenate([np.ones(k), np.zeros(k)])[None],
        b_eq=[1.0],
        bounds=(0.0, None),
    )
    assert solution.success
    return sign * float(solution.fun)


@st.composite
def beliefs_and_values(draw_from: st.DrawFn) -> tuple[list[float], list[float], list[float]]:
    """A distribution, zeros included, with two rows of values (ties are likely)."""
    size = draw_from(st.integers(2, 6))
    weights = draw_from(
        st.lists(st.integers(0, 20), min_size=size, max_size=size).filter(lambda w: sum(w) > 0)
    )
    values = st.lists(st.integers(-8, 8).map(lambda n: n / 2), min_size=size, max_size=size)
    return [w / sum(weights) for w in weights], draw_from(values), draw_from(values)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(beliefs_and_values(), st.floats(0.0, 2.0))
def test_dispersion_is_the_linear_programs_optimum(
    row: tuple[list[float], list[float], list[float]], radius: float
) -> None:
    beliefs, lows, highs = row
    low = extreme_by_linear_program(beliefs, lows, radius, 1.0)
    high = extreme_by_linear_program(beliefs, highs, radius, -1.0)
    assert lowest_expectation(beliefs, lows, radius) == pytest.approx(low, abs=1e-7)
    assert highest_expectation(beliefs, highs, radius) == pytest.approx(high, abs=1e-7)
    interval = dispersed(beliefs, lows, highs, radius)
    assert interval == pytest.approx((low, high), abs=1e-7)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(beliefs_and_values())
def test_no_radius_is_the_expectation(row: tuple[list[float], list[float], list[float]]) -> None:
    beliefs, lows, highs = row
    expected = Interval(expectation(beliefs, lows), expectation(beliefs, highs))
    assert expected == pytest.approx((np.dot(beliefs, lows), np.dot(beliefs, highs)))
    assert dispersed(beliefs, lows, highs, 0.0) == expected


def test_dispersion_by_hand() -> None:
    # 0.1 of mass moves: from the 4 to the -2, and from the -2 to the 4.
    assert dispersed([0.5, 0.3, 0.2], [0.0, 4.0, -2.0], [0.0, 4.0, -2.0], 0.2) == pytest.approx(
        (0.8 - 0.1 * 6, 0.8 + 0.1 * 6)
    )
    # The -2 has only 0.05 to give, then the 0 gives.
    assert highest_expectation([0.65, 0.3, 0.05], [0.0, 4.0, -2.0], 0.2) == pytest.approx(
        1.1 + 0.05 * 6 + 0.05 * 4
    )
    # A radius of 2 reaches everything.
    assert dispersed([0.9, 0.1], [1.0, 5.0], [1.0, 5.0], 2.0) == pytest.approx((1.0, 5.0))


def test_mirrored_intervals() -> None:
    assert mirrored(Interval(-1.0, 3.0), 0.0) == Interval(-3.0, 1.0)
    assert mirrored(Interval(2.0, 3.0), 10.0) == Interval(7.0, 8.0)


# Choice at ACT nodes.


def act_node(
    policy: Sequence[float],
    values: Sequence[float | tuple[float, float] | None],
    visits: Sequence[int],
    config: SearchConfig,
    child_values: Sequence[float] | None = None,
) -> ActNode:
    """A node with given child values (None: never tried) and visits."""
    node = ActNode(0, 0)
    count = len(policy)
    node.expand(InformationSetRow(policy, 0.0, child_values or [0.0] * count), config)
    for action, value in enumerate(values):
        if value is not None:
            ends = value if isinstance(value, tuple) else (value, value)
            node.children[action] = TerminalNode(Interval(*ends))
    node.choices.visits = list(visits)
    return node


PLAIN = SearchConfig(c_puct=1.0, value_scale=1.0)
NO_BONUS = SearchConfig(c_puct=0.0)


def test_expansion_gives_the_value_until_something_is_chosen() -> None:
    node = ActNode(3, 1)
    node.expand(InformationSetRow([0.25, 0.75], 0.4, [1.0, 2.0]), PLAIN)
    assert node.q == point(0.4)
    assert node.child_values() == [point(1.0), point(2.0)]
    node.children[0] = TerminalNode(Interval(-1.0, 0.5))
    assert node.child_values() == [Interval(-1.0, 0.5), point(2.0)]


def test_pure_choice_if_one_interval_lies_above() -> None:
    node = act_node([0.5, 0.4, 0.1], [(0.0, 0.4), (0.5, 0.9), (0.1, 0.49)], [9, 9, 9], NO_BONUS)
    assert choose(node, NO_BONUS, 1.0, no_draw()) == (1, None)


def test_mixed_choice_among_those_that_reach_the_largest_low_end() -> None:
    # Action 1 has the largest low end; 0 and 2 reach it, 3 does not; 0 and 3 overlap in vain.
    values = [(0.0, 0.5), (0.45, 0.6), (0.2, 0.45), (0.1, 0.44)]
    node = act_node([0.5, 0.1, 0.2, 0.2], values, [9] * 4, NO_BONUS)
    action, mixing = choose(node, NO_BONUS, 1.0, fixed(0.7))
    assert mixing == pytest.approx([0.625, 0.125, 0.25, 0.0])
    assert action == 1
    assert choose(node, NO_BONUS, 1.0, fixed(0.6))[0] == 0
    assert choose(node, NO_BONUS, 1.0, fixed(0.999))[0] == 2


def test_an_equal_end_is_an_overlap() -> None:
    node = act_node([0.5, 0.5], [(0.0, 0.5), (0.5, 0.9)], [1, 1], NO_BONUS)
    assert choose(node, NO_BONUS, 1.0, fixed(0.1)) == (0, [0.5, 0.5])


def test_puct_term_shifts_both_ends() -> None:
    # sqrt(11) P / (1 + N) is larger for action 0, which was visited less, by this much:
    ahead = math.sqrt(11) * 0.5 * (1 / 3 - 1 / 10)
    for nudge, expected in [(-1e-9, 0), (1e-9, 1)]:
        node = act_node([0.5, 0.5], [0.0, ahead + nudge], [2, 9], PLAIN)
        assert choose(node, PLAIN, 1.0, no_draw()) == (expected, None)
    # An interval of width 0.1 bridges a gap of 0.05, not one of 0.15.
    near = act_node([0.5, 0.5], [(0.0, 0.1), (ahead + 0.05, ahead + 0.2)], [2, 9], PLAIN)
    assert choose(near, PLAIN, 1.0, fixed(0.2)) == (0, [0.5, 0.5])
    far = act_node([0.5, 0.5], [(0.0, 0.1), (ahead + 0.15, ahead + 0.2)], [2, 9], PLAIN)
    assert choose(far, PLAIN, 1.0, no_draw()) == (1, None)


@pytest.mark.parametrize("scale", [0.5, 1.0, 7.0])
def test_the_bonus_is_in_value_scales(scale: float) -> None:
    gap = scale * math.sqrt(4) * (0.8 / 2 - 0.2 / 4)
    for nudge, expected in [(-1e-9, 0), (1e-9, 1)]:
        node = act_node([0.8, 0.2], [0.0, gap + nudge], [1, 3], PLAIN)
        assert choose(node, PLAIN, scale, no_draw()) == (expected, None)


def test_puct_denominator_max() -> None:
    config = SearchConfig(puct_denominator="max", puct_floor=0.25)
    # Bonus sqrt(4) P / max(0.25, N): 0.8 * 2 / 0.25 for the unvisited one, 0.2 * 2 / 4.
    gap = 2 * 0.8 / 0.25 - 2 * 0.2 / 4
    for nudge, expected in [(-1e-9, 0), (1e-9, 1)]:
        node = act_node([0.8, 0.2], [None, gap + nudge], [0, 4], config)
        assert choose(node, config, 1.0, no_draw()) == (expected, None)


def test_unvisited_actions_are_compared_by_their_model_value() -> None:
    node = act_node([0.5, 0.5], [None, None], [0, 0], PLAIN, child_values=[0.1, 0.3])
    assert choose(node, PLAIN, 1.0, no_draw()) == (1, None)


def test_ucb_tries_everything_once_then_adds_its_term() -> None:
    config = SearchConfig(selection="ucb", ucb_exploration=0.7)
    fresh = act_node([0.9, 0.1, 0.0], [None] * 3, [0, 0, 0], config)
    # The prior does not count: unvisited actions tie, and are drawn alike.
    action, mixing = choose(fresh, config, 1.0, fixed(0.5))
    assert mixing == pytest.approx([1 / 3] * 3)
    assert action == 1
    one_left = act_node([0.9, 0.1, 0.0], [5.0, 5.0, None], [3, 2, 0], config)
    assert choose(one_left, config, 1.0, no_draw()) == (2, None)
    scale = 2.0
    gap = 0.7 * scale * (math.sqrt(math.log(10) / 2) - math.sqrt(math.log(10) / 8))
    for nudge, expected in [(-1e-9, 0), (1e-9, 1)]:
        node = act_node([0.9, 0.1], [0.0, gap + nudge], [2, 8], config)
        assert choose(node, config, scale, no_draw()) == (expected, None)


def test_mixing_is_by_raw_policy_not_by_noise_or_temperature() -> None:
    config = SearchConfig(prior_noise=0.5, prior_temperature=3.0)
    node = act_node([0.9, 0.1], [(0.0, 9.0), (0.0, 9.0)], [5, 5], config)
    assert node.exploration_prior != pytest.approx([0.9, 0.1], abs=0.05)
    assert choose(node, config, 1.0, fixed(0.5))[1] == [0.9, 0.1]


def test_noise_and_temperature_act_in_the_puct_term() -> None:
    policy = [0.64, 0.36]
    assert exploration_prior(policy, PLAIN) == policy
    heated = exploration_prior(policy, SearchConfig(prior_temperature=2.0))
    assert heated == pytest.approx([0.8 / 1.4, 0.6 / 1.4])
    noisy = exploration_prior(policy, SearchConfig(prior_noise=0.25))
    assert noisy == pytest.approx([0.75 * 0.64 + 0.125, 0.75 * 0.36 + 0.125])
    both = exploration_prior(policy, SearchConfig(prior_temperature=2.0, prior_noise=0.5))
    assert both == pytest.approx([0.5 * 0.8 / 1.4 + 0.25, 0.5 * 0.6 / 1.4 + 0.25])
    config = SearchConfig(prior_noise=0.25)
    gap = math.sqrt(4) * (noisy[0] / 2 - noisy[1] / 4)
    for nudge, expected in [(-1e-9, 0), (1e-9, 1)]:
        node = act_node(policy, [0.0, gap + nudge], [1, 3], config)
        assert choose(node, config, 1.0, no_draw()) == (expected, None)


def test_a_very_low_temperature_is_the_greedy_prior() -> None:
    config = SearchConfig(prior_temperature=1e-4)
    assert exploration_prior([0.6, 0.4], config) == pytest.approx([1.0, 0.0])


def test_mixing_distribution() -> None:
    assert mixing_distribution([0.2, 0.3, 0.5], [True, False, True]) == pytest.approx(
        [2 / 7, 0.0, 5 / 7]
    )
    # Where P gives the tied actions nothing, they are drawn alike.
    assert mixing_distribution([0.0, 1.0, 0.0], [True, False, True]) == [0.5, 0.0, 0.5]


# Values of ACT nodes.


def test_choices_are_counted_apart() -> None:
    choices = Choices.none_of(3)
    choices.record(0, None)
    choices.record(2, [0.25, 0.0, 0.75])
    choices.record(0, [0.5, 0.5, 0.0])
    choices.record(1, None)
    assert choices.visits == [2, 1, 1]
    assert choices.pure_visits == [1, 1, 0]
    assert choices.mixing_sum == [0.75, 0.5, 0.75]
    assert (choices.pure_count, choices.mixed_count) == (2, 2)
    assert [choices.weight(a) for a in range(3)] == [1.75, 1.5, 0.75]


def recorded(*choices: tuple[int, list[float] | None]) -> Choices:
    """Choices among two actions."""
    found = Choices.none_of(2)
    for action, mixing in choices:
        found.record(action, mixing)
    return found


def test_value_of_an_act_node_is_the_formula() -> None:
    # n_mixed 2, MIX (0.5, 0.5), n_pure 3, PN (1/3, 2/3); visits alone would be (4/5, 1/5) mixed.
    choices = recorded((0, [0.7, 0.3]), (0, [0.3, 0.7]), (0, None), (1, None), (1, None))
    children = [Interval(1.0, 2.0), Interval(-4.0, 8.0)]
    low = (2 * (0.5 * 1.0 + 0.5 * -4.0) + 3 * (1.0 / 3 - 4.0 * 2 / 3)) / 5
    high = (2 * (0.5 * 2.0 + 0.5 * 8.0) + 3 * (2.0 / 3 + 8.0 * 2 / 3)) / 5
    assert act_value(children, choices) == pytest.approx((low, high))


def test_mixing_counts_actions_that_were_not_drawn() -> None:
    choices = recorded((0, [0.5, 0.5]))
    assert act_value([point(1.0), point(3.0)], choices) == point(2.0)


def test_an_opponents_unseen_actions_are_left_out() -> None:
    choices = recorded((0, [0.5, 0.5]), (0, None))
    assert act_value([point(7.0), None], choices) == point(7.0)
    assert act_value([None, point(7.0)], choices) == point(7.0)


@pytest.mark.parametrize("k", [1.0, 10.0])
def test_an_opponents_policy_counts_as_prior_visits(k: float) -> None:
    choices = recorded((0, [0.5, 0.5]), (0, None), (1, None))
    prior = [0.9, 0.1]
    weights = [k * 0.9 + 0.5 + 1, k * 0.1 + 0.5 + 1]
    expected = (weights[0] * 2.0 + weights[1] * -1.0) / sum(weights)
    value = act_value([point(2.0), point(-1.0)], choices, prior, k)
    assert value == pytest.approx((expected, expected))
    # Draws from P alone (beyond the spawn depth): the mean under P of what was seen.
    assert act_value([point(2.0), point(-1.0)], Choices.none_of(2), prior, 1.0) == pytest.approx(
        (1.7, 1.7)
    )


def test_an_opponents_policy_may_be_dispersed() -> None:
    choices = recorded((0, [0.5, 0.5]), (0, None))
    children = [Interval(1.0, 2.0), Interval(-3.0, 4.0)]
    # Weights 1.5 and 0.5: policy (0.75, 0.25), of which 0.1 may be elsewhere.
    low = 0.75 * 1.0 - 0.25 * 3.0 - 0.1 * 4.0
    high = 0.75 * 2.0 + 0.25 * 4.0 + 0.1 * 2.0
    assert act_value(children, choices, radius=0.2) == pytest.approx((low, high))
    # K counts before the dispersion, and unseen actions get no mass.
    prior = [0.0, 1.0]
    low, high = 0.5 * 1.0 - 0.5 * 3.0 - 0.1 * 4.0, 0.5 * 2.0 + 0.5 * 4.0 + 0.1 * 2.0
    assert act_value(children, choices, prior, 1.0, radius=0.2) == pytest.approx((low, high))
    assert act_value([children[0], None], choices, radius=0.2) == pytest.approx((1.0, 2.0))


def test_chance_is_weighed_by_its_own_probabilities() -> None:
    node = ChanceNode(0, 0, [0.2, 0.3, 0.5], [None] * 3, [None] * 3)
    node.children[0] = TerminalNode(Interval(1.0, 2.0))
    node.back_up()
    assert node.q == pytest.approx((1.0, 2.0))
    node.children[2] = TerminalNode(Interval(-1.0, 4.0))
    node.back_up()
    assert node.q == pytest.approx(((0.2 - 0.5) / 0.7, (0.4 + 2.0) / 0.7))


def test_chance_outcomes_that_were_never_drawn_count_as_the_models_say() -> None:
    expected = [point(9.0), point(2.0), None]
    node = ChanceNode(0, 0, [0.2, 0.3, 0.5], expected, [TerminalNode(point(1.0)), None, None])
    node.back_up()
    assert node.q == pytest.approx(((0.2 + 0.6) / 0.5,) * 2)


def test_a_mirror_shows_the_other_players_value() -> None:
    act = ActNode(0, 1, q=Interval(-1.0, 0.5))
    node = MirrorNode(act, 2.0)
    node.back_up()
    assert node.q == Interval(1.5, 3.0)


# Backups of SAMPLE nodes.

BELIEFS = [0.5, 0.3, 0.2]
MODEL_VALUES = [1.0, -1.0, 4.0]


def sample_node(*children: tuple[float, float] | None, visits: Sequence[int]) -> SampleNode:
    """A node with three pieces, some of them drawn before."""
    nodes = [None if ends is None else TerminalNode(Interval(*ends)) for ends in children]
    targets = lambda: [0, 1, 2]  # noqa: E731  (nothing is dead)
    return SampleNode(0, 0, 0, BELIEFS, targets, MODEL_VALUES, list(visits), list(nodes))


def test_expected_backup() -> None:
    config = SearchConfig(sample_backup="expected", dispersion_radius=0.2)
    node = sample_node((0.0, 2.0), (-3.0, -2.0), None, visits=[4, 0, 0])
    returned = back_up(node, 1, Interval(-3.0, -2.0), NO_LUCK, config)
    # Low ends 0, -3, 4 (by Vc); high ends 2, -2, 4; 0.1 of belief moves from end to end.
    low = 0.5 * 0.0 - 0.3 * 3.0 + 0.2 * 4.0 - 0.1 * (4.0 + 3.0)
    high = 0.5 * 2.0 - 0.3 * 2.0 + 0.2 * 4.0 + 0.1 * (4.0 + 2.0)
    assert node.q == pytest.approx((low, high))
    assert returned == node.q
    assert node.visits == [4, 1, 0]


def test_residual_backup() -> None:
    config = SearchConfig(sample_backup="residual", dispersion_radius=0.2)
    node = sample_node((0.0, 2.0), (-3.0, -2.0), None, visits=[2, 1, 0])
    returned = back_up(node, 1, Interval(-3.0, -2.0), NO_LUCK, config)
    # E[Vc] = 1; 0.1 moves between 4 and -1; residuals by visits 2 : 2.
    low = 1.0 - 0.1 * 5.0 + (2 * (0.0 - 1.0) + 2 * (-3.0 + 1.0)) / 4
    high = 1.0 + 0.1 * 5.0 + (2 * (2.0 - 1.0) + 2 * (-2.0 + 1.0)) / 4
    assert node.q == pytest.approx((low, high))
    assert returned == node.q


def test_settings_that_are_gone_say_what_replaced_them() -> None:
    assert SearchConfig.from_dict({"luck_ends": "coupled"}) == SearchConfig()
    with pytest.raises(ValueError, match="luck_ends is gone: low ends meet low ends"):
        SearchConfig.from_dict({"luck_ends": "independent"})


def test_luck_adjusted_backup() -> None:
    config = SearchConfig(sample_backup="luck_adjusted", dispersion_radius=0.2)
    node = sample_node((0.0, 2.0), None, None, visits=[0, 0, 0])
    # Low ends 0, -1, 4 and high ends 2, -1, 4, before the visit.
    low = -0.3 + 0.8 - 0.1 * 5.0
    high = 1.0 - 0.3 + 0.8 + 0.1 * 5.0
    adjustment = luck(node, 0, config)
    assert adjustment == pytest.approx((low - 0.0, high - 2.0))
    first = back_up(node, 0, Interval(0.0, 2.0), adjustment, config)
    assert first == pytest.approx((0.0 + adjustment.low, 2.0 + adjustment.high))
    assert node.q == pytest.approx(first)
    # A second visit, of another piece that came to -5: Q is the mean of both, end by end.
    again = luck(node, 1, config)
    assert again == pytest.approx((low + 1.0, high + 1.0))
    second = back_up(node, 1, point(-5.0), again, config)
    assert second == pytest.approx((low - 4.0, high - 4.0))
    assert node.q == pytest.approx(((first.low + second.low) / 2, (first.high + second.high) / 2))


def test_without_dispersion_all_backups_agree_once_values_stand_still() -> None:
    children = [(0.0, 0.0), (-3.0, -3.0), (5.0, 5.0)]
    expected = -0.9 + 1.0
    rng = np.random.default_rng(0)
    for backup, tolerance in [("expected", 1e-12), ("luck_adjusted", 1e-12), ("residual", 0.15)]:
        config = SearchConfig.from_dict({"sample_backup": backup, "dispersion_radius": 0.0})
        node = sample_node(*children, visits=[0, 0, 0])
        for _ in range(4000):
            branch = draw(rng, BELIEFS)
            child = node.children[branch]
            assert child is not None
            back_up(node, branch, child.q, luck(node, branch, config), config)
        assert node.q.low == node.q.high
        # `residual` still depends on which pieces were drawn: three standard errors.
        assert node.q.low == pytest.approx(expected, abs=tolerance)


# The root.


def test_the_filter_discards_what_is_confidently_worse() -> None:
    # sigma = 1 / sqrt(N): [0.5, 1.5], [-0.6, 0.4], [-1, 0.6] and an unvisited one.
    visits = [4, 100, 25, 0]
    values = [point(1.0), Interval(-0.5, 0.3), Interval(-0.8, 0.4), point(-9.0)]
    kept = kept_actions(visits, values, 1.0)
    assert kept == [True, False, True, True]
    assert root_policy(visits, kept) == pytest.approx([4 / 29, 0.0, 25 / 29, 0.0])
    assert visit_shares(visits) == pytest.approx([4 / 129, 100 / 129, 25 / 129, 0.0])


def test_the_filter_keeps_an_interval_that_just_reaches() -> None:
    assert kept_actions([4, 4], [point(1.0), point(0.0)], 1.0) == [True, True]
    assert kept_actions([4, 4], [point(1.0), point(-0.001)], 1.0) == [True, False]
    assert kept_actions([9, 9], [Interval(0.0, 5.0), Interval(1.0, 2.0)], 0.0) == [True, True]


def test_a_width_of_zero_still_keeps_ties() -> None:
    assert kept_actions([3, 5], [point(0.5), point(0.5)], 0.0) == [True, True]
    assert kept_actions([3, 5], [point(0.5), point(0.4)], 0.0) == [True, False]


# Draws.


def test_draw_frequencies() -> None:
    rng = np.random.default_rng(8)
    weights = [1.0, 0.0, 5.0, 2.0]
    total, counts = 20_000, np.zeros(4)
    for _ in range(total):
        counts[draw(rng, weights)] += 1
    expected = np.array(weights) / sum(weights)
    assert counts[1] == 0
    errors = 4 * np.sqrt(expected * (1 - expected) / total)
    assert np.all(np.abs(counts / total - expected) <= errors)


def test_draw_by_hand() -> None:
    assert [draw(fixed(u), [1.0, 0.0, 3.0]) for u in (0.0, 0.24, 0.25, 0.9)] == [0, 0, 2, 2]
    # A number just below 1 ends at the last possible index, never at an impossible one.
    assert draw(fixed(1.0 - 2**-53), [0.1] * 3 + [0.0]) == 2
    assert draw(fixed(0.3), [0.0, 4.0]) == 1


def test_a_draw_takes_one_number() -> None:
    rng, other = np.random.default_rng(1), np.random.default_rng(1)
    draw(rng, [0.5, 0.5])
    other.random()
    assert rng.random() == other.random()
