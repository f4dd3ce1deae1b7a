"""The comparison of searching agents: what is stored of a run, and the page that is made of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import as_they_play
from benchmarks.stored import write_record
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import exact

KUHN = "kuhn_poker"


def test_a_run_measures_what_plays_and_how_long_it_searches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(as_they_play, "TIMED_GAMES", 1)
    out = tmp_path / "play"
    options = ["--games", KUHN, "--seeds", "3", "--seconds", "0.1", "--out", str(out)]
    as_they_play.main(options)
    nash, rebel = (
        json.loads((out / name / "kuhn_poker-3.json").read_text())
        for name in (as_they_play.NASH, as_they_play.REBEL)
    )
    uniform = exact.exploitability(GameGraph.enumerate(KUHN), np.full(24, 0.5))
    for record in (nash, rebel):
        assert 0.1 <= record["training_seconds"] < 10.0
        assert 0.0 < record["exploitability"] <= 1.5 * uniform
        assert record["seconds_a_move"] > 0.0
    assert 0.0 < nash["without_search"] <= uniform
    before = (out / "rebel" / "kuhn_poker-3.json").read_text()
    as_they_play.main(options)  # what is stored is not made again
    assert (out / "rebel" / "kuhn_poker-3.json").read_text() == before


def test_the_page_marks_who_is_ahead_as_they_play(tmp_path: Path) -> None:
    out = tmp_path / "play"
    common = {"game": KUHN, "seconds": 40.0, "measured_seconds": 2.0}
    for seed, (ours, theirs) in enumerate([(0.3, 0.2), (0.1, 0.2), (0.15, 0.25)]):
        nash = {"exploitability": ours, "without_search": 0.5, "seconds_a_move": 0.004}
        rebel = {"exploitability": theirs, "seconds_a_move": 0.1}
        write_record(
            out / "n" / f"{seed}.json", {**common, "method": "nash_ismcts", "seed": seed} | nash
        )
        write_record(
            out / "r" / f"{seed}.json", {**common, "method": "rebel", "seed": seed} | rebel
        )
    as_they_play.main(["--page", "--out", str(out)])
    page = out.with_suffix(".md").read_text()
    row = (
        "| kuhn_poker | 0.50000 [0.50000, 0.50000] | **0.15000** [0.10000, 0.30000] | "
        "0.20000 [0.20000, 0.25000] | 4.0 | 100.0 | 2.0 | 2.0 |"
    )
    assert row in page
    assert "after 40 CPU seconds" in page


def test_no_page_is_made_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="has no runs"):
        as_they_play.main(["--page", "--out", str(tmp_path / "play")])
