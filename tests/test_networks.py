"""Networks: what they see, what they are, rows of them, and tables over a whole game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import helpers
import numpy as np
import pytest
import torch

from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.entries import legal_entries, open_entries
from nash_ismcts_spiel.games.tensors import Tensors
from nash_ismcts_spiel.models import ExactEvaluator, Models
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.networks.nets import FACTORS, make_networks, piece_values
from nash_ismcts_spiel.models.networks.tables import TableEvaluator, whole_policy_and_value
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.exact import exact_rows

Enumerated = Callable[[str], GameGraph]
PHANTOM_TTT = "phantom_ttt"
SMALL = NetworkConfig(width=16, depth=1)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


# What networks see.


def open_pieces(graph: GameGraph, node: int) -> list[int]:
    """The pieces that may come next at a SAMPLE node."""
    pieces: list[int] = open_entries(graph, [node]).columns.tolist()
    return pieces


def test_tensors_tell_information_sets_and_pieces_apart(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.LEDUC)
    graph.resolve()
    tensors = Tensors(graph.game)
    sets = tensors.sets(graph, range(len(graph.information_sets)))
    assert len(np.unique(sets, axis=0)) == len(graph.information_sets)
    assert sets.shape[1] == tensors.set_inputs
    every = range(len(graph.samples))
    nodes = tensors.samples(graph, every)
    assert len(np.unique(nodes, axis=0)) == len(graph.samples)
    assert nodes.shape[1] == tensors.sample_inputs
    legal = legal_entries(graph, range(len(graph.information_sets))).mask(tensors.actions)
    assert legal.sum() == len(graph.information_sets.action)
    assert open_entries(graph, every).mask(tensors.pieces).sum() == len(graph.samples.edge)
    # 30 numbers of OpenSpiel's tensor and two players; pieces are the six cards and three moves.
    assert (tensors.set_inputs, tensors.actions, tensors.pieces) == (32, 3, 6)


def test_players_who_see_the_same_are_told_apart() -> None:
    # In phantom_ttt both players see an empty board before their first move.
    graph = GameGraph(PHANTOM_TTT)
    tensors = Tensors(graph.game)
    first = graph.worlds.information_set[0]
    second = graph.worlds.information_set[graph.child(0, 4)]
    rows = tensors.sets(graph, [first, second])
    assert rows[0][2:].tolist() == rows[1][2:].tolist()
    assert (rows[0][:2].tolist(), rows[1][:2].tolist()) == ([1, 0], [0, 1])


def test_a_game_without_information_states_is_seen_by_its_last_observations() -> None:
    game = support("phantom_go(board_size=2)")
    assert not game.pyspiel_game.get_type().provides_information_state_tensor
    graph = GameGraph(game)
    tensors = Tensors(game)
    observed = int(np.prod(game.pyspiel_game.observation_tensor_shape()))
    world = graph.child(graph.child(0, 1), 2)
    number = graph.worlds.information_set[world]
    row = tensors.sets(graph, [number])[0, 2:].reshape(4, observed + tensors.actions)
    state = graph.state(world)
    assert row[0, :observed].tolist() == state.observation_tensor(0)
    start = graph.game.initial_state()
    assert row[1, :observed].tolist() == start.observation_tensor(0)
    assert np.flatnonzero(row[1, observed:]).tolist() == [graph.legal_actions(0)[1]]
    assert not row[2:].any()


def test_games_without_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="neither an information state tensor nor"):
        Tensors(support("coin_game"))
    with pytest.raises(ValueError, match="26057 actions or chance outcomes; networks have one"):
        Tensors(support("dou_dizhu"))


def test_hidden_paths_lead_to_their_worlds(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.LEDUC)
    graph.resolve()
    for world in range(0, len(graph.worlds), 7):
        if graph.worlds.information_set[world] < 0:
            continue
        path = graph.path_to(world)
        node, branch = path[-1]
        assert graph.branch(node, branch) == world
        events = graph.history(world)
        drawn = [open_pieces(graph, node)[branch] for node, branch in path]
        assert all(piece in events for piece in drawn)


# What they are.


def test_networks_grow_with_vocabularies_and_not_with_their_product() -> None:
    tensors = Tensors(support(PHANTOM_TTT))
    networks = make_networks(tensors, SMALL, seed=0)
    pieces, actions = tensors.pieces, tensors.actions
    outputs = networks.hidden(torch.zeros(3, tensors.sample_inputs))
    assert outputs.shape == (3, 2 * pieces + FACTORS * (pieces + actions))
    assert networks.value(torch.zeros(3, tensors.set_inputs)).shape == (3, 1 + actions)
    assert piece_values(outputs, pieces).shape == (3, actions, pieces)


def test_pieces_are_worth_their_own_value_and_products() -> None:
    pieces, actions = 2, 3
    outputs = torch.zeros(1, 2 * pieces + FACTORS * (pieces + actions))
    outputs[0, pieces : 2 * pieces] = torch.tensor([1.0, 2.0])
    outputs[0, 2 * pieces] = 5.0  # the first factor of the first piece
    outputs[0, 2 * pieces + FACTORS * pieces + 2 * FACTORS] = 7.0  # and of the last action
    values = piece_values(outputs, pieces)[0].tolist()
    assert values == [[1.0, 2.0], [1.0, 2.0], [36.0, 2.0]]


def test_a_device_that_is_not_there_is_refused() -> None:
    tensors = Tensors(support(helpers.KUHN))
    with pytest.raises(ValueError, match="torch cannot compute on 'abacus'"):
        make_networks(tensors, NetworkConfig(device="abacus"), seed=0)


# The evaluator.


def evaluator_of(game: str, seed: int = 0) -> NetworkEvaluator:
    """Networks with random weights."""
    tensors = Tensors(support(game))
    return NetworkEvaluator(tensors, make_networks(tensors, SMALL, seed), 1.5)


def test_rows_and_batches_of_networks_agree() -> None:
    graph = GameGraph(PHANTOM_TTT)
    evaluator = evaluator_of(PHANTOM_TTT)
    world = graph.follow([4, 0, 1, 4, 2])
    number = graph.worlds.information_set[world]
    sets = [graph.worlds.information_set[0], number]
    resolved = graph.hidden(number)
    assert resolved < 0
    policy, value, child_values = evaluator.flat_information_set_rows(graph, sets)
    rows = evaluator.information_set_rows(graph, sets)
    assert np.concatenate([row.policy for row in rows]) == pytest.approx(policy)
    assert [row.value for row in rows] == pytest.approx(value)
    assert np.concatenate([row.child_values for row in rows]) == pytest.approx(child_values)
    beliefs, values = evaluator.flat_sample_rows(graph, [~resolved])
    (row,) = evaluator.sample_rows(graph, [~resolved])
    assert row.beliefs == pytest.approx(beliefs)
    assert sum(row.beliefs) == pytest.approx(1.0)
    actions = len(graph.legal_actions(number))
    assert np.shape(row.child_values) == (actions, len(open_pieces(graph, ~resolved)))
    assert np.ravel(row.child_values) == pytest.approx(values)
    networks = evaluator.networks
    inputs = torch.from_numpy(evaluator.tensors.samples(graph, [~resolved]))
    with torch.no_grad():
        whole = piece_values(networks.hidden(inputs), evaluator.tensors.pieces)[0].numpy()
    picked = whole[np.ix_(graph.legal_actions(number), open_pieces(graph, ~resolved))]
    assert np.array(row.child_values) == pytest.approx(picked * evaluator.value_scale, rel=1e-5)
    checked = Models(graph, evaluator)
    assert checked.information_set(number).policy == pytest.approx(rows[1].policy)
    assert checked.sample(~resolved).beliefs == pytest.approx(row.beliefs)


# Tables over a whole game.


@pytest.mark.parametrize("name", [helpers.KUHN, helpers.LEDUC, helpers.KUHN_3])
def test_exact_models_look_ahead_to_themselves(enumerated: Enumerated, name: str) -> None:
    graph = enumerated(name)
    policy = helpers.random_table(graph, seed=3)
    wanted = exact_rows(graph, policy)
    rows = _core.Rows()
    rows.put_lookahead(graph, policy, wanted.value, wanted.beliefs)
    assert rows.value == pytest.approx(wanted.value, abs=1e-12)


def test_values_are_expected_one_own_move_later(enumerated: Enumerated) -> None:
    # Kuhn, player 0 with a 1, uniform play and beliefs. After a bet, player 1 folds (1 point) or
    # calls with a 0 or a 2 (2 points won or lost): 0.5. After a pass, player 1 passes (1 point won
    # or lost, so 0) or bets, and then V counts, whatever it says: half of 7.
    graph = enumerated(helpers.KUHN)
    graph.resolve()
    strings = helpers.strings(graph)
    value = np.zeros(len(strings))
    value[strings.index("1pb")] = 7.0
    rows = _core.Rows()
    beliefs = np.full(len(graph.samples.edge), 0.5)
    rows.put_lookahead(graph, helpers.uniform_table(graph), value, beliefs)
    assert rows.value[strings.index("1")] == pytest.approx((0.5 * 7.0 + 0.5) / 2)
    with pytest.raises(ValueError, match="value must have 12 entries, not 3"):
        rows.put_lookahead(graph, helpers.uniform_table(graph), value[:3], beliefs)


@pytest.mark.parametrize("name", [helpers.KUHN, helpers.LEDUC])
def test_tables_are_what_networks_say(
    enumerated: Enumerated, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, evaluator = enumerated(name), evaluator_of(name)
    sets, nodes = range(len(graph.information_sets)), range(len(graph.samples))
    monkeypatch.setattr("nash_ismcts_spiel.models.networks.tables._BATCH", 7)
    tables = TableEvaluator(graph, evaluator)
    policy, value, _ = evaluator.flat_information_set_rows(graph, sets)
    assert tables.policy == pytest.approx(policy, abs=1e-6)
    assert tables.value == pytest.approx(value, abs=1e-6)
    assert tables.beliefs == pytest.approx(evaluator.flat_sample_rows(graph, nodes)[0], abs=1e-6)
    for mine, other in zip(
        whole_policy_and_value(graph, evaluator), (tables.policy, tables.value), strict=True
    ):
        assert np.array_equal(mine, other)
    # V of the rows that a search reads is that of the networks one own move later.
    rows = _core.Rows()
    rows.put_lookahead(graph, tables.policy, tables.value, tables.beliefs)
    assert np.array_equal(tables.native_rows.value, rows.value)
    assert np.abs(rows.value - tables.value).max() > 0.01


@pytest.mark.parametrize("name", [helpers.KUHN, helpers.LEDUC])
def test_tables_of_exact_models_are_exact(enumerated: Enumerated, name: str) -> None:
    graph = enumerated(name)
    policy = helpers.random_table(graph, seed=3)
    fixed: Any = helpers.ExactNetworks(evaluator_of(name), graph, policy)
    evaluator, reference = TableEvaluator(graph, fixed), ExactEvaluator(graph, policy)
    sets, nodes = range(len(graph.information_sets)), range(len(graph.samples))
    for one, other in zip(
        evaluator.information_set_rows(graph, sets),
        reference.information_set_rows(graph, sets),
        strict=True,
    ):
        assert one.policy == pytest.approx(other.policy)
        assert one.value == pytest.approx(other.value, abs=1e-12)
        assert one.child_values == pytest.approx(other.child_values, abs=1e-12)
    for mine, exactly in zip(
        evaluator.sample_rows(graph, nodes), reference.sample_rows(graph, nodes), strict=True
    ):
        assert mine.beliefs == pytest.approx(exactly.beliefs, abs=1e-12)
        assert np.array(mine.child_values) == pytest.approx(np.array(exactly.child_values))
    assert evaluator.world_values == pytest.approx(reference.world_values, abs=1e-12)
    with pytest.raises(ValueError, match="their own graph"):
        evaluator.sample_rows(GameGraph(name), [])
