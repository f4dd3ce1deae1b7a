"""Settings have ranges within which all arithmetic is finite; no other policy is ever played."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import helpers
import numpy as np
import pytest
from test_native_search import random_evaluator

from nash_ismcts_spiel import SearchConfig, make_bot
from nash_ismcts_spiel.config import RANGES
from nash_ismcts_spiel.models import InformationSetRow, Models, RolloutEvaluator, SampleRow
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.search import ReferenceEngine

JACK = [0, 2]
NATIVE = [name for name in RANGES if name in _core.Config.names()]
RULES: list[dict[str, Any]] = [
    {},
    {"root_rule": "quantal_step"},
    {"selection": "ucb"},
    {"puct_denominator": "max"},
]


def native_settings() -> dict[str, Any]:
    config = SearchConfig(dispersion_radius=0.1, spawning="always", value_scale=1.0)
    return {**dataclasses.asdict(config), "one_tree": False, "utility_sum": 0.0}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", 5e-324),
        ("value_scale", 1e-308),
        ("value_scale", 1e308),
        ("opponent_prior_visits", 1e308),
        ("prior_temperature", 1e-308),
        ("puct_floor", 5e-324),
        ("c_puct", 1e308),
        ("lcb_width", -0.1),
    ],
)
def test_what_leaves_no_room_for_arithmetic_is_refused(name: str, value: float) -> None:
    low, high = RANGES[name]
    with pytest.raises(ValueError, match=f"{name} must be from {low:g} to ") as refused:
        SearchConfig(**{name: value})
    assert f"{high:g}, not" in str(refused.value)


@pytest.mark.parametrize("name", NATIVE)
def test_compiled_code_refuses_the_same(name: str) -> None:
    for value in RANGES[name]:
        kind = int if isinstance(value, int) else float
        _core.Config({**native_settings(), name: kind(value)})
    low, high = RANGES[name]
    beyond = [low - 1, high + 1] if isinstance(low, int) else [math.nextafter(low, -9), high * 1.01]
    for wrong in [*beyond, math.nan] if not isinstance(low, int) else beyond:
        with pytest.raises(ValueError, match=f"{name} must be from"):
            _core.Config({**native_settings(), name: wrong})


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("name", [name for name in NATIVE if name != "spawn_depth"])
def test_the_ends_of_ranges_give_policies(engine: str, name: str) -> None:
    state = helpers.state_after(helpers.load("kuhn_poker"), JACK)
    for value in RANGES[name]:
        for rule in RULES:
            settings: dict[str, Any] = {**rule, name: value, "visits": 12, "engine": engine}
            bots = [make_bot("nash_ismcts_notes", "kuhn_poker", 0, **settings)]
            if name == "value_scale" and not rule:
                bots.append(make_bot("nash_ismcts", "kuhn_poker", 0, **settings))
            for bot in bots:
                policy = [probability for _, probability in bot.get_policy(state)]
                assert sum(policy) == pytest.approx(1.0)


class Huge:
    """Values of which the sum of two is infinite."""

    def __init__(self) -> None:
        self._inner = RolloutEvaluator("kuhn_poker")

    def information_set_rows(self, graph: Any, ids: Any) -> list[InformationSetRow]:
        return [
            dataclasses.replace(row, child_values=(1.7e308, -1.7e308))
            for row in self._inner.information_set_rows(graph, ids)
        ]

    def sample_rows(self, graph: Any, ids: Any) -> list[SampleRow]:
        return self._inner.sample_rows(graph, ids)


@pytest.mark.parametrize("engine", [ReferenceEngine, NativeEngine])
def test_a_policy_that_is_none_is_an_error(engine: Any) -> None:
    evaluator = random_evaluator("kuhn_poker")
    config = SearchConfig(visits=2, dispersion_radius=0.1, root_rule="quantal_step")
    result = engine(Models(evaluator.graph, evaluator), config).search(0, np.random.default_rng(0))
    with pytest.raises(ValueError, match="no probabilities"):
        dataclasses.replace(result, policy=(math.nan,) * len(result.policy))
    with pytest.raises(ValueError, match="no probabilities|finite|too large"):
        make_bot(
            "nash_ismcts_notes",
            "kuhn_poker",
            0,
            evaluator=Huge(),
            visits=50,
            engine="native" if engine is NativeEngine else "reference",
            root_rule="quantal_step",
            temperature=1e-6,
        ).get_policy(helpers.state_after(helpers.load("kuhn_poker"), JACK))
