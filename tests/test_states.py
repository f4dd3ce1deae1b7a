"""Whose states a game gets, and what happens where OpenSpiel's C++ cannot be used."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any

import helpers
import numpy as np
import open_spiel.python.games  # noqa: F401  (registers OpenSpiel's games written in Python)
import pyspiel
import pytest

from nash_ismcts_spiel import native
from nash_ismcts_spiel.games import GameGraph, states
from nash_ismcts_spiel.native import openspiel

TINY_EFG = """EFG 2 R "tiny" { "A" "B" } ""
p "" 1 1 "" { "l" "r" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { -1 1 }
"""


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of a game, `native_game` gives who was asked for it, and with what."""
    monkeypatch.delenv(states.STATES_VARIABLE, raising=False)
    fake_spiel = types.SimpleNamespace(load=lambda *args: ("openspiel", *args))
    fake_core = types.SimpleNamespace(python_game=lambda *args: ("python", *args))
    monkeypatch.setattr(states, "spiel_module", lambda: fake_spiel)
    monkeypatch.setattr(states, "_core", fake_core)


uses_recorded = pytest.mark.usefixtures("recorded")


def native_game(game: Any) -> Any:
    return states.native_game(
        game,
        name=str(game),
        num_players=game.num_players(),
        perfect_information=False,
        has_information_states=True,
    )


def matrix_game(name: str) -> Any:
    rows = [[1.0, 2.0], [3.0, 4.0]]
    return pyspiel.create_matrix_game(name, name, ["a", "b"], ["c", "d"], rows, rows)


@uses_recorded
@pytest.mark.parametrize(
    "name",
    [
        "leduc_poker",
        "bridge(use_double_dummy_result=False)",
        "misere(game=kuhn_poker(players=3))",
        "turn_based_simultaneous_game(game=goofspiel(imp_info=True,num_cards=3))",
        "universal_poker",
    ],
)
def test_games_of_openspiel_get_its_states_without_the_gil(name: str) -> None:
    game = pyspiel.load_game(name)
    assert native_game(game) == ("openspiel", str(game), False, True, False)


@uses_recorded
@pytest.mark.parametrize(
    "game",
    [
        pyspiel.load_game("python_kuhn_poker"),
        pyspiel.load_game("misere(game=python_tic_tac_toe())"),
        pyspiel.load_game("misere(game=misere(game=python_tic_tac_toe()))"),
        pyspiel.load_game_as_turn_based("python_iterated_prisoners_dilemma"),
        pyspiel.load_efg_game(TINY_EFG),
        pyspiel.convert_to_turn_based(matrix_game("made_in_code")),
        pyspiel.convert_to_turn_based(matrix_game("matrix_pd")),
    ],
    ids=str,
)
def test_games_that_their_string_does_not_tell_and_python_games_get_python_states(
    game: Any,
) -> None:
    assert native_game(game) == ("python", game, str(game), game.num_players(), False, True)


@uses_recorded
def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    leduc, python_kuhn = map(pyspiel.load_game, ["leduc_poker", "python_kuhn_poker"])
    monkeypatch.setenv(states.STATES_VARIABLE, "python")
    assert native_game(leduc)[0] == "python"
    monkeypatch.setenv(states.STATES_VARIABLE, "openspiel")
    assert native_game(leduc) == ("openspiel", "leduc_poker()", False, True, False)
    assert native_game(python_kuhn) == ("openspiel", "python_kuhn_poker()", False, True, True)
    wrapped = pyspiel.load_game("misere(game=python_tic_tac_toe())")
    assert native_game(wrapped)[-1] is True  # needs the GIL as well
    with pytest.raises(ValueError, match="efg_game.*cannot be had"):
        native_game(pyspiel.load_efg_game(TINY_EFG))
    monkeypatch.setenv(states.STATES_VARIABLE, "fast")
    with pytest.raises(ValueError, match="auto, openspiel or python, not 'fast'"):
        native_game(leduc)


@uses_recorded
def test_python_states_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    leduc = pyspiel.load_game("leduc_poker")
    with helpers.python_states_only():
        assert native_game(leduc)[0] == "python"
    assert states.STATES_VARIABLE not in os.environ
    monkeypatch.setenv(states.STATES_VARIABLE, "openspiel")
    with pytest.raises(KeyError), helpers.python_states_only():
        raise KeyError
    assert os.environ[states.STATES_VARIABLE] == "openspiel"


@uses_recorded
def test_python_states_where_the_compiled_module_does_not_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(states, "spiel_module", lambda: None)
    assert native_game(pyspiel.load_game("leduc_poker"))[0] == "python"


COLUMNS = {
    "worlds": ["kind", "player", "information_set", "edge_child", "edge_action"]
    + ["edge_probability", "utilities"],
    "information_sets": ["player", "action_count", "action"],
}


@pytest.mark.parametrize(
    "name", ["leduc_poker", "goofspiel(imp_info=True,num_cards=3)", "tiny_hanabi", "kuhn_poker"]
)
def test_both_kinds_of_states_make_the_same_graph(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(states.STATES_VARIABLE, "openspiel")
    fast = GameGraph.enumerate(name)
    with helpers.python_states_only():
        slow = GameGraph.enumerate(name)
    assert not fast.game.native.needs_gil and slow.game.native.needs_gil
    for table, columns in COLUMNS.items():
        for column in columns:
            wanted = np.asarray(getattr(getattr(slow, table), column))
            assert np.array_equal(getattr(getattr(fast, table), column), wanted), column


@pytest.fixture
def fresh_module() -> Iterator[None]:
    openspiel.spiel_module.cache_clear()
    yield
    openspiel.spiel_module.cache_clear()


def test_the_compiled_module_fits_the_open_spiel_that_is_installed(fresh_module: None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spiel = openspiel.spiel_module()
    assert spiel is not None
    assert importlib.metadata.version("open_spiel") == spiel.BUILT_FOR


def test_another_version_is_not_used_and_warned_of_once(
    monkeypatch: pytest.MonkeyPatch, fresh_module: None
) -> None:
    built_for = importlib.metadata.version("open_spiel")
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "99.0")
    with pytest.warns(UserWarning, match="same.*slower.*reinstall nash_ismcts_spiel") as caught:
        assert openspiel.spiel_module() is None
        assert openspiel.spiel_module() is None
    assert len(caught) == 1
    text = str(caught[0].message)
    assert f"built for open_spiel {built_for}, and 99.0 is installed" in text


def test_a_module_that_cannot_be_loaded_is_warned_of_once(
    monkeypatch: pytest.MonkeyPatch, fresh_module: None
) -> None:
    monkeypatch.delattr(native, "_spiel", raising=False)
    monkeypatch.setitem(sys.modules, "nash_ismcts_spiel.native._spiel", None)
    with pytest.warns(UserWarning, match=r"cannot be used with open_spiel \d") as caught:
        assert openspiel.spiel_module() is None
        assert openspiel.spiel_module() is None
    assert len(caught) == 1


LOAD_ALL = """
import nash_ismcts_spiel.native._core
from nash_ismcts_spiel.native.openspiel import spiel_module
spiel = spiel_module()
print(type(spiel.load("leduc_poker", False, True, False)).__name__)
for name, error in [("no_such_game", "SpielError"), ("goofspiel", "ValueError")]:
    try:
        spiel.load(name, False, True, False)
    except Exception as caught:
        assert type(caught).__name__ == error, caught
"""


def test_games_are_loaded_as_games_of_the_core() -> None:
    run = subprocess.run(
        [sys.executable, "-c", LOAD_ALL], capture_output=True, text=True, check=False
    )
    assert run.stdout.split() == ["Game"], run.stderr
