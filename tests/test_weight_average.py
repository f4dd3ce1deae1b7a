"""The mean weights of P: what plays and is measured, while self-play goes on with the latest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from nash_ismcts_spiel.games import support
from nash_ismcts_spiel.learning import TrainingConfig
from nash_ismcts_spiel.learning.config import LearnerConfig
from nash_ismcts_spiel.learning.learner import Learner
from nash_ismcts_spiel.learning.weight_average import WeightAverage
from nash_ismcts_spiel.models.networks.config import NetworkConfig
from nash_ismcts_spiel.models.networks.nets import ResidualNetwork
from nash_ismcts_spiel.runs import Budget, Run

SMALL = NetworkConfig(width=8, depth=1)


def _config(share: float) -> TrainingConfig:
    learner = LearnerConfig(search_games=12, policy_games=40, steps=4, policy_average=share)
    return TrainingConfig.preset(
        graph="grown", networks=SMALL, learner=learner, visits={"start": 4.0}
    )


def _set_all(network: ResidualNetwork, value: float) -> None:
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.fill_(value)


def _one(network: ResidualNetwork) -> float:
    (value,) = {float(p.detach().flatten()[0]) for p in network.parameters()}
    return value


@pytest.mark.parametrize(("share", "wanted"), [(0.0, 4.0), (0.5, 10.0 / 3.0), (1.0, 2.5)])
def test_the_latest_weights_count_by_the_share(share: float, wanted: float) -> None:
    """After generations with the weights 1, 2, 3 and 4; a share of 1 is the plain mean, and with a
    share of 1/2 the mean is 1, 2, 2 + 1 / 1.5, and halfway from there to 4.
    """
    network = ResidualNetwork(3, 2, SMALL)
    mean = WeightAverage(network, share)
    for generation in (1, 2, 3, 4):
        _set_all(network, float(generation))
        mean.add(generation)
    assert _one(mean.network) == pytest.approx(wanted)
    assert _one(network) == 4.0


def test_who_measures_gets_the_mean_and_self_play_the_latest() -> None:
    learner = Learner(support("kuhn_poker"), _config(0.5), seed=0)
    assert learner.playing.value is learner.networks.value
    assert learner.playing.hidden is learner.networks.hidden
    assert learner.playing.policy is not learner.networks.policy
    _set_all(learner.networks.policy, 0.0)
    kept = learner.evaluator().networks.policy
    assert any(bool(parameter.any()) for parameter in kept.parameters())


def test_a_resumed_run_and_its_saved_models_have_the_mean(tmp_path: Path) -> None:
    run = Run.create(tmp_path, "kuhn_poker", 0, _config(0.5), models="learned")
    for _ in run.train(Budget(generations=6)):
        pass
    again = Run.resume(tmp_path)
    np.testing.assert_array_equal(again.policy(), run.policy())
    saved, latest = again.saved_models().networks, again.loop.models.networks  # type: ignore[attr-defined]
    same = zip(saved.policy.parameters(), latest.policy.parameters(), strict=True)
    assert not all(bool((a == b).all()) for a, b in same)
