"""Two engines, one meaning: the compiled search against the reference, visit for visit."""

from __future__ import annotations

import gc
import itertools
import signal
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyspiel
import pytest
from helpers import FixedEvaluator
from hypothesis import given, settings
from hypothesis import strategies as st

from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models import (
    EvaluatorError,
    ExactEvaluator,
    Models,
    RolloutEvaluator,
    UniformEvaluator,
)
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.native.engine import (
    ForestSearch,
    NativeEngine,
    new_search,
    search_everywhere,
    search_together,
)
from nash_ismcts_spiel.native.exact import exact_rows
from nash_ismcts_spiel.search import ReferenceEngine, SearchResult
from nash_ismcts_spiel.search.whole_actions import over_whole_actions

GOOFSPIEL = (
    "turn_based_simultaneous_game(game="
    "goofspiel(imp_info=True,num_cards=4,points_order=descending))"
)
ENUMERATED = [
    "kuhn_poker",
    "leduc_poker",
    "liars_dice(numdice=1,dice_sides=3)",
    "liars_dice(numdice=1,dice_sides=4)",
    GOOFSPIEL,
    "kuhn_poker(players=3)",
]
MECHANISMS = list(
    itertools.product(
        ["expected", "luck_adjusted", "residual"],
        ["by_information_set", "by_node"],
        ["nash_ismcts", "a_ismcts", "mt_ismcts"],
    )
)

_EVALUATORS: dict[str, ExactEvaluator] = {}


def random_evaluator(name: str, split_actions: Any = "never") -> ExactEvaluator:
    """Exact models of a random policy that is 0 at some actions."""
    key = f"{name} {split_actions}"
    if key not in _EVALUATORS:
        graph = GameGraph.enumerate(name, split_actions=split_actions)
        rng = np.random.default_rng(0)
        rows = [rng.dirichlet(np.full(n, 0.3)) for n in graph.information_sets.action_count]
        rows = [np.where(row < 0.01, 0.0, row) for row in rows]
        table = np.concatenate([row / row.sum() for row in rows])
        _EVALUATORS[key] = ExactEvaluator(graph, table)
    return _EVALUATORS[key]


def assert_same(native: SearchResult, reference: SearchResult) -> None:
    """Equal counts, and values to 1e-12."""
    for field in ("key", "actions", "visits", "pure_visits", "pure_count", "mixed_count"):
        assert getattr(native, field) == getattr(reference, field), field
    assert native.simulations == reference.simulations
    for field in ("prior", "mean_mixing", "value", "policy", "policy_before_filter"):
        assert getattr(native, field) == pytest.approx(getattr(reference, field), abs=1e-12), field
    for mine, theirs in zip(native.q, reference.q, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-12)


def compare(graph: GameGraph, evaluator: Any, config: SearchConfig, where: int, seed: int) -> None:
    """Both engines at one information set, afresh."""
    native = NativeEngine(Models(graph, evaluator), config)
    reference = ReferenceEngine(Models(graph, evaluator), config)
    assert_same(
        native.search(where, np.random.default_rng(seed)),
        reference.search(where, np.random.default_rng(seed)),
    )


def compare_grown(
    name: str,
    history: list[int],
    config: SearchConfig,
    seed: int,
    evaluator: Any,
    split_actions: Any = "never",
) -> None:
    """Both engines on graphs of their own: in a large game a graph remembers which hidden pieces it
    could not prove, so that a second search in it need not find the same.
    """
    results = []
    for engine in (NativeEngine, ReferenceEngine):
        graph = GameGraph(name, split_actions)
        state = graph.state(graph.follow(graph.split_history(history)))
        where = graph.observe(state, state.current_player())
        models = Models(graph, evaluator)
        searching = engine(models, config)
        result = searching.search(where, np.random.default_rng(seed))
        results.append(over_whole_actions(result, where, models, searching))
        sizes = len(graph.worlds), len(graph.information_sets), len(graph.samples)
        results.append((*sizes, list(graph.buried)))
    assert_same(results[0], results[2])
    assert results[1] == results[3]


@pytest.mark.parametrize("name", ENUMERATED)
@pytest.mark.parametrize(("backup", "trees", "preset"), MECHANISMS)
def test_engines_agree(name: str, backup: Any, trees: Any, preset: str) -> None:
    evaluator = random_evaluator(name)
    config = SearchConfig.preset(preset, visits=60, sample_backup=backup, trees=trees)
    sets = len(evaluator.graph.information_sets)
    for seed, where in enumerate(np.random.default_rng(1).integers(sets, size=4).tolist()):
        compare(evaluator.graph, evaluator, config, where, seed)


@pytest.mark.parametrize("name", ENUMERATED)
@pytest.mark.parametrize(("backup", "trees", "preset"), MECHANISMS[::2])
def test_engines_agree_where_actions_are_split(
    name: str, backup: Any, trees: Any, preset: str
) -> None:
    evaluator = random_evaluator(name, "always")
    config = SearchConfig.preset(preset, visits=60, sample_backup=backup, trees=trees)
    sets = evaluator.graph.information_sets
    for seed, where in enumerate(np.random.default_rng(1).integers(len(sets), size=4).tolist()):
        compare(evaluator.graph, evaluator, config, where, seed)
        if not sets.within_action[where]:
            compare_whole(evaluator, config, where, seed)


def compare_whole(evaluator: ExactEvaluator, config: SearchConfig, where: int, seed: int) -> None:
    """Both engines at one information set, over whole actions."""
    models, found = Models(evaluator.graph, evaluator), []
    for engine in (NativeEngine(models, config), ReferenceEngine(models, config)):
        result = engine.search(where, np.random.default_rng(seed))
        found.append(over_whole_actions(result, where, models, engine))
    assert_same(found[0], found[1])
    assert sum(found[0].policy) == pytest.approx(1.0)


EUCHRE = [
    3, 2, 5, 7, 4, 20, 21, 14, 0, 3, 10, 13, 17,
    12, 8, 6, 19, 18, 1, 9, 16, 15, 28, 12, 29, 8,
]  # fmt: skip
"""Dealt and called."""

POSITIONS = {
    "phantom_ttt": [4, 0, 8, 8, 2, 6],
    "dark_hex": [4, 0, 8, 8, 2],
    "tic_tac_toe": [4, 0, 8],
    "leduc_poker": [0, 3, 1, 2],
    "euchre": EUCHRE,  # so much is hidden that worlds come from pools
}


@pytest.mark.parametrize("name", list(POSITIONS))
@pytest.mark.parametrize(("backup", "trees", "preset"), MECHANISMS)
def test_engines_agree_at_positions_of_grown_graphs(
    name: str, backup: Any, trees: Any, preset: str
) -> None:
    config = SearchConfig.preset(preset, visits=20, sample_backup=backup, trees=trees)
    for seed in range(2):
        compare_grown(name, POSITIONS[name], config, seed, RolloutEvaluator())


@pytest.mark.parametrize("name", [*POSITIONS, "liars_dice"])
@pytest.mark.parametrize("backup", ["expected", "luck_adjusted", "residual"])
def test_engines_agree_on_grown_graphs_where_actions_are_split(name: str, backup: Any) -> None:
    history = POSITIONS.get(name, [0, 3, 2])
    for seed, evaluator in enumerate([RolloutEvaluator(), UniformEvaluator(), FixedEvaluator()]):
        config = SearchConfig(visits=20, sample_backup=backup)
        compare_grown(name, history, config, seed, evaluator, "always")


@pytest.mark.parametrize("evaluator", [RolloutEvaluator(), UniformEvaluator(), FixedEvaluator()])
@pytest.mark.parametrize("spawning", ["always", "when_behind"])
@pytest.mark.parametrize("name", list(POSITIONS))
def test_engines_agree_however_players_are_asked(name: str, spawning: Any, evaluator: Any) -> None:
    """And wherever rows come from: compiled code, or objects in Python."""
    config = SearchConfig(visits=40, spawning=spawning, spawn_depth=3)
    compare_grown(name, POSITIONS[name], config, 1, evaluator)


def test_rows_of_ones_own_are_not_passed_over() -> None:
    """An evaluator that inherits from a compiled one and makes its own rows is asked for them."""

    class Optimist(UniformEvaluator):
        def information_set_rows(self, graph: GameGraph, ids: Sequence[int]) -> Any:
            rows = super().information_set_rows(graph, ids)
            return [type(row)(row.policy, 0.25, [0.25] * len(row.policy)) for row in rows]

    graph = GameGraph("kuhn_poker")
    where = graph.observe(graph.state(graph.follow([0, 1])), 0)
    for engine in (NativeEngine, ReferenceEngine):
        search = engine(Models(graph, Optimist()), SearchConfig(visits=1))
        result = search.search(where, np.random.default_rng(0))
        assert 0.25 in [value.low for value in result.q]


CONFIGS = st.builds(
    SearchConfig,
    visits=st.integers(1, 80),
    dispersion_radius=st.sampled_from([0.0, 0.05, 0.3, 1.0, 2.0]),
    sample_backup=st.sampled_from(["expected", "luck_adjusted", "residual"]),
    selection=st.sampled_from(["puct", "ucb"]),
    c_puct=st.sampled_from([0.0, 0.3, 1.0, 4.0]),
    puct_denominator=st.sampled_from(["one_plus", "max"]),
    prior_noise=st.sampled_from([0.0, 0.25, 1.0]),
    prior_temperature=st.sampled_from([0.5, 1.0, 1.7]),
    trees=st.sampled_from(["by_information_set", "by_node"]),
    opponent_prior_visits=st.sampled_from([0.0, 3.0, 10.0]),
    opponent_dispersion=st.sampled_from(["none", "unseen", "always"]),
    spawning=st.sampled_from(["auto", "always", "when_behind"]),
    spawn_depth=st.integers(0, 4),
    unvisited_events=st.sampled_from(["valued", "left_out"]),
    lcb_width=st.sampled_from([0.0, 0.1, 0.5]),
    root_rule=st.sampled_from(["visits", "expected_visits", "quantal_step"]),
    temperature=st.sampled_from([0.02, 1.0]),
    quantal_share=st.sampled_from([0.1, 1.0]),
    value_scale=st.sampled_from([None, 1.0, 13.0]),
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(config=CONFIGS, name=st.sampled_from(ENUMERATED), seed=st.integers(0, 2**32 - 1))
def test_engines_agree_on_random_configs(config: SearchConfig, name: str, seed: int) -> None:
    evaluator = random_evaluator(name)
    where = seed % len(evaluator.graph.information_sets)
    compare(evaluator.graph, evaluator, config, where, seed)


@pytest.mark.parametrize(
    ("name", "visits"),
    [("phantom_ttt", 6), ("tic_tac_toe", 60), ("dark_hex", 6), ("kuhn_poker", 40), ("euchre", 8)],
)
@pytest.mark.parametrize("evaluator", [UniformEvaluator(), RolloutEvaluator()])
def test_engines_agree_along_a_match_on_grown_graphs(
    name: str, visits: int, evaluator: Any
) -> None:
    """Both grow graphs of their own, keep their trees from move to move, and share one seed."""
    game = pyspiel.load_game(name)
    graphs = (GameGraph(game), GameGraph(game))
    config = SearchConfig(visits=visits)
    engines = (
        NativeEngine(Models(graphs[0], evaluator), config),
        ReferenceEngine(Models(graphs[1], evaluator), config),
    )
    rngs = (np.random.default_rng(5), np.random.default_rng(5))
    moves, state = np.random.default_rng(2), game.new_initial_state()
    searched = 0
    while searched < 6 and not state.is_terminal():
        if not state.is_chance_node():
            searched += 1
            player = state.current_player()
            results = [
                engine.search(graph.observe(state, player), rng)
                for engine, graph, rng in zip(engines, graphs, rngs, strict=True)
            ]
            assert_same(results[0], results[1])
            assert engines[0].tree_count == engines[1].tree_count
        state.apply_action(int(moves.choice(state.legal_actions())))


@pytest.mark.parametrize("name", [*ENUMERATED, "dark_hex(board_size=2)"])
def test_prefix_trees_are_the_graphs_own(name: str) -> None:
    at_once, one_by_one = GameGraph.enumerate(name), GameGraph.enumerate(name)
    at_once.resolve()
    sets = at_once.information_sets
    for information_set in range(len(sets)):
        assert _tree(at_once, information_set) == _tree(one_by_one, information_set)
        for action in range(sets.action_count[information_set]):
            native = sets.own_next[sets.first_action[information_set] + action]
            assert native == one_by_one.own_next(information_set, action)
    players = at_once.game.num_players
    for world, mover in enumerate(at_once.worlds.player):
        for player in range(players):
            if mover not in (-1, player):
                native_unseen = at_once.worlds.unseen[world * players + player]
                assert native_unseen == one_by_one.unseen(world, player)


def _tree(graph: GameGraph, information_set: int) -> Any:
    def below(target: int) -> Any:
        if target >= 0:
            return target
        first = graph.samples.first_branch[~target]
        return [
            (graph.samples.edge[first + k], below(graph.branch(~target, k)))
            for k in range(graph.samples.branch_count[~target])
        ]

    return below(graph.hidden(information_set))


@pytest.mark.parametrize("name", ENUMERATED)
def test_exact_rows_are_the_evaluators(name: str) -> None:
    """A search without simulations to speak of shows the rows: P, V and Vc, and h through Q."""
    evaluator = random_evaluator(name)
    graph = evaluator.graph
    rows = evaluator.information_set_rows(graph, range(len(graph.information_sets)))
    for information_set, row in enumerate(rows):
        result = NativeEngine(
            Models(graph, evaluator),
            SearchConfig(visits=1, lcb_width=0.0, dispersion_radius=0.0),
        ).search(information_set, np.random.default_rng(0))
        assert result.prior == pytest.approx(row.policy, abs=1e-12)
        untried = [a for a, n in enumerate(result.visits) if n == 0]
        for action in untried:
            assert result.q[action].low == pytest.approx(row.child_values[action], abs=1e-12)


def test_side_by_side_is_one_by_one() -> None:
    graph = GameGraph("dark_hex(board_size=2)")
    config = SearchConfig(visits=15)
    states = [graph.state(0), graph.state(graph.child(0, 1))]
    sets = [graph.observe(state, state.current_player()) for state in states] * 3
    models = Models(graph, UniformEvaluator())
    for width in (1, 2, 4, 64):
        rngs = [np.random.default_rng(k) for k in range(6)]
        together = search_together(models, config, sets, rngs, width)
        for k, result in enumerate(together):
            alone = NativeEngine(models, config).search(sets[k], np.random.default_rng(k))
            assert_same(result, alone)
    with pytest.raises(ValueError, match="width must be at least 1, not 0"):
        search_together(models, config, sets, rngs, 0)


def test_side_by_side_needs_a_generator_each() -> None:
    rng = np.random.default_rng(0)
    models = Models(GameGraph("kuhn_poker"), UniformEvaluator())
    with pytest.raises(ValueError, match="2 searches need as many different generators"):
        search_together(models, SearchConfig(visits=2), [0, 0], [rng, rng])


def test_waiting_simulations_are_kept_apart_by_virtual_loss() -> None:
    """With several simulations waiting, rows come in larger batches and visits still add up."""

    class Counting(UniformEvaluator):
        calls: list[int] = []

        def information_set_rows(self, graph: GameGraph, ids: Sequence[int]) -> Any:
            self.calls.append(len(ids))
            return super().information_set_rows(graph, ids)

    largest = {}
    for parallel in (1, 8):
        Counting.calls = []
        game = pyspiel.load_game("dark_hex(board_size=2)")
        bot = NashIsmctsBot(
            game,
            0,
            Counting(),
            SearchConfig(search="notes", visits=64, parallel_simulations=parallel),
        )
        result = bot.search(game.new_initial_state())
        assert sum(result.visits) == 64
        largest[parallel] = max(Counting.calls)
    assert largest[1] == 1
    assert largest[8] >= 3


def test_searching_everywhere_tops_up_every_tree() -> None:
    evaluator = random_evaluator("leduc_poker")
    graph = evaluator.graph
    rows = exact_rows(graph, evaluator.policy)
    config = SearchConfig(visits=20)
    policy, simulations = search_everywhere(graph, rows, config, np.random.default_rng(3))
    again, _ = search_everywhere(graph, rows, config, np.random.default_rng(3))
    assert (policy == again).all()
    sums = np.add.reduceat(policy, np.asarray(graph.information_sets.first_action))
    assert sums == pytest.approx(np.ones(len(sums)))
    assert simulations >= 20 * 0.9 * len(sums)
    some, _ = search_everywhere(
        graph, rows, config, np.random.default_rng(3), np.array([5, 7], dtype=np.int32)
    )
    assert np.count_nonzero(np.add.reduceat(some, graph.information_sets.first_action)) == 2


class Failing(UniformEvaluator):
    """Works for a while, then does what it is told."""

    def __init__(self, after: int, what: Callable[[], None]) -> None:
        super().__init__()
        self.left, self.what = after, what

    def information_set_rows(self, graph: GameGraph, ids: Sequence[int]) -> Any:
        self.left -= 1
        if self.left == 0:
            self.what()
        return super().information_set_rows(graph, ids)


def _raise(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


@pytest.mark.parametrize("error", [RuntimeError("out of ink"), KeyboardInterrupt()])
def test_errors_in_an_evaluator_reach_the_caller_and_leave_the_bot_usable(
    error: BaseException,
) -> None:
    game = pyspiel.load_game("leduc_poker")
    state = game.new_initial_state()
    for outcome in (0, 3):
        state.apply_action(outcome)
    bot = NashIsmctsBot(game, 0, Failing(5, _raise(error)), SearchConfig(search="notes", visits=50))
    with pytest.raises(type(error)):
        bot.get_policy(state)
    assert sum(p for _, p in bot.get_policy(state)) == pytest.approx(1.0)


def test_ctrl_c_stops_a_long_search() -> None:
    evaluator = random_evaluator("leduc_poker")
    engine = NativeEngine(Models(evaluator.graph, evaluator), SearchConfig(visits=500_000_000))
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.search(0, np.random.default_rng(0))
    timer.join()
    assert engine.tree_count == 0


def test_bad_calls_are_exceptions() -> None:
    evaluator = random_evaluator("kuhn_poker")
    graph, rows = evaluator.graph, exact_rows(evaluator.graph, evaluator.policy)
    search = new_search(graph, SearchConfig())
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="has not begun"):
        _core.advance(graph, rows, None, [search], 1)
    with pytest.raises(ValueError, match="nothing was searched"):
        search.found_at(rows, 0)
    for wrong in (-1, len(graph.information_sets), 2**31 - 1):
        with pytest.raises(IndexError, match=f"information set {wrong} is not one of 12"):
            search.begin(graph, wrong, 5, rng)
    with pytest.raises(TypeError):
        search.begin(graph, "0", 5, rng)
    with pytest.raises(AttributeError):
        search.begin(graph, 0, 5, object())
    with pytest.raises(TypeError, match="incompatible"):
        search.begin(object(), 0, 5, rng)  # type: ignore[arg-type]
    sets = np.array([0], dtype=np.int32)
    with pytest.raises(ValueError, match="a row of the models is missing"):
        ForestSearch(graph, SearchConfig(visits=5), rng).run(_core.Rows(), sets)
    with pytest.raises(IndexError, match="information set 99 is not one of 12"):
        search.begin(graph, np.array([0, 99], dtype=np.int32), 5, rng)


def test_rows_of_the_wrong_shape_are_refused() -> None:
    graph, rows = GameGraph.enumerate("kuhn_poker"), _core.Rows()
    one = np.array([0], dtype=np.int32)
    with pytest.raises(ValueError, match="policy must have 2 entries, not 3"):
        rows.put_sets(graph, one, np.ones(3), np.ones(1), np.ones(2))
    with pytest.raises(ValueError, match="value must have 1 entries, not 2"):
        rows.put_sets(graph, one, np.ones(2), np.ones(2), np.ones(2))
    with pytest.raises(IndexError, match="SAMPLE node 0 is not one of 0"):
        rows.put_samples(graph, one, np.ones(2), np.ones(4))
    with pytest.raises(ValueError, match="not resolved"):
        exact.compiled(graph).exact_rows(graph, np.full(24, 0.5), True)
    graph.resolve()
    with pytest.raises(ValueError, match="compiled form of another graph"):
        exact.compiled(graph).exact_rows(GameGraph.enumerate("leduc_poker"), np.full(24, 0.5), True)
    with pytest.raises(ValueError, match="world_values must have 116 entries, not 58"):
        rows.put_world_values(graph, np.ones(58))
    with pytest.raises(ValueError, match="only be valued in an enumerated graph"):
        _core.Rows().put_world_values(GameGraph("kuhn_poker"), np.ones(2))
    with pytest.raises(ValueError, match="beliefs must have 2 entries, not 1"):
        rows.put_samples(graph, one, np.ones(1), np.ones(4))
    with pytest.raises(ValueError, match="only an enumerated graph"):
        GameGraph("kuhn_poker").resolve()


def test_a_search_runs_in_one_thread_at_a_time() -> None:
    evaluator = random_evaluator("leduc_poker")
    graph, rows = evaluator.graph, exact_rows(evaluator.graph, evaluator.policy)
    search = new_search(graph, SearchConfig())
    search.begin(graph, 0, 2_000_000, np.random.default_rng(0))
    worker = threading.Thread(target=_core.advance, args=(graph, rows, None, [search], 300_000))
    worker.start()
    refused = False
    while worker.is_alive() and not refused:
        try:
            search.found_at(rows, 0)
        except RuntimeError as error:
            refused = "another thread" in str(error)
        except ValueError:
            pass  # it has not started yet
    worker.join()
    assert refused


def test_nothing_keeps_a_graph_alive() -> None:
    graph = GameGraph.enumerate("kuhn_poker")
    table = np.concatenate([np.full(n, 1.0 / n) for n in graph.information_sets.action_count])
    models = ExactEvaluator(graph, table)
    NativeEngine(Models(graph, models), SearchConfig(visits=10)).search(0, np.random.default_rng(0))
    watched = weakref.ref(graph)
    del graph, models
    gc.collect()
    assert watched() is None


def test_nan_from_an_evaluator_is_named() -> None:
    class Nan(UniformEvaluator):
        def sample_rows(self, graph: GameGraph, ids: Sequence[int]) -> Any:
            rows = super().sample_rows(graph, ids)
            return [type(row)([float("nan")] * len(row.beliefs), row.child_values) for row in rows]

    game = pyspiel.load_game("kuhn_poker")
    state = game.new_initial_state()
    state.apply_action(0)
    state.apply_action(1)
    bot = NashIsmctsBot(game, 0, Nan(), SearchConfig(visits=5, search="notes"))
    with pytest.raises(EvaluatorError, match="nan"):
        bot.step(state)
