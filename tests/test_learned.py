"""Learned models: what self-play gives them to learn, how they fit it, and runs that learn."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import helpers
import numpy as np
import pytest
import torch

from nash_ismcts_spiel import cli
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.native.models import exact_rows
from nash_ismcts_spiel.training import Budget, GenerationLoop, Run, Schedule, TrainingConfig
from nash_ismcts_spiel.training.average import PolicySums
from nash_ismcts_spiel.training.config import HiddenData, NetworkConfig
from nash_ismcts_spiel.training.features import Features
from nash_ismcts_spiel.training.fit import Draws, Fitter, Rows, cross_entropy, squared_error
from nash_ismcts_spiel.training.learned import LearnedModels
from nash_ismcts_spiel.training.metrics import read_metrics
from nash_ismcts_spiel.training.networks import ResidualNetwork
from nash_ismcts_spiel.training.self_play import SelfPlay

Enumerated = Callable[[str], GameGraph]
SMALL = NetworkConfig(
    width=16, depth=1, policy_steps=4, value_steps=4, hidden_steps=4, search_games=200,
    policy_games=400,
)  # fmt: skip


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


# Rows that look ahead.


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


# Self-play.


@pytest.mark.parametrize("name", [helpers.KUHN, helpers.LEDUC])
def test_what_was_hidden_from_explorers_follows_bayes_rule(
    enumerated: Enumerated, name: str
) -> None:
    graph = enumerated(name)
    policy = 0.8 * helpers.random_table(graph, seed=2) + 0.2 * helpers.uniform_table(graph)
    beliefs = exact_rows(graph, policy).beliefs
    play = SelfPlay(graph)
    counts = play.policy_games(policy, 200_000, 0.5, np.random.default_rng(0)).branches
    node = np.repeat(np.arange(len(graph.samples)), np.asarray(graph.samples.branch_count))
    total = np.bincount(node, counts)[node]
    often = total >= 500
    assert often.sum() > 10
    error = np.abs(counts[often] / total[often] - beliefs[often])
    sigma = np.sqrt(beliefs[often] * (1 - beliefs[often]) / total[often])
    assert np.all(error < 5 * sigma + 1e-12)


def test_games_of_exploring_others_count_as_if_they_followed_p(enumerated: Enumerated) -> None:
    # Player 1 bets after a pass with 0.1 (a 0) and 0.001 (a 2), so that 1pb is rarely met when it
    # follows P; if it explores, what player 0 learns there is still 100 to 1.
    graph = enumerated(helpers.KUHN)
    graph.resolve()
    rows = {string: {0: 0.5, 1: 0.5} for string in helpers.strings(graph)}
    rows.update({"0p": {0: 0.9, 1: 0.1}, "2p": {0: 0.999, 1: 0.001}})
    policy = policy_table(graph, rows)
    visits = SelfPlay(graph).policy_games(policy, 400_000, 0.5, np.random.default_rng(0), 0.5)
    information_set = helpers.strings(graph).index("1pb")
    node = np.repeat(np.arange(len(graph.samples)), np.asarray(graph.samples.branch_count))
    here = np.asarray(graph.samples.information_set)[node] == information_set
    counts = visits.branches[here]
    assert visits.sets[information_set] == pytest.approx(400_000 / 2 / 3 / 2 * 0.275, rel=0.05)
    assert counts.sum() == pytest.approx(400_000 / 2 / 3 / 2 * 0.0505, rel=0.05)
    assert counts.max() / counts.sum() == pytest.approx(100 / 101, abs=0.001)


def test_explorers_meet_every_reply(enumerated: Enumerated) -> None:
    # Player 0 passes a 1 and player 1 bets: 1/3 for the card, pass with 0.25 / 2 + 0.75 * 0.4, and
    # a bet with 1/2, since the other one plays uniformly whatever the search policy is.
    graph = enumerated(helpers.KUHN)
    graph.resolve()
    strings = helpers.strings(graph)
    rows = {string: {0: 0.4, 1: 0.6} for string in strings}
    rows.update({string: {0: 1.0, 1: 0.0} for string in ("0p", "1p", "2p")})
    found = policy_table(graph, rows)
    games = 200_000
    visits = SelfPlay(graph).search_games(found, games, 0.25, np.random.default_rng(1)).sets
    expected = (games / 2) * (1 / 3) * (0.125 + 0.75 * 0.4) * 0.5
    assert visits[strings.index("1pb")] == pytest.approx(expected, rel=0.05)


def test_targets_of_all_generations_are_one_mean(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    samples = PolicySums(graph)
    uniform = samples.mean()
    first, second = helpers.random_table(graph, 1), helpers.random_table(graph, 2)
    visits = np.zeros(12, dtype=np.int64)
    visits[3] = 5
    samples.add(first, 1.0 * visits)
    visits[3] = 2
    samples.add(second, 10.0 * visits)
    assert samples.mean()[6:8] == pytest.approx((5 * first[6:8] + 20 * second[6:8]) / 25)
    assert samples.mean()[:6] == pytest.approx(uniform[:6])


# Fitting.


def test_features_tell_sets_and_nodes_apart(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.LEDUC)
    features = Features(graph)
    assert len(np.unique(features.sets, axis=0)) == len(graph.information_sets)
    assert len(np.unique(features.samples, axis=0)) == len(graph.samples)
    assert features.legal.sum() == len(graph.information_sets.action)
    assert features.open.sum() == len(graph.samples.edge)


def test_networks_fit_what_occurs_and_nothing_else() -> None:
    torch.manual_seed(0)
    config = NetworkConfig(width=32, learning_rate=Schedule(start=0.01), batch=64)
    inputs = torch.eye(6)
    mask = torch.ones((6, 3), dtype=torch.bool)
    mask[:, 2] = False
    targets = torch.tensor([[0.2, 0.8, 0.0]] * 3 + [[0.9, 0.1, 0.0]] * 2 + [[0.5, 0.5, 0.0]])
    frequency = np.array([1.0, 5.0, 2.0, 1.0, 3.0, 0.0])
    network = ResidualNetwork(6, 3, config)
    fitter = Fitter(network, cross_entropy, config)
    rng = np.random.default_rng(0)
    fitter.fit(Rows(inputs, targets, np.zeros(6), mask), 10, 1, rng)
    assert np.isnan(fitter.last_loss)
    rows = Rows(inputs, targets, frequency, mask)
    fitter.fit(rows, 300, 1, rng)
    assert 0.0 <= fitter.last_loss < 0.05
    losses = [float(cross_entropy(network, rows, torch.tensor([k])).detach()) for k in range(6)]
    assert max(losses[:5]) < 0.01 < losses[5]


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


def test_values_are_fitted() -> None:
    torch.manual_seed(0)
    config = NetworkConfig(width=32, learning_rate=Schedule(start=0.01), batch=32)
    network = ResidualNetwork(4, 1, config)
    rows = Rows(torch.eye(4), torch.tensor([1.0, -2.0, 0.5, 0.0]), np.ones(4))
    Fitter(network, squared_error, config).fit(rows, 400, 1, np.random.default_rng(0))
    assert network(torch.eye(4)).squeeze().tolist() == pytest.approx([1, -2, 0.5, 0], abs=0.1)


# Training.


def test_learning_kuhn_from_games(enumerated: Enumerated) -> None:
    graph = enumerated(helpers.KUHN)
    networks = NetworkConfig(width=32, depth=1, policy_games=2000, search_games=1000)
    config = TrainingConfig.preset(networks=networks)
    models = LearnedModels(graph, config, seed=0)
    untrained = exact.exploitability(graph, models.policy())
    loop = GenerationLoop(graph, models, config, seed=0)
    for _ in range(25):
        loop.step()
    assert exact.exploitability(graph, models.policy()) < 0.08 < 0.3 < untrained
    assert models.figures()["hidden_divergence"] < 0.01


def test_what_h_learns_from(enumerated: Enumerated) -> None:
    # After P has changed, games of all generations tell of an older P; Bayes' rule has no noise.
    graph = enumerated(helpers.KUHN)
    divergence = {}
    for data in ("current", "buffer", "bayes"):
        networks = {"width": 16, "depth": 1, "policy_games": 2000, "hidden_data": data}
        config = TrainingConfig.preset(networks=networks)
        models = LearnedModels(graph, config, seed=0)
        loop = GenerationLoop(graph, models, config, seed=0)
        for _ in range(12):
            loop.step()
        divergence[data] = models.hidden_divergence()
    assert divergence["bayes"] < 0.5 * divergence["current"]
    assert divergence["current"] < 0.5 * divergence["buffer"]


def learned_run(directory: Path, generations: int, data: HiddenData) -> Run:
    """A small run on Kuhn."""
    networks = dataclasses.replace(SMALL, hidden_data=data)
    config = TrainingConfig.preset(networks=networks)
    run = Run.create(directory, helpers.KUHN, 5, config, models="learned")
    for _ in run.train(Budget(generations=generations)):
        pass
    return run


@pytest.mark.parametrize("data", ["current", "buffer"])
def test_a_resumed_run_goes_on_exactly(tmp_path: Path, data: HiddenData) -> None:
    unbroken = learned_run(tmp_path / "unbroken", 8, data)
    learned_run(tmp_path / "broken", 3, data)
    resumed = Run.resume(tmp_path / "broken")
    for _ in resumed.train(Budget(generations=8)):
        pass
    assert np.array_equal(unbroken.policy(), resumed.policy())
    figures = [unbroken.loop.models.figures(), resumed.loop.models.figures()]
    assert figures[0] == figures[1]
    assert [m.generation for m in read_metrics(tmp_path / "broken")] == list(range(1, 9))


def test_the_command_line_learns(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    settings = 'networks={"width": 16, "policy_games": 200, "search_games": 100}'
    flags = ["--game", helpers.KUHN, "--out", str(tmp_path), "--generations", "2"]
    assert cli.main(["train", "--models", "learned", *flags, "--set", settings]) == 0
    assert "after 2 generations" in capsys.readouterr().out
    line = (tmp_path / "metrics.jsonl").read_text()
    for key in ("loss_policy", "loss_value", "loss_hidden", "hidden_divergence"):
        assert f'"{key}"' in line
    again = ["train", "--resume", "--models", "exact", "--out", str(tmp_path)]
    assert cli.main(again) == 2
    assert "with seed 0 and learned models" in capsys.readouterr().err


def test_exact_training_does_not_wait_for_torch() -> None:
    modules = "nash_ismcts_spiel.training, nash_ismcts_spiel.cli"
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules)"
    root = Path(__file__).resolve().parent.parent
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"width": 0}, "width must be at least 1"),
        ({"policy_steps": -1}, "policy_steps must not be negative"),
        ({"explore": 1.5}, "explore between 0 and 1"),
        ({"others_explore": -0.5}, "others_explore must be from 0 to 1"),
        ({"hidden_data": "old"}, "hidden_data must be one of 'current', 'buffer', 'bayes'"),
        ({"deph": 2}, "did you mean 'depth'"),
    ],
)
def test_settings_that_cannot_be_learned_with(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TrainingConfig.preset(networks=settings)
