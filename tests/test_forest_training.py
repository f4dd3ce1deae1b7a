"""The benchmark of training with the forest: its weights are those of games, its records whole."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import forest_training
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.native.exact import exact_rows


def test_pi_counts_as_often_as_search_games_come_by() -> None:
    space = forest_training.Space("leduc_poker")
    weights = np.random.default_rng(0).random(len(space.uniform))
    policy = weights / space.per_action(np.add.reduceat(weights, space.first))
    rows, games, explore = exact_rows(space.graph, policy), 100_000, 0.25
    met = np.zeros(len(space.sets))
    for player in range(2):
        explorer = _core.Games(player, explore, 1.0)
        explorer.start(games // 2)
        assert len(explorer.advance(space.graph, rows, rows, 7)) == 0
        met += explorer.visits(space.graph)
    expected = games * space.games(policy, explore)
    assert np.all(np.abs(met - expected) < 5.0 * np.sqrt(expected + 1.0))


@pytest.mark.parametrize("learner", ["networks", "table"])
def test_trainings_are_recorded_once(
    learner: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(forest_training.MARKS, "kuhn_poker", [0.05, 0.1])
    path = tmp_path / "records.jsonl"
    asked = ["--games", "kuhn_poker", "--learners", learner, "--seeds", "3", "--out", str(path)]
    forest_training.main(asked)
    text = path.read_text()
    records = [json.loads(line) for line in text.splitlines()]
    assert [record["source"] for record in records] == ["training"] * 2 + ["forest"] * 2
    assert [record["mark"] for record in records] == [0.05, 0.1] * 2
    uniform = 0.458  # exploitability of uniform play
    assert all(0.0 < record["exploitability"] < 2 * uniform for record in records)
    forest_training.main(asked)
    assert path.read_text() == text


def test_the_forest_teaches_a_table() -> None:
    space = forest_training.Space("kuhn_poker")
    about = {"game": "kuhn_poker", "learner": "table", "seed": 3}
    training = forest_training.ForestTraining(
        space, {**about, "visits": 300, "regret": 100.0, "form": "mean"}
    )
    before = space.exploitability(training.policy())
    for _ in range(30):
        training.step()
    assert space.exploitability(training.policy()) < 0.25 * before
