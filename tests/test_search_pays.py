"""The figure of exploitability against visits: what is measured is what a bot plays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import peers, search_pays, search_pays_page, trained_models
from exploitability import measure
from nash_ismcts_spiel import make_bot
from nash_ismcts_spiel.learning import Schedule, TrainingConfig
from nash_ismcts_spiel.models.networks import saved
from nash_ismcts_spiel.runs import Run


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    results = tmp_path / "results"
    for module, names in {
        search_pays: {"RESULTS": results, "RECORDS": results / "records.jsonl"},
        peers: {"RESULTS": results, "RECORDS": results / "peers.jsonl"},
    }.items():
        for name, value in names.items():
            monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(search_pays, "FOLDER", results)
    return results


def rows(stored: Path, **key: Any) -> list[dict[str, Any]]:
    found = map(json.loads, (stored / "records.jsonl").read_text().splitlines())
    return [row for row in found if key.items() <= row.items()]


def test_our_search_is_measured_as_the_bot_plays_it(stored: Path) -> None:
    few = ["--games", "kuhn", "--visits", "20", "200", "--seeds", "201"]
    search_pays.main(["--panels", "exact", "untrained", *few])
    for visits in (20, 200):
        (row,) = rows(stored, panel="untrained", agent="nash_ismcts", visits=visits)
        bot = make_bot("nash_ismcts", "kuhn_poker", visits=visits, seed=201)
        assert row["exploitability"] == pytest.approx(measure("kuhn_poker", bot).exploitability)
        # The decision points of a log: 1, 2 and 3 for 3, 6 and 3 of the information sets.
        assert row["simulations"] == 2 * visits
        assert row["cpu_seconds"] > 0.0
    (uniform,) = rows(stored, panel="untrained", agent="P")
    assert uniform["exploitability"] == pytest.approx(11 / 24)
    for iterations, bound in ((10, 0.0688), (100, 0.0083)):
        (of_p,) = rows(stored, source=f"CFR {iterations}", agent="P")
        (of_search,) = rows(stored, source=f"CFR {iterations}", agent="nash_ismcts", visits=200)
        assert of_search["exploitability"] < of_p["exploitability"] < bound
    before = (stored / "records.jsonl").read_text()
    search_pays.main(["--panels", "exact", "untrained", *few])
    assert (stored / "records.jsonl").read_text() == before


def test_peers_are_at_their_best_and_the_page_says_how(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = ["nash_ismcts", "ismcts", "mo_ismcts", "oos", "nash_ismcts_notes", "a_ismcts"]
    few = ["--games", "kuhn", "--visits", "20", "--seeds", "201", "202"]
    search_pays.main(["--panels", "untrained", *few, "--agents", *agents])
    chosen = [json.loads(line) for line in (stored / "peers.jsonl").read_text().splitlines()]
    assert [row.get("peer", "ismcts") for row in chosen] == ["ismcts", "mo_ismcts", "oos"]
    assert [len(row["scores"]) for row in chosen] == [12, 6, 3]
    assert all(201 not in row["seeds"] for row in chosen)
    page = (stored / "search_pays.md").read_text()
    for agent in agents:
        assert len(rows(stored, agent=agent)) == 2
        assert f"| kuhn_poker | {search_pays_page.WORDS[agent]}" in page
    for row, agent in zip(chosen, ("ismcts", "mo_ismcts", "oos"), strict=True):
        best = min(row["scores"], key=row["scores"].__getitem__)
        assert rows(stored, agent=agent)[0]["setting"] == best
        assert f"({best})" in page
    for name in ("search_pays.png", "search_pays_cpu.png"):
        assert (stored.parent / "images" / name).read_bytes().startswith(b"\x89PNG")


def test_runs_are_measured_by_their_place(stored: Path, tmp_path: Path) -> None:
    run = tmp_path / "kuhn-1"
    Run.create(run, "kuhn_poker", 0, TrainingConfig(visits=Schedule(start=10.0)))
    few = ["--games", "kuhn", "--visits", "30", "--seeds", "201"]
    search_pays.main(["--panels", "learned", "--pretrained", "--runs", str(run), *few])
    assert [row["source"] for row in rows(stored, agent="P")] == ["pretrained", "kuhn-1"]
    (good, untrained) = (row["exploitability"] for row in rows(stored, agent="nash_ismcts"))
    assert good < 0.01 < untrained


def test_a_curve_has_the_median_and_the_range_of_its_seeds() -> None:
    found = [
        {"visits": visits, "exploitability": value, "simulations": 2 * visits}
        for visits in (100, 10)
        for value in (0.3, 0.1, 0.2)
    ]
    points = search_pays_page.points_of(found, lambda record: record["simulations"])
    assert points.x == [20, 200]
    assert (points.low, points.median, points.high) == ([0.1] * 2, [0.2] * 2, [0.3] * 2)


def test_learned_parts_and_parts_of_the_log_stand_beside_the_default(stored: Path) -> None:
    parts, logs = ["learned H", "learned H, V, Vc"], ["last 2 points", "whole log"]
    few = ["--games", "kuhn", "--pretrained", "--visits", "30", "--seeds", "201"]
    search_pays.main(["--panels", "learned", *few, "--agents", "nash_ismcts", *parts, *logs])
    found = {row["agent"]: row["exploitability"] for row in rows(stored)}
    # No log of Kuhn poker has more than three decision points.
    assert found["whole log"] == found["nash_ismcts"] != found["last 2 points"]
    assert len({found[agent] for agent in ("nash_ismcts", *parts)}) == 3
    page = (stored / "search_pays.md").read_text()
    share = {agent: f"{value / found['P']:.2f}" for agent, value in found.items()}
    start = "| kuhn_poker | pretrained | 30 |"
    assert f"{start} {share['nash_ismcts']} | {share['learned H']} |" in page
    assert f"{start} {share['last 2 points']} |  | {share['whole log']} |" in page


def test_models_are_trained_for_cpu_seconds_once(tmp_path: Path) -> None:
    asked = ["--games", "kuhn", "--seeds", "3", "--seconds", "0.01", "--out", str(tmp_path)]
    trained_models.main(asked)
    path = trained_models.models_file(tmp_path, "kuhn", 0.01, 3)
    assert saved.load(path).made["seed"] == 3
    before = path.stat().st_mtime_ns
    trained_models.main(asked)
    assert path.stat().st_mtime_ns == before
