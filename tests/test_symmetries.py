"""Rows turned to standard ones: which games have symmetries, and that networks treat boards that a
symmetry makes alike alike, when they are asked and when they learn.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.entries import legal_entries, open_entries, pair_entries
from nash_ismcts_spiel.games.symmetries import square_symmetries
from nash_ismcts_spiel.games.tensors import TensorInputs, Tensors
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.learner import Learner
from nash_ismcts_spiel.learning.row_maker import RowMaker
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.networks.nets import make_networks
from nash_ismcts_spiel.models.networks.saved import SavedModels, load, save
from nash_ismcts_spiel.native import _core

QUARTER = (2, 5, 8, 1, 4, 7, 0, 3, 6)
Found = tuple[list[float], float, list[float], list[list[float]]]


@functools.cache
def tensors_of(name: str, inputs: TensorInputs = "observation", turned: bool = True) -> Tensors:
    return Tensors(support(name), inputs=inputs, turned=turned)


def at(graph: GameGraph, history: Sequence[int]) -> int:
    return int(graph.worlds.information_set[graph.follow(history)])


@pytest.mark.parametrize(
    ("name", "inputs", "count"),
    [
        ("phantom_ttt", "observation", 8),
        ("phantom_ttt(gameversion=abrupt)", "information_state", 8),
        ("dark_hex(board_size=3)", "observation", 2),  # its planes change places, too
        ("dark_hex(board_size=4)", "information_state", 2),
        ("phantom_go(board_size=3)", "observation", 8),  # a tenth action passes
    ],
)
def test_symmetries_are_found(name: str, inputs: TensorInputs, count: int) -> None:
    symmetries = tensors_of(name, inputs).symmetries
    assert symmetries is not None
    assert len(symmetries.cells) == count
    for permutation in (*symmetries.cells, *symmetries.numbers):
        assert sorted(permutation) == list(range(len(permutation)))


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker",
        "liars_dice(numdice=1,dice_sides=4)",  # nine actions, and chance
        "goofspiel(imp_info=True,num_cards=4,points_order=descending)",  # four that are no cells
    ],
)
def test_other_games_have_none(name: str) -> None:
    tensors = Tensors(support(name), turned=True)
    assert tensors.symmetries is None
    graph = GameGraph.enumerate(name)
    rows, turns = tensors.turned_sets(graph, [0, 1])
    assert (rows == tensors.sets(graph, [0, 1])).all() and turns.cells is None


def test_square_symmetries_are_those_of_a_square() -> None:
    assert QUARTER in square_symmetries(9) and len(set(square_symmetries(9))) == 7
    assert (*QUARTER, 9) in square_symmetries(10)
    assert square_symmetries(11) == [] and square_symmetries(1) == []


@pytest.mark.parametrize("inputs", ["observation", "information_state"])
def test_rows_of_boards_that_look_alike_are_one_row(inputs: TensorInputs) -> None:
    """Along random games and all their images; legal actions go where the row has them."""
    name = "phantom_ttt"
    tensors, game = tensors_of(name, inputs), support(name)
    rng, graph = np.random.default_rng(1), GameGraph(name)
    for _ in range(10):
        state, history = game.initial_state(), []
        while not state.is_terminal():
            images = [history, *([c[e] for e in history] for c in square_symmetries(9))]
            sets = [at(graph, image) for image in images]
            rows, turns = tensors.turned_sets(graph, sets)
            assert (rows == rows[0]).all()
            masks = turns.entries(legal_entries(graph, sets)).mask(tensors.actions)
            assert (masks == masks[0]).all()
            history.append(int(rng.choice(state.legal_actions())))
            state.apply_action(history[-1])


def chain(graph: GameGraph, information_set: int, pieces: Sequence[int]) -> list[int]:
    """SAMPLE nodes on the way to a hidden state."""
    nodes, target = [], graph.hidden(information_set)
    for piece in pieces:
        nodes.append(~target)
        branch = open_entries(graph, [nodes[-1]]).columns.tolist().index(piece)
        target = graph.branch(nodes[-1], branch)
        if target >= 0:
            break
    return nodes


def test_hidden_pieces_are_turned_with_what_their_player_sees() -> None:
    tensors, graph = tensors_of("phantom_ttt"), GameGraph("phantom_ttt")
    history, hidden = [0, 3, 4, 1], (3, 1)
    image = [QUARTER[event] for event in history]
    nodes = chain(graph, at(graph, history), hidden)
    turned = chain(graph, at(graph, image), [QUARTER[piece] for piece in hidden])
    assert len(nodes) == len(turned) == 2
    rows, turns = tensors.turned_samples(graph, [*nodes, *turned])
    assert (rows[:2] == rows[2:]).all() and (rows[0] != rows[1]).any()
    masks = turns.entries(open_entries(graph, [*nodes, *turned])).mask(tensors.pieces)
    assert (masks[:2] == masks[2:]).all()
    pairs = turns.pairs(pair_entries(graph, [*nodes, *turned]))
    listed = [
        {*zip(pairs.actions[pairs.rows == row], pairs.pieces[pairs.rows == row], strict=True)}
        for row in range(4)
    ]
    assert listed[:2] == listed[2:] and len(listed[0]) > 4


def answers(evaluator: NetworkEvaluator, history: Sequence[int], hidden: Sequence[int]) -> Found:
    """P, V and Vc, and h along a hidden state."""
    graph = GameGraph("phantom_ttt")
    information_set = at(graph, history)
    row = evaluator.information_set_rows(graph, [information_set])[0]
    nodes = chain(graph, information_set, hidden)
    actions = legal_entries(graph, [information_set]).columns
    policy, values = np.zeros(9), np.zeros(9)
    policy[actions], values[actions] = row.policy, row.child_values
    beliefs = []
    for node, sample in zip(nodes, evaluator.sample_rows(graph, nodes), strict=True):
        pieces = open_entries(graph, [node]).columns
        spread = np.zeros(9 + 9 * 9)
        spread[pieces] = sample.beliefs
        for action, of_pieces in zip(actions, sample.child_values, strict=True):
            spread[9 + 9 * action + pieces] = of_pieces
        beliefs.append(spread.tolist())
    return policy.tolist(), float(row.value), values.tolist(), beliefs


def test_networks_answer_alike_on_turned_boards() -> None:
    """But for rounding, in a position that looks like none of its images; without turning they do
    not.
    """
    game, config = support("phantom_ttt"), NetworkConfig(width=16, inputs="observation")
    history, hidden = [0, 3, 4, 1], [3, 1]
    image, there = ([QUARTER[event] for event in events] for events in (history, hidden))
    back = np.array(QUARTER)
    pairs = 9 + (9 * back[:, None] + back).ravel()
    for turned in (True, False):
        tensors = tensors_of("phantom_ttt", "observation", turned)
        networks = make_networks(tensors, config, seed=3)
        evaluator = NetworkEvaluator(tensors, networks, game.value_scale())
        policy, value, values, beliefs = answers(evaluator, history, hidden)
        others = answers(evaluator, image, there)
        assert np.allclose(np.array(others[0])[back], policy, atol=1e-6) is turned
        assert (abs(others[1] - value) < 1e-6) is turned
        assert np.allclose(np.array(others[2])[back], values, atol=1e-6) is turned
        for one, other in zip(beliefs, others[3], strict=True):
            image_of = np.array(other)[np.concatenate([back, pairs])]
            assert np.allclose(image_of, one, atol=1e-6) is turned


def test_what_is_learned_of_one_board_is_known_of_its_images() -> None:
    """Policy targets of one history, fitted; then asked about the history and its image."""
    game = support("phantom_ttt")
    networks = {"width": 16, "inputs": "observation", "turned": True}
    config = TrainingConfig.preset("large", networks=networks, learner={"policy_replays": 0.0})
    learner = Learner(game, config, seed=0)
    graph, history = GameGraph("phantom_ttt"), [0, 3, 4, 1]
    image = [QUARTER[event] for event in history]
    first = at(graph, history)
    actions = legal_entries(graph, [first]).columns.tolist()
    target = np.array([1.0 if action == 7 else 0.0 for action in actions])
    maker = RowMaker(graph, learner.tensors, game.value_scale())
    rows = maker.policy({first: 1.0}, {first: target})
    again = maker.policy({at(graph, image): 1.0}, {at(graph, image): turned_target(graph, image)})
    assert (rows.inputs == again.inputs).all() and (rows.targets == again.targets).all()
    sums = _core.TargetSums()
    none = maker.value(sums, np.zeros(0)), maker.hidden(sums)
    rng = np.random.default_rng(0)
    for generation in range(1, 30):
        learner.learn(generation, rows, *none, rng)
    assert len(learner.buffer) == 1
    evaluator = learner.evaluator()
    for played, action in ((history, 7), (image, QUARTER[7])):
        grown = GameGraph("phantom_ttt")
        row = evaluator.information_set_rows(grown, [at(grown, played)])[0]
        legal = legal_entries(grown, [at(grown, played)]).columns.tolist()
        assert row.policy[legal.index(action)] > 0.9


def turned_target(
    graph: GameGraph, image: Sequence[int]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    legal = legal_entries(graph, [at(graph, image)]).columns.tolist()
    return np.array([1.0 if action == QUARTER[7] else 0.0 for action in legal])


def test_files_say_how_boards_were_turned(tmp_path: Path) -> None:
    """Networks that learned from rows turned in one way would play badly with others."""
    game, config = support("phantom_ttt"), NetworkConfig(width=4, inputs="observation", turned=True)
    tensors = tensors_of("phantom_ttt")
    networks = make_networks(tensors, config, 0)
    path = tmp_path / "models.safetensors"
    models = SavedModels(game.name, False, config, tensors, networks, {}, turning=tensors.turning)
    save(path, models)
    assert load(path).turning == tensors.turning != ""
    load(path).evaluator()
    save(path, dataclasses.replace(models, turning="another"))
    with pytest.raises(ValueError, match="boards turned differently"):
        load(path).evaluator()
    assert tensors_of("phantom_ttt", "observation", turned=False).turning == ""
    assert tensors_of("dark_hex(board_size=3)").turning != tensors.turning
