"""The throughput of training: the clocks change nothing, and a record becomes a section."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks import throughput
from benchmarks.throughput_page import main as print_page
from benchmarks.throughput_page import throughput_section
from benchmarks.throughput_parts import TimedTraining
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.learned_loop import LearnedLoop
from nash_ismcts_spiel.learning.loops import make_loop
from nash_ismcts_spiel.models.networks.nets import weights_of

GAME = "dark_hex(board_size=2,num_cols=2,num_rows=2)"
SMALL = {
    "networks": {"width": 8, "depth": 1},
    "learner": {"search_games": 64, "policy_games": 64, "steps": 8, "buffer_megabytes": 0.02},
}
small = functools.partial(TrainingConfig.preset, "large", **SMALL)


def test_clocks_change_nothing() -> None:
    config = small(shards=2)
    timed = TimedTraining(GAME, config, 3, "processes", 1)
    found = [timed.generation() for _ in range(2)]
    loop = make_loop(support(GAME), "learned", config, 3)
    assert isinstance(loop, LearnedLoop)
    for _ in range(2):
        loop.step()
    ours, theirs = weights_of(timed.learner.networks), weights_of(loop.models.networks)
    assert ours.keys() == theirs.keys()
    assert all(np.array_equal(array, theirs[name]) for name, array in ours.items())
    assert loop.simulations == sum(generation["simulations"] for generation in found)
    for generation in found:
        assert generation["fit"] + generation["workers"] <= generation["wall"]
        assert generation["busiest"] <= generation["workers"]
        assert 0.0 < generation["idle"] < 1.0
        assert generation["sent"] == generation["returned"] == [0]  # all in this process


def test_a_measurement_becomes_a_section(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(throughput, "config_with", lambda shards: small(shards=shards))
    monkeypatch.setattr(throughput, "has_ray", lambda: False)
    monkeypatch.setattr(throughput, "COUNTS", (1,))
    out = tmp_path / "throughput.json"
    throughput.main(["--games", GAME, "--generations", "1", "--quick", "--out", str(out)])
    assert "Ray is not installed" in capsys.readouterr().err
    stored = json.loads(out.read_text())
    rates = throughput.rates_of(stored["games"][GAME])
    assert [cost.shards for cost in rates.costs] == [1, 10, 100, 1_000]
    assert rates.weight_bytes > 0.0 and rates.spread >= 0.0
    section = throughput_section(stored)
    assert "Ray was not installed" in section and "Ray actors |" not in section
    for lines in re.findall(r"(?:^\|.*\n)+", section, re.M):  # tables are whole
        assert len({line.count("|") for line in lines.splitlines()}) == 1
    print_page(["--stored", str(out)])
    assert capsys.readouterr().out == section + "\n"
