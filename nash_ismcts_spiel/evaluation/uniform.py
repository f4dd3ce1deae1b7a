"""Models that know nothing: all actions alike, no value, hidden pieces by their prior."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nash_ismcts_spiel.evaluation.protocol import InformationSetRow, SampleRow
from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.games.hidden import prior_weights


class UniformEvaluator:
    """P uniform, V and Vc an equal share of the sum of utilities (0 where the sum varies)."""

    def __init__(self, game: Any = None) -> None:
        """Takes any game; one that is given here is refused at once if it is unsupported."""
        if game is not None:
            support(game)

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        value = _even_share(graph)
        counts = [graph.information_sets.action_count[i] for i in information_sets]
        return [InformationSetRow([1.0 / n] * n, value, [value] * n) for n in counts]

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        value = _even_share(graph)
        rows: list[SampleRow] = []
        for node in sample_nodes:
            beliefs = prior_weights(graph, node)
            actions = graph.information_sets.action_count[graph.samples.information_set[node]]
            rows.append(SampleRow(beliefs, [[value] * len(beliefs) for _ in range(actions)]))
        return rows


def _even_share(graph: GameGraph) -> float:
    return (graph.game.utility_sum or 0.0) / graph.game.num_players
