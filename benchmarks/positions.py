"""Positions of random games, which benchmarks search."""

from __future__ import annotations

from typing import Any

import numpy as np


def random_decisions(game: Any, rng: np.random.Generator) -> list[Any]:
    """The decisions with a choice of one random game, oldest first."""
    state, decisions = game.new_initial_state(), []
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
            weights = np.array(probabilities) / sum(probabilities)
            state.apply_action(int(rng.choice(outcomes, p=weights)))
            continue
        if len(state.legal_actions()) > 1:
            decisions.append(state.clone())
        state.apply_action(int(rng.choice(state.legal_actions())))
    return decisions


def random_positions(game: Any, count: int, seed: int) -> list[Any]:
    """Decisions with a choice, each from another random game."""
    rng = np.random.default_rng(seed)
    found: list[Any] = []
    while len(found) < count:
        decisions = random_decisions(game, rng)
        if decisions:
            found.append(decisions[rng.integers(len(decisions))])
    return found


def early_middle_late(game: Any, seed: int, tries: int = 20) -> list[Any]:
    """Decisions a sixth, half and five sixths of the way through three random games.

    None at all if no game out of `tries` has a decision with a choice.
    """
    rng = np.random.default_rng(seed)
    found: list[Any] = []
    for _ in range(tries):
        decisions = random_decisions(game, rng)
        if decisions:
            found.append(decisions[(2 * len(found) + 1) * len(decisions) // 6])
        if len(found) == 3:
            break
    return found
