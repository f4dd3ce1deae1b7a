"""Models that know nothing: all actions alike, no value, hidden pieces by their prior."""

from __future__ import annotations

from typing import Any

from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.models.sources import SourceEvaluator
from nash_ismcts_spiel.native import _core


class UniformEvaluator(SourceEvaluator):
    """P uniform, V and Vc an equal share of the sum of utilities (0 where the sum varies)."""

    def __init__(self, game: Any = None) -> None:
        """Takes any game; one that is given here is refused at once if it is unsupported."""
        if game is not None:
            support(game)

    def row_source(self, graph: GameGraph) -> _core.RowSource:
        """The compiled models."""
        return _core.uniform_rows((graph.game.utility_sum or 0.0) / graph.game.num_players)
