"""Systematic sampling: what is drawn how often."""

from __future__ import annotations

import numpy as np
import pytest

from nash_ismcts_spiel.learning.draws import inclusion_probabilities, systematic_sample


def test_a_sample_is_unbiased() -> None:
    weights = np.array([5.0, 1.0, 0.5, 2.0, 0.25, 1.25])
    chances = inclusion_probabilities(weights, 3)
    assert chances.sum() == pytest.approx(3.0)
    assert chances.max() == chances[0] == 1.0
    assert chances[1:] == pytest.approx(weights[1:] * 2.0 / weights[1:].sum())
    rng = np.random.default_rng(0)
    counts = np.zeros(len(weights))
    for _ in range(4000):
        counts[systematic_sample(chances, rng)] += 1.0
    assert counts / 4000 == pytest.approx(chances, abs=0.02)
