"""The generation loop and its average policy: against brute force, by seed, and that it learns."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import helpers
import numpy as np
import pytest

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.learning import ExactLoop, ExactModels, Schedule, TrainingConfig
from nash_ismcts_spiel.learning.average import AveragePolicy
from nash_ismcts_spiel.native import exact

Enumerated = Callable[[str], GameGraph]
FEW = Schedule(start=10.0)
"""Visits for tests that do not ask how well something is learned."""


def trained(
    graph: GameGraph, generations: int, seed: int = 0, workers: int = 1, **settings: Any
) -> ExactLoop:
    """A loop after some generations."""
    config = TrainingConfig(**settings)
    loop = ExactLoop(graph, config, seed, workers)
    for _ in range(generations):
        loop.step()
    return loop


def walked_reach(game: Any, rows: helpers.Table) -> dict[str, float]:
    """By a walk over all states: the product of own probabilities towards each decision."""
    found: dict[str, float] = {}
    pending = [(game.new_initial_state(), (1.0,) * game.num_players())]
    while pending:
        state, own = pending.pop()
        if state.is_terminal():
            continue
        player = state.current_player()
        if player < 0:
            pending.extend((state.child(action), own) for action in state.legal_actions())
            continue
        string = state.information_state_string()
        assert found.setdefault(string, own[player]) == pytest.approx(own[player])
        for action, probability in rows[string]:
            after = (*own[:player], own[player] * probability, *own[player + 1 :])
            pending.append((state.child(action), after))
    return found


# Own reach and the average.


@pytest.mark.parametrize("name", [helpers.KUHN, helpers.KUHN_3, helpers.LEDUC])
@pytest.mark.parametrize("make", [helpers.random_table, helpers.pure_table])
def test_own_reach_is_the_product_of_own_probabilities(
    enumerated: Enumerated, name: str, make: Callable[[GameGraph, int], helpers.Floats]
) -> None:
    graph = enumerated(name)
    table = make(graph, 3)
    walked = walked_reach(helpers.load(name), helpers.as_rows(graph, table))
    expected = [walked[string] for string in helpers.strings(graph)]
    assert exact.own_reach(graph, table) == pytest.approx(expected, abs=1e-12)
    assert len(set(np.round(expected, 6))) > 1


def search_at_most(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Exact training searches so many information sets a generation."""
    monkeypatch.setattr("nash_ismcts_spiel.learning.exact_loop.MOST_SEARCHES", most)


def mean_by_hand(
    graph: GameGraph, tables: Sequence[helpers.Floats], weights: Sequence[float], explore: float
) -> dict[str, list[float]]:
    """The mean of policies at each information state, weighted by own reach with exploration."""
    sums: dict[str, list[float]] = {}
    totals: dict[str, float] = {}
    for table, weight in zip(tables, weights, strict=True):
        rows = helpers.as_rows(graph, table)
        exploring = {
            string: [(action, (1.0 - explore) * p + explore / len(row)) for action, p in row]
            for string, row in rows.items()
        }
        for string, reach in walked_reach(graph.game.pyspiel_game, exploring).items():
            counted = weight * reach
            totals[string] = totals.get(string, 0.0) + counted
            before = sums.get(string, [0.0] * len(rows[string]))
            sums[string] = [s + counted * p for s, (_, p) in zip(before, rows[string], strict=True)]
    return {string: [s / totals[string] for s in row] for string, row in sums.items()}


@pytest.mark.parametrize("name", [helpers.KUHN, helpers.KUHN_3])
@pytest.mark.parametrize("explore", [0.0, 0.25, 1.0])
def test_average_is_the_mean_weighted_by_own_reach(
    enumerated: Enumerated, name: str, explore: float
) -> None:
    graph = enumerated(name)
    tables = [helpers.random_table(graph, seed) for seed in range(4)]
    weights = [1.0, 2.0, 0.5, 4.0]
    average = AveragePolicy(graph)
    everywhere = np.arange(len(graph.information_sets), dtype=np.int32)
    for table, weight in zip(tables, weights, strict=True):
        average.add(table, everywhere, weight, explore)
    expected = mean_by_hand(graph, tables, weights, explore)
    for string, row in helpers.as_rows(graph, average.policy()).items():
        assert [p for _, p in row] == pytest.approx(expected[string], abs=1e-12)


def test_the_average_begins_uniform_and_stays_so_where_nothing_counts(
    enumerated: Enumerated,
) -> None:
    graph = enumerated(helpers.KUHN)
    average = AveragePolicy(graph)
    assert average.policy() == pytest.approx(helpers.uniform_table(graph))
    # A pure policy without exploration never comes to some of its own information sets.
    pure = helpers.pure_table(graph, 0)
    average.add(pure, np.arange(len(graph.information_sets), dtype=np.int32), 1.0, 0.0)
    reached = exact.own_reach(graph, pure) > 0.0
    assert 0 < reached.sum() < len(reached)
    of_actions = np.repeat(reached, graph.information_sets.action_count)
    assert average.policy() == pytest.approx(np.where(of_actions, pure, 0.5))


def test_the_average_counts_only_the_given_sets(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    average = AveragePolicy(graph)
    average.add(helpers.random_table(graph, 1), np.array([2, 5], dtype=np.int32), 1.0, 0.5)
    assert np.flatnonzero(average.weight).tolist() == [2, 5]


def test_exact_models_weigh_generations_and_explore_by_schedule(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    config = TrainingConfig(averaging_power=2.0, exploration=Schedule(start=0.5))
    models = ExactModels(graph, config)
    tables = [helpers.random_table(graph, seed) for seed in range(3)]
    everywhere = np.arange(len(graph.information_sets), dtype=np.int32)
    for generation, table in enumerate(tables, start=1):
        models.learn(generation, table, everywhere, np.ones(len(everywhere)))
    expected = mean_by_hand(graph, tables, [1.0, 4.0, 9.0], 0.5)
    for string, row in helpers.as_rows(graph, models.policy()).items():
        assert [p for _, p in row] == pytest.approx(expected[string], abs=1e-12)


def test_models_are_restored_exactly_and_refuse_another_game(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    loop = trained(graph, 3, visits=FEW)
    again = ExactModels(graph, TrainingConfig())
    again.restore(loop.models.arrays())
    assert np.array_equal(again.policy(), loop.models.policy())
    other = ExactModels(enumerated(helpers.KUHN_3), TrainingConfig())
    with pytest.raises(ValueError, match=r"not one of kuhn_poker\(players=3\)"):
        other.restore(loop.models.arrays())


# The loop.


def test_a_generation_by_hand(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    loop = trained(graph, 1, seed=4, visits=FEW)
    assert loop.generation == 1
    assert loop.simulations >= 10 * len(graph.information_sets)
    first = graph.information_sets.first_action
    assert np.add.reduceat(loop.search_policy, first) == pytest.approx(1.0)
    # The average of one policy is that policy.
    assert loop.models.policy() == pytest.approx(loop.search_policy, abs=1e-12)


@pytest.mark.parametrize("most", [4000, 280])
def test_the_same_for_a_seed_and_different_for_another(
    enumerated: Enumerated, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = enumerated(helpers.LEDUC)
    search_at_most(monkeypatch, most)
    loops = [trained(graph, 3, seed, visits=FEW) for seed in (1, 1, 2)]
    policies = [loop.models.policy() for loop in loops]
    assert np.array_equal(policies[0], policies[1])
    assert loops[0].simulations == loops[1].simulations
    assert not np.allclose(policies[0], policies[2])


@pytest.mark.parametrize("most", [4000, 280])
def test_the_result_depends_on_shards_but_not_on_workers(
    enumerated: Enumerated, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = enumerated(helpers.LEDUC)
    search_at_most(monkeypatch, most)
    settings: dict[str, Any] = {"visits": FEW}
    loops = [
        trained(graph, 3, 5, workers, shards=3, **settings) for workers in (1, 2, 7)
    ]  # fmt: skip
    for loop in loops[1:]:
        assert np.array_equal(loop.models.policy(), loops[0].models.policy())
        assert np.array_equal(loop.search_policy, loops[0].search_policy)
        assert loop.simulations == loops[0].simulations
    whole = trained(graph, 3, 5, **settings)
    assert not np.array_equal(whole.models.policy(), loops[0].models.policy())


def test_more_shards_than_information_sets(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    loop = trained(graph, 2, workers=2, shards=50, visits=FEW)
    first = graph.information_sets.first_action
    assert np.add.reduceat(loop.search_policy, first) == pytest.approx(1.0)


@pytest.mark.parametrize("shards", [1, 4])
def test_only_some_sets_are_searched_and_the_rest_keeps_its_average(
    enumerated: Enumerated, shards: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = enumerated(helpers.LEDUC)
    search_at_most(monkeypatch, 234)
    config = TrainingConfig(visits=FEW, shards=shards)
    loop = ExactLoop(graph, config, seed=6)
    models = loop.models
    sets = graph.information_sets
    searched: list[frozenset[int]] = []
    for _ in range(3):
        before, weights = models.policy(), np.array(models.arrays()["weight"])
        loop.step()
        learned = np.array(models.arrays()["weight"]) != weights
        searched.append(frozenset(np.flatnonzero(learned).tolist()))
        kept = ~np.repeat(learned, sets.action_count)
        assert np.array_equal(models.policy()[kept], before[kept])
        assert np.array_equal(loop.search_policy[kept], before[kept])
        assert not np.array_equal(loop.search_policy, before)
        assert np.add.reduceat(loop.search_policy, sets.first_action) == pytest.approx(1.0)
    assert [len(chosen) for chosen in searched] == [234] * 3
    assert len(set(searched)) == 3


def test_sets_are_searched_by_own_reach_and_count_by_its_inverse(
    enumerated: Enumerated, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where P does not go by itself a set is searched rarely, but then it counts for all the times
    # that it was not: in the long run sets have the weight that they have if all are searched.
    graph = enumerated(helpers.KUHN)
    generations, explore = 400, 0.5
    settings: dict[str, Any] = {
        "visits": Schedule(start=1.0), "averaging_power": 0.0,
        "exploration": Schedule(start=explore),
    }  # fmt: skip
    search_at_most(monkeypatch, 4)
    loop = ExactLoop(graph, TrainingConfig(**settings), seed=2)
    times = np.zeros(len(graph.information_sets))
    expected = np.zeros(len(times))
    for _ in range(generations):
        weight = loop.models.arrays()["weight"]
        loop.step()
        times += np.asarray(loop.models.arrays()["weight"]) != weight
        exploring = (1 - explore) * loop.search_policy + explore * helpers.uniform_table(graph)
        expected += exact.own_reach(graph, exploring)
    assert times.sum() == 4 * generations
    later = np.array([string.endswith("pb") for string in helpers.strings(graph)])
    assert times[later].max() < times[~later].min()
    assert loop.models.arrays()["weight"] == pytest.approx(expected, rel=0.25)


def test_a_restored_loop_goes_on_as_if_it_had_never_stopped(
    enumerated: Enumerated, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = enumerated(helpers.LEDUC)
    search_at_most(monkeypatch, 468)
    settings: dict[str, Any] = {"visits": FEW, "shards": 2}
    unbroken = trained(graph, 6, 8, **settings)
    first = trained(graph, 2, 8, **settings)
    second = trained(graph, 0, 8, **settings)
    second.models.restore(first.models.arrays())
    second.restore(first.generation, first.counters())
    for _ in range(4):
        second.step()
    assert np.array_equal(second.models.policy(), unbroken.models.policy())
    assert np.array_equal(second.search_policy, unbroken.search_policy)
    assert (second.generation, second.simulations) == (6, unbroken.simulations)


def test_an_interrupted_search_changes_nothing(
    enumerated: Enumerated, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = enumerated(helpers.KUHN)
    loop = trained(graph, 2, visits=FEW)
    policy, found = loop.models.policy(), loop.search_policy

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("nash_ismcts_spiel.learning.exact_loop.search_everywhere", interrupted)
        with pytest.raises(KeyboardInterrupt):
            loop.step()
    assert loop.generation == 2
    assert np.array_equal(loop.models.policy(), policy)
    assert np.array_equal(loop.search_policy, found)
    loop.step()
    assert np.array_equal(loop.models.policy(), trained(graph, 3, visits=FEW).models.policy())


@pytest.mark.parametrize(("seed", "workers"), [(-1, 1), (0, 0)])
def test_seeds_and_workers_refused(enumerated: Enumerated, seed: int, workers: int) -> None:
    with pytest.raises(ValueError, match="a seed from 0 and workers from 1"):
        trained(enumerated(helpers.KUHN), 0, seed, workers)


# That it learns. The thresholds leave a factor of at least 1.5 over the worst of seeds 0 to 2.


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_kuhn_poker_is_learned(enumerated: Enumerated, seed: int) -> None:
    graph = enumerated(helpers.KUHN)
    untrained = trained(graph, 0, seed).models.policy()
    assert helpers.exploitability(graph, untrained) == pytest.approx(11 / 24)  # OpenSpiel's figure
    learned = trained(graph, 300, seed).models.policy()
    assert helpers.exploitability(graph, learned) < 0.01


def test_leduc_poker_is_learned(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.LEDUC)
    untrained = trained(graph, 0).models.policy()
    # NashConv of the uniform policy by OpenSpiel: 4.747222.
    assert exact.exploitability(graph, untrained) == pytest.approx(4.747222222222222 / 2)
    learned = trained(graph, 40).models.policy()
    assert helpers.exploitability(graph, learned) < 0.22


@pytest.mark.parametrize("name", [helpers.GOOFSPIEL_4, helpers.LIARS_3, helpers.KUHN_3])
def test_other_games_are_learned(enumerated: Enumerated, name: str) -> None:
    graph = enumerated(name)
    untrained = exact.exploitability(graph, helpers.uniform_table(graph))
    learned = exact.exploitability(graph, trained(graph, 50, visits=FEW).models.policy())
    assert learned < untrained / 4


@pytest.mark.slow
def test_events_left_out_and_worlds_remembered_teach_worse(
    enumerated: Enumerated, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With 20 visits, where it shows most: seeds 0 to 2 end at 0.053, 0.055 and 0.035 against 0.119,
    # 0.104 and 0.121. With 100 visits it does not show in the first 60 generations.
    graph = enumerated(helpers.LEDUC)
    few = Schedule(start=20.0)
    noisy = SearchConfig(unvisited_events="left_out")
    better = trained(graph, 400, visits=few).models.policy()
    remembered = functools.partial(exact.exact_rows, forgetful=False)
    monkeypatch.setattr("nash_ismcts_spiel.learning.exact_loop.exact_rows", remembered)
    worse = trained(graph, 400, visits=few, search=noisy).models.policy()
    assert exact.exploitability(graph, worse) > 1.5 * exact.exploitability(graph, better)
