"""The study of games beyond enumeration: its figures are of the P and the bot that play."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import learned_views, view_policies
from exploitability import measure
from nash_ismcts_spiel import NashIsmctsBot, SearchConfig
from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.games.merged import merged_game
from nash_ismcts_spiel.harness import ViewBot
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.learner import Learner
from nash_ismcts_spiel.models.networks.evaluator import NetworkEvaluator
from nash_ismcts_spiel.models.networks.policy import NetworkPolicy
from nash_ismcts_spiel.runs import Run

DARK_HEX_2X2 = "dark_hex(board_size=2,num_cols=2,num_rows=2)"
NETWORKS = {"width": 8, "depth": 1, "inputs": "observation"}


@pytest.fixture(scope="module")
def evaluator() -> NetworkEvaluator:
    """Networks over observations that have learned nothing."""
    config = TrainingConfig.preset("large", networks=NETWORKS)
    return Learner(support(DARK_HEX_2X2), config, 0).evaluator()


def test_p_over_views_is_the_policy_that_plays(evaluator: NetworkEvaluator) -> None:
    merged = merged_game(DARK_HEX_2X2)
    policies = view_policies.policy_over_views(merged, evaluator)
    played = NetworkPolicy(merged.game, evaluator)
    for view, policy in enumerate(policies):
        asked = played.action_probabilities(merged.state_of(view))
        assert policy == pytest.approx([asked[a] for a in merged.views[view].legal_actions])
    found = view_policies.exploitability_of(merged, policies)
    assert found == pytest.approx(measure(merged.game.pyspiel_game, played).exploitability)


def test_searches_side_by_side_are_those_of_the_bot(evaluator: NetworkEvaluator) -> None:
    merged = merged_game(DARK_HEX_2X2)
    config = SearchConfig(search="notes", visits=400, root_rule="quantal_step", temperature=1.0)
    policies = view_policies.searched_views(merged, evaluator, config, 0)
    bot = ViewBot(
        merged,
        0,
        lambda player, seed: NashIsmctsBot(
            merged.game.pyspiel_game, player, evaluator, config, seed
        ),
    )
    alone = [[p for _, p in bot.get_policy(merged.state_of(v))] for v in range(len(merged.views))]
    # The same searches with other seeds.
    distance = [np.abs(a - b).sum() for a, b in zip(policies, alone, strict=True)]
    assert np.mean(distance) < 0.05
    assert max(len(policy) for policy in policies) == 4


def test_a_run_is_stored_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(learned_views.GAMES, "tiny", DARK_HEX_2X2)
    changes = {"networks": NETWORKS, "visits": {"start": 4.0}, "learner": {"policy_games": 50}}
    flags = ["--games", "tiny", "--seeds", "0", "--seconds", "0.01", "--visits", "5"]
    flags += ["--out", str(tmp_path / "out"), "--trainings", str(tmp_path / "runs")]
    learned_views.main([*flags, "--changes", json.dumps(changes)])
    (path,) = (tmp_path / "out").glob("*.json")
    stored = json.loads(path.read_text())
    assert stored["exploitability"] == stored["curve"][-1]["exploitability"]
    run = Run.resume(tmp_path / "runs" / "tiny-0")  # what `nash-ismcts export` reads
    assert run.loop.generation == stored["generations"] > 0
    policies = view_policies.policy_over_views(
        merged_game(DARK_HEX_2X2),
        run.loop.models.evaluator(),  # type: ignore[attr-defined]
    )
    found = view_policies.exploitability_of(merged_game(DARK_HEX_2X2), policies)
    assert found == pytest.approx(stored["exploitability"])
    assert 0.0 <= stored["exploitability_of_search"]["5"]["exploitability"] <= 1.0
    learned_views.main(flags)
    assert json.loads(path.read_text()) == stored
