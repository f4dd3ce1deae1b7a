"""Budgets hold inside a search: visits, seconds and worlds; the answer is what was found."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyspiel
import pytest
from stalling_game import StallingGame, StallingState

from benchmarks.positions import early_middle_late
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.models import (
    InformationSetRow,
    Models,
    RolloutEvaluator,
    UniformEvaluator,
)
from nash_ismcts_spiel.native.engine import NativeEngine, search_together
from nash_ismcts_spiel.search import ReferenceEngine

ENGINES = {"native": NativeEngine, "reference": ReferenceEngine}

SECONDS = 0.2
ROOM = 0.5
"""What a busy machine may add."""


def first_decision(game: pyspiel.Game, seed: int = 0) -> pyspiel.State:
    rng = np.random.default_rng(seed)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(int(rng.choice([action for action, _ in state.chance_outcomes()])))
    return state


@pytest.mark.parametrize(
    "name", ["kuhn_poker", "tiny_bridge_4p", "phantom_ttt", "hearts", "gin_rummy", "battleship"]
)
def test_seconds_end_a_search(name: str) -> None:
    game = pyspiel.load_game(name)
    state = first_decision(game)
    bot = NashIsmctsBot(game, state.current_player(), seconds=SECONDS)
    started = time.perf_counter()
    result = bot.search(state)
    assert time.perf_counter() - started < SECONDS + ROOM
    assert result.stopped_by == "seconds"
    assert sum(result.policy) == pytest.approx(1.0)
    assert list(result.actions) == state.legal_actions()


def test_no_time_at_all_still_gives_a_policy() -> None:
    game = pyspiel.load_game("bridge(use_double_dummy_result=False)")
    state = first_decision(game)
    bot = NashIsmctsBot(game, state.current_player(), seconds=1e-9)
    result = bot.search(state)
    assert result.stopped_by == "seconds"
    assert result.simulations == 0
    assert result.policy == (1.0 / len(result.actions),) * len(result.actions)
    assert bot.step(state) in state.legal_actions()


def test_a_deal_that_takes_long_to_solve_is_not_begun_without_time() -> None:
    """Bridge solves a deal as soon as it is known: .2 s of processor time, 20 times the budget."""
    game = pyspiel.load_game("bridge")
    state = first_decision(game)
    bot = NashIsmctsBot(game, state.current_player(), seconds=0.01)
    bot.search(state)  # how long a deal takes is found out once in a process
    for seed in range(4):
        other = first_decision(game, seed)
        new = NashIsmctsBot(game, other.current_player(), seconds=0.01)
        made = time.thread_time()
        result = new.search(other)
        assert time.thread_time() - made < 0.02
        assert result.stopped_by == "seconds"
        assert sum(result.policy) == pytest.approx(1.0)
    assert support("bridge").deal_seconds > 0.02
    assert support("bridge(use_double_dummy_result=False)").deal_seconds == 0.0


def test_views_of_bridge_are_those_of_unsolved_deals() -> None:
    solved = GameGraph("bridge")
    state = first_decision(pyspiel.load_game("bridge"))
    rng = np.random.default_rng(1)
    for _ in range(6):
        player = state.current_player()
        seen = solved.key_at(state, player)
        assert seen.log[-1][1].startswith(state.observation_string(player))
        state.apply_action(int(rng.choice(state.legal_actions())))
        if state.is_terminal():
            return


@pytest.mark.parametrize("engine", [NativeEngine, ReferenceEngine])
def test_searches_that_were_cut_short_go_on(engine: Any) -> None:
    """What one left behind half done, nodes without models, another one finishes."""
    game = support("kriegspiel(board_size=4)")
    state = early_middle_late(game.pyspiel_game, seed=0)[0]
    graph = GameGraph(game, "auto")
    information_set = graph.observe(state, state.current_player())
    config, rng = SearchConfig(visits=1_000_000), np.random.default_rng(0)
    searching = engine(Models(graph, RolloutEvaluator(seed=1)), config)
    for _ in range(60):
        searching.search(information_set, rng, max_worlds=len(graph.worlds) + 1)
    result = searching.search(information_set, rng, visits=80)
    assert sum(result.policy) == pytest.approx(1.0)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_worlds_end_a_search(engine: str) -> None:
    game = pyspiel.load_game("phantom_ttt")
    config = SearchConfig(search="notes", visits=100_000, max_worlds=500, engine=engine)
    bot = NashIsmctsBot(game, 0, config=config)
    result = bot.search(game.new_initial_state())
    assert result.stopped_by == "worlds"
    assert sum(result.visits) > 0
    assert sum(result.policy) == pytest.approx(1.0)
    # A stage adds no more worlds than one draw of the hidden state and the events after it.
    assert len(bot._graph.worlds) < 500 + 100


def test_both_engines_stop_at_the_same_size() -> None:
    results = []
    for engine in ENGINES.values():
        graph = GameGraph("phantom_ttt")
        information_set = graph.observe(graph.state(0), 0)
        search = engine(Models(graph, UniformEvaluator()), SearchConfig(visits=10_000))
        results.append(search.search(information_set, np.random.default_rng(1), max_worlds=300))
    assert results[0].visits == results[1].visits
    assert {result.stopped_by for result in results} == {"worlds"}


def test_a_search_that_was_stopped_goes_on() -> None:
    graph = GameGraph("leduc_poker")
    information_set = graph.observe(first_decision(graph.game.pyspiel_game), 0)
    engine = NativeEngine(Models(graph, UniformEvaluator()), SearchConfig(visits=50))
    stopped = engine.search(information_set, np.random.default_rng(0), max_worlds=200)
    assert stopped.stopped_by == "worlds"
    whole = engine.search(information_set, np.random.default_rng(0))
    assert whole.stopped_by == "visits"
    assert sum(whole.visits) == 50


@pytest.mark.parametrize("search", ["forest", "notes"])
def test_visits_that_are_done_say_so(search: Any) -> None:
    game = pyspiel.load_game("kuhn_poker")
    config = SearchConfig(visits=30, search=search)
    result = NashIsmctsBot(game, 0, config=config).search(first_decision(game))
    assert result.stopped_by == "visits"
    done = sum(result.visits) if search == "notes" else result.simulations - result.pondered
    assert done == 30


# Clocks that decide nothing.


class SlowGame(StallingGame):
    """The stalling game, whose events take a while."""

    def new_initial_state(self) -> SlowState:
        return SlowState(self)


class SlowState(StallingState):
    def _apply_action(self, action: int) -> None:
        time.sleep(0.01)
        super()._apply_action(action)


class Listing(UniformEvaluator):
    """Uniform models that remember for which information sets they were asked together."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        self.asked.append([str(graph.key(number)) for number in information_sets])
        return super().information_set_rows(graph, information_sets)


def test_searches_take_turns_in_the_same_order_however_slow_the_game_is() -> None:
    # Compiled code lets Python look for Ctrl-C ten times a second. Who is asked for rows with whom
    # must not depend on that: networks round differently in batches of another size.
    found = []
    for game in (StallingGame(), SlowGame()):
        graph = GameGraph(game)
        starts = [game.new_initial_state() for _ in range(3)]
        for card, state in enumerate(starts):
            state.apply_action(card)
        sets = [graph.observe(state, 0) for state in starts]
        listing = Listing()
        rngs = [np.random.default_rng(seed) for seed in range(3)]
        results = search_together(Models(graph, listing), SearchConfig(visits=12), sets, rngs)
        found.append(([result.visits for result in results], listing.asked))
    assert found[0] == found[1]
    assert max(map(len, found[0][1])) > 1
