"""One bot asked about several seats: no seat's answer depends on what another one knows."""

from __future__ import annotations

from collections.abc import Iterator

import helpers
import numpy as np
import pytest

from nash_ismcts_spiel import make_bot

Answers = dict[str, list[tuple[int, float]]]


def answers(bot: str, name: str, history: list[int], player_id: int | None, asked: int) -> Answers:
    """What a new bot says along a game, by what the mover knows; only one seat may be asked."""
    game = helpers.load(name)
    new = make_bot(bot, game, player_id, visits=12, seed=5)
    state, found = game.new_initial_state(), Answers()
    for action in history:
        mover = state.current_player()
        if mover >= 0 and asked in (mover, -1):
            policy = new.get_policy(state)
            found[f"{mover}: {state.information_state_string()}"] = policy
        state.apply_action(action)
    return found


def games(name: str, count: int) -> Iterator[list[int]]:
    rng = np.random.default_rng(2)
    for _ in range(count):
        state = helpers.load(name).new_initial_state()
        while not state.is_terminal():
            state.apply_action(int(rng.choice(state.legal_actions())))
        yield state.history()


@pytest.mark.parametrize("player_id", [None, 0])
@pytest.mark.parametrize("bot", ["nash_ismcts", "nash_ismcts_notes", "mt_ismcts"])
@pytest.mark.parametrize(("name", "count"), [("kuhn_poker", 12), ("leduc_poker", 3)])
def test_a_seat_does_not_notice_that_another_one_was_asked(
    bot: str, name: str, count: int, player_id: int | None
) -> None:
    for history in games(name, count):
        together = answers(bot, name, history, player_id, -1)
        for player in (0, 1):
            alone = answers(bot, name, history, player_id, player)
            assert alone == {key: together[key] for key in alone}


@pytest.mark.parametrize("bot", ["nash_ismcts", "nash_ismcts_notes"])
def test_a_seat_does_not_notice_what_another_one_holds(bot: str) -> None:
    """Histories that look alike get one policy, though the bot was asked about both sides."""
    seen: Answers = {}
    compared = 0
    for other in (0, 2):
        for key, policy in answers(bot, "kuhn_poker", [1, other, 0, 1, 0], None, -1).items():
            if key.startswith("0"):
                compared += key in seen
                assert seen.setdefault(key, policy) == policy
    assert compared == 2


def test_seats_do_not_draw_the_same_numbers() -> None:
    """Else all would bluff at the same moments."""
    bot = make_bot("nash_ismcts_notes", "kuhn_poker", seed=3)
    numbers = [tuple(bot._seat(player)._rng.random(3)) for player in (0, 1)]
    assert numbers[0] != numbers[1]


def test_a_clone_goes_on_for_all_seats() -> None:
    state = helpers.state_after(helpers.load("leduc_poker"), [0, 3])
    bot = make_bot("nash_ismcts_notes", "leduc_poker", visits=12, seed=1)
    bot.get_policy(state)
    other = bot.clone()
    bot.restart()
    other.restart()
    assert bot.get_policy(state) == other.get_policy(state)
