"""Public states: how many there are, and that they are what everybody knows."""

from __future__ import annotations

from typing import Any

import helpers
import numpy as np
import pytest

from nash_ismcts_spiel.games import DECISION, GameGraph
from nash_ismcts_spiel.games.public import public_states


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("kuhn_poker", 4),
        ("leduc_poker", 186),
        ("liars_dice(numdice=1,dice_sides=4)", 256),
        ("goofspiel(imp_info=True,num_cards=4,points_order=descending)", 78),
        ("goofspiel(imp_info=True,num_cards=5,points_order=descending)", 600),
        # OpenSpiel's information state strings alone would link these into 28: they forget at which
        # number of moves a player moved itself, and do not say whether it is to move now.
        ("dark_hex(board_size=2)", 78),
        pytest.param("liars_dice(numdice=1,dice_sides=6)", 4096, marks=pytest.mark.slow),
        pytest.param("liars_dice(numdice=2,dice_sides=3)", 4096, marks=pytest.mark.slow),
    ],
)
def test_number_of_public_states(name: str, count: int) -> None:
    states = public_states(GameGraph.enumerate(name))
    assert sorted(set(states.tolist()) - {-1}) == list(range(count))


def linked_by_hand(game: Any) -> int:
    """The number of classes of worlds that are linked by what some player knows: what it saw at its
    decisions and did there, what it is shown now, and whether it is to move.
    """
    linked: dict[Any, Any] = {}

    def label(node: Any) -> Any:
        while linked.setdefault(node, node) != node:
            node = linked[node]
        return node

    pending, worlds = [game.new_initial_state()], []
    while pending:
        state = pending.pop()
        if not state.is_terminal() and not state.is_chance_node():
            worlds.append(tuple(state.history()))
            for player in range(game.num_players()):
                own = [event.action for event in state.full_history() if event.player == player]
                shown = state.information_state_string(player)
                known = (player, tuple(own), helpers.own_view(state, player), shown)
                linked[label(worlds[-1])] = label(known)
        pending.extend(state.child(action) for action in state.legal_actions())
    return len({label(world) for world in worlds})


@pytest.mark.parametrize(
    "name", [helpers.KUHN, helpers.DARK_HEX_2, helpers.GOOFSPIEL_3, helpers.LIARS_3]
)
def test_public_states_are_what_players_link(name: str) -> None:
    states = public_states(GameGraph.enumerate(name))
    assert len(set(states.tolist()) - {-1}) == linked_by_hand(helpers.load(name))


def test_nobody_knows_in_which_order_its_dice_fell() -> None:
    graph = GameGraph.enumerate("liars_dice(numdice=2,dice_sides=2)")
    sets = graph.information_sets
    strings = {
        (player, graph.state(world).information_state_string(player))
        for player, world in zip(sets.player, sets.first_world, strict=True)
    }
    assert len(sets) == len(strings) == 3 * 2**8  # 3 hands at each of 2**8 histories of bids


def test_kuhn_public_states_are_the_betting_histories() -> None:
    graph = GameGraph.enumerate("kuhn_poker")
    states = public_states(graph)
    bets: dict[int, set[tuple[int, ...]]] = {}
    for world in range(len(graph.worlds)):
        if graph.worlds.kind[world] == DECISION:
            bets.setdefault(int(states[world]), set()).add(tuple(graph.history(world)[2:]))
        else:
            assert states[world] == -1
    assert bets == {0: {()}, 1: {(0,)}, 2: {(1,)}, 3: {(0, 1)}}


def test_worlds_that_a_player_cannot_tell_apart_share_a_public_state() -> None:
    graph = GameGraph.enumerate("leduc_poker")
    states = public_states(graph)
    state_of_view: dict[tuple[int, str], int] = {}
    for world in np.flatnonzero(states >= 0).tolist():
        at = graph.state(world)
        for player in range(2):  # in Leduc they are shown all that they ever saw
            view = (player, at.information_state_string(player))
            assert state_of_view.setdefault(view, int(states[world])) == states[world]
    assert len(set(state_of_view.values())) == len(np.unique(states)) - 1 > 100


def test_each_world_is_public_if_nothing_is_hidden() -> None:
    graph = GameGraph.enumerate("connect_four(rows=2,columns=3)")
    states = public_states(graph)
    labels = states[states >= 0]
    assert labels.tolist() == list(range(len(graph.information_sets)))


def test_a_graph_that_is_not_enumerated_is_refused() -> None:
    with pytest.raises(ValueError, match="enumerated graph of kuhn_poker"):
        public_states(GameGraph("kuhn_poker"))
