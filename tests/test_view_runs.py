"""Training over the views of merged games: sweeps against a second form of them over all histories,
runs that are resumed, measured, exported and played.
"""
# ruff: noqa: D101, D102, D103, D107 - the names say what is tested.

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import helpers
import numpy as np
import pytest

from exploitability import measure
from nash_ismcts_spiel import cli, files, make_bot
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.merged import MergedGame, merged_game
from nash_ismcts_spiel.games.policies import ViewTablePolicy
from nash_ismcts_spiel.harness import PolicyBot
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.view_loop import ViewLoop
from nash_ismcts_spiel.models.views import ViewEvaluator
from nash_ismcts_spiel.native import _core, exact
from nash_ismcts_spiel.runs import Budget, Run, load_evaluator, load_policy
from nash_ismcts_spiel.runs.config import CHECKPOINT, CONFIG
from nash_ismcts_spiel.runs.metrics import read_metrics

ROOT = Path(__file__).parents[1]
TIMEOUT = 60.0
DARK_HEX = "dark_hex(board_size=2,gameversion=adh)"
DARK_HEX_3X2 = "dark_hex(num_rows=3,num_cols=2,gameversion=adh)"
MERGED = TrainingConfig(graph="merged")


class HistorySweeps:
    """The same as native/exact/merged_sweeps.h, over every history instead of merged nodes."""

    def __init__(self, merged: MergedGame) -> None:
        self.merged = merged
        size = merged.native.num_actions
        self.logits, self.values, self.sums = np.zeros(size), np.zeros(size), np.zeros(size)

    def rows(self, view: int) -> slice:
        return self.merged.actions_of(view)

    def policy(self) -> Any:
        found = np.exp(self.logits)
        for view in range(len(self.merged.views)):
            found[self.rows(view)] /= found[self.rows(view)].sum()
        return found

    def sweep(self, step: float, temperature: float, weight: float) -> None:
        policy = self.policy()
        self.sums += weight * policy
        belief, total = np.zeros(len(self.merged.views)), np.zeros(len(policy))
        self._walk(self.merged.game.initial_state(), 1.0, policy, belief, total)
        for view in range(len(belief)):
            here = self.rows(view)
            value = total[here] / belief[view]
            ahead = self.logits[here] + step * (2.0 * value - self.values[here])
            ahead /= 1.0 + step * temperature
            self.logits[here] = ahead - ahead.max()
            self.values[here] = value

    def _walk(self, state: Any, reach: float, policy: Any, belief: Any, total: Any) -> Any:
        if state.is_terminal():
            return np.array(state.returns())
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            return sum(
                p * self._walk(state.child(a), p * reach, policy, belief, total)
                for a, p in outcomes
            )
        view = self.merged.view_at(state)
        row = policy[self.rows(view)]
        after = [
            self._walk(state.child(a), p * reach, policy, belief, total)
            for a, p in zip(state.legal_actions(), row, strict=True)
        ]
        belief[view] += reach
        total[self.rows(view)] += reach * np.array(after)[:, state.current_player()]
        return row @ np.array(after)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("dark_hex(board_size=2)", "observation"),
        (DARK_HEX, "observation"),
        (helpers.KUHN_3, "information_state"),
        (helpers.GOOFSPIEL_3, "observation"),
    ],
)
def test_sweeps_are_those_over_all_histories(name: str, key: Any) -> None:
    merged = MergedGame(name, key)
    compiled, reference = _core.MergedSweeps(merged.native), HistorySweeps(merged)
    for t in range(1, 6):
        schedule = (2.0 / t**0.5, 0.3 / t, float(t))
        compiled.sweep(*schedule)
        reference.sweep(*schedule)
    logits, values, sums = compiled.state()
    assert logits == pytest.approx(reference.logits, abs=1e-9)
    assert values == pytest.approx(reference.values, abs=1e-9)
    assert sums == pytest.approx(reference.sums, abs=1e-9)
    assert np.ptp(logits) > 0.5
    assert compiled.average_policy() == pytest.approx(reference.sums / 15.0, abs=1e-9)
    policy = reference.policy()
    reference.sweep(1.0, 0.1, 1.0)
    of_policy = _core.MergedSweeps(merged.native).action_values(policy)
    assert of_policy == pytest.approx(reference.values, abs=1e-9)


def test_views_that_forget_nothing_find_the_equilibrium() -> None:
    merged = MergedGame(helpers.KUHN, "information_state")
    loop = ViewLoop(merged, TrainingConfig())
    found = []
    for generation in range(1, 1001):
        loop.step()
        if generation in (10, 100, 1000):
            found.append(exact.merged_nash_conv(merged, loop.models.policy())[0])
    falling = [each.exploitability for each in found]
    assert falling == sorted(falling, reverse=True)
    assert falling[-1] < 5e-3
    assert found[-1].on_policy_values[0] == pytest.approx(-1 / 18, abs=2e-3)


def new_run(directory: Path, generations: int, game: str = DARK_HEX_3X2) -> Run:
    run = Run.create(directory, game, 0, MERGED)
    return train(run, generations)


def train(run: Run, generations: int) -> Run:
    for _ in run.train(Budget(generations=generations)):
        pass
    return run


def assert_same(one: Path, other: Path) -> None:
    first, second = Run.resume(one), Run.resume(other)
    for name, array in first.loop.models.arrays().items():
        assert np.array_equal(array, second.loop.models.arrays()[name]), name
    pairs = zip(read_metrics(one), read_metrics(other), strict=True)
    for ours, theirs in pairs:
        assert ours.generation == theirs.generation
        assert ours.simulations == theirs.simulations
        assert ours.exploitability_average == theirs.exploitability_average


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("views") / "run"
    new_run(directory, 1000)
    return directory


def test_exploitability_falls(trained: Path) -> None:
    found = {m.generation: m.exploitability_average for m in read_metrics(trained)}
    assert sorted(found) == [1, 4, 16, 64, 256, 1000]
    assert list(found.values()) == sorted(found.values(), reverse=True)  # type: ignore[type-var]
    assert found[1000] < 0.02 < 0.6 < found[1]  # type: ignore[operator]


def test_resumed_as_if_unbroken(tmp_path: Path) -> None:
    new_run(tmp_path / "unbroken", 70)
    new_run(tmp_path / "broken", 23)
    train(Run.resume(tmp_path / "broken"), 70)
    measured = read_metrics(tmp_path / "broken")
    assert [m.generation for m in measured] == [1, 4, 16, 23, 64, 70]
    unbroken = [m for m in measured if m.generation != 23]
    assert [m.exploitability_average for m in unbroken] == [
        m.exploitability_average for m in read_metrics(tmp_path / "unbroken")
    ]
    first, second = (Run.resume(tmp_path / name) for name in ("unbroken", "broken"))
    for name, array in first.loop.models.arrays().items():
        assert np.array_equal(array, second.loop.models.arrays()[name]), name


def test_killed_it_goes_on_as_if_unbroken(tmp_path: Path) -> None:
    flags = ["--generations", "3000", "--checkpoint-seconds", "0", "--out", str(tmp_path / "run")]
    begin = ["--game", DARK_HEX_3X2, "--set", 'graph="merged"']
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "nash_ismcts_spiel.cli", "train"]
    process = subprocess.Popen(
        [*command, *begin, *flags],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + TIMEOUT
        while _saved(tmp_path / "run") < 100:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.002)
    finally:
        process.kill()
    assert process.wait(TIMEOUT) == -signal.SIGKILL
    assert 100 <= _saved(tmp_path / "run") < 3000
    assert cli.main(["train", "--resume", *flags]) == 0
    new_run(tmp_path / "unbroken", 3000)
    assert_same(tmp_path / "unbroken", tmp_path / "run")


def _saved(directory: Path) -> int:
    if not (directory / CONFIG).exists():
        return -1
    return int(files.load(directory / CHECKPOINT).numbers["generation"])


def test_what_is_measured_is_what_plays(trained: Path) -> None:
    """Games are played, and every answer is the row that was measured; views tell all of it."""
    run, policy = Run.resume(trained), load_policy(trained)
    merged, table = merged_game(DARK_HEX_3X2), run.policy()
    rng, seen = np.random.default_rng(1), set[int]()
    bots = [PolicyBot(policy, player, seed=3) for player in (0, 1)]
    for _ in range(40):
        state = merged.game.initial_state()
        while not state.is_terminal():
            told, action = bots[state.current_player()].step_with_policy(state)
            view = merged.view_at(state)
            assert [p for _, p in told] == table[merged.actions_of(view)].tolist()
            seen.add(view)
            state.apply_action(action if rng.random() < 0.5 else rng.choice(state.legal_actions()))
    assert len(seen) > 50
    last = read_metrics(trained)[-1].exploitability_average
    assert measure(DARK_HEX_3X2, policy, engine="merged").exploitability == pytest.approx(last)
    assert measure(DARK_HEX_3X2, policy, engine="native").exploitability == pytest.approx(last)


def test_hidden_moves_and_their_order_change_nothing(trained: Path) -> None:
    policy, evaluator = load_policy(trained), load_evaluator(trained)
    assert isinstance(evaluator, ViewEvaluator)
    merged = merged_game(DARK_HEX_3X2)
    several = [view for view in merged.views if view.other_history != view.history]
    assert len(several) > 100
    for view in several:
        states = [merged.state_after(history) for history in (view.history, view.other_history)]
        first, second = (policy.action_probabilities(state) for state in states)
        assert first == second
        graph = GameGraph(merged.game)
        sets = [graph.observe(state, view.player) for state in states]
        rows = evaluator.information_set_rows(graph, sets)
        assert rows[0] == rows[1]
        assert rows[0].policy == list(first.values())


def test_models_of_a_run_are_its_exact_values(trained: Path) -> None:
    evaluator = load_evaluator(trained, support(DARK_HEX_3X2).name)
    assert isinstance(evaluator, ViewEvaluator)
    graph = GameGraph(DARK_HEX_3X2)
    (row,) = evaluator.information_set_rows(
        graph, [graph.observe(graph.game.initial_state(), player=0)]
    )
    expected = evaluator.merged.native.expected_utilities(evaluator.policy)
    assert row.value == pytest.approx(expected[0], abs=1e-12)
    assert row.value == pytest.approx(float(np.dot(row.policy, row.child_values)))
    state = graph.game.initial_state()
    bot = make_bot("nash_ismcts", DARK_HEX_3X2, 0, checkpoint=trained, visits=20)
    assert sum(p for _, p in bot.get_policy(state)) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="has models of dark_hex"):
        make_bot("nash_ismcts", DARK_HEX, 0, checkpoint=trained)


def test_commands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run = ["--out", str(tmp_path / "run")]
    game = ["--game", DARK_HEX, "--set", 'graph="merged"', "--generations", "20"]
    assert cli.main(["train", *game, *run]) == 0
    told = capsys.readouterr()
    assert "exact models of 54 views" in told.err
    assert "after 20 generations" in told.out
    assert (tmp_path / "run" / "curve.png").exists()
    last = read_metrics(tmp_path / "run")[-1].exploitability_average
    assert last is not None
    measuring = ["exploitability", "--run", str(tmp_path / "run")]
    assert cli.main([*measuring, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["exploitability"] == pytest.approx(last)
    assert cli.main([*measuring, "--engine", "merged"]) == 0
    assert f"{last:.6f}"[:6] in capsys.readouterr().out
    players = f"run:{tmp_path / 'run'},uniform"
    assert cli.main(["match", "--game", DARK_HEX, "--players", players, "--hands", "5"]) == 0
    file = tmp_path / "policy.json"
    assert cli.main(["export", "--run", str(tmp_path / "run"), "--out", str(file)]) == 0
    assert "54 views written" in capsys.readouterr().out
    table = {
        (int(player), key): {int(action): p for action, p in row.items()}
        for player, rows in json.loads(file.read_text()).items()
        for key, row in rows.items()
    }
    assert measure(DARK_HEX, table, engine="merged").exploitability == pytest.approx(last)


def test_what_cannot_be_had_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="for exact models, not for learned ones"):
        Run.create(tmp_path, DARK_HEX, 0, MERGED, models="learned")
    with pytest.raises(ValueError, match="no observation strings"):
        Run.create(tmp_path, "liars_dice(numdice=1,dice_sides=4)", 0, MERGED)
    with pytest.raises(ValueError, match="too many to enumerate; nor can views be had: two hist"):
        Run.create(tmp_path, "phantom_go(board_size=2)", 0, TrainingConfig())
    with pytest.raises(ValueError, match="too many to enumerate; nor can views be had: so many"):
        Run.create(tmp_path, "battleship", 0, TrainingConfig())
    assert not (tmp_path / CONFIG).exists()
    run = new_run(tmp_path / "run", 2, DARK_HEX)
    with pytest.raises(ValueError, match="too large to be enumerated"):
        _ = run.graph
    policy = ViewTablePolicy(merged_game(DARK_HEX), run.policy())
    with pytest.raises(ValueError, match="player 0 is to move, not player 1"):
        policy.action_probabilities(support(DARK_HEX).initial_state(), 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda arrays: arrays["logits"].__setitem__(3, np.nan), "logits must be finite"),
        (lambda arrays: arrays["policy_sums"].__setitem__(3, -1.0), "sums must not be negative"),
        (lambda arrays: arrays.update(values=np.zeros(3)), "arrays of another game"),
        (lambda arrays: arrays.pop("values"), "values"),
    ],
)
def test_a_damaged_checkpoint_is_refused_by_name(tmp_path: Path, change: Any, message: str) -> None:
    new_run(tmp_path, 2, DARK_HEX)
    numbers, arrays = files.load(tmp_path / CHECKPOINT)
    change(arrays)
    files.save(tmp_path / CHECKPOINT, files.Checkpoint(numbers, arrays))
    with pytest.raises(files.CheckpointError, match=f"checkpoint.safetensors is not .*{message}"):
        Run.resume(tmp_path)
