"""Boards from logs of moves, and networks over them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from nash_ismcts_spiel import files, make_bot
from nash_ismcts_spiel.games import GameGraph, SupportedGame, support
from nash_ismcts_spiel.games.boards import board_of
from nash_ismcts_spiel.games.tensors import Tensors
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.models.networks import saved
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.networks.nets import make_networks, refuse_others, weights_of
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.runs import Budget, Run, load_policy

SMALL = "battleship(board_width=4,board_height=3,ship_sizes=[2;3],ship_values=[1;1],num_shots=6)"
SHIPS, SHOT_AT, WATER, HIT, SUNK = range(5)


def _random_history(game: SupportedGame, length: int, seed: int) -> list[int]:
    rng = np.random.default_rng(seed)
    state = game.pyspiel_game.new_initial_state()
    for _ in range(length):
        state.apply_action(int(rng.choice(state.legal_actions())))
    return [int(action) for action in state.history()]


def _board(tensors: Tensors, row: np.ndarray) -> np.ndarray:
    cells = tensors.planes * tensors.rows * tensors.columns
    return row[-cells:].reshape(tensors.planes, tensors.rows, tensors.columns)


@pytest.mark.parametrize("name", [SMALL, "battleship"])
@pytest.mark.parametrize("seed", range(4))
def test_a_board_shows_what_its_player_is_told(name: str, seed: int) -> None:
    game = support(name)
    tensors = Tensors(game, inputs="board")
    lengths = [int(size) for size in re.findall(r"\d+", _sizes(game))]
    for length in (2 * len(lengths), 2 * len(lengths) + 5, 2 * len(lengths) + 11):
        history = _random_history(game, length, seed)
        graph = GameGraph(game)
        world = graph.follow(history)
        player = length % 2
        set_row = tensors.sets(graph, [graph.worlds.information_set[world]])[0]
        state = game.pyspiel_game.new_initial_state()
        for action in history:
            state.apply_action(action)
        told = state.information_state_string(player)
        due = np.zeros((5, tensors.rows, tensors.columns))
        placed = re.findall(r"/([hv])_(\d+)_(\d+)", told)
        for size, (way, row, column) in zip(lengths, placed, strict=True):
            for part in range(size):
                down, right = (0, part) if way == "h" else (part, 0)
                due[SHIPS, int(row) + down, int(column) + right] = 1.0
        shots = re.findall(r"/(opp)?shot_(\d+)_(\d+)(?::([WHS]))?", told)
        for other, row, column, result in shots:
            plane = SHOT_AT if other else {"W": WATER, "H": HIT, "S": SUNK}[result]
            due[plane, int(row), int(column)] = 1.0
        assert np.array_equal(_board(tensors, set_row), due)
        assert set_row[:2].tolist() == [1.0 - player, player]
        most = 2 * game.pyspiel_game.get_parameters()["num_shots"]
        assert set_row[2:4] == pytest.approx([1.0, len(shots) / most])


def _sizes(game: SupportedGame) -> str:
    return str(game.pyspiel_game.get_parameters()["ship_sizes"])


def test_the_order_of_shots_leaves_no_trace() -> None:
    game = support(SMALL)
    tensors, graph = Tensors(game, inputs="board"), GameGraph(game)
    history = _random_history(game, 8, seed=0)
    swapped = [*history[:4], history[6], history[5], history[4], history[7]]
    rows = [
        tensors.sets(graph, [graph.worlds.information_set[graph.follow(h)]])[0]
        for h in (history, swapped)
    ]
    plain = [
        Tensors(game).sets(graph, [graph.worlds.information_set[graph.follow(h)]])[0]
        for h in (history, swapped)
    ]
    assert np.array_equal(*rows) and not np.array_equal(*plain)


def test_rows_do_not_depend_on_what_else_is_in_a_batch() -> None:
    game = support("battleship")
    graph, tensors = GameGraph(game), Tensors(game, inputs="board")
    sets = []
    for seed in range(3):
        history = _random_history(game, 40, seed)
        world = graph.follow(history)
        while world >= 0:
            sets.append(graph.worlds.information_set[world])
            world = graph.worlds.parent[world]
    sets = np.random.default_rng(0).permutation(sets).tolist()  # the root three times
    alone = np.concatenate([tensors.sets(graph, [number]) for number in sets])
    assert np.array_equal(tensors.sets(graph, sets), alone)


def test_boards_are_refused_where_none_is_known_or_actions_are_split() -> None:
    with pytest.raises(ValueError, match="no board of kuhn_poker"):
        Tensors(support("kuhn_poker"), inputs="board")
    with pytest.raises(ValueError, match="actions on a board are whole"):
        Tensors(support(SMALL), inputs="board", split_actions="always")


def test_a_board_beyond_its_tensor_is_refused() -> None:
    game = support(SMALL)
    steps = board_of(game.pyspiel_game).steps[1]
    for change in (
        {"start": steps.start + 1},
        {"row": steps.width - 1},
        {"column": -1},
        {"marks": [(steps.width, 0, 0, 0, -1)]},
        {"marks": [(0, 5, 0, 0, -1)]},
        {"lengths": []},
    ):
        board = _core.Board(3, 4, 5)
        board.add_steps(*steps._replace(**change))  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="outside the tensor"):
            _core.Tensors(game.native, 4, False, board)


def test_networks_over_a_board_treat_cells_alike() -> None:
    tensors = Tensors(support("battleship"), inputs="board")
    networks = make_networks(tensors, NetworkConfig(width=4, depth=1, inputs="board"), seed=1)
    row = torch.zeros(2, tensors.set_inputs)
    planes = row[:, -500:].reshape(2, 5, 10, 10)
    planes[0, HIT, 4, 4] = planes[1, HIT, 5, 6] = 1.0  # the same, moved by a row and two columns
    row[:, -500:] = planes.reshape(2, -1)
    shots = networks.policy(row)[:, :100].reshape(2, 10, 10)
    assert torch.allclose(shots[0, 2:7, 2:7], shots[1, 3:8, 4:9], atol=1e-5)
    assert not torch.allclose(shots[0, 4, 4], shots[0, 1, 8])


def test_outputs_and_weights_have_the_sizes_that_are_told() -> None:
    game = support(SMALL)
    tensors = Tensors(game, inputs="board")
    config = NetworkConfig(width=4, depth=2, inputs="board")
    networks = make_networks(tensors, config, seed=0)
    count = sum(p.numel() for net in networks.children() for p in net.parameters())
    weights = weights_of(networks)
    assert count == sum(array.size for array in weights.values())
    refuse_others(tensors, config, weights)
    with pytest.raises(ValueError, match="not those of networks of its sizes"):
        refuse_others(tensors, NetworkConfig(width=5, depth=2, inputs="board"), weights)
    graph = GameGraph(game)
    sets = [graph.worlds.information_set[graph.follow(_random_history(game, 6, 0))]]
    evaluator = NetworkEvaluator(tensors, networks, value_scale=2.0)
    (row,) = evaluator.information_set_rows(graph, sets)
    values = networks.value(torch.from_numpy(tensors.sets(graph, sets)))[0].tolist()
    assert sum(row.policy) == pytest.approx(1.0) and len(row.policy) == 12
    assert row.value == pytest.approx(2.0 * values[0])
    assert row.child_values == pytest.approx([2.0 * value for value in values[1:13]])


def test_first_moves_that_are_remembered_are_those_of_the_game() -> None:
    game = support("battleship")
    histories = [_random_history(game, 10, seed) for seed in range(3)]
    # The second round meets what the first one left; a shared beginning ends in two ways.
    histories.append([*histories[0][:5], *_continued(game, histories[0][:5], 5)])
    for _ in range(2):
        for history in histories:
            graph, state = GameGraph(game), game.pyspiel_game.new_initial_state()
            for length in range(len(history) + 1):
                number = graph.worlds.information_set[graph.follow(history[:length])]
                first = graph.information_sets.first_action[number]
                count = graph.information_sets.action_count[number]
                legal = np.asarray(graph.information_sets.action)[first : first + count]
                assert legal.tolist() == state.legal_actions()
                player = state.current_player()
                shown, _ = graph.key(number).log[-1][1].split("\nlegal actions:")
                assert shown == state.information_state_string(player)
                if length < len(history):
                    state.apply_action(history[length])


def _continued(game: SupportedGame, history: list[int], length: int) -> list[int]:
    rng = np.random.default_rng(9)
    state = game.pyspiel_game.new_initial_state()
    for action in history:
        state.apply_action(action)
    for _ in range(length):
        state.apply_action(int(rng.choice(state.legal_actions())))
    return [int(action) for action in state.history()[len(history) :]]


def test_models_over_a_board_are_learned_saved_and_played(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    config = TrainingConfig.preset(
        "large",
        networks={"inputs": "board", "width": 4, "depth": 1, "beliefs": "prior"},
        learner={"search_games": 4, "policy_games": 8, "steps": 2, "search_megabytes": 0.5},
        visits={"start": 2.0},
    )
    run = Run.create(tmp_path / "run", SMALL, 1, config, models="learned")
    for _ in run.train(Budget(generations=2)):
        pass
    path = tmp_path / "models.safetensors"
    saved.save(path, run.saved_models())
    loaded = saved.load(path)
    assert (loaded.sizes.planes, loaded.sizes.rows, loaded.sizes.columns) == (5, 3, 4)
    state = support(SMALL).pyspiel_game.new_initial_state()
    policies = [load_policy(place).action_probabilities(state) for place in (run.directory, path)]
    assert policies[0] == pytest.approx(policies[1])
    bot = make_bot("nash_ismcts", SMALL, 0, checkpoint=path, visits=3)
    assert bot.step(state) in state.legal_actions()


@pytest.mark.parametrize(
    "sizes", [{"planes": 0}, {"planes": 9, "rows": 3, "columns": 4}, {"rows": 5, "columns": 5}]
)
def test_files_with_absurd_boards_are_refused(tmp_path: Path, sizes: dict[str, int]) -> None:
    game = support(SMALL)
    tensors, config = Tensors(game, inputs="board"), NetworkConfig(width=4, inputs="board")
    path = tmp_path / "models.safetensors"
    models = saved.SavedModels(
        game.name, False, config, tensors, make_networks(tensors, config, 0), {}
    )
    saved.save(path, models)
    saved.load(path)
    numbers, arrays = files.load(path)
    files.save(path, files.Checkpoint({**numbers, "sizes": {**numbers["sizes"], **sizes}}, arrays))
    with pytest.raises(files.CheckpointError, match="holds no learned models"):
        saved.load(path)
