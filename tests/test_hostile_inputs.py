"""Absurd numbers and names are refused in words, and every spelling of a game is that game."""

from __future__ import annotations

import math
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as policies

from exploitability import measure
from nash_ismcts_spiel import cli, make_bot
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.runs import load_evaluator


def matrix_game(utilities: Any) -> Any:
    """Two players move at once; what one wins the other loses."""
    table = np.asarray(utilities)
    rows, columns = ([str(number) for number in range(size)] for size in table.shape)
    game = pyspiel.create_matrix_game("table", "Table", rows, columns, table, -table)
    return pyspiel.convert_to_turn_based(game)


def test_large_utilities_are_measured() -> None:
    """Whatever row is chosen, it wins the same: a best response gains nothing but rounding errors,
    of either sign, which are far above 1e-9.
    """
    rng = np.random.default_rng(0)
    for _ in range(20):
        game = matrix_game(np.tile(rng.normal(size=(1, 7)) * 1e9, (3, 1)).T)
        found = measure(game, policies.UniformRandomPolicy(game))
        assert found.per_player_gain[1] <= 1e-5


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("engine", ["openspiel", "native"])
def test_utilities_that_are_no_numbers_are_refused(wrong: float, engine: Any) -> None:
    game = matrix_game([[1.0, wrong], [0.0, 2.0]])
    with pytest.raises(ValueError, match="utilities must be finite"):
        measure(game, policies.UniformRandomPolicy(game), engine=engine)


@pytest.mark.parametrize("name", ["nfg_game", "efg_game", "kuhn_poker(x=1)", "no_game"])
def test_what_cannot_be_loaded_is_said_in_a_line(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match="cannot load the game"):
        support(name)
    assert cli.main(["search", "--game", name]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_single_hand_has_no_interval(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "--game", "kuhn_poker", "--players", "uniform,mt_ismcts", "--hands", "1"]
    assert cli.main(words) == 0
    said = capsys.readouterr().out
    assert "nan" not in said
    assert said.count("unknown") == 2


@pytest.mark.parametrize("name", ["nash_ismcts", "nash_ismcts_notes", "ismcts_openspiel", "oos"])
@pytest.mark.parametrize(
    ("settings", "kind", "message"),
    [
        ({"seed": "a"}, TypeError, "seed must be a whole number from 0, not 'a'"),
        ({"seed": 1.5}, TypeError, "seed must be a whole number from 0, not 1.5"),
        ({"seed": -1}, ValueError, "seed must be a whole number from 0, not -1"),
        ({"seconds": "1"}, TypeError, "seconds.* must be positive, not '1'"),
        ({"seconds": 0.0}, ValueError, "seconds.* must be positive, not 0.0"),
        ({"seconds": math.nan}, ValueError, "seconds.* must be positive, not nan"),
        ({"visits": "5"}, TypeError, "(visits|simulations) must be "),
    ],
)
def test_budgets_and_seeds_are_checked_by_name(
    name: str, settings: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        make_bot(name, "kuhn_poker", 0, **settings)


def test_a_generator_is_one_of_numpys() -> None:
    state = helpers.state_after(helpers.load("kuhn_poker"), [0, 1])
    wrong: Any = 0
    with pytest.raises(TypeError, match="rng must be a numpy Generator, not 0"):
        make_bot("nash_ismcts", "kuhn_poker", 0, visits=2).search(state, rng=wrong)


@pytest.mark.parametrize("name", ["ismcts_openspiel", "oos", "smooth_uct"])
def test_peers_know_visits(name: str) -> None:
    """They are the simulations of a move: the same budget gives the same answer."""
    state = helpers.state_after(helpers.load("kuhn_poker"), [0, 1])
    by_either = [
        make_bot(name, "kuhn_poker", 0, seed=1, **{word: 40}).get_policy(state)
        for word in ("visits", "simulations")
    ]
    assert by_either[0] == by_either[1]
    with pytest.raises(ValueError, match="visits and simulations are the same"):
        make_bot(name, "kuhn_poker", 0, visits=40, simulations=40)
    with pytest.raises(ValueError, match="no setting 'nonsense'"):
        make_bot(name, "kuhn_poker", 0, nonsense=1)


SPELLINGS = {
    "kuhn_poker": ["kuhn_poker(players=2)"],
    "leduc_poker": ["leduc_poker(players=2)", "leduc_poker(suit_isomorphism=False)"],
    "dark_hex": ["dark_hex(num_rows=3,num_cols=3)", "dark_hex(gameversion=cdh,board_size=3)"],
    "liars_dice": ["liars_dice(numdice=1)", "liars_dice(dice_sides=6,numdice=1,players=2)"],
}


@pytest.mark.parametrize("plain", SPELLINGS)
def test_every_spelling_of_a_game_finds_its_networks(plain: str) -> None:
    for name in [plain, *SPELLINGS[plain]]:
        game = pyspiel.load_game(name)
        state = helpers.state_after(game, [])
        while state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        search = "nash_ismcts_notes" if plain == "dark_hex" else "nash_ismcts"
        bot = make_bot(search, game, 0, checkpoint="pretrained", visits=3)
        assert sum(probability for _, probability in bot.get_policy(state)) == pytest.approx(1.0)


def test_networks_of_another_game_are_still_refused() -> None:
    from nash_ismcts_spiel.models.networks.saved import pretrained_path

    path = pretrained_path(support("kuhn_poker"))
    with pytest.raises(ValueError, match="has models of kuhn_poker.*not of kuhn_poker.*3"):
        load_evaluator(path, support("kuhn_poker(players=3)").name)
