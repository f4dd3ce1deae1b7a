"""More than two players, and sums that are not constant: which figures a run shows, and that they
are OpenSpiel's.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import helpers
import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import expected_game_score, exploitability

from benchmarks import many_players
from exploitability import kuhn_equilibrium
from nash_ismcts_spiel import cli
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.policies import policy_table, uniform_table
from nash_ismcts_spiel.native import exact
from nash_ismcts_spiel.runs import load_policy
from nash_ismcts_spiel.runs.metrics import read_metrics

SHERIFF = "sheriff(num_rounds=1)"
CHICKEN = "turn_based_simultaneous_game(game=matrix_cd())"


@pytest.fixture(scope="module")
def kuhn_3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of Kuhn poker for three; not to be changed."""
    return train(tmp_path_factory.mktemp("runs") / "kuhn", helpers.KUHN_3, 300)


def train(directory: Path, game: str, generations: int) -> Path:
    """The directory of a new run."""
    arguments = ["--game", game, "--generations", str(generations), "--out", str(directory)]
    assert cli.main(["train", *arguments]) == 0
    return directory


def exported(directory: Path, to: Path) -> dict[str, list[tuple[int, float]]]:
    """The exported policy of a run, as pyspiel reads tables."""
    assert cli.main(["export", "--run", str(directory), "--out", str(to)]) == 0
    rows = json.loads(to.read_text())
    return {state: [(int(a), p) for a, p in row.items()] for state, row in rows.items()}


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (helpers.KUHN, True),
        (helpers.GOOFSPIEL_4, True),
        (helpers.KUHN_3, False),
        (SHERIFF, False),
    ],
)
def test_what_exploitability_is_about(game: str, expected: bool) -> None:
    assert support(game).two_player_constant_sum is expected


def test_three_players_come_close_to_an_equilibrium(kuhn_3: Path, tmp_path: Path) -> None:
    """300 generations are less than a CPU second; the uniform policy has 2.0625."""
    last = read_metrics(kuhn_3)[-1]
    figures = last.figures
    measured = pyspiel.nash_conv(
        helpers.load(helpers.KUHN_3), exported(kuhn_3, tmp_path / "policy.json")
    )
    assert 0.0 < measured < 0.01
    assert last.exploitability_average is not None
    assert 3 * last.exploitability_average == pytest.approx(measured, abs=1e-9)
    assert figures["nash_conv_average"] == pytest.approx(measured, abs=1e-9)
    assert sum(figures[f"gain_{p}"] for p in range(3)) == pytest.approx(measured, abs=1e-9)
    # The second player gets -1/48 in the equilibria that CFR and CFR+ find here.
    assert figures["value_1"] == pytest.approx(-1 / 48, abs=0.005)


@pytest.mark.parametrize("game", [helpers.KUHN_3, SHERIFF])
def test_gains_and_values_are_those_of_openspiel(game: str, tmp_path: Path) -> None:
    directory = train(tmp_path / "run", game, 5)
    figures = read_metrics(directory)[-1].figures
    policy: Any = load_policy(directory)
    found = exploitability.nash_conv(helpers.load(game), policy, return_only_nash_conv=False)
    players = range(len(found.player_improvements))
    gains = [figures[f"gain_{player}"] for player in players]
    assert gains == pytest.approx(list(found.player_improvements), abs=1e-9)
    assert min(gains) >= 0.0 and figures["nash_conv_average"] == pytest.approx(found.nash_conv)
    root = helpers.load(game).new_initial_state()
    values = expected_game_score.policy_value(root, [policy for _ in players])
    assert [figures[f"value_{player}"] for player in players] == pytest.approx(list(values))
    assert not any(f"{name}_{len(players)}" in figures for name in ("gain", "value"))


def test_two_players_with_a_constant_sum_have_no_further_figures(tmp_path: Path) -> None:
    assert read_metrics(train(tmp_path / "run", helpers.KUHN, 2))[-1].figures == {}


@pytest.mark.parametrize(
    ("game", "name", "scale"),
    [
        (helpers.KUHN, "exploitability", 1),
        (helpers.KUHN_3, "NashConv", 3),
        (SHERIFF, "NashConv", 2),
    ],
)
def test_train_names_what_it_shows(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    game: str,
    name: str,
    scale: int,
) -> None:
    drawn: dict[str, Any] = {}
    monkeypatch.setattr(
        "exploitability.curve.draw_curves",
        lambda path, curves, **options: drawn.update(curves=curves, **options),
    )
    directory = train(tmp_path / "run", game, 4)
    printed = capsys.readouterr()
    lines = read_metrics(directory)
    average = [scale * (line.exploitability_average or 0.0) for line in lines]
    search = [scale * (line.exploitability_search or 0.0) for line in lines]
    assert f"seed 0: {name} of the average policy {average[-1]:.5f} " in printed.out
    gains = [lines[-1].figures[f"gain_{p}"] for p in range(scale)] if name == "NashConv" else []
    said = "by a best response players gain " + ", ".join(f"{gain:.5f}" for gain in gains)
    assert (said in printed.out) is bool(gains)
    assert drawn["y_label"] == name
    assert [list(curve.y) for curve in drawn["curves"]] == [average, search]


# The study.


def test_parts_of_equilibria() -> None:
    """Those of a two-player zero-sum game fit together, those of chicken do not: if both dare, they
    get 0 and each gains 1 by giving way; if neither does, they get 3 and each gains 1 by daring.
    """
    graph = GameGraph.enumerate(helpers.KUHN)
    family = [policy_table(graph, kuhn_equilibrium(alpha)) for alpha in (0.0, 1 / 3)]
    assert many_players.interchanged(graph, family) == pytest.approx([0.0, 0.0], abs=1e-9)
    chicken = GameGraph.enumerate(CHICKEN)
    one, other = np.array([1.0, 0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0, 0.0])
    assert exact.nash_conv(chicken, one).nash_conv == exact.nash_conv(chicken, other).nash_conv == 0
    assert many_players.interchanged(chicken, [one, other]) == pytest.approx([2.0, 2.0])
    three = GameGraph.enumerate(helpers.KUHN_3)
    assert len(many_players.interchanged(three, [uniform_table(three)] * 3)) == 3**3 - 3


def test_suits_do_not_matter_in_leduc() -> None:
    plain, merged = (
        exact.nash_conv(graph, uniform_table(graph))
        for graph in map(GameGraph.enumerate, ("leduc_poker", "leduc_poker(suit_isomorphism=True)"))
    )
    assert plain.per_player_gain == pytest.approx(merged.per_player_gain)
    assert plain.on_policy_values == pytest.approx(merged.on_policy_values)


def test_the_study_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From runs to the page, on the smallest of games; a second call runs nothing."""
    monkeypatch.setattr(many_players, "TARGETS", {SHERIFF: many_players.Target("Sheriff", 0.5)})
    monkeypatch.setattr(many_players, "PEER_SECONDS", 0.5)
    monkeypatch.setattr(
        many_players, "run_all", lambda tasks, jobs, title: [f(**kwargs) for f, kwargs in tasks]
    )
    many_players.main(["--quick", "--out", str(tmp_path)])
    page = (tmp_path / "many_players.md").read_text()
    stored = json.loads((tmp_path / "many_players" / "sheriff-num_rounds-1.json").read_text())
    assert [record["method"] for record in stored["records"]] == ["nash_ismcts"] * 3 + [
        "cfr",
        "cfr_plus",
    ]
    for record in stored["records"]:
        assert record["points"][-1][2] == pytest.approx(record["openspiel"], abs=1e-9)
        assert sum(record["points"][-1][3:]) == pytest.approx(record["points"][-1][2])
    assert stored["uniform"] == pytest.approx(3.1875)  # pyspiel.nash_conv
    assert (tmp_path / "many_players" / "sheriff-num_rounds-1.png").exists()
    assert "| Sheriff | 53 | 9 | 3.188 | " in page
    monkeypatch.setattr(many_players, "run_all", None)
    many_players.main(["--out", str(tmp_path)])
    assert (tmp_path / "many_players.md").read_text() == page
