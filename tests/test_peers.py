"""The setting with which OpenSpiel's ISMCTSBot is compared is the best of twelve, and is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import head_to_head, peers
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import exact


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "peers.jsonl"
    monkeypatch.setattr(peers, "RECORDS", path)
    monkeypatch.setattr(peers, "RESULTS", tmp_path)
    return path


def test_the_least_exploitable_setting_is_chosen_once(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = GameGraph.enumerate("kuhn_poker")
    best = peers.least_exploitable(graph, 50, seeds=(5,))
    (record,) = map(json.loads, stored.read_text().splitlines())
    assert len(record["scores"]) == len(peers.SETTINGS) == 12
    assert record["scores"][best.words()] == min(record["scores"].values())
    assert record["seeds"] == [5]
    # At most 1 / 6: a pure policy's. OpenSpiel's bot has no two answers alike.
    found = peers.ismcts_everywhere(graph, best, 50, seed=6)
    assert exact.exploitability(graph, found.policy) < 0.4
    monkeypatch.setattr(peers, "SETTINGS", ())
    assert peers.least_exploitable(graph, 50) == best


def test_matches_choose_by_rounds_in_which_the_better_third_goes_on(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[float, int, int]] = []

    def score(game: str, setting: peers.Setting, spent: float, hands: int, seed: int) -> float:
        asked.append((setting.scales, hands, seed))
        return setting.scales + (setting.final_policy == "most_visits") / 4

    monkeypatch.setattr(peers, "_score", score)
    best = peers.tune_peer("kuhn_poker", 0.01, seeds=(7, 8), first_hands=10)
    assert (best.scales, best.final_policy) == (2, "most_visits")
    assert [hands for _, hands, _ in asked] == [10] * 12 + [30] * 4
    assert [seed for _, _, seed in asked] == [7] * 12 + [8] * 4
    assert peers.tune_peer("kuhn_poker", 0.01) == best and len(asked) == 16
    with pytest.raises(ValueError, match="unknown game|cannot load"):
        peers.tune_peer("no_game", 0.01)


def test_a_match_at_equal_cpu_time_tells_the_cpu_time_of_both(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(head_to_head, "RESULTS", stored.parent)
    monkeypatch.setattr(head_to_head, "FOLDER", stored.parent / "head_to_head")
    monkeypatch.setattr(peers, "_score", lambda game, setting, *_: setting.scales)
    head_to_head.main(["--games", "kuhn_poker", "--count", "40", "--milliseconds", "2"])
    (path,) = (stored.parent / "head_to_head").iterdir()
    record = json.loads(path.read_text())
    assert record["games"] == 40
    assert record["peer"].startswith("c 2, ")
    for who in ("ours", "peer"):
        assert 0.5 < record[f"cpu_ms_{who}"] < 8.0  # asked for 2
    assert "| kuhn_poker() | 40 | 0 | c 2" in capsys.readouterr().out
