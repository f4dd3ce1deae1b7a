"""The forest on live states: both engines alike, a function of what a player knows, budgets."""

from __future__ import annotations

import _thread
import threading
import time
from typing import Any

import numpy as np
import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)
import pyspiel
import pytest

from benchmarks.positions import random_decisions, random_positions
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig, make_bot
from nash_ismcts_spiel.games import GameGraph, NoWorldFoundError, support
from nash_ismcts_spiel.games.whole import whole_graph
from nash_ismcts_spiel.models import Models, RolloutEvaluator
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.state_forest import StateForestEngine
from nash_ismcts_spiel.search import SearchResult
from nash_ismcts_spiel.search.whole_actions import over_whole_actions

EUCHRE, OH_HELL, LEDUC_3 = "euchre", "oh_hell", "leduc_poker(players=3)"
SKAT, SPADES, UNIVERSAL = "skat", "spades", "universal_poker"
LIARS_DICE = "liars_dice(numdice=3)"
GOOFSPIEL = "goofspiel(imp_info=True,num_cards=8,points_order=random)"


def searched(name: str, state: Any, seed: int = 0, split: Any = "never", **settings: Any) -> Any:
    """A search by the forest on live states, in a game of any size."""
    config = SearchConfig(**{"visits": 40, **settings})
    models = Models(GameGraph(name, split), RolloutEvaluator())
    engine = StateForestEngine(models, config, seed)
    number = engine.observe(state, max(state.current_player(), 0))
    return over_whole_actions(engine.search(number), number, models, engine)


def told(result: SearchResult) -> tuple[Any, ...]:
    return result.actions, result.visits, result.q, result.policy


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("kuhn_poker", "never"),
        (LEDUC_3, "never"),
        (LIARS_DICE, "never"),
        (EUCHRE, "never"),
        (OH_HELL, "never"),
        (SKAT, "never"),
        (GOOFSPIEL, "never"),
        (UNIVERSAL, "never"),
        ("phantom_ttt", "never"),
        ("python_kuhn_poker", "never"),
        (EUCHRE, "always"),
        (SPADES, "always"),
        ("dark_hex(board_size=4)", "always"),
    ],
)
def test_both_engines_search_alike(name: str, split: Any) -> None:
    for state in random_positions(sequential(name), 2, seed=3):
        native, reference = (
            searched(name, state, split=split, engine=engine) for engine in ("native", "reference")
        )
        assert told(native) == told(reference)
        assert native.simulations == 40


def sequential(name: str) -> Any:
    return support(name).pyspiel_game


@pytest.mark.parametrize(
    ("name", "split"),
    [
        (EUCHRE, "never"),
        (OH_HELL, "never"),
        (LEDUC_3, "never"),
        (SKAT, "never"),
        (EUCHRE, "always"),
    ],
)
def test_worlds_that_a_player_cannot_tell_apart_are_searched_alike(name: str, split: Any) -> None:
    for state in random_positions(sequential(name), 3, seed=8):
        graph = GameGraph(name, "never")
        draws = _core.WorldDraws(graph, graph.observe(state, state.current_player()), 5)
        worlds = [draws.next() for _ in range(6)]
        assert len(set(map(tuple, worlds))) > 1
        expected = told(searched(name, state, split=split))
        for history in worlds:
            other = graph.game.initial_state()
            for event in history:
                other.apply_action(event)
            assert told(searched(name, other, split=split)) == expected


@pytest.mark.parametrize("name", [EUCHRE, LIARS_DICE, SKAT])
def test_asked_out_of_the_blue_is_as_having_played_along(name: str) -> None:
    game = pyspiel.load_game(name)
    along = make_bot("nash_ismcts", game, visits=30, seed=2)
    decisions = random_decisions(game, np.random.default_rng(1))[:12]
    for state in decisions:
        found = along.search(state)
        blue = make_bot("nash_ismcts", game, state.current_player(), visits=30, seed=2)
        assert told(blue.search(state)) == told(found) == told(along.search(state))
    along.restart()
    assert told(along.search(decisions[0])) == told(blue.search(decisions[0]))
    other = make_bot("nash_ismcts", game, visits=30, seed=3)
    assert any(other.search(state).q != along.search(state).q for state in decisions)


def test_the_most_visited_action_is_played() -> None:
    for state in random_positions(pyspiel.load_game(OH_HELL), 6, seed=2):
        result = searched(OH_HELL, state, visits=7)
        best = [n == max(result.visits) for n in result.visits]
        assert result.policy == tuple(float(each) / sum(best) for each in best)
        assert sum(result.visits) == result.simulations == 7


def test_a_forced_move_is_not_searched() -> None:
    state = pyspiel.load_game(EUCHRE).new_initial_state()
    rng = np.random.default_rng(0)
    while state.is_chance_node() or len(state.legal_actions()) > 1:
        state.apply_action(int(rng.choice(state.legal_actions())))
    result = make_bot("nash_ismcts", EUCHRE, visits=1000).search(state)
    assert (result.policy, result.visits, result.simulations) == ((1.0,), (0,), 0)


def test_time_binds() -> None:
    (state,) = random_positions(pyspiel.load_game(EUCHRE), 1, seed=0)
    bot = make_bot("nash_ismcts", EUCHRE, seconds=0.1)
    started = time.perf_counter()
    result = bot.search(state)
    assert time.perf_counter() - started < 0.6
    assert result.stopped_by == "seconds" and result.simulations > 10
    result = make_bot("nash_ismcts", EUCHRE, seconds=1e-9).search(state)
    assert result.stopped_by == "seconds" and sum(result.policy) == pytest.approx(1.0)


def test_an_interrupt_ends_a_search_and_the_bot_goes_on() -> None:
    (state,) = random_positions(pyspiel.load_game(EUCHRE), 1, seed=0)
    bot = make_bot("nash_ismcts", EUCHRE, visits=100_000_000)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        bot.search(state)
    timer.join()
    assert make_bot("nash_ismcts", EUCHRE, visits=5).search(state).simulations == 5


def test_threads_search_with_clones_side_by_side() -> None:
    game = pyspiel.load_game(EUCHRE)
    bot: NashIsmctsBot = make_bot("nash_ismcts", game, visits=300, seed=2)
    states = random_positions(game, 6, seed=4)
    found: list[Any] = []

    def play(own: NashIsmctsBot) -> None:
        found.append([told(own.search(state)) for state in states])

    threads = [threading.Thread(target=play, args=(bot.clone(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2 and found[0] == found[1] == [told(bot.search(s)) for s in states]


def test_a_world_is_looked_for_near_the_last_one_where_the_log_alone_leads_to_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = pyspiel.load_game(EUCHRE)
    bot = make_bot("nash_ismcts", game, visits=5)
    first, *_, later = [
        state
        for state in random_decisions(game, np.random.default_rng(1))
        if state.current_player() == 0
    ]
    bot.search(first)
    observe, asked = GameGraph.observe, list[int]()

    def fails_once(self: GameGraph, *arguments: Any) -> int:
        asked.append(len(self.worlds))
        if len(asked) == 1:
            raise NoWorldFoundError("none")
        return observe(self, *arguments)

    monkeypatch.setattr(GameGraph, "observe", fails_once)
    assert bot.search(later).simulations == 5
    assert asked[0] == 1 < asked[1]
    asked.clear()
    bot.restart()
    with pytest.warns(RuntimeWarning, match="at random"):
        assert bot.search(later).stopped_by == "no_world"


def test_it_beats_uniform_play() -> None:
    game, rng = pyspiel.load_game(LIARS_DICE), np.random.default_rng(0)
    bot, won = make_bot("nash_ismcts", game, visits=60, seed=1), 0.0
    for hand in range(40):
        state = game.new_initial_state()
        while not state.is_terminal():
            ours = not state.is_chance_node() and state.current_player() == hand % 2
            state.apply_action(bot.step(state) if ours else int(rng.choice(state.legal_actions())))
        won += state.returns()[hand % 2]
    assert won > 20


def test_games_that_are_a_little_too_large_are_not_walked_for_seconds() -> None:
    game = support("universal_poker")  # of 1.05 million worlds
    started = time.process_time()
    assert whole_graph(game, SearchConfig().max_worlds, "never") is None
    assert time.process_time() - started < 0.5  # to walk a million of them takes 1.6 s
