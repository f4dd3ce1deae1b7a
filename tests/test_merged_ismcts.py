"""MO-ISMCTS at the views of a merged game."""

from __future__ import annotations

import numpy as np
import pytest

from exploitability import measure
from nash_ismcts_spiel.games.merged import merged_game
from nash_ismcts_spiel.native.exact import merged_ismcts

DARK_HEX_2X2 = "dark_hex(board_size=2,num_cols=2,num_rows=2)"


def test_policies_are_visit_shares() -> None:
    merged = merged_game(DARK_HEX_2X2)
    policy = merged_ismcts(merged, 50, seed=3)
    first = merged.native.first_action
    for view in range(len(merged.views)):
        shares = policy[first[view] : first[view + 1]]
        assert shares.sum() == pytest.approx(1.0)
        assert shares * 50 == pytest.approx(np.round(shares * 50))
    np.testing.assert_array_equal(policy, merged_ismcts(merged, 50, seed=3))
    assert not np.array_equal(policy, merged_ismcts(merged, 50, seed=4))


def test_winning_moves_are_found() -> None:
    """A row of two stones with its third field free wins at once."""
    merged = merged_game("phantom_ttt")
    policy = merged_ismcts(merged, 2000)
    first, found, asked = merged.native.first_action, 0, 0
    for number, view in enumerate(merged.views):
        rows = view.key.split("\n")
        if view.player == 0 and rows[0] == "xx." and "x" not in rows[1] + rows[2]:
            best = int(np.argmax(policy[first[number] : first[number + 1]]))
            asked += 2 in view.legal_actions
            found += view.legal_actions[best] == 2
    assert found == asked
    assert asked > 10


def test_more_simulations_are_less_exploitable_where_games_are_short() -> None:
    merged = merged_game(DARK_HEX_2X2)
    figures = [
        measure(merged.game.pyspiel_game, merged_ismcts(merged, count), engine="merged")
        for count in (1, 1000)
    ]
    assert figures[1].exploitability < 0.5 * figures[0].exploitability


def test_chance_is_drawn() -> None:
    """In Kuhn poker the king never passes a bet."""
    merged = merged_game("kuhn_poker", "information_state")
    policy = merged_ismcts(merged, 3000)
    first = merged.native.first_action
    king = next(n for n, view in enumerate(merged.views) if view.key == "2pb")
    assert policy[first[king] + 1] > 0.9


def test_absurd_settings_are_refused() -> None:
    merged = merged_game(DARK_HEX_2X2)
    with pytest.raises(ValueError, match="at least 1"):
        merged_ismcts(merged, 0)
    with pytest.raises(ValueError, match="not be negative"):
        merged_ismcts(merged, 10, exploration=float("nan"))
