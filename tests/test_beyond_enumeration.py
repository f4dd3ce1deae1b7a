"""The benchmark of searching bots beyond enumeration, in a game that is small."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import beyond_enumeration, view_policies
from nash_ismcts_spiel.games.board_symmetries import standard_views
from nash_ismcts_spiel.games.merged import merged_game
from nash_ismcts_spiel.native.exact import merged_ismcts

SMALL = "dark_hex(board_size=2)"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(beyond_enumeration, "GAMES", {"small": SMALL})
    monkeypatch.setattr(beyond_enumeration, "RESULTS", tmp_path / "points")
    monkeypatch.setattr(beyond_enumeration, "PAGE", tmp_path / "page.md")
    return tmp_path


def run(folder: Path, *options: str) -> dict[str, Any]:
    beyond_enumeration.main(["--games", "small", *options])
    return {
        path.stem: json.loads(path.read_text()) for path in sorted((folder / "points").iterdir())
    }


def test_a_mixture_is_measured_beside_its_seeds(folder: Path) -> None:
    options = ("--agents", "untrained,mo_ismcts", "--visits", "8", "--seeds", "0,1")
    found = run(folder, *options, "--mixture")
    assert len(found) == 6
    for agent in ("untrained", "mo_ismcts"):
        single = [found[f"small-{agent}-8-{seed}"]["exploitability"] for seed in (0, 1)]
        mixture = found[f"small-{agent}-8-mix"]
        assert mixture["seed"] == [0, 1]
        assert mixture["exploitability"] not in single
        shown = f"{np.mean(single):.4f} [{min(single):.4f}, {max(single):.4f}]"
        page = (folder / "page.md").read_text()
        assert f"{shown}; {mixture['exploitability']:.4f} (" in page
    merged = merged_game(SMALL)
    policies = [merged_ismcts(merged, 8, beyond_enumeration.EXPLORATION, s) for s in (0, 1)]
    expected = view_policies.exploitability_of(merged, np.mean(policies, axis=0))
    assert mixture["exploitability"] == pytest.approx(expected, abs=1e-12)
    assert run(folder, *options) == found  # what is stored is not made again


def test_single_points_are_those_of_a_mixture(folder: Path) -> None:
    options = ("--agents", "untrained", "--visits", "5", "--seeds", "3")
    alone = run(folder, *options)["small-untrained-5-3"]
    together = run(folder, *options, "--mixture", "--again")["small-untrained-5-3"]
    assert alone["exploitability"] == pytest.approx(together["exploitability"], abs=1e-12)


def test_all_that_is_stored_is_made_again(folder: Path) -> None:
    first = run(folder, "--agents", "mo_ismcts", "--visits", "5", "--seeds", "0,1", "--mixture")
    run(folder, "--agents", "uniform", "--visits", "1")
    for path in (folder / "points").iterdir():
        row = json.loads(path.read_text())
        path.write_text(json.dumps({**row, "exploitability": 7.0}))
    again = run(folder, "--stored")
    assert len(again) == 4
    for name, row in first.items():
        assert again[name]["exploitability"] == row["exploitability"]
    assert again["small-uniform-0-0"]["exploitability"] < 1.0


def test_policies_of_standard_views_are_spread_over_their_images() -> None:
    merged = merged_game(SMALL)
    rng = np.random.default_rng(0)
    made = [rng.dirichlet(np.ones(len(view.legal_actions))) for view in merged.views]
    found = view_policies.turned(merged, dict(enumerate(made)))
    for view, standard, policy in zip(merged.views, standard_views(merged), found, strict=True):
        there = merged.views[standard.view].legal_actions
        expected = dict(zip(there, made[standard.view], strict=True))
        assert [
            expected[standard.cells[action]] for action in view.legal_actions
        ] == policy.tolist()
