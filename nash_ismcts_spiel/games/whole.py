"""Whole graphs of games that are small enough, made once and kept for all who ask."""

from __future__ import annotations

import functools

from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.graph import GameGraph
from nash_ismcts_spiel.games.splitting import SplitActions

_PROBES = 1600
"""Random games by which a game's size is estimated: two milliseconds, which may spare seconds."""
_PYTHON_PROBES, _PYTHON_MARGIN = 100, 3.0
"""Of a game written in Python fewer, whose estimates are often too small or too large."""

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
    slow = graph.game.native.needs_gil
    estimate = graph.game.estimated_worlds(_PYTHON_PROBES if slow else _PROBES)
    if estimate > limit * (_PYTHON_MARGIN if slow else 1.0):
        return None
    try:
        graph.enumerate_worlds(limit)
    except ValueError:  # the estimate was too small
        return None
    graph.resolve()  # tables that never change again serve any number of threads
    return graph
