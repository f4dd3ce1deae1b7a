"""Each example at its smallest setting, with a known number in what it prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIMIT_IN_LINES = 120
LIMITS = {"minimal_nash_ismcts.py": 200}  # a whole search in one file


def run(script, *flags):
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / script, *flags],
        env={**os.environ, "PYTHONPATH": path, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def figures(out, label):
    """The numbers in the first line that begins with `label`."""
    line = next(line for line in out.splitlines() if line.strip().startswith(label))
    return [float(figure) for figure in re.findall(r"-?\d+\.\d+", line.split(label, 1)[1])]


def test_policy_collapse_shows_the_collapse_in_kuhn_poker(tmp_path):
    plot = tmp_path / "new" / "collapse.png"
    out = run(
        "policy_collapse.py", "--games=kuhn_poker", "--visits=30,1000", "--radii=0,0.2",
        "--seeds=1", f"--plot={plot}",
    )  # fmt: skip
    assert figures(out, "kuhn_poker():") == [0.0082]
    collapsed, kept = figures(out, "radius 0 ")[1], figures(out, "radius 0.2")[1]
    assert collapsed == pytest.approx(5 / 12, abs=0.01)
    assert kept < 0.03
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_policy_collapse_by_seat_in_rock_paper_scissors():
    out = run(
        "policy_collapse.py", "--games=rock_paper_scissors", "--visits=300", "--radii=0,0.2",
        "--seeds=1", "--by_seat",
    )  # fmt: skip
    assert figures(out, "turn_based_simultaneous_game(game=matrix_rps()):") == [0.04]
    assert figures(out, "radius 0 ") == [1.0]
    second_mover = out.split("in seat 1")[1]
    assert figures(second_mover, "radius 0 ") == [1.0]
    assert figures(second_mover, "radius 0.2")[0] < 0.15


def test_bot_in_openspiel_harness_measures_and_plays():
    out = run("bot_in_openspiel_harness.py", "--num_games=20", "--visits=50", "--seed=1")
    assert (
        figures(out, "mean return in seat 0 against itself:")[0]
        == -(figures(out, "mean return in seat 1 against itself:")[0])
    )
    exploitability, nash_conv = figures(out, "kuhn_poker(), policy of one search:")
    assert exploitability == pytest.approx(nash_conv / 2, abs=1e-6)
    assert 0.0 < exploitability < 11 / 24  # that of the uniform policy


def test_bot_in_openspiel_harness_plays_what_it_cannot_measure():
    out = run("bot_in_openspiel_harness.py", "--game=tic_tac_toe", "--num_games=2", "--visits=2")
    assert "exploitability not measured: tic_tac_toe()" in out


def test_custom_game_is_solved_and_played():
    out = run("custom_game.py", "--visits=300", "--num_games=2", "--iterations=1000")
    bluff_by_cfr, bluff_by_search = figures(out, "player 0, card low, moves []:")
    assert bluff_by_cfr == pytest.approx(1 / 3, abs=0.02)
    assert bluff_by_search == pytest.approx(1 / 3, abs=0.08)
    assert figures(out, "exploitability of CFR's policy:")[0] < 0.002
    assert figures(out, "exploitability of the search policy:")[0] < 0.03
    assert out.count("mean return in seat") == 2


def test_train_kuhn_comes_near_an_equilibrium():
    out = run("train_kuhn.py", "--seconds=0.5", "--seed=1")
    assert figures(out, "exploitability of P:")[0] < 0.02
    assert "(uniform policy: 0.45833)" in out
    rows = [line for line in out.splitlines() if re.match(r" +[01]  (Jack|Queen|King) ", line)]
    assert len(rows) == 12
    learned, equilibrium = zip(*(map(float, row.split()[-2:]) for row in rows), strict=True)
    assert learned == pytest.approx(equilibrium, abs=0.1)
    # Player 1's part is the same in all equilibria: Kuhn 1950.
    assert equilibrium[6:] == (0.333, 0.0, 1.0, 0.0, 0.333, 1.0)
    assert figures(out, "0  Jack   first move") == [learned[0], equilibrium[0]]


def test_train_leduc_learns_and_draws(tmp_path):
    plot = tmp_path / "new" / "leduc.png"
    out = run("train_leduc.py", "--generations=20", "--visits=20", f"--plot={plot}")
    assert figures(out, "exploitability of the uniform policy:") == [2.3736]
    rows = re.findall(r"^ +(\d+) +[\d.]+ +[\d,]+ +([\d.]+) +([\d.]+)$", out, re.M)
    assert [int(generation) for generation, _, _ in rows] == [1, 2, 4, 8, 16, 20]
    average, search = float(rows[-1][1]), float(rows[-1][2])
    assert average < min(0.8, search)
    assert figures(out, "exploitability of P by OpenSpiel:") == [average]
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_exploitability_curve_runs_all_methods(tmp_path):
    plot = tmp_path / "new" / "curve.png"
    out = run("exploitability_curve.py", "--seconds=0.05", "--seeds=2", f"--plot={plot}")
    for label in (
        "Nash-ISMCTS, exact models", "CFR ", "CFR+", "external-sampling MCCFR",
        "outcome-sampling MCCFR",
    ):  # fmt: skip
        median, lowest, highest = figures(out, label)[-3:]
        assert 0.0 <= lowest <= median <= highest < 11 / 24  # that of the uniform policy
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_examples_stay_short():
    for script in (ROOT / "examples").glob("*.py"):
        limit = LIMITS.get(script.name, LIMIT_IN_LINES)
        assert len(script.read_text().splitlines()) <= limit, script


def test_leaking_resamplers_shows_what_openspiel_gives_away():
    out = run("leaking_resamplers.py", "--games=4")
    counts = [tuple(map(int, found)) for found in re.findall(r"(\d+) of (\d+)", out)]
    euchre, ours, oh_hell, ours_again, *others, hearts, directions = counts
    assert {euchre, oh_hell, *others} == {(4, 4)} and len(others) == 3
    assert ours[0] < 4 and ours_again[0] < 4
    assert hearts[0] > 0 and directions == (3, 4)
