"""Hostile input over the bindings: arrays of wrong sizes, types and numbers, and what was made for
one graph handed to another. All of it is refused by an exception; `make sanitize` sees that nothing
is read or written out of place on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import helpers
import numpy as np
import pytest

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.merged import merged_game
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.engine import new_search
from nash_ismcts_spiel.native.exact import compiled, exact_rows

KUHN = GameGraph.enumerate(helpers.KUHN)
LEDUC = GameGraph.enumerate(helpers.LEDUC)
SETS = len(KUHN.information_sets)
CONFIG = SearchConfig(visits=4)
HOSTILE = [
    np.zeros(0),
    np.zeros(1),
    np.zeros((3, 5)),
    np.full(10**5, 1e308),
    np.zeros(7, dtype=np.complex128),
    np.array([None, "x"], dtype=object),
    np.zeros((0, 3)),
    np.zeros(4096)[::-2],
    "text",
    None,
    [[1.0], [2.0, 3.0]],
]
"""What is no array of the right size anywhere below."""


def uniform(graph: GameGraph) -> np.ndarray[Any, Any]:
    counts = np.asarray(graph.information_sets.action_count)
    return np.repeat(1.0 / counts, counts)


def rows_of(graph: GameGraph) -> _core.Rows:
    return exact_rows(graph, uniform(graph))


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def ints(*numbers: int) -> np.ndarray[Any, Any]:
    return np.array(numbers, dtype=np.int32)


def search_sets(sets: Any) -> None:
    search = new_search(KUHN, CONFIG)
    search.begin(KUHN, sets, 4, rng())
    _core.advance(KUHN, rows_of(KUHN), None, [search], 9)


def refused(ask: Callable[[], Any]) -> None:
    with pytest.raises((TypeError, ValueError, IndexError, OverflowError)):
        ask()


@pytest.mark.parametrize("array", HOSTILE, ids=lambda array: type(array).__name__)
def test_hostile_arrays_are_refused(array: Any) -> None:
    rows = _core.Rows()
    right, zero = np.full(2, 0.5), np.zeros(1)
    merged = merged_game(helpers.KUHN, "information_state").native
    asked: Sequence[Callable[[], Any]] = (
        lambda: rows.put_sets(KUHN, ints(0), array, zero, right),
        lambda: rows.put_sets(KUHN, ints(0, 1), uniform(KUHN)[:4], array, np.zeros(4)),
        lambda: rows.put_sets(KUHN, ints(0), right, zero, array),
        lambda: rows.put_samples(KUHN, ints(0), array, array),
        lambda: rows.put_world_values(KUHN, array),
        lambda: rows.put_lookahead(KUHN, array, array, array),
        lambda: compiled(KUHN).exact_rows(KUHN, array, True),
        lambda: compiled(KUHN).exact_rows(LEDUC, array, True),
        lambda: merged.expected_utilities(array),
        lambda: merged.best_response(array, 0, 1000, 1000),
        lambda: search_sets(array),
    )
    for ask in asked:
        refused(ask)


@pytest.mark.parametrize("ids", [(-1,), (SETS,), (2**31 - 1,), (-(2**31),), (0, SETS)])
def test_numbers_that_are_no_rows_are_refused(ids: tuple[int, ...]) -> None:
    rows, count = _core.Rows(), len(ids)
    zeros = np.zeros(2 * count)
    search = new_search(KUHN, CONFIG)
    games = _core.Games(0, 0.1, 0.0)
    games.start(5)
    games.advance(KUHN, rows_of(KUHN), rows_of(KUHN), 1)
    far = tuple(10**6 if each == SETS else each for each in ids)
    for ask in (
        lambda: rows.put_sets(KUHN, ints(*ids), zeros, np.zeros(count), zeros),
        lambda: rows.put_samples(KUHN, ints(*far), zeros, zeros),
        lambda: _core.look_ahead(KUHN, ints(*ids), 1, 10),
        lambda: games.add_hidden(KUHN, rows_of(KUHN), ints(*far), _core.TargetSums()),
        lambda: search.begin(KUHN, ids[-1], 4, rng()),
        lambda: search.begin(KUHN, ints(*ids), 4, rng()),
        lambda: _core.draw_world(KUHN, ids[-1], 1),
        lambda: merged_game(helpers.KUHN, "information_state").native.view(ids[-1]),
    ):
        refused(ask)


@pytest.mark.parametrize("number", [2**32, -(2**32), 2**40])
def test_numbers_without_room_in_32_bits_are_no_rows(number: int) -> None:
    rows, search, wide = _core.Rows(), new_search(KUHN, CONFIG), np.array([number])
    for ask in (
        lambda: rows.put_sets(KUHN, wide, np.full(2, 0.5), np.zeros(1), np.zeros(2)),
        lambda: search.begin(KUHN, number, 4, rng()),
        lambda: search.begin(KUHN, wide, 4, rng()),
        lambda: _core.look_ahead(KUHN, wide, 1, 10),
    ):
        with pytest.raises(IndexError, match=f"{number} is not one of"):
            ask()


def test_a_search_that_has_not_begun_is_refused() -> None:
    search, nothing = new_search(KUHN, CONFIG), ints()
    with pytest.raises(ValueError, match="has not begun"):
        _core.advance(KUHN, rows_of(KUHN), None, [search], 9)
    search.begin(KUHN, nothing, 4, rng())
    with pytest.raises(ValueError, match="has not begun"):
        _core.advance(KUHN, rows_of(KUHN), None, [search], 9)


def test_rows_are_those_of_one_graph() -> None:
    rows = rows_of(LEDUC)
    grown = GameGraph(helpers.KUHN)
    grown.observe(grown.state(grown.follow([0, 1])), 0)
    policy, zero = np.full(2, 0.5), np.zeros(1)
    search = new_search(KUHN, CONFIG)
    search.begin(KUHN, 0, 4, rng())
    for graph in (KUHN, grown):
        for ask in (
            lambda graph=graph: rows.put_sets(graph, ints(0), policy, zero, policy),
            lambda graph=graph: rows.put_samples(graph, ints(0), zero, zero),
            lambda graph=graph: _core.Games(0, 0.1, 0.0).advance(graph, rows, _core.Rows(), 1),
            lambda graph=graph: _core.TargetSums().blend_into(graph, 1.0, rows),
        ):
            with pytest.raises(ValueError, match="these rows are of another graph"):
                ask()
    with pytest.raises(ValueError, match="these rows are of another graph"):
        _core.advance(KUHN, rows, None, [search], 10)


def test_searches_keep_to_the_graph_of_their_trees() -> None:
    search = new_search(LEDUC, CONFIG)
    search.begin(LEDUC, len(LEDUC.information_sets) - 1, 4, rng())
    with pytest.raises(ValueError, match="the trees of this search are of another graph"):
        _core.advance(KUHN, rows_of(KUHN), None, [search], 10)
    with pytest.raises(ValueError, match="the trees of this search are of another graph"):
        search.begin(KUHN, 0, 4, rng())
    search.forget()
    search.begin(KUHN, 0, 4, rng())
    over, *_ = _core.advance(KUHN, rows_of(KUHN), None, [search], 10)
    assert over == [True]


def test_games_and_sums_keep_to_one_graph() -> None:
    rows, other = rows_of(LEDUC), rows_of(KUHN)
    games, sums = _core.Games(0, 0.1, 0.0), _core.TargetSums()
    games.start(50)
    while len(games.advance(LEDUC, rows, rows, 1)):
        pass
    games.add_values(LEDUC, rows, sums)
    for ask in (
        lambda: games.advance(KUHN, other, other, 1),
        lambda: games.add_values(KUHN, other, sums),
        lambda: games.add_hidden(KUHN, other, ints(0), sums),
        lambda: games.decisions(KUHN),
        lambda: games.visits(KUHN),
        lambda: games.put_world_values(KUHN, other),
        lambda: sums.blend_into(KUHN, 1.0, other),
    ):
        with pytest.raises(ValueError, match="these (games|sums) are of another graph"):
            ask()
    assert games.visits(LEDUC).sum() > 0


def long_hidden_history(graph: GameGraph) -> int:
    """An information set of hearts after the deal."""
    state, generator = graph.state(0), np.random.default_rng(2)
    while state.is_chance_node():
        state.apply_action(int(generator.choice(state.legal_actions())))
    return graph.observe(state, state.current_player())


def test_pools_and_walks_keep_to_one_graph() -> None:
    graph, other = GameGraph("hearts"), GameGraph("hearts")
    sets = long_hidden_history(graph), long_hidden_history(other)
    pools, walk = _core.Pools(), _core.Walk(1)
    assert pools.first(graph, sets[0]) >= 0 and walk.next(graph, sets[0]) >= 0
    with pytest.raises(ValueError, match="these pools are of another graph"):
        pools.next(other, sets[1])
    with pytest.raises(ValueError, match="this walk is one of another graph"):
        walk.next(other, sets[1])
    pools.clear()
    assert pools.first(other, sets[1]) >= 0


@pytest.mark.parametrize(
    ("name", "history"), [(helpers.PHANTOM_TTT, []), (helpers.TIC_TAC_TOE, [4, 0])]
)
def test_where_nothing_is_hidden_there_is_no_walk(name: str, history: list[int]) -> None:
    graph = GameGraph(name)
    number = graph.observe(graph.state(graph.follow(history)), 0)
    for ask in (_core.Pools().first, _core.Pools().next, _core.Walk(1).next):
        with pytest.raises(ValueError, match="nothing is hidden at information set"):
            ask(graph, number)


def test_a_graph_outlives_what_is_tied_to_it() -> None:
    """No graph can take the place of one that rows were made for."""
    rows = rows_of(GameGraph.enumerate(helpers.KUHN))
    for _ in range(20):
        graph = GameGraph.enumerate(helpers.KUHN)
        with pytest.raises(ValueError, match="another graph"):
            rows.put_sets(graph, ints(0), np.full(2, 0.5), np.zeros(1), np.zeros(2))


@pytest.mark.parametrize("explorer", [-1, 2, 2**31 - 1])
def test_explorers_are_players(explorer: int) -> None:
    def play() -> None:
        games = _core.Games(explorer, 0.1, 0.0)
        games.start(3)
        games.advance(KUHN, rows_of(KUHN), rows_of(KUHN), 1)

    refused(play)
