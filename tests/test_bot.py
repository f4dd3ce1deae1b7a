"""The bot in OpenSpiel's harnesses, its answers, its memory, and what it does with bad input."""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest
from helpers import FixedEvaluator
from open_spiel.python import policy as openspiel_policy
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import evaluate_bots as python_evaluate_bots
from open_spiel.python.algorithms import expected_game_score, exploitability
from open_spiel.python.examples import is_mcts_exploitability

from nash_ismcts_spiel import (
    BotAgent,
    BotPolicy,
    NashIsmctsBot,
    SearchConfig,
    make_bot,
    register_bot,
    registered_bots,
)
from nash_ismcts_spiel.config import MODEL_RADIUS, ROLLOUT_RADIUS
from nash_ismcts_spiel.games import GameGraph, NoWorldFoundError
from nash_ismcts_spiel.games.adapter import random_returns
from nash_ismcts_spiel.models import (
    EvaluatorError,
    ExactEvaluator,
    InformationSetRow,
    Models,
    RolloutEvaluator,
    UniformEvaluator,
)
from nash_ismcts_spiel.search import ReferenceEngine

Enumerated = Callable[[str], GameGraph]
SEVEN_GAMES = [
    helpers.KUHN,
    helpers.LEDUC,
    "liars_dice",
    helpers.GOOFSPIEL_4,
    helpers.PHANTOM_TTT,
    "dark_hex(board_size=3)",
    helpers.TIC_TAC_TOE,
]
ENGINES = ["reference", "native"]
SEARCHES = ["forest", "notes"]
KUHN_STATE = [0, 1]
"""Player 0 holds the lowest card, player 1 the middle one; player 0 is to move."""


def bot_for(name: str, player: int = 0, **settings: Any) -> NashIsmctsBot:
    """A bot with uniform models and few visits."""
    config = SearchConfig(**{"visits": 8, **settings})
    return NashIsmctsBot(helpers.load(name), player, UniformEvaluator(), config, seed=2)


def kuhn_state(history: Sequence[int] = KUHN_STATE) -> Any:
    """A state of Kuhn poker."""
    return helpers.state_after(helpers.load(helpers.KUHN), history)


def rps_state() -> Any:
    """The first state of rock, paper, scissors in its turn-based form."""
    return pyspiel.convert_to_turn_based(pyspiel.load_game("matrix_rps")).new_initial_state()


# OpenSpiel's harnesses.


@pytest.mark.parametrize("name", SEVEN_GAMES)
def test_pyspiel_evaluate_bots(name: str) -> None:
    game = helpers.load(name)
    bots = [NashIsmctsBot(game, p, config=SearchConfig(visits=3), seed=p) for p in range(2)]
    for seed in range(2):
        returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
        assert sum(returns) == 0.0
        assert max(returns) <= game.max_utility()


@pytest.mark.parametrize("name", SEVEN_GAMES)
def test_python_evaluate_bots(name: str) -> None:
    game = helpers.load(name)
    state = game.new_initial_state()
    bots = [bot_for(name, 0, visits=3), pyspiel.make_uniform_random_bot(1, 3)]
    returns = python_evaluate_bots.evaluate_bots(
        state, [bots[0], bot_for(name, 1, visits=3)], np.random.RandomState(0)
    )
    assert state.is_terminal()
    assert state.returns() == returns
    # Against one of OpenSpiel's own bots as well; those only know `restart`.
    assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, 5)) == 0.0


@pytest.mark.parametrize("name", ["goofspiel(num_cards=3)", "matrix_rps", "oshi_zumo(horizon=5)"])
def test_simultaneous_games_in_both_harnesses(name: str) -> None:
    game = pyspiel.load_game(name)
    bots = [NashIsmctsBot(game, p, config=SearchConfig(visits=3), seed=p) for p in range(2)]
    returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, 1)
    assert len(returns) == 2
    state = game.new_initial_state()
    python_evaluate_bots.evaluate_bots(state, bots, np.random.RandomState(0))
    assert state.is_terminal()


@pytest.mark.parametrize(
    "name",
    [
        helpers.KUHN,
        helpers.LEDUC,
        helpers.LIARS_2,
        helpers.GOOFSPIEL_3,
        helpers.DARK_HEX_2,
    ],
)
def test_measured_like_is_mcts(enumerated: Enumerated, name: str) -> None:
    game, graph = helpers.load(name), enumerated(name)
    evaluator = ExactEvaluator(graph, helpers.uniform_table(graph))
    bot = NashIsmctsBot(game, 0, evaluator, SearchConfig(visits=10), seed=4)
    tabular = openspiel_policy.TabularPolicy(game)
    searched: dict[str, bool] = {}
    is_mcts_exploitability.construct_is_mcts_policy(
        game, game.new_initial_state(), tabular, bot, searched
    )
    assert set(searched) == set(helpers.strings(graph))
    for row, legal in zip(
        tabular.action_probability_array, tabular.legal_actions_mask, strict=True
    ):
        assert sum(row) == pytest.approx(1.0)
        assert all(p == 0.0 for p, allowed in zip(row, legal, strict=True) if not allowed)
    found = exploitability.exploitability(game, tabular)
    uniform = exploitability.exploitability(game, openspiel_policy.UniformRandomPolicy(game))
    # Ten visits with exact values of the uniform policy improve on it in all of these games.
    assert 0.0 <= found < uniform


@pytest.mark.parametrize(
    ("name", "history"),
    [(helpers.PHANTOM_TTT, [4, 0, 8, 1, 2, 6, 3, 5]), (helpers.TIC_TAC_TOE, [4, 0, 8, 1, 2])],
)
def test_measured_like_is_mcts_from_a_late_state(name: str, history: list[int]) -> None:
    # The whole game is too large to walk; the walk itself is OpenSpiel's.
    game = helpers.load(name)
    rows: dict[str, dict[int, float]] = {}
    walk = SimpleNamespace(policy_for_key=lambda key: rows.setdefault(key, {}))
    state, searched = helpers.state_after(game, history), {}
    bot = bot_for(name, visits=2)
    is_mcts_exploitability.construct_is_mcts_policy(game, state, walk, bot, searched)
    assert len(rows) == len(searched) > 5
    assert all(sum(row.values()) == pytest.approx(1.0) for row in rows.values())
    assert state.history() == history


# What a bot answers.


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", SEVEN_GAMES)
def test_policies_are_distributions_over_legal_actions(name: str, engine: str) -> None:
    bot = bot_for(name, engine=engine, visits=5)
    for state in helpers.decisions(helpers.load(name), np.random.default_rng(3)):
        before = state.serialize()
        policy = bot.get_policy(state)
        assert [action for action, _ in policy] == state.legal_actions()
        assert sum(p for _, p in policy) == pytest.approx(1.0)
        assert all(p >= 0.0 for _, p in policy)
        assert state.serialize() == before


def test_a_policy_is_never_one_hot_by_construction() -> None:
    # Uniform models, all actions alike: the answer mixes.
    bot = bot_for(helpers.KUHN, visits=50, search="notes", dispersion_radius=2.0)
    assert 0.2 < dict(bot.get_policy(kuhn_state()))[0] < 0.8
    # A forest finds values of its own, and no action that P plays is given up.
    policy = dict(bot_for("matrix_rps", visits=50).get_policy(rps_state()))
    assert len(policy) == 3 and all(0.0 < p < 0.8 for p in policy.values())


@pytest.mark.parametrize("engine", ENGINES)
def test_step_draws_from_the_policy_it_reports(engine: str) -> None:
    state = kuhn_state()
    bot = bot_for(helpers.KUHN, engine=engine, visits=30)
    policy = dict(bot.get_policy(state))
    # The position is unchanged, so trees are kept and the policy stays: only the draws differ.
    steps = [bot.step_with_policy(state) for _ in range(400)]
    assert all(dict(reported) == policy for reported, _ in steps)
    share = np.mean([action for _, action in steps])
    assert share == pytest.approx(policy[1], abs=4 * 0.5 / math.sqrt(400))
    assert {bot.step(state) for _ in range(50)} <= {a for a, p in policy.items() if p > 0.0}
    assert isinstance(bot.step(state), int)


def test_what_the_bot_says_it_can_do() -> None:
    bot = bot_for(helpers.KUHN, player=1)
    assert bot.provides_policy()
    assert bot.provides_force_action()
    assert bot.is_clonable()
    assert bot.player_id == 1
    assert bot.config.visits == 8


@pytest.mark.parametrize("engine", ENGINES)
def test_one_seed_one_game(engine: str) -> None:
    def played(seed: int) -> list[tuple[list[tuple[int, float]], int]]:
        bot = NashIsmctsBot(
            helpers.LEDUC, 0, UniformEvaluator(), SearchConfig(visits=20, engine=engine), seed
        )
        rng = np.random.default_rng(0)
        states = list(helpers.decisions(helpers.load(helpers.LEDUC), rng))
        return [bot.step_with_policy(s) for s in states if s.current_player() == 0]

    assert played(1) == played(1)
    assert played(1) != played(2)


def test_informing_and_forcing_do_not_matter() -> None:
    told, untold = bot_for(helpers.LEDUC), bot_for(helpers.LEDUC)
    for state in helpers.decisions(helpers.load(helpers.LEDUC), np.random.default_rng(1)):
        if state.current_player() == 0:
            told.force_action(state, state.legal_actions()[0])
            assert told.step_with_policy(state) == untold.step_with_policy(state)
        else:
            before = state.serialize()
            told.inform_action(state, 1, state.legal_actions()[0])
            told.inform_actions(state, [state.legal_actions()[0]])
            assert state.serialize() == before


@pytest.mark.parametrize("engine", ENGINES)
def test_a_clone_draws_the_same(engine: str) -> None:
    state = kuhn_state()
    bot = bot_for(helpers.KUHN, engine=engine, visits=20)
    bot.step(state)
    bot.restart()
    clone = bot.clone()
    assert isinstance(clone, NashIsmctsBot)
    assert (clone.player_id, clone.config) == (bot.player_id, bot.config)
    first = [bot.step_with_policy(state) for _ in range(5)]
    assert [clone.step_with_policy(state) for _ in range(5)] == first
    # What one of them draws does not move the others' generators.
    one, other = clone.clone(), clone.clone()
    clone.step(state)
    assert one.search(state) == other.search(state)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("how", ["restart", "restart_at"])
def test_restarting_forgets_trees_but_not_the_generator(engine: str, how: str) -> None:
    state = kuhn_state()
    bot = bot_for(helpers.KUHN, engine=engine, visits=20, search="notes")
    first = bot.search(state)
    assert bot.search(state).simulations == 0
    bot.restart() if how == "restart" else bot.restart_at(state)
    second = bot.search(state)
    assert second.simulations == pytest.approx(first.simulations, abs=10)
    assert second != first


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("how", ["restart", "restart_at"])
def test_after_a_restart_the_forest_thinks_the_same_again(engine: str, how: str) -> None:
    state = kuhn_state()
    bot = bot_for(helpers.KUHN, engine=engine, visits=20)
    first = bot.search(state)
    assert first.simulations == 20
    assert bot.search(state).simulations == 0
    bot.restart() if how == "restart" else bot.restart_at(state)
    assert bot.search(state) == first


# Memory.


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", [helpers.LEDUC, helpers.LIARS_4, helpers.TIC_TAC_TOE])
def test_trees_are_kept_after_a_move(name: str, engine: str) -> None:
    game = helpers.load(name)
    histories = {
        helpers.LEDUC: ([0, 3], [0, 3, 1, 2]),
        helpers.LIARS_4: ([0, 1], [0, 1, 2, 3]),
        helpers.TIC_TAC_TOE: ([4, 0], [4, 0, 8, 1]),
    }
    first, second = (helpers.state_after(game, history) for history in histories[name])
    assert first.current_player() == second.current_player() == 0
    wide: dict[str, Any] = {"engine": engine, "visits": 60, "dispersion_radius": 0.2}
    wide["search"] = "notes"
    keeping = bot_for(name, **wide)
    afresh = bot_for(name, **wide, reuse_trees=False)
    keeping.search(first)
    afresh.search(first)
    with_trees, without = keeping.search(second), afresh.search(second)
    assert sum(with_trees.visits) >= 60
    assert sum(without.visits) == 60
    assert with_trees.simulations < without.simulations


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", [helpers.LEDUC, helpers.TIC_TAC_TOE])
def test_a_fresh_search_is_that_of_a_bot_that_keeps_nothing(
    name: str, search: str, engine: str
) -> None:
    keeping = bot_for(name, engine=engine, search=search, visits=30)
    afresh = bot_for(name, engine=engine, search=search, visits=30, reuse_trees=False)
    states = list(helpers.decisions(helpers.load(name), np.random.default_rng(4)))
    for k, state in enumerate(states):
        keeping.search(state)
        mine = keeping.search(state, fresh=True, rng=np.random.default_rng(k))
        assert mine == afresh.search(state, rng=np.random.default_rng(k))
        if search == "forest" and name == helpers.LEDUC:
            assert mine.simulations - mine.pondered == 30
        else:
            assert sum(mine.visits) == 30
    assert len(states) > 2


def test_memory_of_an_engine_is_bounded_by_what_it_can_use() -> None:
    graph = GameGraph(helpers.LEDUC)
    game = graph.game.pyspiel_game
    config = SearchConfig(visits=150)
    engine = ReferenceEngine(Models(graph, UniformEvaluator()), config)
    counts = []
    for history in ([0, 3], [0, 3, 1, 2], [0, 3, 1, 2, 1, 5, 1, 2]):
        information_set = graph.observe(helpers.state_after(game, history), 0)
        engine.search(information_set, np.random.default_rng(0))
        counts.append(engine.tree_count)
    # Later positions have fewer opponents' information sets below them.
    assert counts[0] > counts[1] > counts[2] > 0
    alone = ReferenceEngine(Models(graph, UniformEvaluator()), config)
    alone.search(information_set, np.random.default_rng(0))
    assert counts[2] <= alone.tree_count + 3
    engine.forget()
    assert engine.tree_count == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_graph_that_grew_too_large_is_started_anew(engine: str) -> None:
    small, large = (
        bot_for(helpers.LEDUC, engine=engine, search="notes", visits=40, max_worlds=worlds)
        for worlds in (1_500, 10**6)
    )
    sizes, stopped = [], set()
    for state in helpers.decisions(helpers.load(helpers.LEDUC), np.random.default_rng(4)):
        if state.current_player() != 0:  # another seat would have a graph of its own
            continue
        bounded = small.search(state, fresh=True, rng=np.random.default_rng(1))
        # The answer does not depend on what the graph has seen before, unless it grew too large.
        whole = large.search(state, fresh=True, rng=np.random.default_rng(1))
        if bounded.stopped_by == "visits":
            assert bounded == whole
        assert whole.stopped_by == "visits"
        stopped.add(bounded.stopped_by)
        sizes.append((len(small._graph.worlds), len(large._graph.worlds)))
    assert max(size for size, _ in sizes) < 1_800 < sizes[-1][1]
    assert stopped == {"visits", "worlds"}


# Bad input.


@pytest.mark.parametrize(
    ("state", "error", "message"),
    [
        (kuhn_state([0, 1, 0, 0]), ValueError, r"over.*\[0, 1, 0, 0\]"),
        (kuhn_state([0]), ValueError, r"chance is to move.*\[0\]"),
        (helpers.state_after(helpers.load(helpers.LEDUC), [0, 1]), ValueError, "leduc_poker"),
        (helpers.state_after(helpers.load(helpers.KUHN_3), [0, 1, 2]), ValueError, "players=3"),
        ("0 1", TypeError, "'0 1'"),
        (None, TypeError, "None"),
    ],
)
def test_states_that_cannot_be_searched(state: Any, error: type[Exception], message: str) -> None:
    bot = bot_for(helpers.KUHN)
    for ask in (bot.get_policy, bot.step, bot.step_with_policy, bot.search):
        with pytest.raises(error, match=message):
            ask(state)
    assert bot.step(kuhn_state()) in (0, 1)


def test_step_insists_on_its_own_turn() -> None:
    bot = bot_for(helpers.KUHN, player=1)
    with pytest.raises(ValueError, match="seat 1, but player 0"):
        bot.step(kuhn_state())
    # OpenSpiel's measuring scripts ask one bot for all seats.
    assert len(bot.get_policy(kuhn_state())) == 2
    assert bot.step(kuhn_state([0, 1, 0])) in (0, 1)


@pytest.mark.parametrize("player", [-1, 2, 99, 0.5, "0"])
def test_seats_that_do_not_exist(player: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=f"player_id.*{player!r}"):
        NashIsmctsBot(helpers.KUHN, player)


def test_an_equal_game_written_otherwise_is_the_same_game() -> None:
    state = helpers.state_after(pyspiel.load_game("kuhn_poker(players=2)"), KUHN_STATE)
    assert len(bot_for(helpers.KUHN).get_policy(state)) == 2


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"dispersion_radius": -0.1}, ValueError, "dispersion_radius.*-0.1"),
        ({"dispersion_radius": 2.1}, ValueError, "dispersion_radius.*2.1"),
        ({"dispersion_radius": math.nan}, ValueError, "dispersion_radius.*nan"),
        ({"dispersion_radius": "0.1"}, TypeError, "dispersion_radius.*'0.1'"),
        ({"visits": 0}, ValueError, "visits.*0"),
        ({"visits": 1.5}, TypeError, "visits.*1.5"),
        ({"visits": True}, TypeError, "visits.*True"),
        ({"c_puct": -1.0}, ValueError, "c_puct.*-1"),
        ({"c_puct": math.inf}, ValueError, "c_puct.*inf"),
        ({"lcb_width": -1.0}, ValueError, "lcb_width"),
        ({"puct_floor": 0.0}, ValueError, "puct_floor"),
        ({"puct_floor": 1.0}, ValueError, "puct_floor"),
        ({"prior_noise": 1.5}, ValueError, "prior_noise"),
        ({"prior_temperature": 0.0}, ValueError, "prior_temperature"),
        ({"opponent_prior_visits": -1}, ValueError, "opponent_prior_visits"),
        ({"spawn_depth": -1}, ValueError, "spawn_depth"),
        ({"value_scale": 0.0}, ValueError, "value_scale"),
        ({"max_worlds": 0}, ValueError, "max_worlds"),
        ({"sample_backup": "mean"}, ValueError, "sample_backup.*'mean'"),
        ({"opponent_dispersion": "sometimes"}, ValueError, "opponent_dispersion.*'sometimes'"),
        ({"parallel_simulations": 0}, ValueError, "parallel_simulations.*0"),
        (
            {"parallel_simulations": 2, "engine": "reference"},
            ValueError,
            "parallel_simulations.*reference",
        ),
        ({"engine": "gpu"}, ValueError, "engine.*'gpu'"),
        ({"trees": "by_world"}, ValueError, "trees.*'by_world'"),
        ({"reuse_trees": 1}, TypeError, "reuse_trees.*1"),
        ({"visit": 3}, ValueError, "'visit'; did you mean 'visits'"),
        ({"zzz": 3}, ValueError, "'zzz'; there are search, visits"),
    ],
)
def test_settings_that_make_no_sense(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        SearchConfig.from_dict(settings)
    with pytest.raises(error, match=message):
        make_bot("nash_ismcts", helpers.KUHN, 0, **settings)


def test_configs_are_values() -> None:
    config = SearchConfig(visits=7, dispersion_radius=1)
    assert SearchConfig.from_dict(config.to_dict()) == config
    assert dataclasses.replace(config, visits=8) != config
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.visits = 3  # type: ignore[misc]
    with pytest.raises(ValueError, match="nash_ismcts_play is gone: take nash_ismcts"):
        SearchConfig.preset("nash_ismcts_play")
    with pytest.raises(ValueError, match="unknown preset 'cfr'"):
        SearchConfig.preset("cfr")
    assert SearchConfig.preset("a_ismcts").dispersion_radius == 0.0


class Failing(FixedEvaluator):
    """Raises while `broken`."""

    broken = True

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        if self.broken:
            raise RuntimeError("the model server is down")
        return super().information_set_rows(graph, information_sets)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    ("row", "message"),
    [
        (InformationSetRow([math.nan, 1.0], 0.0, [0.0, 0.0]), "FixedEvaluator.*policy.*nan"),
        (InformationSetRow([0.6, 0.6], 0.0, [0.0, 0.0]), "FixedEvaluator.*policy.*1.2"),
        (InformationSetRow([0.5, 0.5], math.nan, [0.0, 0.0]), "FixedEvaluator.*value.*nan"),
    ],
)
def test_a_broken_evaluator_is_named_and_the_bot_goes_on(
    engine: Any, search: Any, row: InformationSetRow, message: str
) -> None:
    evaluator = FixedEvaluator()
    config = SearchConfig(visits=20, engine=engine, search=search)
    bot = NashIsmctsBot(helpers.KUHN, 0, evaluator, config)
    healthy = bot.search(kuhn_state(), fresh=True, rng=np.random.default_rng(0))
    broken = FixedEvaluator(row)
    bot = NashIsmctsBot(helpers.KUHN, 0, broken, config)
    with pytest.raises(EvaluatorError, match=message):
        bot.search(kuhn_state(), rng=np.random.default_rng(0))
    broken.row = None
    assert bot.search(kuhn_state(), rng=np.random.default_rng(0)) == healthy


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("search", SEARCHES)
def test_an_evaluators_own_exception_gets_through_and_the_bot_goes_on(
    search: Any, engine: Any
) -> None:
    evaluator = Failing()
    config = SearchConfig(visits=20, engine=engine, search=search)
    bot = NashIsmctsBot(helpers.KUHN, 0, evaluator, config)
    state = kuhn_state()
    before = state.serialize()
    with pytest.raises(RuntimeError, match="the model server is down"):
        bot.step(state)
    assert state.serialize() == before
    evaluator.broken = False
    result = bot.search(state)
    assert (result.simulations if search == "forest" else sum(result.visits)) == 20
    assert sum(result.policy) == pytest.approx(1.0)


def test_models_of_a_bot_with_a_clock_are_made_before_its_time_begins() -> None:
    with pytest.raises(RuntimeError, match="the model server is down"):
        NashIsmctsBot(helpers.KUHN, 0, Failing(), seconds=0.1)


class FailsLater(FixedEvaluator):
    """Raises when it is asked for the third time."""

    asked, limit = 0, 3

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        self.asked += 1
        if self.asked == self.limit:
            raise RuntimeError("once")
        return super().information_set_rows(graph, information_sets)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_failure_in_the_middle_of_a_search_leaves_no_half_made_trees(
    search: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nash_ismcts_spiel.models.tables._BATCH", 4)  # rows of a forest's models
    state = kuhn_state()
    for engine in ENGINES:
        config = SearchConfig.from_dict({"visits": 40, "engine": engine, "search": search})
        bot = NashIsmctsBot(helpers.KUHN, 0, FailsLater(), config)
        with pytest.raises(RuntimeError, match="once"):
            bot.search(state)
        healthy = NashIsmctsBot(helpers.KUHN, 0, FixedEvaluator(), config)
        rng = np.random.default_rng
        assert bot.search(state, rng=rng(1)) == healthy.search(state, rng=rng(1))


def test_models_of_another_game_are_refused(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.LEDUC)
    evaluator = ExactEvaluator(graph, helpers.uniform_table(graph))
    with pytest.raises(ValueError, match="leduc_poker.*kuhn_poker"):
        NashIsmctsBot(helpers.KUHN, 0, evaluator)


def test_unsupported_games_are_refused() -> None:
    for name in ("tarok", "mfg_crowd_modelling", "no_such_game"):
        with pytest.raises(ValueError, match=name):
            NashIsmctsBot(name, 0)


# Several threads.


class AskingEvaluator(FixedEvaluator):
    """Lets another thread do something while a search waits for rows."""

    meanwhile: Callable[[], Any] | None = None
    error: Exception | None = None

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        other = threading.Thread(target=self._run)
        other.start()
        other.join()
        return super().information_set_rows(graph, information_sets)

    def _run(self) -> None:
        try:
            if self.meanwhile is not None:
                self.meanwhile()
        except Exception as error:
            self.error = error


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", [helpers.LEDUC, helpers.PHANTOM_TTT])
@pytest.mark.parametrize("what", ["step", "get_policy", "restart"])
def test_a_second_thread_is_refused_until_the_first_is_done(
    what: str, name: str, search: Any, engine: Any
) -> None:
    game = helpers.load(name)
    state = helpers.state_after(game, [0, 1] if name == helpers.LEDUC else [])
    evaluator = AskingEvaluator()
    config = SearchConfig(visits=8, engine=engine, search=search)
    bot = NashIsmctsBot(game, 0, evaluator, config, seed=1)
    arguments = () if what == "restart" else (state,)
    evaluator.meanwhile = lambda: getattr(bot, what)(*arguments)
    found = bot.get_policy(state)
    assert isinstance(evaluator.error, RuntimeError)
    assert "this bot is being used by another thread" in str(evaluator.error)
    assert found == NashIsmctsBot(game, 0, FixedEvaluator(), config, seed=1).get_policy(state)
    evaluator.meanwhile = None
    assert bot.step(state) in state.legal_actions()


@pytest.mark.parametrize("search", SEARCHES)
def test_a_bot_that_failed_can_be_used_again(search: Any) -> None:
    bot = bot_for(helpers.KUHN, search=search)
    with pytest.raises(ValueError, match="illegal|chance|over"):
        bot.search(kuhn_state([]))
    wrong = FixedEvaluator(InformationSetRow([2.0], 0.0, [0.0]))
    broken = NashIsmctsBot(helpers.KUHN, 0, wrong, SearchConfig(search=search))
    for _ in range(2):
        with pytest.raises(EvaluatorError):
            broken.search(kuhn_state(KUHN_STATE))


@pytest.mark.parametrize("states", ["auto", "python"])
@pytest.mark.parametrize("name", ["dark_hex(board_size=1)", "hex(board_size=1)"])
def test_games_that_stop_without_an_end_are_refused(
    name: str, states: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenSpiel never says that the only cell of the board wins."""
    monkeypatch.setenv("NASH_ISMCTS_STATES", states)
    with pytest.raises(ValueError, match="no.* where a player is to move"):
        NashIsmctsBot(name, 0, config=SearchConfig(visits=2))
    with pytest.raises(ValueError, match="no.* where a player is to move"):
        GameGraph.enumerate(name)
    with pytest.raises(ValueError, match=r"board_size=1\): there is no legal action"):
        random_returns(helpers.load(name).new_initial_state(), np.random.default_rng(0))


# Simultaneous games and the other harnesses.


def test_states_of_the_simultaneous_game_itself_are_taken() -> None:
    game = pyspiel.load_game(helpers.GOOFSPIEL_3)
    state = game.new_initial_state()
    while not state.is_simultaneous_node():
        state.apply_action(state.legal_actions()[0])
    for player in range(2):
        bot = NashIsmctsBot(game, player, UniformEvaluator(), SearchConfig(visits=10), seed=1)
        policy, action = bot.step_with_policy(state)
        assert [a for a, _ in policy] == state.legal_actions(player)
        assert action in state.legal_actions(player)
    # The same question in the turn-based form has the same answer.
    turns = pyspiel.convert_to_turn_based(game)
    first = NashIsmctsBot(game, 0, UniformEvaluator(), SearchConfig(visits=10), seed=1)
    second = NashIsmctsBot(turns, 0, UniformEvaluator(), SearchConfig(visits=10), seed=1)
    turn_state = helpers.state_after(turns, state.history())
    assert first.get_policy(state) == second.get_policy(turn_state)


def test_bot_policy_in_openspiels_tools() -> None:
    game = helpers.load(helpers.KUHN)
    policy = BotPolicy(game, [bot_for(helpers.KUHN, p, visits=30) for p in range(2)])
    nash_conv = exploitability.nash_conv(game, policy)
    assert nash_conv == pytest.approx(2 * exploitability.exploitability(game, policy))
    table = {
        string: list(policy.action_probabilities(state).items())
        for string, state in first_states(game).items()
    }
    assert nash_conv == pytest.approx(pyspiel.nash_conv(game, table))
    scores = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)
    expected = pyspiel.expected_returns(
        game.new_initial_state(), pyspiel.TabularPolicy(table), -1, True
    )
    assert scores == pytest.approx(expected)


def first_states(game: Any) -> dict[str, Any]:
    """A state for each information state string."""
    return {
        state.information_state_string(): state
        for histories in helpers.worlds_by_view(game).values()
        for state in [helpers.state_after(game, histories[0])]
    }


def test_bot_policy_is_the_same_whenever_it_is_asked() -> None:
    game = helpers.load(helpers.KUHN)
    # One bot may answer for all seats.
    policy = BotPolicy(game, bot_for(helpers.KUHN, visits=9))
    for first, second in helpers.world_pairs(game, 6, 0):
        answer = policy.action_probabilities(first)
        assert policy.action_probabilities(first) == answer
        assert policy.action_probabilities(second) == answer
        answer[0] = 9.0
        assert policy.action_probabilities(first) != answer


def test_bot_policy_needs_a_bot_for_each_seat() -> None:
    game = helpers.load(helpers.KUHN)
    with pytest.raises(ValueError, match="1 bots for 2 players"):
        BotPolicy(game, [bot_for(helpers.KUHN)])
    policy = BotPolicy(game, {1: bot_for(helpers.KUHN, 1)})
    with pytest.raises(ValueError, match="no bot for player 0"):
        policy.action_probabilities(kuhn_state())
    assert len(policy.action_probabilities(kuhn_state([0, 1, 0]))) == 2


class Stubborn(UniformEvaluator):
    """Player 0 plays its first action, player 1 its last."""

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        rows = []
        for i in information_sets:
            count = graph.information_sets.action_count[i]
            chosen = -graph.information_sets.player[i] % count
            rows.append(InformationSetRow(np.eye(count)[chosen].tolist(), 0.0, [0.0] * count))
        return rows


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(
    "settings", [{}, {"search": "notes", "dispersion_radius": 2.0, "c_puct": 0.0}]
)
def test_bot_policy_at_simultaneous_nodes(settings: dict[str, Any], shared: bool) -> None:
    game = pyspiel.load_game("matrix_rps")
    config = SearchConfig(visits=10, **settings)
    bots = [NashIsmctsBot(game, p, Stubborn(), config) for p in range(2)]
    policy = BotPolicy(game, bots[0] if shared else bots)
    state = game.new_initial_state()
    # Each player's answer is its own, also from one bot for all seats.
    assert policy.action_probabilities(state, 0) == {0: 1.0, 1: 0.0, 2: 0.0}
    assert policy.action_probabilities(state, 1) == {0: 0.0, 1: 0.0, 2: 1.0}


def test_bot_agent_plays_an_environment_with_real_probabilities() -> None:
    environment = rl_environment.Environment(
        helpers.KUHN, include_full_state=True, chance_event_sampler=seeded_chance()
    )
    agents = [
        BotAgent(p, environment.action_spec()["num_actions"], bot_for(helpers.KUHN, p, visits=20))
        for p in range(2)
    ]
    mixed = 0
    for _ in range(10):
        step = environment.reset()
        while not step.last():
            player = step.observations["current_player"]
            output = agents[player].step(step)
            assert output is not None
            assert output.probs.sum() == pytest.approx(1.0)
            assert output.probs[output.action] > 0.0
            mixed += 0.0 < output.probs[0] < 1.0
            step = environment.step([output.action])
        for agent in agents:
            assert agent.step(step) is None
            agent.restart()
    assert mixed > 0


def seeded_chance() -> rl_environment.ChanceEventSampler:
    """Chance that repeats itself from run to run."""
    return rl_environment.ChanceEventSampler(seed=3)


def test_bot_agent_says_what_the_environment_lacks() -> None:
    environment = rl_environment.Environment(helpers.KUHN, chance_event_sampler=seeded_chance())
    agent = BotAgent(0, 2, bot_for(helpers.KUHN))
    with pytest.raises(ValueError, match="include_full_state=True"):
        agent.step(environment.reset())


def test_the_registry() -> None:
    names = {"nash_ismcts", "nash_ismcts_notes", "a_ismcts", "mt_ismcts"}
    assert names <= set(registered_bots())
    bot = make_bot("nash_ismcts", helpers.KUHN, 1, visits=5, evaluator=UniformEvaluator(), seed=3)
    assert isinstance(bot, NashIsmctsBot)
    assert (bot.player_id, bot.config) == (1, SearchConfig(visits=5))
    assert make_bot("nash_ismcts", helpers.KUHN, 1).config == SearchConfig().with_visits("tables")
    literal = SearchConfig(search="notes", visits=5).with_radius(has_policy=False)
    assert make_bot("nash_ismcts_notes", helpers.KUHN, 1, visits=5).config == literal
    assert make_bot("a_ismcts", helpers.KUHN, 0).config.dispersion_radius == 0.0
    assert make_bot("mt_ismcts", helpers.KUHN, 0).config.selection == "ucb"
    config = SearchConfig(search="notes", visits=9, c_puct=2.0, dispersion_radius=0.3)
    changed = make_bot("nash_ismcts_notes", helpers.KUHN, 0, config=config, visits=4).config
    assert changed == dataclasses.replace(config, visits=4)
    with pytest.raises(ValueError, match="nash_ismcts_play is gone: take nash_ismcts"):
        make_bot("nash_ismcts_play", helpers.KUHN, 0)
    with pytest.raises(ValueError, match="unknown bot 'alpha'; there are a_ismcts"):
        make_bot("alpha", helpers.KUHN, 0)
    with pytest.raises(ValueError, match="'nash_ismcts' already"):
        register_bot("nash_ismcts", lambda game, player_id: None)


def test_seeds_reach_the_default_evaluator() -> None:
    def policy(seed: int) -> list[tuple[int, float]]:
        bot = NashIsmctsBot(helpers.LEDUC, 0, config=SearchConfig(visits=20), seed=seed)
        return bot.get_policy(helpers.state_after(helpers.load(helpers.LEDUC), [0, 1]))

    assert policy(1) == policy(1)
    assert len({tuple(policy(seed)) for seed in range(3)}) > 1
    explicit = NashIsmctsBot(
        helpers.LEDUC, 0, RolloutEvaluator(seed=1), SearchConfig(visits=20), seed=1
    )
    state = helpers.state_after(helpers.load(helpers.LEDUC), [0, 1])
    assert explicit.get_policy(state) == policy(1)


def test_numbers_of_numpy_are_numbers() -> None:
    for config in (
        SearchConfig(visits=np.int64(4), value_scale=np.float32(0.25)),
        SearchConfig(search="notes", visits=np.int64(4), dispersion_radius=np.float32(0.25)),
    ):
        bot = NashIsmctsBot(helpers.KUHN, np.int64(1), config=config)
        assert bot.player_id == 1
        assert sum(bot.search(kuhn_state([0, 1, 0])).policy) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="player_id.*True"):
        NashIsmctsBot(helpers.KUHN, True)
    with pytest.raises(TypeError, match=r"visits must be int \| None, not True"):
        SearchConfig(visits=True)
    with pytest.raises(TypeError, match=r"visits must be int \| None, not 3\.5"):
        SearchConfig(visits=3.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NashIsmctsBot(helpers.KUHN, 0, config={"visits": 3}), "config.*visits"),
        (lambda: NashIsmctsBot(helpers.KUHN, 0, evaluator="exact"), "evaluator.*'exact'"),
        (lambda: NashIsmctsBot(None, 0), "game.*None"),
    ],
)
def test_arguments_of_the_wrong_type_are_named(make: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


def test_bot_policy_answers_for_the_player_to_move_only() -> None:
    game = pyspiel.load_game(helpers.KUHN)
    policy = BotPolicy(game, NashIsmctsBot(game, 0, config=SearchConfig(visits=5)))
    with pytest.raises(ValueError, match="player 0 is to move, not player 1"):
        policy.action_probabilities(kuhn_state([0, 1]), 1)


def test_without_a_world_the_bot_plays_on_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def found_none(*_: Any) -> int:
        raise NoWorldFoundError("found no world")

    state = helpers.state_after(helpers.load(helpers.LEDUC), [0, 3])
    bot = NashIsmctsBot(helpers.LEDUC, 0)
    monkeypatch.setattr(GameGraph, "observe", found_none)
    with pytest.warns(RuntimeWarning, match="drawn at random: found no world"):
        result = bot.search(state)
    assert result.stopped_by == "no_world" and result.simulations == 0
    assert result.actions == (1, 2) and result.policy == (0.5, 0.5)
    with pytest.warns(RuntimeWarning):
        assert bot.step(state) in (1, 2)


def test_the_radius_goes_by_whether_the_models_have_a_policy() -> None:
    game = helpers.load(helpers.KUHN)
    graph = GameGraph.enumerate(game)
    exact = ExactEvaluator(graph, helpers.uniform_table(graph))
    notes = SearchConfig(search="notes")
    assert NashIsmctsBot(game, 0, config=notes).config.radius == ROLLOUT_RADIUS
    assert NashIsmctsBot(game, 0, UniformEvaluator(), notes).config.radius == ROLLOUT_RADIUS
    assert NashIsmctsBot(game, 0, exact, notes).config.radius == MODEL_RADIUS
    for evaluator in (None, exact):
        config = dataclasses.replace(notes, dispersion_radius=0.7)
        assert NashIsmctsBot(game, 0, evaluator, config).config.radius == 0.7


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_choose_the_radius_alike(engine: str) -> None:
    state = helpers.state_after(helpers.load(helpers.LEDUC), [0, 3])
    found = [
        bot_for(helpers.LEDUC, engine=engine, search="notes", visits=80, **radius).search(state).q
        for radius in ({}, {"dispersion_radius": ROLLOUT_RADIUS}, {"dispersion_radius": 0.5})
    ]
    assert found[0] == found[1] != found[2]


def test_a_graph_that_has_grown_large_is_left_between_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("nash_ismcts_spiel.bot._KEPT_WORLDS", 30)
    bot = bot_for(helpers.PHANTOM_TTT, visits=4, search="notes")
    state = helpers.load(helpers.PHANTOM_TTT).new_initial_state()
    graphs: list[GameGraph] = []
    grown = 0
    while not state.is_terminal():
        if state.current_player() == 0:
            too_large = len(bot._graph.worlds) >= max(30, 2 * grown)
            bot.search(state)
            assert (bot._graph in graphs) == (bool(graphs) and not too_large)
            graphs.append(bot._graph)
            grown = bot._grown
        state.apply_action(state.legal_actions()[-1])
    assert len({id(graph) for graph in graphs}) > 1
