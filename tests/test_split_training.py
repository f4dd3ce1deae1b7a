"""Learning where actions are split: rows by sub-actions, and files that know the split."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from run_helpers import rewrite_config

from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.files import CheckpointError
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.games.tensors import MOST_PIECES, Tensors
from nash_ismcts_spiel.learning.config import TrainingConfig
from nash_ismcts_spiel.models import BlendEvaluator
from nash_ismcts_spiel.models.networks import saved
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.nets import make_networks
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.runs.directory import Budget
from nash_ismcts_spiel.runs.load import load_evaluator, load_policy
from nash_ismcts_spiel.runs.run import Run

LIARS_DICE = "liars_dice(numdice=1,dice_sides=4)"
TINY: dict[str, Any] = {
    "graph": "grown",
    "visits": {"start": 3.0},
    "learner": {"search_games": 2, "policy_games": 2, "steps": 1},
    "networks": {"width": 8, "depth": 1},
}


def walked(name: str, length: int) -> GameGraph:
    """A graph along some random games in parts."""
    graph, rng = GameGraph(name, "always"), np.random.default_rng(3)
    for _ in range(8):
        world = 0
        while graph.worlds.edge_count[world] > 0 and graph.worlds.depth[world] < length:
            world = graph.child(world, int(rng.integers(graph.worlds.edge_count[world])))
    return graph


def bag(parts: list[int], size: int) -> list[float]:
    return [float(parts.count(part)) for part in range(size)]


@pytest.mark.parametrize("name", ["leduc_poker", LIARS_DICE, "dark_hex", "phantom_ttt"])
def test_networks_see_the_parts_of_an_action_that_is_under_way(name: str) -> None:
    graph, within = walked(name, 12), 0
    tensors = Tensors(graph.game, split_actions="always")
    assert graph.splitting is not None
    vocabulary = graph.splitting.actions.vocabulary
    assert tensors.actions == vocabulary
    sets = graph.information_sets
    rows = tensors.sets(graph, range(len(sets)))
    for number, row in enumerate(rows):
        player, world = sets.player[number], sets.first_world[number]
        begun = graph.whole_history(world)[1]
        seats = np.eye(graph.game.num_players)[player]
        inner = graph.state(world).information_state_tensor(player)
        assert row.tolist() == pytest.approx([*seats, *inner, *bag(begun, vocabulary)])
        assert bool(begun) == bool(sets.within_action[number])
        within += bool(begun)
    assert within >= 3


def test_networks_remember_whole_decisions() -> None:
    """Where a game has observations only: what was seen where an action began, and its parts."""
    graph = walked("phantom_go(board_size=3)", 40)
    tensors, sets = Tensors(graph.game, split_actions="always"), graph.information_sets
    rows = tensors.sets(graph, range(len(sets)))
    observed = graph.game.initial_state().observation_tensor(0)
    size, checked = len(observed) + tensors.actions, 0
    width = size + tensors.actions
    for number, row in enumerate(rows):
        player, world = sets.player[number], sets.first_world[number]
        looks: list[list[float]] = []
        parts: list[int] = []
        here, begun = world, graph.whole_history(world)[1]
        expected = [*graph.state(here).observation_tensor(player), *bag(begun, tensors.actions)]
        while here > 0 and len(looks) < 3:
            part, here = graph.worlds.last_action[here], graph.worlds.parent[here]
            if graph.worlds.player[here] != player:
                continue
            parts.append(part)
            if sets.within_action[graph.worlds.information_set[here]]:
                continue
            if not begun:
                seen = graph.state(here).observation_tensor(player)
                looks.append([*seen, *([0.0] * tensors.actions), *bag(parts, tensors.actions)])
            parts, begun = [], []
        memory = row[graph.game.num_players :].reshape(4, width)
        assert memory[0, :size].tolist() == pytest.approx(expected)
        for look, remembered in zip(looks, memory[1:], strict=False):
            assert remembered.tolist() == pytest.approx(look)
            checked += 1
    assert checked > 20


@pytest.mark.parametrize("name", ["colored_trails", "dou_dizhu"])
def test_games_with_very_many_actions_are_not_refused(name: str) -> None:
    game = support(name)
    with pytest.raises(ValueError, match="split_actions='auto' splits them"):
        Tensors(game)
    tensors = Tensors(game, split_actions="auto")
    assert tensors.pieces < 110 < MOST_PIECES
    networks = make_networks(tensors, NetworkConfig(), 0).children()
    assert sum(p.numel() for net in networks for p in net.parameters()) < 1_000_000


@pytest.mark.slow  # the game takes long to load
def test_a_game_with_very_many_actions_is_learned(tmp_path: Path) -> None:
    config = TrainingConfig.preset("large", **TINY)
    run = Run.create(tmp_path / "run", "colored_trails", 0, config, models="learned")
    assert all(metrics is not None for metrics in run.train(Budget(generations=1)))
    state = pyspiel.load_game("colored_trails").new_initial_state()
    state.apply_action(2)
    models = run.saved_models()
    policy = models.policy().action_probabilities(state)
    assert list(policy) == state.legal_actions()
    assert sum(policy.values()) == pytest.approx(1.0)
    evaluator = models.evaluator()
    for each in (evaluator, BlendEvaluator(evaluator)):
        bot = NashIsmctsBot("colored_trails", 0, each, SearchConfig(visits=8))
        result = bot.search(state)
        assert dict(zip(result.actions, result.prior, strict=True)) == pytest.approx(policy)
        assert sum(result.policy) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="is 'never', but .* made with 'auto'"):
        NashIsmctsBot("colored_trails", 0, evaluator, SearchConfig(split_actions="never"))


def test_saved_models_know_how_actions_were_split(tmp_path: Path) -> None:
    config = TrainingConfig.preset(**TINY, search={"split_actions": "always"})
    run = Run.create(tmp_path / "run", "leduc_poker", 0, config, models="learned")
    models = run.saved_models()
    assert (models.split_actions, len(models.codes)) == ("always", 16)
    saved.save(tmp_path / "models.safetensors", models)
    evaluator = load_evaluator(tmp_path / "models.safetensors")
    with pytest.raises(ValueError, match="made for split_actions='always', .* has .*'never'"):
        evaluator.information_set_rows(GameGraph.enumerate("leduc_poker"), [0])
    other = dataclasses.replace(models, codes="0123456789abcdef")
    with pytest.raises(ValueError, match="made with other sub-actions than split_actions='always'"):
        other.evaluator()
    # A bot splits as its models do, unless it is told otherwise.
    state = pyspiel.load_game("leduc_poker").new_initial_state()
    for action in (0, 3):
        state.apply_action(action)
    result = NashIsmctsBot("leduc_poker", 0, evaluator, SearchConfig(visits=10)).search(state)
    assert result.actions == tuple(state.legal_actions())


def test_a_run_does_not_go_on_with_another_split(tmp_path: Path) -> None:
    config = TrainingConfig.preset(visits={"start": 5.0})
    run = Run.create(tmp_path, LIARS_DICE, 0, config)
    list(run.train(Budget(generations=1)))
    assert Run.resume(tmp_path).loop.generation == 1

    def split(settings: dict[str, Any]) -> None:
        settings["training"]["search"]["split_actions"] = "always"

    rewrite_config(tmp_path, split)
    with pytest.raises(CheckpointError, match="other sub-actions than split_actions='always'"):
        Run.resume(tmp_path)


@pytest.mark.parametrize("models", ["exact", "learned"])
def test_enumerated_games_are_trained_in_parts(tmp_path: Path, models: Any) -> None:
    config = TrainingConfig.preset(
        visits={"start": 20.0},
        search={"split_actions": "always"},
        networks={"width": 16, "depth": 1},
        learner={"search_games": 5000, "policy_games": 5000},
    )
    run = Run.create(tmp_path, LIARS_DICE, 0, config, models=models)
    measured = [m for m in run.train(Budget(generations=12)) if m is not None]
    first, last = (m.exploitability_average for m in (measured[0], measured[-1]))
    assert first is not None and last is not None
    assert last < first
    # The policy that is written is one over whole actions, and just as exploitable.
    policy = load_policy(tmp_path)
    graph = GameGraph.enumerate(LIARS_DICE)

    found = exact.exploitability(graph, policy_table(graph, policy))
    assert found == pytest.approx(last, abs=1e-6)
