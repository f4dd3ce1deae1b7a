"""Where many workers saturate: the formula and the simulation say the same where both are exact."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from benchmarks.saturation import (
    PLACES,
    Load,
    Rates,
    Scaling,
    ShardCost,
    extreme,
    paper,
    saturates_at,
    simulate,
)

COSTS = (
    ShardCost(1, 10.0, 400.0, 10_000.0, 20e6, 0.02),
    ShardCost(10, 1.0, 40.0, 1_000.0, 2e6, 0.002),
    ShardCost(1_000, 0.5, 8.0, 300.0, 5e5, 0.001),
)
FITS = ((10_000.0, 1.6), (20_000.0, 1.9), (40_000.0, 2.1))
RATES = Rates(COSTS, spread=0.2, weight_bytes=1e6, prepare=0.01, send=0.002, fits=FITS)
SCALINGS: tuple[Scaling, ...] = ("fixed", "growing")


@pytest.mark.parametrize("scaling", SCALINGS)
def test_one_worker_waits_for_nobody_else(scaling: Scaling) -> None:
    load = dataclasses.replace(RATES.load(1, scaling), spread=0.0)
    parts = [load.prepare, load.send, load.out, load.work, load.back, load.take, load.fit]
    for outcome in (paper(load), simulate(load)):
        assert outcome.seconds == pytest.approx(sum(parts))
        assert outcome.idle == pytest.approx(1.0 - load.work / sum(parts))
    assert all(seconds < load.work for seconds in load.places().values())
    assert all((saturates_at(RATES, scaling, place) or 2) > 1 for place in PLACES)


@pytest.mark.parametrize("workers", [1, 2, 10, 100, 1_000])
@pytest.mark.parametrize(
    "slow", ["send", "out", "work", "back", "take", "fit"], ids=lambda slow: f"slow {slow}"
)
def test_formula_and_simulation_agree_without_jitter(workers: int, slow: str) -> None:
    load = Load(workers, 0.1, 0.001, 0.002, 50.0, 0.0, 0.003, 0.004, 1.0)
    load = dataclasses.replace(load, **{slow: 10.0 * getattr(load, slow)})
    formula, simulated = paper(load), simulate(load, generations=1)
    assert formula.seconds == pytest.approx(simulated.seconds)
    assert formula.idle == pytest.approx(simulated.idle)


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("workers", [1, 10, 100, 1_000])
def test_they_agree_roughly_with_jitter(workers: int, scaling: Scaling) -> None:
    load = RATES.load(workers, scaling)
    assert paper(load).seconds == pytest.approx(simulate(load).seconds, rel=0.15)


def test_a_simulation_is_repeatable() -> None:
    load = RATES.load(50, "growing")
    assert simulate(load, 1) == simulate(load, 1) != simulate(load, 2)


def test_more_workers_never_search_less_if_work_grows_with_them() -> None:
    loads = [RATES.load(workers, "growing") for workers in (1, 2, 5, 10, 100, 1_000, 10_000)]
    for outcome in (paper, simulate):
        rates = [load.searches / outcome(load).seconds for load in loads]
        assert all(less < more for less, more in itertools.pairwise(rates))
        idle = [outcome(load).idle for load in loads]
        assert idle[0] < idle[-1] < 1.0


def test_the_slowest_of_many() -> None:
    assert extreme(1, 0.3) == 1.0
    assert extreme(10, 0.0) == extreme(10, 0.0, slowest=False) == 1.0
    slowest = [extreme(count, 0.3) for count in (1, 2, 10, 100, 1_000)]
    assert all(less < more for less, more in itertools.pairwise(slowest))
    assert extreme(100, 0.3, slowest=False) < 1.0


def test_costs_between_those_measured() -> None:
    assert RATES.cost(1) == COSTS[0] and RATES.cost(10) == COSTS[1]
    assert RATES.cost(5_000) == COSTS[2]  # what was not measured is not assumed to get cheaper
    between = RATES.cost(100)
    assert between.seconds == pytest.approx((1.0 * 0.5) ** 0.5)
    assert COSTS[2].row_bytes < between.row_bytes < COSTS[1].row_bytes


def test_fits_between_those_measured_and_beyond() -> None:
    asked = (100.0, 10_000.0, 15_000.0, 30_000.0, 80_000.0)
    assert [RATES.fit(rows) for rows in asked] == pytest.approx([1.6, 1.6, 1.75, 2.0, 2.5])
    assert [RATES.fit_rows(rows) for rows in (10_000.0, 80_000.0)] == pytest.approx([0.1, 0.8])
    once = dataclasses.replace(RATES, fits=FITS[:1])
    assert once.fit(1e6) == 1.6 and once.fit_rows(1e6) == 0.0


def test_where_a_place_saturates() -> None:
    workers = saturates_at(RATES, "growing", "weights: core")
    assert workers == 5_000  # 2 ms for each, against 10 s of play
    assert saturates_at(RATES, "growing", "fit: rows", most=80) is None
    assert saturates_at(RATES, "growing", "fit: rows") == 100  # 0.1 s for each worker's rows
    place = "fit: steps"
    fit = saturates_at(RATES, "fixed", place)
    assert fit is not None and 1 < fit <= 10
    before, after = (RATES.load(count, "fixed") for count in (fit - 1, fit))
    assert before.places()[place] < before.work and after.places()[place] >= after.work
    assert RATES.load(1_000, "fixed").binds() in PLACES
