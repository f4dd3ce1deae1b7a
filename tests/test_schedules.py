"""Schedules and settings of training: values per generation, JSON and back, refusals by name."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.learning import TRAINING_PRESETS, Schedule, TrainingConfig
from nash_ismcts_spiel.learning.config import LearnerConfig
from nash_ismcts_spiel.models.networks.config import NetworkConfig

# A schedule's value.


@pytest.mark.parametrize(
    ("schedule", "generation", "value"),
    [
        (Schedule(start=3.0), 1, 3.0),
        (Schedule(start=3.0), 10**6, 3.0),
        (Schedule(start=3.0, power=-0.5), 1, 3.0),
        (Schedule(start=3.0, power=-0.5), 9, 1.0),
        (Schedule(start=3.0, power=-1.0), 100, 0.03),
        (Schedule(start=3.0, power=1.0), 4, 12.0),
        (Schedule(start=3.0, power=0.5), 16, 12.0),
        (Schedule(start=3.0, power=-0.5, lowest=2.0), 4, 2.0),
        (Schedule(start=3.0, power=-0.5, lowest=2.0), 2, 3.0 / 2.0**0.5),
        (Schedule(start=3.0, power=1.0, highest=5.0), 2, 5.0),
        (Schedule(start=3.0, power=1.0, highest=5.0), 1, 3.0),
        (Schedule(start=9.0, highest=5.0), 1, 5.0),
        (Schedule(start=1.0, lowest=4.0, highest=4.0), 7, 4.0),
        (Schedule(start=0.0, power=-0.5), 3, 0.0),
    ],
)
def test_value_in_a_generation(schedule: Schedule, generation: int, value: float) -> None:
    assert schedule.at(generation) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"start": -1.0}, ValueError, "must not be negative"),
        ({"start": 1.0, "lowest": -0.1}, ValueError, "must not be negative"),
        ({"start": 1.0, "lowest": 2.0, "highest": 1.0}, ValueError, "highest must not be below"),
        ({"start": float("nan")}, ValueError, "start must be finite"),
        ({"start": 1.0, "power": float("inf")}, ValueError, "power must be finite"),
        ({"start": "fast"}, TypeError, "start must be float"),
        ({"start": True}, TypeError, "start must be float"),
        ({"start": 1.0, "power": None}, TypeError, "power must be float"),
        ({}, TypeError, "start"),
        ({"start": 1.0, "powr": 2.0}, ValueError, "Schedule key 'powr'; did you mean 'power'"),
        ({"start": 1.0, "x": 2.0}, ValueError, "there are start, power, lowest, highest"),
    ],
)
def test_schedules_refused(settings: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Schedule.from_dict(settings)


# A config and JSON.


def changed() -> TrainingConfig:
    """A config in which every field differs from its default."""
    return TrainingConfig(
        visits=Schedule(start=7.0, power=0.5, lowest=1.0, highest=50.0),
        dispersion_radius=Schedule(start=0.4, power=-1.0, lowest=0.01),
        lcb_width=Schedule(start=1.5),
        temperature=Schedule(start=0.3),
        opponent_prior_visits=Schedule(start=2.0),
        exploration=Schedule(start=0.1, lowest=0.05),
        averaging_power=2.0,
        search=SearchConfig(c_puct=3.0, unvisited_events="left_out", value_scale=2.0),
        shards=3,
        graph="grown",
        learner=LearnerConfig(search_games=7),
        networks=NetworkConfig(width=8),
    )


@pytest.mark.parametrize("config", [TrainingConfig(), changed()], ids=["default", "changed"])
def test_round_trip_through_json(config: TrainingConfig) -> None:
    plain = config.to_dict()
    assert TrainingConfig.from_dict(json.loads(json.dumps(plain))) == config
    assert plain["visits"]["start"] == config.visits.start
    assert plain["search"]["c_puct"] == config.search.c_puct


def test_the_changed_config_changes_every_field() -> None:
    default = TrainingConfig().to_dict()
    assert all(value != default[name] for name, value in changed().to_dict().items())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"vists": {"start": 1.0}}, "unknown TrainingConfig key 'vists'; did you mean 'visits'"),
        ({"xyz": 1}, "unknown TrainingConfig key 'xyz'; there are visits, dispersion_radius"),
        ({"visits": {"start": 1.0, "hihgest": 3.0}}, "Schedule key 'hihgest'; did you mean 'high"),
        ({"search": {"cpuct": 1.0}}, "unknown SearchConfig key 'cpuct'; did you mean 'c_puct'"),
        ({"search": {"step_size": 20.0}}, "step_size is gone: nash_ismcts has soft ties; see docs"),
        (
            {"search": {"hidden_order": "sets"}},
            "hidden_order is gone: hidden pieces come in",
        ),
        ({"search": {"root_rule": "certain_step"}}, "root_rule='certain_step' is gone"),
        (
            {"prior_noise": {"start": 0.1}},
            r"prior_noise is gone: it is always 0.25 g\^-0.5; see docs",
        ),
        ({"most_searches": 0}, "most_searches is gone: it is always 4,000"),
        ({"learner": {"buffer": "window"}}, "buffer is gone: a full buffer keeps a sample of all"),
        ({"learner": {"value_trace": 0.5}}, "value_trace is gone: it is 0.9 where searches draw"),
    ],
)
def test_unknown_keys_refused_with_a_hint(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TrainingConfig.from_dict(settings)


def test_settings_of_older_runs_that_change_nothing_are_taken() -> None:
    noise = {"start": 0.25, "power": -0.5, "lowest": 0.0, "highest": 1.0}
    older = {"most_searches": 4000, "prior_noise": noise, "learner": {"gradient_clip": 1.0}}
    assert TrainingConfig.from_dict(older) == TrainingConfig()


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"shards": 0}, ValueError, "shards must be at least 1, not 0"),
        ({"shards": 1.5}, TypeError, "shards must be int"),
        ({"averaging_power": -1.0}, ValueError, "averaging_power must not be negative"),
        ({"visits": "50"}, TypeError, "visits must be Schedule"),
        ({"visits": True}, TypeError, "visits must be Schedule"),
        ({"search": {"engine": "reference"}}, ValueError, "native engine only"),
        ({"search": {"c_puct": -1.0}}, ValueError, "c_puct must be from 0"),
        ({"dispersion_radius": {"start": 2.5}}, ValueError, "dispersion_radius must be from 0"),
        (
            {"dispersion_radius": {"start": 0.1, "power": 0.5}},
            ValueError,
            "dispersion_radius must be from 0 to 2",
        ),
        ({"exploration": {"start": 1.5}}, ValueError, "exploration must stay between 0 and 1"),
        (
            {"exploration": {"start": 0.1, "power": 1.0}},
            ValueError,
            "exploration must stay between 0 and 1",
        ),
    ],
)
def test_settings_refused_by_name(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        TrainingConfig.from_dict(settings)


# Presets and the search of a generation.


def test_presets_are_valid_and_differ() -> None:
    configs = [TrainingConfig.preset(name) for name in TRAINING_PRESETS]
    assert TrainingConfig.preset() == TrainingConfig.preset("default") == TrainingConfig()
    assert len({json.dumps(config.to_dict()) for config in configs}) == len(configs)


def test_presets_take_changes() -> None:
    preset = TrainingConfig.preset("prototype", shards=4, visits={"start": 9.0})
    assert (preset.shards, preset.visits) == (4, Schedule(start=9.0))
    assert preset.lcb_width == TrainingConfig.preset("prototype").lcb_width
    assert preset.lcb_width != TrainingConfig().lcb_width


def test_changes_of_a_part_leave_the_rest_of_the_preset() -> None:
    large = TrainingConfig.preset("large")
    changed = TrainingConfig.preset("large", learner={"steps": 7}, networks={"depth": 3})
    assert changed.learner == dataclasses.replace(large.learner, steps=7)
    assert (changed.networks.width, changed.networks.depth) == (128, 3)
    assert TrainingConfig.preset("large", learner=LearnerConfig()).learner == LearnerConfig()
    # A schedule is one thing: what is not said of it is not taken from the preset.
    radius = TrainingConfig.preset("prototype", dispersion_radius={"start": 0.2}).dispersion_radius
    assert radius == Schedule(start=0.2)


def test_unknown_presets_and_changes_refused() -> None:
    with pytest.raises(ValueError, match="unknown preset 'best'; there are default, prototype"):
        TrainingConfig.preset("best")
    with pytest.raises(ValueError, match="did you mean 'shards'"):
        TrainingConfig.preset("default", shard=2)


def test_search_config_follows_the_schedules() -> None:
    config = TrainingConfig(
        visits=Schedule(start=10.0, power=0.5),
        dispersion_radius=Schedule(start=0.8, power=-0.5),
        lcb_width=Schedule(start=2.0, power=-1.0, lowest=0.75),
        opponent_prior_visits=Schedule(start=6.0, power=0.5),
        search=SearchConfig(c_puct=3.0, visits=77, dispersion_radius=0.5),
    )
    first, fourth = config.search_config(1), config.search_config(4)
    assert (first.visits, fourth.visits) == (10, 20)
    assert (first.dispersion_radius, fourth.dispersion_radius) == pytest.approx((0.8, 0.4))
    assert (first.prior_noise, fourth.prior_noise) == pytest.approx((0.25, 0.125))
    assert (first.lcb_width, fourth.lcb_width) == pytest.approx((2.0, 0.75))
    assert (first.opponent_prior_visits, fourth.opponent_prior_visits) == pytest.approx((6, 12))
    assert first.c_puct == fourth.c_puct == 3.0


@pytest.mark.parametrize(("start", "visits"), [(0.0, 1), (0.3, 1), (2.4, 2), (2.6, 3)])
def test_visits_are_rounded_and_at_least_one(start: float, visits: int) -> None:
    assert TrainingConfig(visits=Schedule(start=start)).search_config(5).visits == visits
