"""Learning: buffers, fits, and runs on graphs that grow and over enumerated games."""

from __future__ import annotations

import dataclasses
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import helpers
import numpy as np
import pytest
import torch
from run_helpers import rewrite_config

from nash_ismcts_spiel import cli
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.learning import Schedule, TrainingConfig
from nash_ismcts_spiel.learning.buffer import PolicyBuffer
from nash_ismcts_spiel.learning.config import GraphKind, LearnerConfig
from nash_ismcts_spiel.learning.fit import Draws, Fitter
from nash_ismcts_spiel.learning.loops import make_loop
from nash_ismcts_spiel.learning.losses import advantage_slope, hidden_loss, policy_loss, value_loss
from nash_ismcts_spiel.learning.measure import hidden_divergence
from nash_ismcts_spiel.learning.rows import HiddenRows, PolicyRows, ValueRows
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.nets import FACTORS, ResidualNetwork, piece_values
from nash_ismcts_spiel.models.networks.tables import TableEvaluator
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.native.exact import exact_rows
from nash_ismcts_spiel.runs import Budget, Run
from nash_ismcts_spiel.runs.metrics import read_metrics

Enumerated = Callable[[str], GameGraph]
PHANTOM_TTT = "phantom_ttt"
FEW = TrainingConfig.preset(
    networks=NetworkConfig(width=16, depth=1),
    learner=LearnerConfig(search_games=12, policy_games=40, steps=4),
    search={"spawn_depth": 1},
    visits={"start": 6.0},
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


# Buffers.


def rows_of(numbers: list[int]) -> PolicyRows:
    """Rows that are known by their one input."""
    count = len(numbers)
    return PolicyRows(
        np.array(numbers, dtype=np.float32)[:, None],
        np.ones((count, 2), dtype=np.bool_),
        np.ones(count),
        np.full((count, 2), 0.5, dtype=np.float32),
    )


def test_rows_with_the_same_inputs_are_one_row() -> None:
    buffer = PolicyBuffer(4)
    rng = np.random.default_rng(0)
    rows = rows_of([1, 2, 1])
    rows.targets[:] = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    buffer.add(rows, 1.0, rng)
    later = rows_of([2, 3])
    later.targets[:] = [[1.0, 0.0], [0.5, 0.5]]
    buffer.add(later, 3.0, rng)
    assert buffer.rows().inputs[:, 0].tolist() == [1, 2, 3]
    assert buffer.rows().frequency.tolist() == [2.0, 4.0, 3.0]
    assert buffer.rows().targets.tolist() == [[0.5, 0.5], [0.75, 0.25], [0.5, 0.5]]
    buffer.add(rows_of(list(range(10, 30))), 1.0, rng)  # some of these take the place of others
    assert len(buffer) == 4
    kept = buffer.rows().inputs[:, 0].tolist()
    buffer.add(rows_of([int(kept[0])]), 100.0, rng)
    assert buffer.rows().inputs[:, 0].tolist() == kept
    assert buffer.rows().frequency.max() >= 100.0


def test_a_reservoir_keeps_all_alike() -> None:
    counts = np.zeros(30)
    for seed in range(2000):
        buffer = PolicyBuffer(6)
        rng = np.random.default_rng(seed)
        for first in range(0, 30, 5):
            buffer.add(rows_of(list(range(first, first + 5))), 1.0, rng)
        assert len(buffer) == 6
        counts[buffer.rows().inputs[:, 0].astype(int)] += 1
    # Each of 30 rows is kept with probability 1/5, up to those that a later one of its own batch
    # takes the place of.
    assert counts / 2000 == pytest.approx(0.2, abs=0.05)


def test_buffers_are_restored() -> None:
    buffer, again = PolicyBuffer(5), PolicyBuffer(5)
    with pytest.raises(ValueError, match="empty"):
        buffer.rows()
    buffer.add(rows_of([1, 2, 3]), 2.0, np.random.default_rng(0))
    again.restore(buffer.arrays(), inputs=1, actions=2)
    for each in (buffer, again):
        each.add(rows_of([4, 5, 6, 7]), 3.0, np.random.default_rng(1))
    assert buffer.added == again.added == 7
    for name, column in buffer.arrays().items():
        assert np.array_equal(column, again.arrays()[name])


# Fitting.


def fitting(batch: int, steps: int) -> LearnerConfig:
    """A fast fit of so many steps, however few rows there are."""
    rate = Schedule(start=0.01)
    return LearnerConfig(learning_rate=rate, batch=batch, steps=steps, epochs=1e6)


def test_networks_fit_what_occurs_and_nothing_else() -> None:
    torch.manual_seed(0)
    inputs = np.eye(6, dtype=np.float32)
    mask = np.ones((6, 3), dtype=np.bool_)
    mask[:, 2] = False
    targets = np.array(
        [[0.2, 0.8, 0.0]] * 3 + [[0.9, 0.1, 0.0]] * 2 + [[0.5, 0.5, 0.0]], dtype=np.float32
    )
    frequency = np.array([1.0, 5.0, 2.0, 1.0, 3.0, 0.0])
    network = ResidualNetwork(6, 3, NetworkConfig(width=32))
    fitter = Fitter(network, policy_loss, fitting(64, 300))
    rng = np.random.default_rng(0)
    fitter.fit(PolicyRows(inputs, mask, np.zeros(6), targets), 1, rng)
    assert np.isnan(fitter.last_loss)
    rows = PolicyRows(inputs, mask, frequency, targets)
    fitter.fit(rows, 1, rng)
    assert 0.0 <= fitter.last_loss < 0.05
    losses = [float(policy_loss(network, rows, torch.tensor([k])).detach()) for k in range(6)]
    assert max(losses[:5]) < 0.01 < losses[5]


@pytest.mark.parametrize(
    ("rows", "epochs", "steps", "expected"),
    [(64, 4.0, 60, 16), (65, 4.0, 60, 17), (1000, 4.0, 60, 60), (3, 4.0, 60, 8), (3, 4.0, 5, 5)],
)
def test_a_fit_goes_through_its_rows_a_few_times(
    rows: int, epochs: float, steps: int, expected: int
) -> None:
    inputs, mask = np.ones((rows, 2), dtype=np.float32), np.ones((rows, 3), dtype=np.bool_)
    targets = np.full((rows, 3), 1 / 3, dtype=np.float32)
    config = LearnerConfig(batch=16, epochs=epochs, steps=steps)
    fitter = Fitter(ResidualNetwork(2, 3, NetworkConfig(width=8)), policy_loss, config)
    taken: list[None] = []
    fitter.fit(
        PolicyRows(inputs, mask, np.ones(rows), targets), 1, np.random.default_rng(0),
        lambda: taken.append(None),
    )  # fmt: skip
    assert len(taken) == expected


@pytest.mark.parametrize(("draws", "expected"), [(0.0, 1), (100.0, 6), (1e9, 20), (math.inf, 20)])
def test_a_fit_draws_no_more_rows_than_it_may(draws: float, expected: int) -> None:
    """A batch has 16 rows, and the config allows 20 steps."""
    inputs, mask = np.ones((200, 2), dtype=np.float32), np.ones((200, 3), dtype=np.bool_)
    rows = PolicyRows(inputs, mask, np.ones(200), np.full((200, 3), 1 / 3, dtype=np.float32))
    config = LearnerConfig(batch=16, epochs=4.0, steps=20)
    fitter = Fitter(ResidualNetwork(2, 3, NetworkConfig(width=8)), policy_loss, config)
    taken: list[None] = []
    rng = np.random.default_rng(0)
    fitter.fit(rows, 1, rng, lambda: taken.append(None), most_draws=draws)
    assert len(taken) == expected


def test_policy_targets_are_replayed_as_often_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Targets of 30 information sets are drawn 16 times each, whatever the buffer holds."""
    learner_config = {"policy_replays": 16.0, "batch": 32}
    config = TrainingConfig.preset("large", learner=learner_config)
    loop = make_loop(support(helpers.LEDUC), "learned", config, 0)
    asked: list[tuple[float, int]] = []
    fit = Fitter.fit

    def watched(self: Any, rows: Any, *rest: Any) -> None:
        if isinstance(rows, PolicyRows):
            asked.append((rest[3], len(rows.frequency)))
        fit(self, rows, *rest)

    monkeypatch.setattr(Fitter, "fit", watched)
    for _ in range(3):
        loop.step()
    assert [most % 16.0 for most, _ in asked] == [0.0] * 3
    assert asked[0][0] == 16.0 * asked[0][1]  # the first generation's targets are the buffer
    assert all(most <= 16.0 * rows for most, rows in asked)


def test_values_are_fitted_where_actions_were_taken() -> None:
    torch.manual_seed(0)
    network = ResidualNetwork(4, 3, NetworkConfig(width=32))
    inputs = np.eye(4, dtype=np.float32)
    wanted = np.array([[1, 0.5, 1.5], [-2, -1, 99], [0.5, 1, 0], [0, 99, 1]], dtype=np.float32)
    counted = (wanted < 99).astype(np.float32)
    rows = ValueRows(inputs, np.ones((4, 2), dtype=np.bool_), np.ones(4), wanted, counted)
    Fitter(network, value_loss, fitting(32, 400)).fit(rows, 1, np.random.default_rng(0))
    found = network(torch.from_numpy(inputs)).detach().numpy()
    assert found[wanted < 99] == pytest.approx(wanted[wanted < 99], abs=0.1)
    assert found[wanted == 99].max() < 50


def test_the_slope_says_how_far_vc_overrates_differences() -> None:
    """By hand: two actions differ by half of what Vc says, and a third was not taken."""
    network = torch.nn.Linear(1, 4)
    network.device = torch.device("cpu")
    with torch.no_grad():
        network.weight.zero_()
        network.bias.copy_(torch.tensor([7.0, 1.0, -1.0, 50.0]))
    targets = np.array([[0, 3.5, 2.5, 0], [0, 2.5, 1.5, 0]], dtype=np.float32)
    weights = np.array([[1, 0.5, 0.5, 0]] * 2, dtype=np.float32)
    mask = np.ones((2, 3), dtype=np.bool_)
    rows = ValueRows(np.ones((2, 1), dtype=np.float32), mask, np.ones(2), targets, weights)
    assert advantage_slope(network, rows) == pytest.approx(0.5)
    once = dataclasses.replace(rows, weights=np.array([[1, 1, 0, 0]] * 2, dtype=np.float32))
    assert math.isnan(advantage_slope(network, once))


def test_beliefs_and_values_of_pieces_are_fitted() -> None:
    torch.manual_seed(0)
    pieces, actions = 2, 2
    outputs = 2 * pieces + FACTORS * (pieces + actions)
    network = ResidualNetwork(2, outputs, NetworkConfig(width=32))
    inputs = np.eye(2, dtype=np.float32)
    beliefs = np.array([[0.25, 0.75], [0.9, 0.1]], dtype=np.float32)
    # Three values of the first node and one of the second.
    values = np.array([1.0, -1.0, 0.5, 2.0], dtype=np.float32)
    of_node, of_action, of_piece = (np.array(n) for n in ([0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 0, 1]))
    rows = HiddenRows(
        inputs,
        np.ones((2, pieces), dtype=np.bool_),
        np.array([1.0, 2.0]),
        beliefs,
        np.bincount(of_node),
        of_action,
        of_piece,
        values,
        (1.0 / np.bincount(of_node)[of_node]).astype(np.float32),
    )
    Fitter(network, hidden_loss, fitting(32, 400)).fit(rows, 1, np.random.default_rng(0))
    found = network(torch.from_numpy(inputs)).detach()
    assert torch.softmax(found[:, :pieces], 1).numpy() == pytest.approx(beliefs, abs=0.05)
    assert piece_values(found, pieces).numpy()[of_node, of_action, of_piece] == pytest.approx(
        values, abs=0.1
    )


@pytest.mark.parametrize("batch", [3, 5, 50])
def test_means_over_batches_are_unbiased(batch: int) -> None:
    weights = np.array([1.0, 0.0, 100.0, 2.0, 5.0, 2.0, 10.0])
    draws = Draws(weights, batch)
    rng = np.random.default_rng(0)
    total = np.zeros(len(weights))
    for _ in range(3000):
        rows, counts = draws.draw(rng)
        assert len(set(rows.tolist())) == len(rows) == min(batch, 6)
        total[rows.numpy()] += counts.numpy()
    assert total / 3000 == pytest.approx(weights / weights.sum(), rel=0.1)
    if batch >= 6:
        assert total / 3000 == pytest.approx(weights / weights.sum(), rel=1e-6)


# Measuring.


def test_how_far_beliefs_are_from_bayes_rule(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    policy = helpers.random_table(graph, seed=3)
    beliefs = exact_rows(graph, policy).beliefs
    assert hidden_divergence(graph, policy, beliefs) == pytest.approx(0.0, abs=1e-12)
    uniform = np.full(len(beliefs), 0.5)
    assert hidden_divergence(graph, policy, uniform) > 0.01
    # Where only a player's own moves do not lead, it counts what H says; where others' moves do not
    # lead, it does not: player 1 never bets after a pass, so H of player 0 there may be anything.
    rows = {string: {0: 0.5, 1: 0.5} for string in helpers.strings(graph)}
    rows.update({string: {0: 1.0, 1: 0.0} for string in ("0p", "1p", "2p")})
    table = policy_table(graph, rows)
    node = np.repeat(np.arange(len(graph.samples)), np.asarray(graph.samples.branch_count))
    owner = np.asarray(graph.samples.information_set)[node]
    strings = np.array(helpers.strings(graph))[owner]
    beliefs = exact_rows(graph, table).beliefs
    for string, counts in (("1pb", False), ("1p", True)):
        wrong = beliefs.copy()
        wrong[strings == string] = [0.9, 0.1]
        assert (hidden_divergence(graph, table, wrong) > 1e-6) is counts


# Training.


@pytest.mark.parametrize(
    ("kind", "visits", "search_games", "policy_games", "generations", "bar"),
    [("enumerated", 100.0, 1000, 2000, 25, 0.08), ("grown", 30.0, 60, 1000, 20, 0.1)],
)
def test_kuhn_is_learned_from_games(
    kind: GraphKind,
    visits: float,
    search_games: int,
    policy_games: int,
    generations: int,
    bar: float,
) -> None:
    # Grown, it is the same path as for large games, where the outcome can be measured.
    config = TrainingConfig.preset(
        graph=kind,
        visits={"start": visits},
        networks=NetworkConfig(width=32, depth=1),
        learner=LearnerConfig(
            search_games=search_games, policy_games=policy_games, steps=30, epochs=1e6
        ),
    )
    loop = make_loop(support(helpers.KUHN), "learned", config, 0)
    untrained = loop.figures()
    for _ in range(generations):
        loop.step()
    found = loop.figures()
    assert found["exploitability_average"] < bar < 0.3 < untrained["exploitability_average"]
    assert found["hidden_divergence"] < 0.01 < 0.02 < untrained["hidden_divergence"]


def learned_run(
    directory: Path, generations: int, game: str = PHANTOM_TTT, graph: GraphKind = "grown"
) -> Run:
    """A small run."""
    config = dataclasses.replace(FEW, graph=graph)
    run = Run.create(directory, game, 5, config, models="learned")
    for _ in run.train(Budget(generations=generations)):
        pass
    return run


@pytest.mark.parametrize(
    ("game", "graph"),
    [(PHANTOM_TTT, "grown"), (helpers.KUHN, "grown"), (helpers.KUHN, "enumerated")],
)
def test_a_resumed_run_goes_on_exactly(tmp_path: Path, game: str, graph: GraphKind) -> None:
    unbroken = learned_run(tmp_path / "unbroken", 3, game, graph)
    learned_run(tmp_path / "broken", 1, game, graph)
    resumed = Run.resume(tmp_path / "broken")
    for _ in resumed.train(Budget(generations=3)):
        pass
    for name, column in unbroken.loop.models.arrays().items():
        assert np.array_equal(column, resumed.loop.models.arrays()[name]), name
    assert unbroken.loop.counters() == resumed.loop.counters()
    assert unbroken.loop.figures() == resumed.loop.figures()
    assert [m.generation for m in read_metrics(tmp_path / "broken")] == [1, 2, 3]


def test_a_run_on_grown_graphs_is_measured_where_the_game_can_be_enumerated(
    tmp_path: Path,
) -> None:
    run = learned_run(tmp_path, 1, helpers.KUHN)
    (metrics,) = read_metrics(tmp_path)
    tables = TableEvaluator(run.graph, run.loop.models.evaluator())  # type: ignore[attr-defined]
    assert np.array_equal(run.policy(), tables.policy)
    wanted = exact.exploitability(run.graph, run.policy())
    assert metrics.exploitability_average == pytest.approx(wanted)
    divergence = hidden_divergence(run.graph, run.policy(), tables.beliefs)
    assert metrics.figures["hidden_divergence"] == pytest.approx(divergence)
    assert metrics.exploitability_search is None
    assert run.enumerated and not run.saved_models().enumerated
    assert run.learned_on == "learned on graphs that grow"


def test_metrics_of_a_game_that_is_not_enumerated(tmp_path: Path) -> None:
    run = learned_run(tmp_path, 1)
    (metrics,) = read_metrics(tmp_path)
    assert metrics.exploitability_average is None
    assert "hidden_divergence" not in metrics.figures
    assert metrics.figures["games"] == 12 + 40
    assert metrics.figures["searches"] > 10 < metrics.figures["rows"]
    assert {"loss_policy", "loss_value", "loss_hidden"} <= set(metrics.figures)
    assert not run.enumerated
    with pytest.raises(ValueError, match="too large to be enumerated"):
        run.policy()


def test_a_foreign_checkpoint_is_refused_by_name(tmp_path: Path) -> None:
    learned_run(tmp_path / "one", 1)

    def widen(settings: dict[str, Any]) -> None:
        settings["training"]["networks"]["width"] = 24

    rewrite_config(tmp_path / "one", widen)
    before = (tmp_path / "one" / "checkpoint.safetensors").read_bytes()
    with pytest.raises(ValueError, match=r"checkpoint\.safetensors is not one of this run"):
        Run.resume(tmp_path / "one")
    assert (tmp_path / "one" / "checkpoint.safetensors").read_bytes() == before


@pytest.mark.parametrize("graph", ["auto", "grown"])
def test_the_command_line_learns(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, graph: str
) -> None:
    settings = ['networks={"width": 16}', f"graph={graph}"]
    settings.append('learner={"policy_games": 200, "search_games": 100}')
    flags = ["--game", helpers.KUHN, "--out", str(tmp_path), "--generations", "2"]
    flags += [word for setting in settings for word in ("--set", setting)]
    assert cli.main(["train", "--models", "learned", *flags]) == 0
    found = capsys.readouterr()
    assert "exploitability" in found.out and "after 2 generations" in found.out
    wanted = "over the enumerated game" if graph == "auto" else "on graphs that grow"
    assert "12 information sets, learned" in found.err and wanted in found.err
    line = (tmp_path / "metrics.jsonl").read_text()
    for key in ("loss_policy", "loss_value", "loss_hidden", "hidden_divergence"):
        assert f'"{key}"' in line
    again = ["train", "--resume", "--models", "exact", "--out", str(tmp_path)]
    assert cli.main(again) == 2
    assert "with seed 0 and learned models" in capsys.readouterr().err


def test_the_command_line_learns_a_large_game(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    settings = json.dumps(FEW.learner.to_dict())
    flags = ["--game", PHANTOM_TTT, "--out", str(tmp_path), "--generations", "1"]
    small = ["--set", f"learner={settings}", "--set", 'visits={"start": 4}']
    assert cli.main(["train", "--models", "learned", *flags, *small]) == 0
    found = capsys.readouterr()
    assert "losses policy" in found.out and "after 1 generations" in found.out
    assert "learned on graphs that grow" in found.err
    assert (tmp_path / "curve.png").exists()
    assert cli.main(["export", "--run", str(tmp_path), "--out", str(tmp_path / "p.json")]) == 2
    assert "too large to be enumerated" in capsys.readouterr().err


def test_exact_training_does_not_wait_for_torch() -> None:
    modules = "nash_ismcts_spiel.learning, nash_ismcts_spiel.runs, nash_ismcts_spiel.cli"
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules)"
    root = Path(__file__).resolve().parent.parent
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


def test_exact_models_need_the_whole_game(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="exact models need an enumerated graph"):
        Run.create(tmp_path, helpers.KUHN, 0, dataclasses.replace(FEW, graph="grown"))


def test_a_game_that_must_be_enumerated_and_cannot_be_is_refused(tmp_path: Path) -> None:
    config = dataclasses.replace(FEW, graph="enumerated")
    with pytest.raises(ValueError, match="phantom_ttt"):
        Run.create(tmp_path, PHANTOM_TTT, 0, config, models="learned")


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("networks", {"width": 0}, "width must be at least 1"),
        ("networks", {"deph": 2}, "did you mean 'depth'"),
        ("networks", {"learning_rate": {"start": 0.1}}, "learning_rate"),
        ("learner", {"steps": 0}, "steps must be at least 1"),
        ("learner", {"batch": 0}, "batch must be at least 1"),
        ("learner", {"explore": 1.5}, "explore must be from 0 to 1"),
        ("learner", {"policy_replays": -1.0}, "policy_replays must not be negative"),
        ("learner", {"hidden_share": 0.0}, "hidden_share must be above 0"),
    ],
)
def test_settings_that_cannot_be_learned_with(
    name: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        TrainingConfig.preset(**{name: settings})


# TensorBoard.


def test_metrics_for_tensorboard(tmp_path: Path) -> None:
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    flags = ["--game", helpers.KUHN, "--generations", "2", "--tensorboard"]
    assert cli.main(["train", *flags, "--out", str(tmp_path)]) == 0
    events = reader.EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    found = [event.value for event in events.Scalars("exploitability/average")]
    wanted = [metrics.exploitability_average for metrics in read_metrics(tmp_path)]
    assert found == pytest.approx(wanted)
