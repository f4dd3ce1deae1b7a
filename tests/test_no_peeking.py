"""No peeking: two histories that a player cannot tell apart get the same policy, bit for bit.

Pairs of histories are made without any code of the package, by what OpenSpiel itself says a player
is shown and by the player's own actions: in small games all histories are listed and grouped, in
large ones hidden events of a random game are exchanged or the game's resampler is asked, and the
result is replayed.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest

from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import GameGraph

SMALL = {
    "kuhn_poker": 400,
    "kuhn_poker(players=3)": 2_000,
    "leduc_poker": 40_000,
    "liars_dice(numdice=1,dice_sides=4)": 40_000,
    "goofspiel(imp_info=True,num_cards=3,points_order=descending)": 4_000,
    "dark_hex(board_size=2)": 3_000,
    "phantom_ttt": 6_000,
    "tiny_hanabi": 1_000,
    "tiny_bridge_2p": 20_000,
    "first_sealed_auction": 1_000,
    "lewis_signaling": 1_000,
    "coordinated_mp": 100,
    "sheriff(max_items=2,max_bribe=2,num_rounds=2)": 6_000,
    "restricted_nash_response(game=kuhn_poker())": 2_000,
    "repeated_leduc_poker": 6_000,
    "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=2,"
    "allow_repeated_shots=False)": 6_000,
}
"""Games, and after how many histories their listing stops."""

LARGE = [
    "hearts",
    "euchre",
    "oh_hell",
    "bridge(use_double_dummy_result=False)",
    "universal_poker",
    "spades",
    "skat",
    "gin_rummy",
    "phantom_go(board_size=5)",
    "dark_hex(board_size=4)",
]


def sequential(name: str) -> Any:
    game = pyspiel.load_game(name)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(game)
    return game


def all_histories(game: Any, limit: int) -> Iterator[tuple[int, list[int]]]:
    """(player to move, history) of decisions, breadth first."""
    pending, found = [game.new_initial_state()], 0
    for state in pending:
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            yield state.current_player(), state.history()
            found += 1
        if len(pending) < limit:
            pending.extend(state.child(action) for action in state.legal_actions())


def groups(name: str, limit: int) -> dict[Any, list[list[int]]]:
    game = sequential(name)
    found: dict[Any, list[list[int]]] = defaultdict(list)
    for player, history in all_histories(game, limit):
        found[player, helpers.own_side(game, history, player)].append(history)
    return found


def policy(
    game: Any, history: list[int], player: int, visits: int, split_actions: Any = "auto"
) -> list[tuple[int, float]]:
    config = SearchConfig(visits=visits, split_actions=split_actions)
    bot = NashIsmctsBot(game, player, config=config, seed=5)
    return bot.get_policy(helpers.state_after(game, history))


@pytest.mark.parametrize("split_actions", ["never", "always"])
def test_histories_that_look_alike_are_one_information_set_in_all_small_games(
    split_actions: Any,
) -> None:
    pairs = 0
    for name, limit in SMALL.items():
        game, graph = sequential(name), GameGraph(sequential(name), split_actions)
        for (player, _), histories in groups(name, limit).items():
            states = [helpers.state_after(game, history) for history in histories]
            keys = {graph.key_at(state, player) for state in states}
            assert len(keys) == 1, (name, histories[:2])
            pairs += len(histories) * (len(histories) - 1) // 2
    assert pairs >= 100_000


@pytest.mark.parametrize("split_actions", ["never", "always"])
def test_histories_that_look_different_are_different_information_sets(split_actions: Any) -> None:
    for name in ("kuhn_poker", "leduc_poker", "liars_dice(numdice=1,dice_sides=4)"):
        game, graph = sequential(name), GameGraph(name, split_actions)
        seen = {
            graph.key_at(helpers.state_after(game, histories[0]), player)
            for (player, _), histories in groups(name, 5_000).items()
        }
        assert len(seen) == len(groups(name, 5_000))


@pytest.mark.parametrize("split_actions", ["never", "always"])
@pytest.mark.parametrize("name", SMALL)
def test_policies_do_not_depend_on_what_is_hidden_in_small_games(
    name: str, split_actions: Any
) -> None:
    game, rng = sequential(name), np.random.default_rng(3)
    several = [(p, h) for (p, _), h in groups(name, min(SMALL[name], 4_000)).items() if len(h) > 1]
    for index in rng.permutation(len(several))[:8]:
        player, histories = several[index]
        one, other = (histories[k] for k in rng.permutation(len(histories))[:2])
        expected = policy(game, one, player, 40, split_actions)
        assert policy(game, other, player, 40, split_actions) == expected


def random_history(game: Any, rng: np.random.Generator) -> tuple[list[int], int]:
    state = game.new_initial_state()
    decisions: list[tuple[list[int], int]] = []
    while not state.is_terminal() and len(state.history()) < 120:
        if not state.is_chance_node():
            decisions.append((state.history(), state.current_player()))
        state.apply_action(int(rng.choice(state.legal_actions())))
    return decisions[rng.integers(len(decisions))]


def alike(game: Any, history: list[int], player: int, rng: np.random.Generator) -> list[int] | None:
    """Another history with the same own side, by exchanging values; None if none was found."""
    wanted = helpers.own_side(game, history, player)
    state, owners, choices = game.new_initial_state(), [], []
    for action in history:
        owners.append(state.current_player())
        choices.append(state.legal_actions())
        state.apply_action(action)
    hidden = [k for k, owner in enumerate(owners) if owner != player]
    for _ in range(150 if hidden else 0):
        i, j = (hidden[k] for k in rng.integers(len(hidden), size=2))
        value = history[j] if rng.random() < 0.5 else int(rng.choice(choices[i]))
        exchange = {history[i]: value, value: history[i]}
        changed = [
            action if owner == player else exchange.get(action, action)
            for action, owner in zip(history, owners, strict=True)
        ]
        if changed != history and helpers.own_side(game, changed, player) == wanted:
            return changed
    return None


SPLIT = ["dark_hex(board_size=4)", "euchre", "oh_hell", "phantom_go(board_size=5)", "spades"]
"""Large games in which hidden moves are drawn part by part too."""


@pytest.mark.parametrize(
    ("name", "split_actions"),
    [*((name, "auto") for name in LARGE), *((name, "always") for name in SPLIT)],
)
def test_policies_do_not_depend_on_what_is_hidden_in_large_games(
    name: str, split_actions: Any
) -> None:
    game, rng, pairs = sequential(name), np.random.default_rng(7), 0
    for _ in range(int(os.environ.get("NO_PEEKING_TRIES", "4"))):
        history, player = random_history(game, rng)
        other = alike(game, history, player, rng)
        if other is None:
            continue
        try:
            expected = policy(game, history, player, 12, split_actions)
        except ValueError as refused:
            with pytest.raises(ValueError, match="bounded effort"):
                policy(game, other, player, 12, split_actions)
            assert "bounded effort" in str(refused)
            continue
        assert policy(game, other, player, 12, split_actions) == expected
        pairs += 1
    assert pairs >= 1


def test_the_known_leak_is_closed() -> None:
    """Views once depended on whether a node was a chance node in the true world."""
    game = pyspiel.load_game("restricted_nash_response(game=kuhn_poker())")
    one, other = [0, 0, 2, 0], [1, 0, 2, 0]
    states = [helpers.state_after(game, history) for history in (one, other)]
    player = states[0].current_player()
    assert states[1].current_player() == player
    assert helpers.own_side(game, one, player) == helpers.own_side(game, other, player)
    assert policy(game, one, player, 100) == policy(game, other, player, 100)
