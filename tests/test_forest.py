"""The search with soft ties: both engines are one algorithm, beliefs and temperature are right, and
what is found is a function of the log, the models and the seed.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel
import pytest

from nash_ismcts_spiel.games import CHANCE, DECISION, GameGraph
from nash_ismcts_spiel.games.policies import uniform_table
from nash_ismcts_spiel.models import (
    ExactEvaluator,
    InformationSetRow,
    RolloutEvaluator,
    SampleRow,
    UniformEvaluator,
)
from nash_ismcts_spiel.models.forest_models import ForestModels
from nash_ismcts_spiel.models.tables import ALL_PARTS, NOTHING, forest_models
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.search.forest import ReferenceForest, leash
from tests.helpers import GOOFSPIEL_3, KUHN, KUHN_3, LEDUC, LIARS_2, LIARS_4

BLOTTO = "turn_based_simultaneous_game(game=blotto(coins=3,fields=2))"


class RandomRows:
    """Learned models that are wrong: random P, V, Vc and beliefs, always the same."""

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        rows = []
        for number in information_sets:
            rng, count = np.random.default_rng([1, number]), graph.information_sets.action_count
            policy = rng.dirichlet(np.ones(count[number]))
            values = rng.uniform(-1.0, 1.0, count[number])
            rows.append(InformationSetRow(policy.tolist(), float(rng.uniform(-1, 1)), values))
        return rows

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        rows = []
        for node in sample_nodes:
            rng, samples = np.random.default_rng([2, node]), graph.samples
            beliefs = rng.dirichlet(np.ones(samples.branch_count[node]))
            own = graph.information_sets.action_count[samples.information_set[node]]
            rows.append(SampleRow(beliefs.tolist(), [[0.0] * len(beliefs)] * own))
        return rows


def cfr_average(graph: GameGraph, iterations: int) -> npt.NDArray[np.float64]:
    solver = exact.CfrSolver(graph)
    solver.run(iterations)
    return solver.average_policy()


def models_of(game: str, source: str) -> ForestModels:
    graph = GameGraph.enumerate(game)
    evaluator: Any = {
        "exact": lambda: ExactEvaluator(graph, cfr_average(graph, 10)),
        "learned": RandomRows,
        "rollouts": RolloutEvaluator,
    }[source]()
    return forest_models(graph, evaluator, learned=ALL_PARTS if source == "learned" else NOTHING)


def everywhere(models: ForestModels, visits: int, seed: int, **options: Any) -> Any:
    return _core.forest_everywhere(
        models.arena, models.native(), models.settings(seed), visits, **options
    )


@pytest.mark.parametrize("source", ["exact", "learned", "rollouts"])
@pytest.mark.parametrize("game", [KUHN, KUHN_3, LEDUC, LIARS_2, GOOFSPIEL_3, BLOTTO])
def test_both_engines_find_the_same_to_the_last_bit(game: str, source: str) -> None:
    models = models_of(game, source)
    sets = models.graph.information_sets
    for number in {0, len(sets) // 3, len(sets) - 1}:
        native = _core.SoftForest(models.arena, models.native(), models.settings(7))
        reference = ReferenceForest(models, 7)
        for view in models.arena.log(number):
            native.think(view, sets.player[number], 20)
            reference.think(view, sets.player[number], 20)
        assert native.simulations == reference.simulations > 0
        assert native.temperature == reference.temperature
        for each in range(len(sets)):
            for ours, theirs in zip(native.found(each), reference.found(each), strict=True):
                assert list(ours) == list(theirs)


@pytest.mark.parametrize("game", [KUHN, LEDUC, LIARS_4])
def test_measuring_all_sets_at_once_is_to_ask_one_bot_at_each(game: str) -> None:
    models = models_of(game, "exact")
    sets = models.graph.information_sets
    table = everywhere(models, 8, seed=5)
    for number in range(0, len(sets), max(1, len(sets) // 50)):
        forest = _core.SoftForest(models.arena, models.native(), models.settings(5))
        for view in models.arena.log(number):
            forest.think(view, sets.player[number], 8)
        first, count = sets.first_action[number], sets.action_count[number]
        assert forest.found(number)[0].tolist() == table[first : first + count].tolist()


def test_a_log_has_what_was_known_at_each_decision_point_and_its_end_if_it_is_long() -> None:
    models = models_of(LEDUC, "exact")
    arena, worlds = models.arena, models.graph.worlds
    views = arena.views.reshape(-1, 2)
    longest = max(range(len(models.graph.information_sets)), key=lambda n: len(arena.log(n)))
    log = arena.log(longest)
    world = models.graph.information_sets.first_world[longest]
    player = models.graph.information_sets.player[longest]
    on_the_way = []
    while world >= 0:
        if worlds.kind[world] == DECISION:
            on_the_way.append(int(views[world, player]))
        world = worlds.parent[world]
    assert log == on_the_way[::-1]
    # Three points at most: two at a time are left out, so one or two are kept of longer ones.
    for most in (3, 4):
        short = arena.log(longest, most)
        assert most // 2 < len(short) <= most
        assert short == log[-len(short) :]


def reach_by_pyspiel(game: Any, player: int) -> dict[tuple[Any, ...], dict[str, float]]:
    """Probabilities of histories by what a player knows at each decision point, if all play
    uniformly: its information states at every decision point so far, whoever moved.
    """
    found: dict[tuple[Any, ...], dict[str, float]] = {}

    def walk(state: Any, known: tuple[Any, ...], reach: float) -> None:
        if state.is_terminal():
            return
        if state.is_chance_node():
            for action, chance in state.chance_outcomes():
                walk(state.child(action), known, reach * chance)
            return
        known = (*known, (state.current_player(), state.information_state_string(player)))
        worlds = found.setdefault(known, {})
        worlds[str(state.history())] = reach
        for action in state.legal_actions():
            walk(state.child(action), known, reach / len(state.legal_actions()))

    walk(game.new_initial_state(), (), 1.0)
    return found


@pytest.mark.parametrize(
    "game", [KUHN, LEDUC, "leduc_poker(suit_isomorphism=True)", LIARS_2, GOOFSPIEL_3]
)
def test_beliefs_are_those_of_bayes_at_every_view_of_both_players(game: str) -> None:
    models = forest_models(GameGraph.enumerate(game), RolloutEvaluator())
    graph, arena = models.graph, models.arena
    views = arena.views.reshape(-1, graph.game.num_players)
    numbers = {str(list(graph.history(w))): w for w in range(len(graph.worlds))}
    loaded = pyspiel.load_game(game)
    if loaded.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        loaded = pyspiel.convert_to_turn_based(loaded)
    for player in range(graph.game.num_players):
        expected = reach_by_pyspiel(loaded, player)
        assert expected
        for worlds in expected.values():
            rows = [numbers[history] for history in worlds]
            total = sum(worlds.values())
            # Views of the package may tell no more than information states, and no less.
            assert len({int(views[row, player]) for row in rows}) == 1
            for row, reach in zip(rows, worlds.values(), strict=True):
                assert models.beliefs[row, player] == pytest.approx(reach / total, abs=1e-12)


def test_the_opponents_card_in_leduc_with_suit_isomorphism() -> None:
    """Own J, call, call, public Q: two jacks are left of two, one queen of two, two kings."""
    graph = GameGraph.enumerate("leduc_poker(suit_isomorphism=True)")
    models = forest_models(graph, RolloutEvaluator())
    jack, queen, king, call = 0, 1, 2, 1
    found = {}
    for other in (jack, queen, king):
        world = graph.follow([jack, other, call, call, queen])
        found[other] = models.beliefs[world, 0]
    assert found == pytest.approx({jack: 0.25, queen: 0.25, king: 0.5})


def test_the_temperature_solves_its_equation_and_falls_with_visits_and_regret() -> None:
    settings = itertools.product([1, 10, 1000, 10**6], [1e-4, 0.05, 0.4], [1.4, 0.4])
    for visits, regret, weight in settings:
        x = leash(visits, regret, weight)
        assert visits * x * x == pytest.approx(weight * (1.0 / regret + 1.0 / x))
    assert leash(10, 0.1) == leash(10, 0.1, 1.4)
    assert leash(10, 0.1) > leash(100, 0.1) > leash(100, 0.2)


@pytest.mark.parametrize("game", [KUHN, LEDUC])
def test_at_an_equilibrium_search_stays_there(game: str) -> None:
    """All actions that are played have one value, so pi = P, but for what P itself gets wrong."""
    graph = GameGraph.enumerate(game)
    solver = exact.CfrSolver(graph, "cfr_plus")
    solver.run(1000)
    policy = solver.average_policy()
    table = everywhere(forest_models(graph, ExactEvaluator(graph, policy)), 50, seed=1)
    assert exact.exploitability(graph, table) < exact.exploitability(graph, policy) + 2e-3


def exploitabilities(game: str, iterations: int, visits: Sequence[int]) -> list[float]:
    graph = GameGraph.enumerate(game)
    policy = cfr_average(graph, iterations) if iterations else uniform_table(graph)
    models = forest_models(
        graph, ExactEvaluator(graph, policy) if iterations else RolloutEvaluator()
    )
    tables = [policy, *(everywhere(models, each, seed=11) for each in visits)]
    return [exact.exploitability(graph, table) for table in tables]


@pytest.mark.parametrize(
    ("game", "iterations", "share"), [(KUHN, 10, 0.8), (KUHN, 0, 0.15), (LIARS_4, 30, 0.65)]
)
def test_search_pays_and_more_search_pays_more(game: str, iterations: int, share: float) -> None:
    prior, few, more, most = exploitabilities(game, iterations, [10, 100, 1000])
    assert prior > few > more > most
    assert most < share * prior


def test_a_uniform_opponent_of_no_value_is_searched_without_a_scale() -> None:
    """Models without values but with a policy: any evaluator will do."""
    graph = GameGraph.enumerate(KUHN)
    models = forest_models(graph, UniformEvaluator())
    table = everywhere(models, 10, seed=0)
    sums = np.add.reduceat(table, np.asarray(graph.information_sets.first_action))
    assert sums == pytest.approx(np.ones(len(sums)))


def test_chance_has_no_view_and_worlds_of_a_view_look_alike() -> None:
    models = models_of(KUHN_3, "exact")
    graph, arena = models.graph, models.arena
    views = arena.views.reshape(-1, 3)
    for world in range(len(graph.worlds)):
        if graph.worlds.kind[world] == CHANCE:
            assert (views[world] == -1).all()
    for view in range(arena.num_views):
        for player in range(3):
            column = views[arena.worlds_of(view), player]
            if (column == view).all():
                assert len({graph.worlds.depth[w] for w in arena.worlds_of(view)}) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f, m: f.think(-1, 0, 5), "view -1"),
        (lambda f, m: f.think(0, 2, 5), "player 2"),
        (lambda f, m: f.think(0, 0, -5), "visits must not be negative"),
        (lambda f, m: f.think(0, 0, None), "visits or seconds"),
        (lambda f, m: f.found(99), "information set 99"),
        (lambda f, m: m.arena.log(0, 0), "longest must be at least 1"),
        (lambda f, m: everywhere(m, 0, 0), "visits"),
    ],
)
def test_wrong_numbers_are_refused(call: Any, words: str) -> None:
    models = models_of(KUHN, "exact")
    forest = _core.SoftForest(models.arena, models.native(), models.settings(0))
    with pytest.raises((ValueError, IndexError), match=words):
        call(forest, models)


def test_a_search_ends_when_its_time_is_over() -> None:
    models = models_of(LEDUC, "exact")
    forest = _core.SoftForest(models.arena, models.native(), models.settings(0))
    done = forest.think(models.arena.log(0)[0], 0, None, seconds=0.05)
    assert 0 < done == forest.simulations
