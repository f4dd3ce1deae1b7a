"""Values by random play: the classic leaf evaluation of Monte-Carlo tree search.

P is uniform. Some worlds of an information set are drawn (hidden pieces by their prior), and in
each of them games are played to their end at random, each after another own action: after all of
them, or after `games` drawn at random where there are more. The mean utility
of the player who owns the information set is Vc, V is the mean of Vc over the actions that were
played, and Vc of those that were not. All of it is compiled and one pool of worlds serves a whole
row (`native/search/row_source.h`). A row depends on the seed and on what the player has seen alone.
"""

from __future__ import annotations

from typing import Any

from nash_ismcts_spiel.games import GameGraph, support
from nash_ismcts_spiel.models.sources import SourceEvaluator
from nash_ismcts_spiel.native import _core


class RolloutEvaluator(SourceEvaluator):
    """Random rollouts: `rollouts` worlds, in each up to `games` games."""

    def __init__(
        self, game: Any = None, *, rollouts: int = 1, games: int = 2, seed: int = 0
    ) -> None:
        """Takes any game; one that is given here is refused at once if it is unsupported."""
        if rollouts < 1:
            raise ValueError(f"rollouts must be at least 1, not {rollouts}")
        if games < 1:
            raise ValueError(f"games must be at least 1, not {games}")
        if game is not None:
            support(game)
        self._source = _core.rollout_rows(rollouts, games, seed % 2**64)

    def row_source(self, graph: GameGraph) -> _core.RowSource:
        """The compiled models."""
        del graph
        return self._source
