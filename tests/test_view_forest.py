"""The search with soft ties over views: two engines, one answer, and more search is better."""

from __future__ import annotations

from collections import Counter
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest
from scipy.stats import chisquare

from exploitability import measure
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig, make_bot
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.merged import MergedGame, game_over_views, merged_game
from nash_ismcts_spiel.games.symmetries import square_symmetries
from nash_ismcts_spiel.models import (
    BlendEvaluator,
    EvaluatorError,
    RolloutEvaluator,
    UniformEvaluator,
)
from nash_ismcts_spiel.models.view_models import (
    ViewModels,
    models_of,
    policy_over_views,
    takes_views,
    view_models,
)
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.native.forest import ForestEngine, search_views
from nash_ismcts_spiel.search.forest import HANDFUL, leash
from nash_ismcts_spiel.search.splitmix import SplitMix
from nash_ismcts_spiel.search.view_forest import LEAST_TEMPERATURE, ReferenceViewForest

DARK_HEX_2X2 = "dark_hex(board_size=2)"
ABRUPT_2X3 = "dark_hex(num_rows=2,num_cols=3,gameversion=adh)"
PHANTOM = "phantom_ttt"
OVER_VIEWS = 20_000
"""`max_worlds` with which ABRUPT_2X3 is too large for a search of its histories."""


def some_policy(merged: MergedGame, seed: int, pure: bool = False) -> np.ndarray[Any, Any]:
    """Random probabilities at each view, all or nothing where `pure`."""
    rng = np.random.default_rng(seed)
    rows = [rng.dirichlet(np.ones(len(view.legal_actions))) for view in merged.views]
    return np.concatenate([np.eye(len(row))[np.argmax(row)] if pure else row for row in rows])


def cfr_models(name: str, iterations: int) -> ViewModels:
    merged = merged_game(name)
    solver = _core.MergedCfr(merged.native)
    solver.run(iterations)
    return models_of(merged, solver.average_policy())


def turned_view(models: ViewModels) -> int:
    """A view that is turned to another one."""
    return int(np.flatnonzero(models.standard_view != np.arange(len(models.standard_view)))[0])


def exploitability_of(models: ViewModels, policy: Any) -> float:
    return exact.merged_nash_conv(models.merged, policy)[0].exploitability


def rows(models: ViewModels, policy: Any) -> list[list[float]]:
    return [row.tolist() for row in np.split(policy, models.first_action[1:-1])]


def models_by(name: str, source: str) -> ViewModels:
    """Of random probabilities, of random moves, or of a policy that is alike on turned boards."""
    if source == "turned":
        return cfr_models(name, 2)
    merged = merged_game(name)
    return models_of(merged, some_policy(merged, 1, source == "pure"))


@pytest.mark.parametrize(
    ("name", "source"),
    [
        (DARK_HEX_2X2, "random"),
        (DARK_HEX_2X2, "pure"),
        (DARK_HEX_2X2, "turned"),
        (ABRUPT_2X3, "random"),
        (ABRUPT_2X3, "pure"),
    ],
)
def test_both_engines_and_all_views_at_once_find_the_same_to_the_last_bit(
    name: str, source: str
) -> None:
    models = models_by(name, source)
    merged = models.merged
    table = rows(models, search_views(models, 12, seed=3))
    config = SearchConfig(visits=12)
    reference = SearchConfig(visits=12, engine="reference")
    for view in range(0, len(merged.views), max(1, len(merged.views) // 15)):
        found = ForestEngine(models, config, 3).search(view)
        assert found == ForestEngine(models, reference, 3).search(view)
        assert list(found.policy) == table[view]
        assert sum(found.policy) == pytest.approx(1.0)


@pytest.mark.parametrize("name", [DARK_HEX_2X2, PHANTOM])
def test_a_turned_game_has_the_values_of_the_whole_one(name: str) -> None:
    """P, Vc at all views, V at the start, how likely views are, and what the best actions gain."""
    merged = merged_game(name)
    found = search_views(view_models(merged, UniformEvaluator()), 9, seed=1)
    models = models_of(merged, found)
    whole = _core.ViewArena(merged.native, [])
    exact_models = _core.ViewModels(whole, models.policy)
    assert len(np.unique(models.standard_view)) < len(merged.views) / 1.9
    assert len(models.arena.view) < len(whole.view) / 1.9
    assert models.child_values == pytest.approx(exact_models.child_values, abs=1e-9)
    assert models.native.regret == pytest.approx(exact_models.regret, abs=1e-9)
    assert models.native.values[:2] == pytest.approx(exact_models.values[:2], abs=1e-9)
    every = np.bincount(whole.view[whole.view >= 0], exact_models.reach[whole.view >= 0])
    turned, reach = models.arena.view, models.native.reach
    by_search = np.bincount(turned[turned >= 0], reach[turned >= 0], len(merged.views))
    assert by_search == pytest.approx(np.bincount(models.standard_view, every, len(merged.views)))


def test_turned_boards_are_played_alike() -> None:
    """By OpenSpiel: the history of a view with its cells turned has the same policy, turned."""
    merged = merged_game(PHANTOM)
    models = view_models(merged, UniformEvaluator())
    asked = list(range(0, len(merged.views), 500))
    for cells in square_symmetries(9):
        turned = [[cells[cell] for cell in merged.views[view].history] for view in asked]
        images = [merged.view_at(merged.state_after(tuple(events))) for events in turned]
        table = rows(models, search_views(models, 9, 2, [*asked, *images]))
        for view, image in zip(asked, images, strict=True):
            found = dict(zip(models.actions(image), table[image], strict=True))
            own = zip(models.actions(view), table[view], strict=True)
            assert {cells[action]: p for action, p in own} == found


def test_a_policy_that_prefers_a_side_is_searched_as_it_is() -> None:
    merged = merged_game(DARK_HEX_2X2)
    policy = some_policy(merged, 4)
    models = models_of(merged, policy)
    assert (models.policy == policy).all()
    assert models.standard_view.tolist() == list(range(len(merged.views)))


def test_some_views_are_searched_as_all_are_and_others_have_p() -> None:
    merged = merged_game(ABRUPT_2X3)
    models = models_of(merged, some_policy(merged, 0))
    every, told = rows(models, search_views(models, 10, seed=1)), []
    asked = list(range(5, len(merged.views), 50))
    some = rows(models, search_views(models, 10, 1, asked, told.append))
    assert told[0] == 0 and told == sorted(told) and told[-1] < len(asked)
    for view in range(len(merged.views)):
        assert some[view] == (every[view] if view in asked else models.policy_at(view))


def test_what_p_says_of_nodes_is_what_openspiel_says() -> None:
    """V at the start by OpenSpiel's walk of the tree; looks by what states show."""
    merged = merged_game(DARK_HEX_2X2)
    policy = some_policy(merged, 2)
    models, game = models_of(merged, policy), merged.game.pyspiel_game
    table = dict(enumerate(rows(models, policy)))
    reach = np.zeros(len(merged.views))

    def walk(state: Any, chance: float) -> float:
        if state.is_terminal():
            return float(state.returns()[0])
        view = merged.view_at(state)
        reach[view] += chance
        pairs = zip(state.legal_actions(), table[view], strict=True)
        return sum(p * walk(state.child(action), chance * p) for action, p in pairs)

    value = walk(game.new_initial_state(), 1.0)
    assert models.native.values[0] == pytest.approx(value, abs=1e-12)
    for view in range(len(merged.views)):
        nodes = models.arena.nodes_of_look(models.arena.look_of_view(view))
        assert models.native.reach[nodes].sum() == pytest.approx(reach[view], rel=1e-6)
        assert {int(node) for node in models.arena.view[nodes]} == {view}


def test_worlds_drawn_three_moves_deep_have_the_posterior_of_p() -> None:
    """The reference is a walk of OpenSpiel's states; nodes are told apart by their probability."""
    merged = merged_game(PHANTOM)
    policy = some_policy(merged, 6)
    models = models_of(merged, policy)
    asked = merged.view_at(helpers.state_after(merged.game.pyspiel_game, [4, 0, 8]))
    posterior: Counter[tuple[str, ...]] = Counter()
    pending = [(merged.game.initial_state(), 1.0)]
    while pending:
        state, chance = pending.pop()
        if state.is_terminal() or len(state.history()) > 4:
            continue
        view = merged.view_at(state)
        if view == asked:
            keys = [str(len(state.history())), str(state)]
            node = (*keys, *map(str, map(state.observation_string, (0, 1))))
            posterior[node] += chance  # type: ignore[assignment]
        pairs = zip(state.legal_actions(), policy[merged.actions_of(view)], strict=True)
        pending += [(state.child(action), chance * float(p)) for action, p in pairs]
    forest, random = ReferenceViewForest(models, seed=0), SplitMix.stream(7, 0)
    look = models.arena.look_of_view(asked)
    drawn = Counter(forest._draw_root(look, random) for _ in range(5_000))
    likely = sorted(models.arena.nodes_of_look(look), key=lambda node: models.native.reach[node])
    shares = np.sort([*posterior.values()])
    assert len(likely) == len(shares) > 30
    assert models.native.reach[likely] == pytest.approx(shares, rel=1e-6)
    counts = [drawn[node] for node in likely]
    assert chisquare(counts, shares / shares.sum() * 5_000).pvalue > 1e-3
    assert chisquare(counts, np.full(len(shares), 5_000 / len(shares))).pvalue < 1e-3


def test_a_log_ends_at_its_view_and_is_the_likeliest_way_there() -> None:
    models = cfr_models(ABRUPT_2X3, 3)
    arena, reach = models.arena, models.native.reach
    for view in range(0, len(models.merged.views), 40):
        points, player = models.log(view), models.player(view)
        assert points[-1] == arena.look_of_view(view)
        assert len(set(points)) == len(points)
        node = max(arena.nodes_of_look(points[-1]), key=lambda node: reach[node])
        for point in reversed(points):
            while arena.look(node, player) == point and node > 0:
                first, end = arena.first_parent[node], arena.first_parent[node + 1]
                node = int(arena.parent[first + np.argmax(models.native.shares[first:end])])
        assert node == 0


@pytest.mark.parametrize("visits", [1, HANDFUL - 1])
def test_with_a_handful_of_visits_it_plays_p(visits: int) -> None:
    models = cfr_models(ABRUPT_2X3, 2)
    assert (search_views(models, visits, seed=0) == models.policy).all()


def test_at_an_equilibrium_search_stays_there() -> None:
    models = cfr_models(DARK_HEX_2X2, 4000)
    assert exploitability_of(models, models.policy) < 1e-5
    for visits in (10, 100, 1000):
        found = search_views(models, visits, seed=5)
        assert np.abs(found - models.policy).max() < 0.02
        assert exploitability_of(models, found) < 1e-4


@pytest.mark.parametrize(("iterations", "share"), [(1, 0.3), (3, 0.6)])
def test_search_pays_and_more_search_pays_more(iterations: int, share: float) -> None:
    models = cfr_models(ABRUPT_2X3, iterations)
    curve = [exploitability_of(models, models.policy)]
    for visits in (10, 100, 1000):
        found = [exploitability_of(models, search_views(models, visits, seed)) for seed in (1, 2)]
        curve.append(float(np.mean(found)))
    assert all(after < before for before, after in zip(curve, curve[1:], strict=False))
    assert curve[-1] < share * curve[0]


def test_the_temperature_is_bounded_below() -> None:
    models = cfr_models(DARK_HEX_2X2, 3)
    for visits, long in ((20, False), (100_000, True)):
        forest = models.forest(0)
        forest.think(models.log(0)[0], 0, visits)
        length = leash(visits, models.regret)
        assert (length < LEAST_TEMPERATURE) == long
        expected = models.value_scale * max(length, LEAST_TEMPERATURE)
        assert forest.temperature == pytest.approx(expected)


def positions(game: Any, count: int) -> list[Any]:
    """States of random games in which a player is to move."""
    rng, found = np.random.default_rng(0), []
    for _ in range(count):
        state = game.new_initial_state()
        length = int(rng.integers(1, 7))
        while not state.is_terminal() and len(state.history()) < length:
            state.apply_action(int(rng.choice(state.legal_actions())))
        if not state.is_terminal():
            found.append(state)
    return found


def test_the_bot_is_a_function_of_view_settings_and_seed() -> None:
    """In any order of questions, asked out of the blue or having played along."""
    game = helpers.load(PHANTOM)
    merged = merged_game(PHANTOM)
    models = view_models(merged, UniformEvaluator())
    bot: Any = make_bot("nash_ismcts", game, visits=20, seed=4)
    states = positions(game, 12)
    views = [merged.view_at(state) for state in states]
    table = rows(models, search_views(models, 20, 4, views))
    for state, view in [*zip(states, views, strict=True)][::-1] + [
        *zip(states, views, strict=True)
    ]:
        assert [p for _, p in bot.get_policy(state)] == table[view]
        other = merged.state_after(merged.views[view].other_history)
        assert bot.get_policy(other) == bot.get_policy(state) == bot.clone().get_policy(state)
        assert bot.search(state, fresh=True).policy == tuple(table[view])


def test_nothing_hidden_is_looked_at() -> None:
    """Player 0 cannot tell where player 1 has put its stone."""
    game, found = helpers.load(PHANTOM), []
    for hidden in (0, 2, 7):
        bot = NashIsmctsBot(game, 0, RolloutEvaluator(), SearchConfig(visits=60), seed=3)
        found.append(bot.search(helpers.state_after(game, [4, hidden])))
    assert found[0] == found[1] == found[2]
    assert found[0].policy != found[0].prior


def test_one_call_measures_what_the_bot_answers_at_each_view(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    merged, told = merged_game(ABRUPT_2X3), []
    bot = make_bot("nash_ismcts", ABRUPT_2X3, visits=8, seed=5, max_worlds=OVER_VIEWS)
    game = merged.game.pyspiel_game
    together = measure(game, bot, engine="merged", progress=lambda *done: told.append(done))
    assert told[-1] == (len(merged.views),) * 2 and len(told) > 10
    table = search_views(view_models(merged, UniformEvaluator()), 8, seed=5)
    monkeypatch.setattr(NashIsmctsBot, "get_policies", lambda *_: None)
    for source in (bot, table):
        found = measure(game, source, engine="merged")
        assert found.per_player_gain == together.per_player_gain
        assert found.on_policy_values == together.on_policy_values
    assert together.views == len(merged.views)


def test_a_search_reports_simulations_at_the_view_and_before_it() -> None:
    game = helpers.load(PHANTOM)
    state = helpers.state_after(game, [4, 0])
    result = make_bot("nash_ismcts", game, visits=30).search(state)
    assert (result.simulations, result.pondered, result.stopped_by) == (90, 60, "visits")
    assert sum(result.visits) >= 15 and result.key.player == 0
    timed = make_bot("nash_ismcts", game, seconds=0.05).search(state)
    assert timed.stopped_by == "seconds" and timed.simulations > 0


def test_which_games_are_searched_over_views() -> None:
    def over(name: str, nodes: int = 1_000_000) -> bool:
        return game_over_views(support(name), nodes) is not None

    assert over(PHANTOM) and over(DARK_HEX_2X2)
    assert not over(PHANTOM, 1000)
    assert not over("dark_hex(board_size=4)") and not over("kuhn_poker")
    assert takes_views(RolloutEvaluator()) and takes_views(UniformEvaluator())
    assert not takes_views(BlendEvaluator(UniformEvaluator(), UniformEvaluator(), 0.5))
    literal: Any = make_bot("nash_ismcts", PHANTOM, visits=5, max_worlds=1000)
    assert not isinstance(literal._engine, ForestEngine)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: _core.ViewArena(merged_game("leduc_poker").native, []), "without chance"),
        (lambda m: _core.ViewArena(m.merged.native, [[0, 1]]), "where each action goes"),
        (lambda m: m.forest(0).found(turned_view(m)), "not a standard one"),
        (lambda m: _core.ViewModels(m.arena, m.policy[1:]), "policy must have"),
        (lambda m: search_views(m, 0, 0), "at least 1"),
        (lambda m: search_views(m, 5, 0, [10**6]), "view 1000000 is not one of"),
        (lambda m: m.forest(0).think(10**6, 0, 5), "look 1000000 is not one of"),
        (lambda m: m.forest(0).think(0, 2, 5), "player 2 is not one of"),
        (lambda m: m.forest(0).think(0, 0, -1), "not be negative"),
        (lambda m: m.forest(0).found(-1), "view -1 is not one of"),
    ],
)
def test_wrong_numbers_are_refused(call: Any, words: str) -> None:
    models = cfr_models(DARK_HEX_2X2, 1)
    with pytest.raises((ValueError, IndexError), match=words):
        call(models)


def test_networks_are_asked_once_at_each_view() -> None:
    """P of the pretrained networks, which prefer a side where a view is its own image."""
    game = pyspiel.load_game(PHANTOM)
    bot: Any = make_bot("nash_ismcts", game, checkpoint="pretrained", visits=2)
    models = view_models(merged_game(PHANTOM), bot._evaluator)
    asked = policy_over_views(merged_game(PHANTOM), bot._evaluator)
    found = [
        measure(game, policy, engine="merged").exploitability for policy in (asked, models.policy)
    ]
    assert found == pytest.approx([0.0997, 0.0522], abs=1e-4)
    state = helpers.state_after(game, [4, 0])
    assert bot.search(state).policy == bot.search(state).prior


class FlatUniform(helpers.FixedEvaluator):
    """Uniform P as flat arrays, as networks give it; NaN while `broken`."""

    broken = True

    def flat_information_set_rows(self, graph: GameGraph, information_sets: Any) -> Any:
        counts = graph.information_sets.action_count.take(np.asarray(information_sets))
        policy = np.repeat(1.0 / counts, counts)
        policy[len(policy) // 2] = np.nan if self.broken else policy[len(policy) // 2]
        return policy, np.zeros(len(counts)), np.zeros(len(policy))

    def flat_sample_rows(self, graph: GameGraph, sample_nodes: Any) -> Any:
        raise NotImplementedError("a search over views needs P alone")


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_broken_evaluator_is_named_and_the_bot_goes_on(engine: Any) -> None:
    game, evaluator = pyspiel.load_game(ABRUPT_2X3), FlatUniform()
    settings: dict[str, Any] = {"visits": 12, "engine": engine, "max_worlds": 10_000}
    bot: Any = make_bot("nash_ismcts", game, evaluator=evaluator, **settings)
    assert bot._merged is not None
    state = game.new_initial_state()
    for _ in range(2):
        with pytest.raises(EvaluatorError, match="FlatUniform returned policy.*nan"):
            bot.search(state)
    evaluator.broken = False
    healthy = make_bot("nash_ismcts", game, evaluator=UniformEvaluator(), **settings)
    assert bot.search(state) == healthy.search(state)
