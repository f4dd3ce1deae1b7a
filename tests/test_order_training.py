"""Learning where hands are drawn as sets: what is trained, and files that know the order."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pyspiel
import pytest
from run_helpers import rewrite_config

from nash_ismcts_spiel import NashIsmctsBot, SearchConfig, make_bot
from nash_ismcts_spiel.cli.main import main
from nash_ismcts_spiel.files import CheckpointError
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.policies import policy_table, uniform_table
from nash_ismcts_spiel.learning.config import TrainingConfig
from nash_ismcts_spiel.models import BlendEvaluator, ExactEvaluator
from nash_ismcts_spiel.models.networks import saved
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.runs.directory import Budget
from nash_ismcts_spiel.runs.load import load_evaluator, load_policy
from nash_ismcts_spiel.runs.run import Run

POKER = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=2,blind=1 1,raiseSize=2 2,"
    "firstPlayer=1 1,maxRaises=1 1,numSuits=1,numRanks=5,numHoleCards=2,numBoardCards=0 0)"
)
SETS = {"hidden_order": "sets"}
TINY: dict[str, Any] = {
    "graph": "grown",
    "visits": {"start": 3.0},
    "learner": {"search_games": 2, "policy_games": 2, "steps": 1},
    "networks": {"width": 8, "depth": 1},
}


def after_the_deal(name: str) -> Any:
    state = pyspiel.load_game(name).new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[-1])
    return state


@pytest.mark.parametrize("models", ["exact", "learned"])
def test_enumerated_games_are_trained(tmp_path: Path, models: Any) -> None:
    config = TrainingConfig.preset(
        visits={"start": 20.0},
        search=SETS,
        networks={"width": 16, "depth": 1},
        learner={"search_games": 5000, "policy_games": 5000},
    )
    run = Run.create(tmp_path, POKER, 0, config, models=models)
    measured = [m for m in run.train(Budget(generations=12)) if m is not None]
    first, last = (m.exploitability_average for m in (measured[0], measured[-1]))
    assert first is not None and last is not None
    assert last < first
    # The policy that is written is one over information states, and just as exploitable in play.
    graph = GameGraph.enumerate(POKER)
    found = exact.exploitability(graph, policy_table(graph, load_policy(tmp_path)))
    assert found == pytest.approx(last, abs=1e-6)


@pytest.mark.parametrize("name", [POKER, "spades"])
def test_games_are_trained_on_graphs_that_grow(tmp_path: Path, name: str) -> None:
    config = TrainingConfig.preset("large", **{**TINY, "search": {**SETS, "spawn_depth": 1}})
    run = Run.create(tmp_path / "run", name, 0, config, models="learned")
    assert all(metrics is not None for metrics in run.train(Budget(generations=1)))
    models = run.saved_models()
    state = after_the_deal(name)
    policy = models.policy().action_probabilities(state)
    assert sum(policy.values()) == pytest.approx(1.0)
    search = SearchConfig(visits=6, hidden_order="sets")
    for evaluator in (models.evaluator(), BlendEvaluator(models.evaluator())):
        bot = NashIsmctsBot(name, state.current_player(), evaluator, search)
        assert sum(bot.search(state).policy) == pytest.approx(1.0)
        with pytest.raises(ValueError, match="hidden_order is 'play', but .* made with 'sets'"):
            NashIsmctsBot(name, 0, evaluator)


def test_saved_models_know_the_order(tmp_path: Path) -> None:
    config = TrainingConfig.preset(**TINY, search=SETS)
    run = Run.create(tmp_path / "run", POKER, 0, config, models="learned")
    models = run.saved_models()
    assert (models.hidden_order, len(models.order)) == ("sets", 16)
    path = tmp_path / "models.npz"
    saved.save(path, models)
    loaded = saved.load(path)
    assert (loaded.hidden_order, loaded.order) == (models.hidden_order, models.order)
    evaluator = load_evaluator(path)
    with pytest.raises(ValueError, match="made for hidden_order='sets', .* has .*'play'"):
        evaluator.information_set_rows(GameGraph.enumerate(POKER), [0])
    for other in ({"order": "0123456789abcdef"}, {"hidden_order": "play"}):
        changed = dataclasses.replace(models, **other)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="made with another order of hidden pieces"):
            changed.evaluator()


def test_a_run_does_not_go_on_in_another_order(tmp_path: Path) -> None:
    config = TrainingConfig.preset(visits={"start": 5.0})
    run = Run.create(tmp_path, POKER, 0, config)
    list(run.train(Budget(generations=1)))
    assert Run.resume(tmp_path).loop.generation == 1

    def order(settings: dict[str, Any]) -> None:
        settings["training"]["search"]["hidden_order"] = "sets"

    rewrite_config(tmp_path, order)
    with pytest.raises(CheckpointError, match="another order .* than hidden_order='sets'"):
        Run.resume(tmp_path)


def test_the_order_is_set_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, small = str(tmp_path / "run"), {**TINY, "search": SETS}
    settings = [f"{name}={json.dumps(value)}" for name, value in small.items() if name != "graph"]
    command = ["train", "--models", "learned", "--seed", "0", "--generations", "1", "--set"]
    command += ["graph=grown", *(word for text in settings for word in ("--set", text))]
    assert main([*command, "--game", POKER, "--out", out]) == 0
    # A bot draws in the order of its models.
    search = ["search", "--game", POKER, "--history", "0,1,2,3", "--visits", "20"]
    capsys.readouterr()
    assert main([*search, "--checkpoint", out]) == 0
    assert main([*command, "--game", "kuhn_poker", "--out", str(tmp_path / "other")]) != 0
    assert "hidden_order is 'sets', but the game does not begin" in capsys.readouterr().err


def test_bots_by_name_take_the_order_of_their_models() -> None:
    graph = GameGraph.enumerate(POKER, hidden_order="sets")
    evaluator = ExactEvaluator(graph, uniform_table(graph))
    assert make_bot("nash_ismcts", POKER, 0, evaluator=evaluator).config.hidden_order == "sets"
    assert make_bot("nash_ismcts", POKER, 0).config.hidden_order == "play"
    with pytest.raises(ValueError, match="is 'play', but .* made with 'sets'"):
        make_bot("nash_ismcts", POKER, 0, evaluator=evaluator, hidden_order="play")
