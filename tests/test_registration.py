"""The searches as bots that OpenSpiel itself knows by name."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)
import pyspiel
import pytest
from open_spiel.python.algorithms import evaluate_bots

from nash_ismcts_spiel import make_bot, registry
from nash_ismcts_spiel.config import PRESETS


def state_after(game: Any, actions: list[int]) -> Any:
    state = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


def test_openspiel_lists_the_searches() -> None:
    assert set(PRESETS) <= set(pyspiel.registered_bots())
    able = pyspiel.bots_that_can_play_game(pyspiel.load_game("leduc_poker"), 1)
    assert set(PRESETS) <= set(able)


def test_openspiel_knows_what_they_cannot_play() -> None:
    able = pyspiel.bots_that_can_play_game(pyspiel.load_game("mfg_crowd_modelling"))
    assert set(PRESETS).isdisjoint(able)
    able = pyspiel.bots_that_can_play_game(pyspiel.load_game("leduc_poker"), 2)
    assert set(PRESETS).isdisjoint(able)


@pytest.mark.parametrize("name", PRESETS)
def test_a_loaded_bot_is_the_bot_of_that_name(name: str) -> None:
    game = pyspiel.load_game("leduc_poker")
    state = state_after(game, [0, 3])
    own = make_bot(name, game, 0, visits=50, seed=1)
    loaded = pyspiel.load_bot(name, game, 0, {"visits": 50, "seed": 1})
    named = pyspiel.load_bot(f"{name}(visits=50,seed=1)", game, 0)
    policy = own.get_policy(state)
    assert loaded.get_policy(state) == policy
    assert named.get_policy(state) == policy
    assert loaded.step_with_policy(state) == own.step_with_policy(state)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("nash_ismcts", {"value_scale": 2}),
        ("nash_ismcts_notes", {"dispersion_radius": 0.5, "lcb_width": 1}),
    ],
)
def test_parameters_of_every_kind_arrive(name: str, settings: dict[str, Any]) -> None:
    game = pyspiel.load_game("kuhn_poker")
    params = {"visits": 20, "reuse_trees": False, "engine": "reference", **settings}
    state = state_after(game, [0, 1])
    policy = make_bot(name, game, 0, **params).get_policy(state)
    assert pyspiel.load_bot(name, game, 0, params).get_policy(state) == policy
    assert make_bot(name, game, 0, visits=20).get_policy(state) != policy


@pytest.mark.parametrize(
    "name", ["leduc_poker", "goofspiel(num_cards=3,imp_info=True)", "python_kuhn_poker"]
)
def test_loaded_bots_play(name: str) -> None:
    game = pyspiel.load_game(name)
    bots = [pyspiel.load_bot("nash_ismcts", game, seat, {"visits": 5}) for seat in range(2)]
    for seed in range(3):
        returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
        assert sum(returns) == 0.0
    rng = np.random.RandomState(1)
    assert sum(evaluate_bots.evaluate_bots(game.new_initial_state(), bots, rng)) == 0.0


def test_a_loaded_bot_answers_all_that_openspiel_asks() -> None:
    game = pyspiel.load_game("leduc_poker")
    state = state_after(game, [0, 3])
    bot = pyspiel.load_bot("nash_ismcts", game, 0, {"visits": 20})
    assert bot.provides_policy() and bot.provides_force_action() and bot.is_clonable()
    assert bot.step(state) in state.legal_actions()
    bot.restart()
    bot.restart_at(state)
    bot.inform_action(state, 0, 1)
    bot.inform_actions(state, [1, 2])
    bot.force_action(state, 1)
    clone = bot.clone()
    del bot
    assert clone.step(state) in state.legal_actions()
    assert state.history() == [0, 3]


def test_errors_arrive_as_they_are() -> None:
    game = pyspiel.load_game("leduc_poker")
    with pytest.raises(ValueError, match="unknown SearchConfig key 'visit'; did you mean 'visits'"):
        pyspiel.load_bot("nash_ismcts", game, 0, {"visit": 5})
    with pytest.raises(TypeError, match=r"visits must be int \| None, not 'many'"):
        pyspiel.load_bot("nash_ismcts", game, 0, {"visits": "many"})
    with pytest.raises(ValueError, match="player_id must be from 0 to 1"):
        pyspiel.load_bot("nash_ismcts", game, 2)
    with pytest.raises(ValueError, match="mean-field"):
        pyspiel.load_bot("nash_ismcts", pyspiel.load_game("mfg_crowd_modelling"), 0)
    bot = pyspiel.load_bot("nash_ismcts", game, 1, {"visits": 5})
    with pytest.raises(ValueError, match="this bot plays seat 1, but player 0 is to move"):
        bot.step(state_after(game, [0, 3]))
    with pytest.raises(ValueError, match="this bot plays seat 1"):
        pyspiel.evaluate_bots(game.new_initial_state(), [bot, bot], 0)


def test_registration_happens_once() -> None:
    before = pyspiel.registered_bots()
    assert registry.register_with_openspiel()
    assert pyspiel.registered_bots() == before
    spiel = registry.spiel_module()
    assert spiel is not None
    with pytest.raises(ValueError, match="has a bot nash_ismcts already"):
        spiel.register_bot("nash_ismcts", print, print)


def test_registration_is_skipped_where_openspiel_does_not_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "spiel_module", lambda: None)
    assert not registry.register_with_openspiel()


def test_bots_that_outlive_the_interpreter_do_no_harm() -> None:
    program = (
        "import nash_ismcts_spiel, pyspiel\n"
        "game = pyspiel.load_game('kuhn_poker')\n"
        "pyspiel.kept = pyspiel.load_bot('nash_ismcts', game, 0)\n"
        "print('done')\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stdout.split()) == (0, ["done"]), run.stderr
