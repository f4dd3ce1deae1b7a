"""Symmetries of boards: which games have them, and that a bot that turns boards is one function."""

from __future__ import annotations

from typing import Any

import helpers
import numpy as np
import pytest
from open_spiel.python import policy as openspiel_policy

from nash_ismcts_spiel.games.board_symmetries import standard_views
from nash_ismcts_spiel.games.merged import merged_game
from nash_ismcts_spiel.harness import PolicyBot, ViewBot


@pytest.mark.parametrize(
    ("name", "images"),
    [
        ("phantom_ttt", 8),
        ("dark_hex(board_size=3)", 2),  # other turns exchange the players' sides
        ("liars_dice(numdice=1,dice_sides=3)", 1),
    ],
)
def test_views_have_as_many_images_as_the_board_has_symmetries(name: str, images: int) -> None:
    merged = merged_game(name, "information_state" if name.startswith("liars") else "observation")
    found = standard_views(merged)
    counts = np.bincount([standard.view for standard in found], minlength=len(found))
    assert counts.max() == images
    assert all(found[each.view].view == each.view for each in found)
    for view, standard in enumerate(found):
        there = merged.views[standard.view]
        assert there.player == merged.views[view].player
        actions = [standard.cells[action] for action in merged.views[view].legal_actions]
        assert sorted(actions) == sorted(there.legal_actions)


class Uneven(openspiel_policy.Policy):  # type: ignore[misc]  # open_spiel has no types
    """Prefers low actions, which a turned board has elsewhere."""

    def __init__(self, game: Any) -> None:
        super().__init__(game, [0, 1])

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        del player_id
        actions = state.legal_actions()
        weights = np.arange(len(actions), 0, -1.0)
        return dict(zip(actions, (weights / weights.sum()).tolist(), strict=True))


def test_a_bot_that_turns_boards_plays_alike_on_all_of_them() -> None:
    """In random games, on the board as it is and turned by a quarter. A view that looks the same
    when it is turned has no single answer, only the same probabilities.
    """
    merged, game = merged_game("phantom_ttt"), helpers.load(helpers.PHANTOM_TTT)
    quarter = [6, 3, 0, 7, 4, 1, 8, 5, 2]
    rng = np.random.default_rng(0)
    plain, bot = (
        ViewBot(merged, 0, lambda player, seed: PolicyBot(Uneven(game), player, seed), 0, turned)
        for turned in (False, True)
    )
    standard = [each.view for each in standard_views(merged)]
    images = np.bincount(standard)
    differences = 0
    for _ in range(20):
        state, other = game.new_initial_state(), game.new_initial_state()
        while not state.is_terminal():
            policy, there = dict(bot.get_policy(state)), dict(bot.get_policy(other))
            assert sorted(policy.values()) == sorted(there.values())
            if images[standard[merged.view_at(state)]] == 8:
                assert policy == {action: there[quarter[action]] for action in policy}
            assert sum(policy.values()) == pytest.approx(1.0)
            assert dict(bot.clone().get_policy(state)) == policy
            differences += policy != dict(plain.get_policy(state))
            action = int(rng.choice(state.legal_actions()))
            state.apply_action(action)
            other.apply_action(quarter[action])
        assert state.returns() == other.returns()
    assert differences > 50


def test_a_game_that_only_looks_symmetric_has_no_symmetries() -> None:
    """Of hex on the same board a half turn is left: others exchange the players' sides."""
    merged = merged_game("dark_hex(board_size=3)")
    turns = {standard.cells for standard in standard_views(merged)}
    identity, half_turn = tuple(range(9)), tuple(range(8, -1, -1))
    assert turns == {identity, half_turn}
