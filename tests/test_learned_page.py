"""The page of learning with networks: what is stored is what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import learned_page, learning_factors


def test_factors_are_learned_once_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = ["--games", "kuhn_poker", "--factors", "all", "few_games", "--seeds", "0", "1"]
    flags += ["--seconds", "0.1", "--out", str(tmp_path)]
    learning_factors.main(flags)
    shown = capsys.readouterr().out
    runs = json.loads((tmp_path / "kuhn_poker.json").read_text())
    assert list(runs) == ["all 0", "few_games 0", "all 1", "few_games 1"]
    record = runs["few_games 0"]
    assert record["changes"]["learner"]["policy_games"] == 1_500
    assert f"{record['exploitability']:.4f}" in shown
    monkeypatch.setattr(learning_factors, "learn", None)  # nothing is learned again
    learning_factors.main(flags)
    assert capsys.readouterr().out == shown


def test_every_factor_is_a_setting_of_training() -> None:
    for factor in learning_factors.FACTORS.values():
        settings: dict[str, Any] = {"graph": "grown", **factor.changes}
        learning_factors.TrainingConfig.preset(**settings)


def test_ratios_are_to_what_nothing_changed_gives(tmp_path: Path) -> None:
    figures = {"all": [0.1, 0.2, 0.3], "few_games": [0.4, 0.5, 0.6]}
    runs = {
        f"{factor} {seed}": {"game": "kuhn_poker", "factor": factor, "exploitability": figure}
        for factor, found in figures.items()
        for seed, figure in enumerate(found)
    }
    (tmp_path / "kuhn_poker.json").write_text(json.dumps(runs))
    text = learning_factors.factors_section(tmp_path)
    assert "| nothing changed | **0.2000**, 0.1000 to 0.3000 |" in text
    assert "**0.5000** (2.50), 0.4000 to 0.6000" in text


def test_matches_and_losses_of_large_games_are_told(tmp_path: Path) -> None:
    metrics = [
        {
            "wall_seconds": 10.0 * count,
            "cpu_seconds": 9.0 * count,
            "generation": count,
            "games": 100 * count,
            "searches": 10 * count,
            **{f"new_loss_{name}": 4.0 / count for name in learned_page.LOSSES},
        }
        for count in range(1, 5)
    ]
    pairing = {
        "players": ["ours", "uniform"],
        "games": 1000,
        "difference": 0.5,
        "half_width": 0.1,
        "seconds_per_move": 0.05,
    }
    stored = {
        "seed": 0,
        "games": {
            "dark_hex(board_size=5)": {
                "command": "python -m benchmarks.large_games",
                "metrics": metrics,
                "pairings": [pairing],
            }
        },
    }
    text = learned_page.large_section(stored, tmp_path)
    assert "Made by `python -m benchmarks.large_games`, seed 0." in text
    assert "| dark_hex(board_size=5) | 40 (36) | 4 | 400 | 40 | 4.00 → 1.00 |" in text
    assert "| ours | uniform | 0.05 | 1000 | +0.500 ± 0.100 |" in text
    assert len(list(tmp_path.glob("losses_*.png"))) == 1
