"""What networks see of a graph, against a plain replay of histories with pyspiel."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import helpers
import numpy as np
import numpy.typing as npt
import pytest

from nash_ismcts_spiel.games import DECISION, GameGraph, support
from nash_ismcts_spiel.games.entries import legal_entries, open_entries, pair_entries
from nash_ismcts_spiel.games.tensors import Tensors, most_drawn

Enumerated = Callable[[str], GameGraph]
Singles = npt.NDArray[np.float32]

REMEMBERED = 4
GAMES = (
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "liars_dice(numdice=1,dice_sides=4)",
    "phantom_ttt",
    "dark_hex(board_size=3)",
    "tic_tac_toe",
    "phantom_go(board_size=2)",  # observations only, as are those below
    "hearts",
    "gin_rummy",
    "python_kuhn_poker",
)


@functools.cache
def grown(name: str, states: str = "auto") -> GameGraph:
    """A graph along random games, with hidden pieces drawn early in the first ones, whoever's
    states it is walked with.
    """
    with helpers.python_states_only() if states == "python" else contextlib.nullcontext():
        graph = GameGraph(support(name))
    rng = np.random.default_rng(8)
    for game in range(6):
        world, decisions = 0, 0
        while graph.worlds.edge_count[world] > 0 and graph.worlds.depth[world] < 70:
            if graph.worlds.kind[world] == DECISION:
                decisions += 1
                if game < 3 and decisions < 6:
                    draw_hidden(graph, graph.worlds.information_set[world], rng)
            edges = graph.worlds.edge_count[world]
            world = graph.child(world, int(rng.integers(edges)))
    return graph


def draw_hidden(graph: GameGraph, number: int, rng: np.random.Generator) -> None:
    """Steps down the prefix tree of an information set."""
    target = graph.hidden(number)
    for _ in range(4):
        if target >= 0:
            return
        branches = graph.samples.branch_count[~target]
        below = graph.branch(~target, int(rng.integers(branches)))
        if below >= 0 or ~below >= len(graph.samples):
            return
        target = below


def replayed_set(graph: GameGraph, number: int) -> Singles:
    """The row of an information set, by the rules as they are written in the documentation."""
    game = graph.game.pyspiel_game
    player = graph.information_sets.player[number]
    history = graph.history(graph.information_sets.first_world[number])
    state, looks = game.new_initial_state(), list[tuple[Any, int]]()
    observed = game.get_type().provides_observation_tensor
    for action in history:
        if observed and state.current_player() == player:
            looks.append((state.observation_tensor(player), action))
        state.apply_action(action)
    players = np.eye(game.num_players(), dtype=np.float32)[player]
    if game.get_type().provides_information_state_tensor:
        own = np.array(state.information_state_tensor(player), dtype=np.float32)
        return np.concatenate([players, own])
    actions = game.num_distinct_actions()
    parts = [[*state.observation_tensor(player), *([0.0] * actions)]]
    for tensor, action in looks[:-REMEMBERED:-1]:
        parts.append([*tensor, *np.eye(actions)[action]])
    parts += [[0.0] * len(parts[0])] * (REMEMBERED - len(parts))
    return np.concatenate([players, np.array(parts, dtype=np.float32).reshape(-1)])


def replayed_pieces(graph: GameGraph, node: int, slots: int, pieces: int) -> Singles:
    """The pieces drawn before a SAMPLE node, by slot."""
    owner = graph.information_sets.player[graph.samples.information_set[node]]
    state, slot = graph.game.initial_state(), 0
    found = np.zeros((slots, pieces), dtype=np.float32)
    for action in graph.history(graph.samples.world[node]):
        if state.current_player() != owner:
            found[min(slot, slots - 1), action] += 1.0
            slot += 1
        state.apply_action(action)
    return found.reshape(-1)


def replayed_open(graph: GameGraph, node: int) -> list[int]:
    """The pieces that may come next, as a state there tells them."""
    world, first = graph.samples.world[node], graph.samples.first_branch[node]
    state = graph.state(world)
    events = (
        [outcome for outcome, _ in state.chance_outcomes()]
        if state.is_chance_node()
        else state.legal_actions()
    )
    edges = graph.samples.edge[first : first + graph.samples.branch_count[node]]
    return [events[edge] for edge in edges]


def spread(count: int, most: int = 300) -> list[int]:
    """Some of `count` numbers, not in order, and one of them twice."""
    numbers = list(range(0, count, count // most + 1))[::-1]
    return [*numbers, *numbers[:1]]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("slots", [1, 3, None])
def test_rows_agree_with_a_replay_in_pyspiel(name: str, slots: int | None) -> None:
    graph = grown(name)
    tensors = Tensors(graph.game, slots)
    sets, nodes = spread(len(graph.information_sets)), spread(len(graph.samples))
    rows = tensors.sets(graph, sets)
    assert rows.dtype == np.float32
    assert rows.shape == (len(sets), tensors.set_inputs)
    assert np.array_equal(rows, np.stack([replayed_set(graph, number) for number in sets]))
    if not nodes:
        assert name == "tic_tac_toe"  # nothing is hidden
        return
    drawn = tensors.samples(graph, nodes)
    assert drawn.shape == (len(nodes), tensors.sample_inputs)
    owners = graph.samples.information_set.take(np.array(nodes))
    assert np.array_equal(drawn[:, : tensors.set_inputs], tensors.sets(graph, owners))
    count = (tensors.sample_inputs - tensors.set_inputs) // tensors.pieces
    assert count == (slots or count)
    wanted = np.stack([replayed_pieces(graph, node, count, tensors.pieces) for node in nodes])
    assert np.array_equal(drawn[:, tensors.set_inputs :], wanted)
    assert wanted.any()


@pytest.mark.parametrize("name", GAMES)
def test_entries_agree_with_a_replay_in_pyspiel(name: str) -> None:
    graph = grown(name)
    sets, nodes = spread(len(graph.information_sets)), spread(len(graph.samples))
    first_worlds = [graph.information_sets.first_world[number] for number in sets]
    for found, wanted in (
        (legal_entries(graph, sets), [graph.state(w).legal_actions() for w in first_worlds]),
        (open_entries(graph, nodes), [replayed_open(graph, node) for node in nodes]),
    ):
        assert found.counts.tolist() == [len(row) for row in wanted]
        assert found.columns.tolist() == [column for row in wanted for column in row]
        assert found.rows.tolist() == [k for k, row in enumerate(wanted) for _ in row]
    pairs = pair_entries(graph, nodes)
    assert list(zip(*(numbers.tolist() for numbers in pairs), strict=True)) == [
        (k, action, piece)
        for k, node in enumerate(nodes)
        for action in graph.legal_actions(graph.samples.information_set[node])
        for piece in replayed_open(graph, node)
    ]


@pytest.mark.parametrize("name", ["leduc_poker", "phantom_go(board_size=2)"])
def test_python_states_give_the_same_rows(name: str) -> None:
    graph, other = grown(name), grown(name, states="python")
    assert other.game.native.needs_gil and not graph.game.native.needs_gil
    sets, nodes = range(len(graph.information_sets)), range(len(graph.samples))
    tensors, others = Tensors(graph.game), Tensors(other.game)
    assert np.array_equal(tensors.sets(graph, sets), others.sets(other, sets))
    assert np.array_equal(tensors.samples(graph, nodes), others.samples(other, nodes))
    # Rows depend on the game, not on whose states it is walked with.
    assert np.array_equal(tensors.sets(graph, sets), others.sets(graph, sets))


def test_rows_of_worlds_whose_states_are_not_kept(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.LEDUC)
    graph.resolve()
    tensors = Tensors(graph.game, slots=most_drawn(graph))
    sets, nodes = spread(len(graph.information_sets)), spread(len(graph.samples))
    rows = tensors.sets(graph, sets)
    assert np.array_equal(rows, np.stack([replayed_set(graph, number) for number in sets]))
    # The other player's card, three bets at most before and three after the public card.
    assert most_drawn(graph) == max(len(others(graph, node)) for node in nodes)
    assert tensors.sample_inputs == tensors.set_inputs + most_drawn(graph) * tensors.pieces


def others(graph: GameGraph, node: int) -> list[int]:
    """Events before a SAMPLE node that are not its player's own."""
    owner = graph.information_sets.player[graph.samples.information_set[node]]
    state, events = graph.game.initial_state(), []
    for action in graph.history(graph.samples.world[node]):
        if state.current_player() != owner:
            events.append(action)
        state.apply_action(action)
    return events


def test_softmax_is_taken_over_the_entries_of_each_row(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.LEDUC)
    legal = legal_entries(graph, range(len(graph.information_sets)))
    logits = np.random.default_rng(2).normal(size=(len(legal.counts), 3))
    weights = np.where(legal.mask(3), np.exp(logits), 0.0)
    wanted = (weights / weights.sum(axis=1, keepdims=True))[legal.mask(3)]
    assert legal.softmax(logits) == pytest.approx(wanted, rel=1e-12)


def test_what_is_no_row_or_no_graph_of_the_game_is_refused(enumerated: Enumerated) -> None:
    graph = GameGraph(helpers.KUHN)
    tensors = Tensors(graph.game)
    count = len(graph.information_sets)
    for wrong in (count, -1):
        with pytest.raises(IndexError, match=f"information set {wrong} is not one of {count}"):
            tensors.sets(graph, [wrong])
        with pytest.raises(IndexError, match=f"information set {wrong} is not one of"):
            legal_entries(graph, [wrong])
        with pytest.raises(IndexError, match=f"SAMPLE node {wrong} is not one of"):
            tensors.samples(graph, [wrong])
        for entries in (open_entries, pair_entries):
            with pytest.raises(IndexError, match=f"SAMPLE node {wrong} is not one of"):
                entries(graph, [wrong])
    with pytest.raises(ValueError, match="tensors of another game than leduc_poker"):
        tensors.sets(enumerated(helpers.LEDUC), [0])
    graph = enumerated(helpers.LEDUC)
    graph.resolve()
    with pytest.raises(ValueError, match="there are no slots for them"):
        Tensors(graph.game, slots=0).samples(graph, range(len(graph.samples)))
    assert tensors.sets(GameGraph(helpers.KUHN), []).shape == (0, tensors.set_inputs)


def test_observations_alone_forget_the_order(enumerated: Enumerated) -> None:
    game = support("phantom_ttt")
    tensors = Tensors(game, inputs="observation")
    graph = GameGraph(game)
    sets = []
    for history in ([0, 8, 1, 7], [1, 8, 0, 7], [0, 8, 2, 7]):  # the same stones, and others
        world = graph.follow(history)
        sets.append(graph.worlds.information_set[world])
    first, same, other = tensors.sets(graph, sets)
    assert (first == same).all() and (first != other).any()
    told = Tensors(game).sets(graph, sets)
    assert (told[0] != told[1]).any()
    state = game.initial_state()
    for action in (0, 8, 1, 7):
        state.apply_action(action)
    observed = np.array(state.observation_tensor(0), dtype=np.float32)
    assert (first[:2] == [1.0, 0.0]).all() and (first[2 : 2 + len(observed)] == observed).all()
    with pytest.raises(ValueError, match="has no observation tensor"):
        Tensors(support("hearts"), inputs="observation")
