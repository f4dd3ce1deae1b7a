"""OpenSpiel's games in PettingZoo, with our bots as agents; needs the extra `pettingzoo`."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from nash_ismcts_spiel import make_bot


def test_without_pettingzoo_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "nash_ismcts_spiel.aec", raising=False)
    with pytest.raises(ModuleNotFoundError, match=r"nash_ismcts_spiel\[pettingzoo\]"):
        import nash_ismcts_spiel.aec  # noqa: F401


def test_environments_and_bots_play() -> None:
    pytest.importorskip("pettingzoo", reason="PettingZoo (the extra) is not installed")
    from pettingzoo.test import api_test

    from nash_ismcts_spiel.aec import SpielEnv, act

    for game in ("kuhn_poker", "leduc_poker", "matrix_rps"):
        api_test(SpielEnv(game), num_cycles=50)
    env = SpielEnv("kuhn_poker")
    bots = {name: make_bot("nash_ismcts", "kuhn_poker", seat, visits=20)
            for seat, name in enumerate(env.possible_agents)}  # fmt: skip
    totals = np.zeros(2)
    for seed in range(6):
        env.reset(seed=seed)
        deal = str(env.render())
        env.reset(seed=seed)
        assert env.render() == deal
        for agent in env.agent_iter():
            observation, reward, over, _, _ = env.last()
            assert observation["action_mask"].any() != over
            totals[env.possible_agents.index(agent)] += reward if over else 0.0
            env.step(act(env, bots[agent]))
        assert env.spiel_state.is_terminal()
    assert totals.sum() == 0.0 and totals.any()
    env.reset(seed=0)
    with pytest.raises(ValueError, match="7 is not legal for player_0"):
        env.step(7)
