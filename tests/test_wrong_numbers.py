"""NaN, infinity and absurd numbers never play: neither from files nor from evaluators or games."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest
import stalling_game
import torch

from nash_ismcts_spiel import NashIsmctsBot, SearchConfig, cli, files, make_bot
from nash_ismcts_spiel.files import CheckpointError
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.learning.fit import adam_arrays, restore_adam
from nash_ismcts_spiel.models import (
    EvaluatorError,
    ExactEvaluator,
    InformationSetRow,
    Models,
    RolloutEvaluator,
    SampleRow,
)
from nash_ismcts_spiel.models.networks import saved as saved_models
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.nets import inside, make_networks
from nash_ismcts_spiel.models.networks.tables import TableEvaluator
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.exact import exact_rows
from nash_ismcts_spiel.native.models import NativeModels
from nash_ismcts_spiel.runs import load_evaluator, load_policy

WRONG = [float("nan"), float("inf"), -1e38]
PLAY = SearchConfig(visits=20)


def pretrained() -> saved_models.SavedModels:
    return saved_models.load(saved_models.pretrained_path(support(helpers.KUHN)))


def wrong_models(path: Path, network: str, number: float) -> Path:
    """A file of models in which a weight of one network is wrong."""
    models = pretrained()
    with torch.no_grad():
        models.networks.get_submodule(network).blocks[0][2].weight[3, 5] = number
    saved_models.save(path, models)
    return path


# Files.


@pytest.mark.parametrize("network", ["policy", "value", "hidden"])
@pytest.mark.parametrize("number", WRONG)
def test_weights_are_checked_when_a_file_is_loaded(
    tmp_path: Path, network: str, number: float
) -> None:
    path = wrong_models(tmp_path / "wrong.safetensors", network, number)
    for load in (saved_models.load, load_evaluator, load_policy):
        with pytest.raises(
            CheckpointError, match=r"wrong\.safetensors holds no learned models: a weight"
        ):
            load(path)
    with pytest.raises(CheckpointError):
        make_bot("nash_ismcts", helpers.KUHN, 0, checkpoint=path)


def test_commands_refuse_files_with_wrong_weights(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(wrong_models(tmp_path / "wrong.safetensors", "policy", float("nan")))
    search = ["search", "--game", helpers.KUHN, "--history", "0,1", "--visits", "20"]
    match = ["match", "--game", helpers.KUHN, "--players", "nash_ismcts,uniform"]
    for command in (search, [*match, "--hands", "2"]):
        assert cli.main([*command, "--checkpoint", path]) == 2
        printed = capsys.readouterr()
        assert printed.out == "" and path in printed.err


def header(path: Path, **changes: Any) -> None:
    """Changes what a file of models says of itself."""
    numbers, arrays = files.load(path)
    files.save(path, files.Checkpoint({**numbers, **changes}, arrays))


@pytest.mark.parametrize(
    "changes",
    [
        {"networks": {"width": 64, "depth": 10**7}},
        {"networks": {"width": 99_000, "depth": 900}},
        {"networks": {"width": 64, "depth": 3}},
        {"networks": 5},
        {"sizes": {"set_inputs": 10**8, "sample_inputs": 28, "actions": 2, "pieces": 3}},
        {"sizes": {"set_inputs": 13, "sample_inputs": 28, "actions": 10**12, "pieces": 3}},
        {"sizes": {"set_inputs": -1, "sample_inputs": 28, "actions": 2, "pieces": 3}},
        {"sizes": {"set_inputs": 13.5, "sample_inputs": 28, "actions": 2, "pieces": 3}},
        {"sizes": []},
        {"made": 5},
        {"enumerated": "yes"},
        {"split_actions": "sometimes"},
        {"game": ["kuhn_poker"]},
        {"game": "leduc_poker()"},
        {"game": "no_such_game"},
    ],
)
def test_headers_that_lie_are_refused_at_once(tmp_path: Path, changes: dict[str, Any]) -> None:
    path = tmp_path / "models.safetensors"
    saved_models.save(path, pretrained())
    header(path, **changes)
    started = time.process_time()
    with pytest.raises(CheckpointError, match=r"models\.safetensors"):
        load_evaluator(path)
    assert time.process_time() - started < 2.0


def test_weights_that_are_not_those_of_the_header_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "models.safetensors"
    saved_models.save(path, pretrained())
    numbers, arrays = files.load(path)
    name, array = next(iter(arrays.items()))
    without = {key: value for key, value in arrays.items() if key != name}
    for wrong in ({}, without, {**arrays, "more": array}, {**arrays, name: array[:1]}):
        files.save(path, files.Checkpoint(numbers, wrong))
        with pytest.raises(CheckpointError, match=r"models\.safetensors holds no learned models"):
            saved_models.load(path)


# Rows.


class Constant:
    """An evaluator whose values are all the same."""

    def __init__(self, value: float) -> None:
        self.value = value

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        counts = [graph.information_sets.action_count[number] for number in information_sets]
        return [InformationSetRow([1 / n] * n, self.value, [self.value] * n) for n in counts]

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        rows = []
        for node in sample_nodes:
            branches = graph.samples.branch_count[node]
            owner = graph.samples.information_set[node]
            values = [[self.value] * branches] * graph.information_sets.action_count[owner]
            rows.append(SampleRow([1 / branches] * branches, values))
        return rows


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("search", ["forest", "notes"])
@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e300])
def test_rows_of_any_evaluator_are_checked(engine: Any, search: Any, number: float) -> None:
    state = helpers.state_after(helpers.load(helpers.KUHN), [0, 1])
    config = SearchConfig(visits=20, engine=engine, search=search)
    bot = NashIsmctsBot(pyspiel.load_game(helpers.KUHN), 0, Constant(number), config, 1)
    with pytest.raises(EvaluatorError, match="Constant returned .* instead of finite numbers"):
        bot.step(state)


class Shown(Constant):
    """An evaluator that shows rows of the native engine, as tables do."""

    def __init__(self, graph: GameGraph, rows: _core.Rows) -> None:
        super().__init__(0.0)
        self.graph = graph
        self.native_rows = rows


def rows_with(graph: GameGraph, **columns: float) -> _core.Rows:
    """Rows at all information sets and SAMPLE nodes with one number of a column changed."""
    sets, samples = graph.information_sets, graph.samples
    graph.resolve()
    counts, branches = np.asarray(sets.action_count), np.asarray(samples.branch_count)
    owned = counts[np.asarray(samples.information_set)]
    found = {
        "policy": np.repeat(1.0 / counts, counts),
        "value": np.zeros(len(counts)),
        "child_values": np.zeros(counts.sum()),
        "beliefs": np.repeat(1.0 / branches, branches),
        "sample_values": np.zeros(int(branches @ owned)),
    }
    for name, number in columns.items():
        found[name][1] = number
    rows = _core.Rows()
    ids = [np.arange(len(each), dtype=np.int32) for each in (counts, branches)]
    rows.put_sets(graph, ids[0], found["policy"], found["value"], found["child_values"])
    rows.put_samples(graph, ids[1], found["beliefs"], found["sample_values"])
    return rows


@pytest.mark.parametrize("column", ["policy", "value", "child_values", "beliefs", "sample_values"])
@pytest.mark.parametrize("number", [float("nan"), 1e200])
def test_rows_that_are_ready_are_checked(column: str, number: float) -> None:
    graph = GameGraph.enumerate(helpers.KUHN)
    right = Shown(graph, rows_with(graph))
    assert NativeModels(Models(graph, right)).rows is right.native_rows
    with pytest.raises(EvaluatorError, match=f"Shown returned {column} instead of"):
        NativeModels(Models(graph, Shown(graph, rows_with(graph, **{column: number}))))


@pytest.mark.parametrize("network", ["policy", "value", "hidden"])
def test_networks_that_went_wrong_in_memory_do_not_play(network: str) -> None:
    models = pretrained()
    evaluator = models.evaluator()
    assert isinstance(evaluator, TableEvaluator)
    with torch.no_grad():
        models.networks.get_submodule(network).into.weight.fill_(float("nan"))
    with pytest.raises(EvaluatorError, match=r"networks of kuhn_poker\(\)"):
        models.evaluator()


def test_exact_models_of_what_is_no_policy_are_refused() -> None:
    graph = GameGraph.enumerate(helpers.KUHN)
    policy = np.full(len(graph.information_sets.action), 0.5)
    evaluator = ExactEvaluator(graph, policy)
    evaluator.policy[3] = float("nan")  # after it was checked
    with pytest.raises(ValueError, match="policy: information set 1 has a negative or NaN"):
        NativeModels(Models(graph, evaluator))
    with pytest.raises(
        ValueError, match="policy: the probabilities of information set 0 add up to"
    ):
        exact_rows(graph, 2.0 * policy)


@pytest.mark.parametrize("number", [float("nan"), float("-inf"), 1e308])
def test_rollouts_in_games_that_pay_nonsense_are_refused(
    monkeypatch: pytest.MonkeyPatch, number: float
) -> None:
    def returns(state: Any) -> list[float]:
        return [number, 1.0]

    monkeypatch.setattr(stalling_game.StallingState, "returns", returns)
    game = stalling_game.StallingGame()
    state = helpers.state_after(game, [0])
    with pytest.raises(ValueError, match="returns.. of the game must be finite and below 1e100"):
        NashIsmctsBot(game, 0, RolloutEvaluator(), PLAY, 1).step(state)


def test_deep_networks_are_saved_and_loaded(tmp_path: Path) -> None:
    """Every tensor is an array of its own, and there may be thousands."""
    models = pretrained()
    config = NetworkConfig(width=2, depth=120)
    networks = make_networks(models.sizes, config, seed=1)
    path = tmp_path / "deep.safetensors"
    saved_models.save(path, dataclasses.replace(models, config=config, networks=networks))
    loaded = saved_models.load(path).networks
    for name, network in networks.named_children():
        others = loaded.get_submodule(name).parameters()
        for one, other in zip(network.parameters(), others, strict=True):
            assert torch.equal(one, other)


def test_optimizers_with_a_number_that_is_none_are_refused() -> None:
    parameter = torch.nn.Parameter(torch.zeros(2))
    optimizer = torch.optim.Adam([parameter])
    parameter.grad = torch.ones(2)
    optimizer.step()
    arrays = inside(adam_arrays(optimizer), "adam")
    restore_adam(optimizer, arrays)
    for wrong in (float("nan"), float("inf")):
        broken = {**arrays, "0.exp_avg": np.array([0.0, wrong], dtype=np.float32)}
        with pytest.raises(ValueError, match="a weight of its networks is (nan|inf)"):
            restore_adam(optimizer, broken)
    with pytest.raises(ValueError, match=r"exp_avg of a parameter has shape \(3,\), not \(2,\)"):
        restore_adam(optimizer, {**arrays, "0.exp_avg": np.zeros(3, dtype=np.float32)})
