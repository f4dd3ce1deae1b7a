"""A bot that searches with soft ties: a function of its player's log, settings and seed."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pyspiel
import pytest

from exploitability import tabularize
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig, make_bot
from nash_ismcts_spiel.config import USUAL_VISITS
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.harness import BotPolicy
from nash_ismcts_spiel.models import ExactEvaluator, RolloutEvaluator, UniformEvaluator
from nash_ismcts_spiel.models.tables import forest_models
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.native.forest import ForestEngine, search_everywhere
from tests.helpers import (
    GOOFSPIEL_4,
    KUHN,
    KUHN_3,
    LEDUC,
    LIARS_4,
    PHANTOM_TTT,
    TIC_TAC_TOE,
    FixedEvaluator,
    load,
)


def random_hand(game: Any, rng: np.random.Generator) -> list[int]:
    """The events of a hand in which all play at random."""
    state = game.new_initial_state()
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply_action(int(rng.choice(actions)))
    return list(state.history())


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("name", [KUHN, KUHN_3, LEDUC, LIARS_4, GOOFSPIEL_4])
def test_asked_out_of_the_blue_is_as_having_played_along(name: str, engine: str) -> None:
    game, rng = load(name), np.random.default_rng(4)
    settings = {"visits": 12, "seed": 9, "engine": engine}
    asked = 0
    for _ in range(6):
        events, seat = random_hand(game, rng), int(rng.integers(game.num_players()))
        along: Any = make_bot("nash_ismcts", game, seat, **settings)
        state = game.new_initial_state()
        for event in events:
            if not state.is_chance_node() and state.current_player() == seat:
                found = along.search(state)
                blue = make_bot("nash_ismcts", game, seat, **settings).search(state)
                assert blue.policy == found.policy and blue.q == found.q
                assert blue.simulations >= found.simulations > found.pondered
                asked += 1
            state.apply_action(event)
    assert asked >= 6


def test_it_goes_on_from_what_it_has_thought() -> None:
    game = pyspiel.load_game(LEDUC)
    state = game.new_initial_state()
    for card in (0, 3):
        state.apply_action(card)
    bot = make_bot("nash_ismcts", game, 0, visits=30)
    first = bot.search(state)
    assert (first.simulations, first.pondered) == (30, 0)
    again = bot.search(state)
    assert (again.simulations, again.policy) == (0, first.policy)
    for event in (1, 1, 4):  # call, call, a public card
        state.apply_action(event)
    second = bot.search(state)
    assert (second.simulations, second.pondered) == (60, 30)
    out_of_the_blue = bot.search(state, fresh=True)
    assert (out_of_the_blue.simulations, out_of_the_blue.pondered) == (90, 60)
    assert out_of_the_blue.policy == second.policy


def test_it_plays_what_is_measured() -> None:
    game = pyspiel.load_game(LEDUC)
    graph = GameGraph.enumerate(game)
    table = search_everywhere(forest_models(graph, RolloutEvaluator()), 10, seed=3)
    policy = BotPolicy(game, make_bot("nash_ismcts", game, visits=10, seed=3))
    for number in range(0, len(graph.information_sets), 40):
        state = game.new_initial_state()
        for event in graph.history(graph.information_sets.first_world[number]):
            state.apply_action(event)
        first = graph.information_sets.first_action[number]
        found = list(policy.action_probabilities(state).values())
        assert found == table[first : first + len(found)].tolist()


@pytest.mark.parametrize("name", [KUHN_3, LEDUC, GOOFSPIEL_4])
def test_one_call_measures_what_it_answers_at_each_information_set(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, told = load(name), []
    bot = make_bot("nash_ismcts", game, visits=8, seed=5)
    together = tabularize(game, bot, progress=lambda *done: told.append(done))
    assert told[-1] == (len(together), len(together)) and len(told) > 10
    monkeypatch.setattr(NashIsmctsBot, "get_policies", lambda *_: None)
    assert tabularize(game, bot) == together


def test_no_work_is_shared_where_an_answer_is_not_a_function_of_the_log() -> None:
    game = pyspiel.load_game(KUHN)
    for settings in ({"seconds": 0.1}, {"engine": "reference"}, {"search": "notes"}):
        bot: Any = make_bot("nash_ismcts", game, **settings)
        assert bot.get_policies([]) is None


def test_one_bot_for_all_seats_and_a_clone_answer_alike() -> None:
    game, rng = pyspiel.load_game(LIARS_4), np.random.default_rng(0)
    both = make_bot("nash_ismcts", game, visits=10, seed=1)
    for _ in range(4):
        state, events = game.new_initial_state(), random_hand(game, rng)
        clone = both.clone()
        for event in events:
            if not state.is_chance_node():
                alone = make_bot("nash_ismcts", game, state.current_player(), visits=10, seed=1)
                assert both.get_policy(state) == alone.get_policy(state) == clone.get_policy(state)
            state.apply_action(event)


def test_a_generator_seeds_a_search_of_its_own() -> None:
    game = pyspiel.load_game(LEDUC)
    state = game.new_initial_state()
    for card in (0, 3):
        state.apply_action(card)
    bot = make_bot("nash_ismcts", game, 0, visits=20, seed=1)
    own = bot.search(state).policy
    found = [bot.search(state, rng=np.random.default_rng(seed)).policy for seed in (5, 5, 6)]
    assert found[0] == found[1] != found[2]
    assert bot.search(state).policy == own


@pytest.mark.parametrize("visits", [1, 4])
def test_with_a_handful_of_visits_it_plays_what_its_models_say(visits: int) -> None:
    graph = GameGraph.enumerate(LEDUC)
    rng = np.random.default_rng(2)
    policy = np.concatenate(
        [rng.dirichlet(np.ones(count)) for count in graph.information_sets.action_count]
    )
    table = search_everywhere(forest_models(graph, ExactEvaluator(graph, policy)), visits, seed=0)
    assert (table == policy).all()


def test_the_jack_of_kuhn_keeps_mixing() -> None:
    game = pyspiel.load_game(KUHN)
    state = game.new_initial_state()
    for card in (0, 2):
        state.apply_action(card)
    for seed in range(60):
        bot = make_bot("nash_ismcts", game, 0, checkpoint="pretrained", visits=50, seed=seed)
        assert 0.05 < dict(bot.get_policy(state))[1] < 0.5


def test_settings_of_the_literal_search_are_refused() -> None:
    with pytest.raises(ValueError, match="c_puct is a setting of the literal search.*_notes"):
        make_bot("nash_ismcts", KUHN, 0, c_puct=2.0)
    with pytest.raises(ValueError, match="dispersion_radius is a setting of the literal search"):
        NashIsmctsBot(KUHN, 0, config=SearchConfig(dispersion_radius=0.0))
    bot = make_bot("nash_ismcts_notes", KUHN, 0, c_puct=2.0)
    assert isinstance(bot._engine, NativeEngine)


def test_where_nothing_is_hidden_it_searches_literally() -> None:
    bot = make_bot("nash_ismcts", TIC_TAC_TOE, 0, visits=5)
    assert isinstance(bot._engine, NativeEngine)
    state = pyspiel.load_game(TIC_TAC_TOE).new_initial_state()
    assert sum(p for _, p in bot.get_policy(state)) == pytest.approx(1.0)


def test_larger_games_with_models_are_searched_literally() -> None:
    bot = make_bot("nash_ismcts", PHANTOM_TTT, 0, evaluator=FixedEvaluator(), visits=5)
    assert isinstance(bot._engine, NativeEngine)
    # Where P is known at every view, the views of a game that merges are searched.
    bot = make_bot("nash_ismcts", PHANTOM_TTT, 0, evaluator=UniformEvaluator(), visits=5)
    assert isinstance(bot._engine, ForestEngine)


@pytest.mark.parametrize(
    ("name", "settings", "visits"),
    [
        (LEDUC, {}, USUAL_VISITS["tables"]),
        (LEDUC, {"visits": 7}, 7),
        (LEDUC, {"search": "notes"}, USUAL_VISITS["notes"]),
        (PHANTOM_TTT, {}, USUAL_VISITS["views"]),
        ("euchre", {}, USUAL_VISITS["states"]),
        ("euchre", {"evaluator": UniformEvaluator()}, USUAL_VISITS["notes"]),
        (TIC_TAC_TOE, {}, USUAL_VISITS["notes"]),
    ],
)
def test_visits_that_are_not_set_go_by_which_search_answers(
    name: str, settings: dict[str, Any], visits: int
) -> None:
    bot = make_bot("nash_ismcts", name, 0, **settings)
    assert bot.config.visits == bot.clone().config.visits == visits
    if name == LEDUC:
        state = pyspiel.load_game(name).new_initial_state()
        state.apply_action(0)
        state.apply_action(3)
        result = bot.search(state)
        searched = sum(result.visits) if "search" in settings else result.simulations
        assert searched == visits


def test_time_is_shared_by_the_decision_points_of_a_log() -> None:
    game = pyspiel.load_game(LEDUC)
    state = game.new_initial_state()
    for event in (0, 3, 1, 1, 4, 1):
        state.apply_action(event)
    bot = make_bot("nash_ismcts", game, seconds=0.2)
    assert isinstance(bot._engine, ForestEngine)
    started = time.perf_counter()
    result = bot.search(state)
    assert time.perf_counter() - started < 1.0
    assert result.stopped_by == "seconds"
    assert result.simulations > result.pondered > 0


@pytest.mark.parametrize("evaluator", [None, FixedEvaluator()])
def test_threads_search_with_clones_side_by_side(evaluator: Any) -> None:
    game = pyspiel.load_game(LEDUC)
    bot, found = make_bot("nash_ismcts", game, evaluator=evaluator, visits=300, seed=2), []
    hands = [random_hand(game, np.random.default_rng(seed)) for seed in range(8)]

    def play(own: NashIsmctsBot) -> None:
        answers = []
        for events in hands:
            state = game.new_initial_state()
            for event in events:
                if not state.is_chance_node():
                    answers.append(own.get_policy(state))
                state.apply_action(event)
        found.append(answers)

    threads = [threading.Thread(target=play, args=(bot.clone(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3 and found[0] == found[1] == found[2]
