"""Hidden pieces on growing graphs: shared positions offer what plain lookahead offers, and all."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import helpers
import numpy as np
import pytest

from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games._positions import Completions, Positions
from nash_ismcts_spiel.games.lookahead import Effort
from nash_ismcts_spiel.games.tables import MISSING

Enumerated = Callable[[str], GameGraph]

FORGETFUL = [
    "dark_hex",
    "dark_hex(gameversion=adh)",
    "dark_hex(board_size=2,obstype=reveal-numturns)",
    "dark_hex(num_rows=2,num_cols=4)",
    "phantom_ttt",
    "phantom_ttt(gameversion=abrupt)",
    "phantom_ttt(obstype=reveal-numturns)",
]


def plain_graph(name: str) -> GameGraph:
    """A graph that looks ahead history by history, in Python."""
    return GameGraph(dataclasses.replace(support(name), forgets_order=False))


def fork(graph: GameGraph, target: int) -> tuple[list[int], list[int]]:
    """The partial world of a SAMPLE node and the values of the next piece."""
    world, first = graph.samples.world[~target], graph.samples.first_branch[~target]
    edges = graph.samples.edge[first : first + graph.samples.branch_count[~target]]
    start = graph.worlds.first_edge[world]
    return graph.history(world), [graph.worlds.edge_action[start + edge] for edge in edges]


def forks_on_the_way(
    graph: GameGraph, information_set: int, rng: np.random.Generator
) -> Iterator[Any]:
    """What is offered along one random draw, and the world that is drawn."""
    target = graph.hidden(information_set)
    while target < 0:
        yield fork(graph, target)
        branch = int(rng.integers(graph.samples.branch_count[~target]))
        target = graph.branch(~target, branch)
    yield graph.history(target)


def all_forks(graph: GameGraph, information_set: int) -> list[Any]:
    """All SAMPLE nodes and worlds of an information set."""
    found: list[Any] = []
    pending = [graph.hidden(information_set)]
    while pending:
        target = pending.pop()
        if target >= 0:
            found.append(graph.history(target))
        else:
            found.append(fork(graph, target))
            count = graph.samples.branch_count[~target]
            pending.extend(graph.branch(~target, branch) for branch in range(count))
    return found


@pytest.mark.parametrize("name", FORGETFUL)
def test_shared_positions_offer_the_same_pieces(name: str) -> None:
    shared, plain = GameGraph(name), plain_graph(name)
    assert shared.game.forgets_order
    rng = np.random.default_rng(5)
    surely = 0
    for _ in range(10):
        for state in helpers.decisions(helpers.load(name), rng):
            player = state.current_player()
            ours, theirs = shared.observe(state, player), plain.observe(state, player)
            for seed in range(3):
                mine = forks_on_the_way(shared, ours, np.random.default_rng(seed))
                its = forks_on_the_way(plain, theirs, np.random.default_rng(seed))
                assert list(mine) == list(its)
            for action in range(len(shared.legal_actions(ours))):
                mine, its = shared.own_next(ours, action), plain.own_next(theirs, action)
                assert (mine == MISSING) == (its == MISSING)
                if mine != MISSING:
                    surely += 1
                    assert shared.key(mine) == plain.key(its)
    if name == "dark_hex":
        assert surely > 0


@pytest.mark.parametrize(
    "name",
    [helpers.KUHN, helpers.LIARS_3, helpers.DARK_HEX_2, "phantom_ttt(gameversion=abrupt)"],
)
def test_a_grown_graph_offers_all_pieces(enumerated: Enumerated, name: str) -> None:
    """At all information sets of small games; in phantom_ttt at those of the first moves."""
    game, grown = helpers.load(name), GameGraph(name)
    if name.startswith("phantom_ttt"):
        whole = plain_graph(name)
        states = [helpers.state_after(game, history) for history in [[], [4], [4, 4], [0, 8, 1]]]
        keys = [whole.key(whole.observe(state, state.current_player())) for state in states]
    else:
        whole = enumerated(name)
        keys = [whole.key(i) for i in range(len(whole.information_sets))]
    for key in keys:
        here, there = grown.find(key), whole.find(key)
        assert all_forks(grown, here) == all_forks(whole, there)
        for action in range(len(grown.legal_actions(here))):
            mine, its = grown.own_next(here, action), whole.own_next(there, action)
            assert (mine == MISSING) == (its == MISSING)


def test_states_of_positions_are_made_again() -> None:
    """More positions than states are kept for, and draws still agree with plain lookahead."""
    game = helpers.load("phantom_ttt")
    shared, rng = GameGraph(game), np.random.default_rng(2)
    for _ in range(100):
        for state in helpers.decisions(game, rng):
            information_set = shared.observe(state, state.current_player())
            list(itertools.islice(shared.worlds_of(information_set), 30))
    assert len(shared._hidden._positions) > 25_000
    plain = plain_graph("phantom_ttt")
    for state in itertools.chain(*(helpers.decisions(game, rng) for _ in range(4))):
        player = state.current_player()
        ours, theirs = shared.observe(state, player), plain.observe(state, player)
        mine = forks_on_the_way(shared, ours, np.random.default_rng(0))
        assert list(mine) == list(forks_on_the_way(plain, theirs, np.random.default_rng(0)))


@pytest.mark.parametrize("name", ["dark_hex(board_size=4)", "phantom_ttt", "leduc_poker"])
def test_with_little_effort_draws_still_meet_no_dead_end(name: str) -> None:
    graph, game = GameGraph(name), helpers.load(name)
    graph._hidden._effort.allowance = 1
    rng = np.random.default_rng(9)
    for state in helpers.decisions(game, rng):
        player = state.current_player()
        information_set = graph.observe(state, player)
        for _ in range(3):
            *_, complete = forks_on_the_way(graph, information_set, rng)
            world = helpers.state_after(game, complete)
            assert helpers.own_view(world, player) == helpers.own_view(state, player)
            assert world.current_player() == player


def test_partial_worlds_that_cannot_be_are_refused() -> None:
    game = helpers.load("phantom_ttt")
    positions = Positions(game.new_initial_state(), 2, False)
    completions = Completions(positions, Effort(), 0, [4, 0])
    assert len(completions) == 2
    assert completions.open_edges([4]) == list(range(9))
    with pytest.raises(ValueError, match="contradicts what the player saw"):
        completions.open_edges([3])
    with pytest.raises(ValueError, match="action 11 is not possible"):
        completions.open_edges([11])
    with pytest.raises(ValueError, match="action 11 is not possible"):
        Completions(positions, Effort(), 0, [4, 11])
    # Whatever player 1 has taken, player 0 sees something when it tries that cell.
    assert not completions.surely_moves_on(0, 256)
