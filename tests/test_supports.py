"""Which worlds are found and drawn: all that a player cannot tell apart, and no others.

Positions in games that are too large to enumerate. All worlds of an information set are found from
pyspiel's states by going through every history that the player's own log allows.
"""

from __future__ import annotations

from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest

from nash_ismcts_spiel.games import GameGraph

MOST_HISTORIES = 20_000
GAMES = ("phantom_ttt", "dark_hex(board_size=3)", "dark_hex(board_size=3,gameversion=adh)")


def all_worlds(state: Any, player: int) -> set[tuple[int, ...]] | None:
    """The histories in which `player` has seen and done the same; None if it takes too long."""
    view = helpers.own_view(state, player)
    found: set[tuple[int, ...]] = set()
    pending = [state.get_game().new_initial_state()]
    for _ in range(MOST_HISTORIES):
        if not pending:
            return found
        partial = pending.pop()
        if partial.is_terminal():
            continue
        if partial.current_player() != player:
            pending.extend(partial.child(action) for action in partial.legal_actions())
            continue
        seen = helpers.own_view(partial, player)
        if seen == view:
            found.add(tuple(partial.history()))
        elif seen == view[: len(seen)]:
            pending.append(partial.child(view[len(seen)][0]))
    return None


def drawn_worlds(graph: GameGraph, state: Any, player: int) -> set[tuple[int, ...]]:
    information_set = graph.observe(state, player)
    graph.ask(information_set)
    return {tuple(graph.history(world)) for world in helpers.all_worlds(graph, information_set)}


@pytest.mark.parametrize("name", GAMES)
def test_all_worlds_can_be_drawn(name: str) -> None:
    """Mutation: a piece counts as dead as soon as the exchanges that are tried have failed."""
    game = pyspiel.load_game(name)
    rng = np.random.default_rng(1)
    compared = 0
    for _ in range(4):
        graph = GameGraph(game)
        for state in helpers.decisions(game, rng):
            player = state.current_player()
            worlds = all_worlds(state, player)
            if worlds is None or len(state.history()) > 9:
                break
            assert drawn_worlds(graph, state, player) == worlds, state.history()
            compared += len(worlds) > 20
    assert compared >= 8


@pytest.mark.parametrize("name", GAMES)
def test_sets_that_were_met_before_are_drawn_whole(name: str) -> None:
    """Mutation: what was buried after a short search stays so when the player gets there."""
    game = pyspiel.load_game(name)
    rng = np.random.default_rng(2)
    for _ in range(3):
        graph = GameGraph(game)
        states = [state for state in helpers.decisions(game, rng) if len(state.history()) <= 7]
        for state in states:
            met = graph.worlds.information_set[graph.follow(state.history())]
            list(helpers.all_worlds(graph, met))
        for state in states:
            worlds = all_worlds(state, state.current_player())
            assert worlds is None or drawn_worlds(graph, state, state.current_player()) == worlds


DARK_HEX = [11, 5, 7, 1, 12, 2, 2, 15, 7, 10, 8, 9, 6, 6, 15, 11, 12]


def test_world_of_a_late_dark_hex_position() -> None:
    """From the log alone, at once: no bot has followed the game so far."""
    game = pyspiel.load_game("dark_hex(board_size=4)")
    state = game.new_initial_state()
    for action in DARK_HEX:
        state.apply_action(action)
    graph = GameGraph(game)
    world = graph.information_sets.first_world[graph.observe(state, 1)]
    assert helpers.own_view(graph.state(world), 1) == helpers.own_view(state, 1)


@pytest.mark.parametrize("name", ["kriegspiel(board_size=4)", "bargaining"])
def test_worlds_are_found_at_random_positions(name: str) -> None:
    """Mutation: no histories are kept to go on from, only the one that explained most."""
    game = pyspiel.load_game(name)
    rng = np.random.default_rng(3)
    for _ in range(3):
        states = list(helpers.decisions(game, rng))
        state = states[rng.integers(len(states))]
        player = state.current_player()
        graph = GameGraph(game)
        world = graph.information_sets.first_world[graph.observe(state, player)]
        assert helpers.own_view(graph.state(world), player) == helpers.own_view(state, player)
