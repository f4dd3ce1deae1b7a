"""Whole graphs of games that are small enough, made once and kept for all who ask."""

from __future__ import annotations

import functools

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.graph import GameGraph
from nash_ismcts_spiel.games.splitting import SplitActions

_MARGIN = 3.0
"""Estimates of a game's size are often too small, and sometimes too large."""

_PYTHON_LIMIT = 20_000
"""Worlds of a game written in Python, whose states take a hundred times as long."""


def whole_graph(game: SupportedGame, limit: int, split_actions: SplitActions) -> GameGraph | None:
    """The enumerated graph of a game, None if it has more than about `limit` worlds."""
    if game.native.needs_gil:  # Python states: the string may not tell the whole game
        return _enumerated(game, min(limit, _PYTHON_LIMIT), split_actions)
    return _kept(game.name, limit, split_actions)


@functools.lru_cache(maxsize=4)
def _kept(game: str, limit: int, split_actions: SplitActions) -> GameGraph | None:
    return _enumerated(game, limit, split_actions)


def _enumerated(
    game: SupportedGame | str, limit: int, split_actions: SplitActions
) -> GameGraph | None:
    graph = GameGraph(game, split_actions)
    if graph.game.estimated_worlds() > _MARGIN * limit:
        return None
    try:
        graph.enumerate_worlds(limit)
    except ValueError:  # the estimate was too small
        return None
    graph.resolve()  # tables that never change again serve any number of threads
    return graph
