"""Values by random play: the classic leaf evaluation of Monte-Carlo tree search.

P is uniform. Some worlds are drawn (hidden pieces by their prior), and in each of them the game is
played to its end at random after each own action; the mean utility of the player who owns the
information set is Vc, and V is the mean of Vc. A row depends on the seed and on what the player
has seen alone, not on the order in which rows are asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from nash_ismcts_spiel.evaluation.protocol import InformationSetRow, SampleRow
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.adapter import random_returns
from nash_ismcts_spiel.games.hidden import prior_weights


class RolloutEvaluator:
    """Random rollouts: `rollouts` worlds, in each one game per own action."""

    def __init__(self, game: Any = None, *, rollouts: int = 1, seed: int = 0) -> None:
        """Takes any game; one that is given here is refused at once if it is unsupported."""
        if rollouts < 1:
            raise ValueError(f"rollouts must be at least 1, not {rollouts}")
        if game is not None:
            support(game)
        self._rollouts = rollouts
        self._seed = seed

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        return [self._row(graph, information_set) for information_set in information_sets]

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node; rollouts do not tell pieces apart, so Vc is Vc(I)[a]."""
        rows: list[SampleRow] = []
        for node in sample_nodes:
            beliefs = prior_weights(graph, node)
            values = self._row(graph, graph.samples.information_set[node]).child_values
            rows.append(SampleRow(beliefs, [[value] * len(beliefs) for value in values]))
        return rows

    def _row(self, graph: GameGraph, information_set: int) -> InformationSetRow:
        rng = np.random.default_rng(self._seed_of(graph, information_set))
        player = graph.information_sets.player[information_set]
        actions = graph.legal_actions(information_set)
        values = [0.0] * len(actions)
        for _ in range(self._rollouts):
            state = graph.state(_draw_world(graph, information_set, rng))
            for index, action in enumerate(actions):
                returns = random_returns(state.child(action), rng)
                values[index] += returns[player] / self._rollouts
        count = len(values)
        return InformationSetRow([1.0 / count] * count, sum(values) / count, values)

    def _seed_of(self, graph: GameGraph, information_set: int) -> list[int]:
        digest = hashlib.blake2b(repr(graph.key(information_set)).encode(), digest_size=8).digest()
        return [self._seed, int.from_bytes(digest, "little")]


def _draw_world(graph: GameGraph, information_set: int, rng: np.random.Generator) -> int:
    """A world of the information set, each hidden piece by its prior."""
    target = graph.hidden(information_set)
    while target < 0:
        weights = prior_weights(graph, ~target)
        branch = int(np.searchsorted(np.cumsum(weights)[:-1], rng.random(), side="right"))
        target = graph.branch(~target, branch)
    return target
