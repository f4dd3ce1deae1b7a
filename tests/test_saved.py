"""Learned models outside of training: as evaluators, in files, in bots, as policies."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest
import torch

from exploitability import measure
from nash_ismcts_spiel import SearchConfig, cli, make_bot
from nash_ismcts_spiel.files import CheckpointError
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.merged import merged_game
from nash_ismcts_spiel.harness import ViewPolicy
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.config import LearnerConfig
from nash_ismcts_spiel.models import Models
from nash_ismcts_spiel.models.networks import saved as saved_models
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.tables import TableEvaluator
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.native.engine import NativeEngine
from nash_ismcts_spiel.runs import Budget, Run, load_evaluator, load_policy
from nash_ismcts_spiel.search import ReferenceEngine

Enumerated = Callable[[str], GameGraph]
SMALL = TrainingConfig.preset(
    networks=NetworkConfig(width=16, depth=1),
    learner=LearnerConfig(search_games=4, policy_games=20, steps=2),
    visits={"start": 6.0},
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def learned_run(directory: Path, game: str, **changes: Any) -> Run:
    """A run of two generations."""
    config = dataclasses.replace(SMALL, **changes)
    run = Run.create(directory, game, 1, config, models="learned")
    for _ in run.train(Budget(generations=2)):
        pass
    return run


@pytest.fixture(scope="module")
def kuhn_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return learned_run(tmp_path_factory.mktemp("kuhn"), helpers.KUHN)


@pytest.fixture(scope="module")
def grown_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    search = SearchConfig(spawn_depth=1)
    return learned_run(tmp_path_factory.mktemp("ttt"), "phantom_ttt", search=search)


def test_both_engines_search_alike_with_tables(kuhn_run: Run) -> None:
    evaluator = load_evaluator(kuhn_run.directory)
    assert isinstance(evaluator, TableEvaluator)
    config = SearchConfig(visits=60)
    for number in range(len(evaluator.graph.information_sets)):
        found = [
            engine(Models(evaluator.graph, evaluator), config).search(
                number, np.random.default_rng(number)
            )
            for engine in (NativeEngine, ReferenceEngine)
        ]
        assert found[0].visits == found[1].visits
        assert found[0].policy == pytest.approx(found[1].policy)


# Files.


def test_saved_models_are_those_of_the_run(kuhn_run: Run, tmp_path: Path) -> None:
    path = tmp_path / "kuhn.safetensors"
    saved_models.save(path, kuhn_run.saved_models())
    stored = saved_models.load(path)
    assert (stored.game, stored.enumerated) == (kuhn_run.game, True)
    assert stored.made["seed"] == 1
    assert stored.made["metrics"]["generation"] == 2
    evaluator = load_evaluator(path)
    assert isinstance(evaluator, TableEvaluator)
    models: Any = kuhn_run.loop.models
    rows = TableEvaluator(kuhn_run.graph, models.evaluator()).native_rows
    for name in ("policy", "value", "child_values", "beliefs", "sample_values", "world_values"):
        assert np.array_equal(getattr(evaluator.native_rows, name), getattr(rows, name)), name
    game = kuhn_run.graph.game.pyspiel_game
    wanted = exact.exploitability(kuhn_run.graph, kuhn_run.policy())
    for policy in (load_policy(path), load_policy(kuhn_run.directory)):
        assert measure(game, policy).exploitability == pytest.approx(wanted)
    # The optimizers, buffers and sums of a run are left out.
    assert path.stat().st_size < (kuhn_run.directory / "checkpoint.safetensors").stat().st_size


def test_other_files_are_refused_by_name(kuhn_run: Run, tmp_path: Path) -> None:
    path = tmp_path / "broken.safetensors"
    saved_models.save(path, kuhn_run.saved_models())
    path.write_bytes(path.read_bytes()[:-400])
    with pytest.raises(CheckpointError, match=r"broken\.safetensors is not a whole checkpoint"):
        load_evaluator(path)
    with pytest.raises(CheckpointError, match=r"checkpoint\.safetensors holds no learned models"):
        load_evaluator(kuhn_run.directory / "checkpoint.safetensors")
    with pytest.raises(ValueError, match="exact models; there are no networks"):
        run = Run.create(tmp_path / "exact", helpers.KUHN, 0, SMALL)
        run.saved_models()


def test_the_command_line_exports_models(
    kuhn_run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "models" / "kuhn.safetensors"
    flags = ["--run", str(kuhn_run.directory), "--out", str(path), "--models"]
    assert cli.main(["export", *flags]) == 0
    assert "the networks of kuhn_poker() written" in capsys.readouterr().out
    assert saved_models.load(path).game == "kuhn_poker()"


# Bots and policies.


def test_a_bot_takes_a_checkpoint(kuhn_run: Run) -> None:
    state = pyspiel.load_game("kuhn_poker").new_initial_state()
    for action in (0, 1):
        state.apply_action(action)
    made = {"seed": 3, "visits": 40}
    bot = make_bot("nash_ismcts", "kuhn_poker", 0, checkpoint=kuhn_run.directory, **made)
    evaluator = load_evaluator(kuhn_run.directory)
    other = make_bot("nash_ismcts", "kuhn_poker", 0, evaluator=evaluator, **made)
    assert bot.get_policy(state) == other.get_policy(state)
    for models in (kuhn_run.directory, evaluator):  # the one word for both
        named = make_bot("nash_ismcts", "kuhn_poker", 0, models=models, **made)
        assert named.get_policy(state) == other.get_policy(state)
    with pytest.raises(ValueError, match="are one thing"):
        make_bot("nash_ismcts", "kuhn_poker", 0, checkpoint="pretrained", evaluator=evaluator)
    with pytest.raises(ValueError, match=r"has models of kuhn_poker\(\), not of leduc_poker\(\)"):
        make_bot("nash_ismcts", "leduc_poker", 0, checkpoint=kuhn_run.directory)


def test_networks_play_games_that_are_not_enumerated(grown_run: Run) -> None:
    game = pyspiel.load_game("phantom_ttt")
    evaluator = load_evaluator(grown_run.directory)
    policy = load_policy(grown_run.directory)
    settings = {"visits": 8, "spawn_depth": 1, "evaluator": evaluator}
    bots = [make_bot("nash_ismcts_notes", game, seat, seed=seat, **settings) for seat in (0, 1)]
    assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, 0)) == 0.0
    # What cannot be told apart gets the same answer: the first move of the other is hidden.
    answers: list[dict[Any, Any]] = []
    for hidden in (0, 8):
        state = game.new_initial_state()
        state.apply_action(hidden)
        answers.append(policy.action_probabilities(state))
        fresh = make_bot("nash_ismcts_notes", game, 1, seed=3, **settings)
        answers[-1]["searched"] = fresh.get_policy(state)
    assert answers[0] == answers[1]
    assert sum(p for a, p in answers[0].items() if a != "searched") == pytest.approx(1.0)


# Models that come with the package.


@pytest.mark.parametrize(
    ("game", "bar"),
    [
        ("kuhn_poker", 0.008),
        ("leduc_poker", 0.05),
        ("liars_dice(numdice=1,dice_sides=4)", 0.025),
        ("liars_dice(numdice=1)", 0.024),
        ("goofspiel(imp_info=True,num_cards=4,points_order=descending)", 0.005),
    ],
)
def test_pretrained_models_play_well(game: str, bar: float) -> None:
    path = saved_models.pretrained_path(support(game))
    policy, loaded = load_policy(path), support(game).pyspiel_game
    assert measure(loaded, policy).exploitability < bar
    assert path.stat().st_size < 400_000
    bot = make_bot("nash_ismcts", game, 0, checkpoint="pretrained", visits=30)
    uniform = pyspiel.make_uniform_random_bot(1, 5)
    won = [
        pyspiel.evaluate_bots(loaded.new_initial_state(), [bot, uniform], seed)[0]
        for seed in range(200)
    ]
    assert np.mean(won) > 0.0


def test_pretrained_models_beyond_enumeration_play_well() -> None:
    game = pyspiel.load_game("phantom_ttt")
    bots = [
        make_bot("nash_ismcts", game, 0, checkpoint="pretrained", visits=4),
        pyspiel.make_uniform_random_bot(1, 5),
    ]
    won = [pyspiel.evaluate_bots(game.new_initial_state(), bots, k)[0] for k in range(40)]
    assert np.mean(won) > 0.7  # the value of the game for player 0 is 2/3


@pytest.mark.slow
def test_pretrained_models_beyond_enumeration_are_as_said() -> None:
    game = pyspiel.load_game("phantom_ttt")
    policy = load_policy(saved_models.pretrained_path(support(game)))
    found = measure(game, ViewPolicy(merged_game(game), policy), engine="merged")
    assert found.exploitability == pytest.approx(0.0997, abs=1e-4)


def test_every_file_that_comes_with_the_package_is_listed() -> None:
    folder = saved_models.pretrained_path(support("kuhn_poker")).parent
    files = {path.stem for path in folder.glob("*.safetensors")}
    assert files == set(saved_models.PRETRAINED_GAMES)


def test_games_without_pretrained_models_are_told_which_have_some() -> None:
    with pytest.raises(ValueError, match=r"no pretrained models of tic_tac_toe\(\); there are .*"):
        make_bot("nash_ismcts", "tic_tac_toe", 0, checkpoint="pretrained")


def test_bots_without_checkpoints_do_not_wait_for_torch() -> None:
    code = (
        "import sys, nash_ismcts_spiel as n; n.make_bot('nash_ismcts', 'kuhn_poker', 0); "
        "sys.exit('torch' in sys.modules)"
    )
    root = Path(__file__).resolve().parent.parent
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
