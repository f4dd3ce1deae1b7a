"""Names: short titles of games, and of moves, outcomes and hidden pieces of a graph, as the game
calls them.

A title is a game's name without the turn-based form round it and without default parameters. It is
for people and for names of files; a game is loaded by its whole name. Other names are read from
worlds that the graph imagines, which agree with what a player has seen; the true state of a match
is never asked. Where actions are split, a sub-action is called by the whole actions that begin with
it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pyspiel

from nash_ismcts_spiel.games.graph import GameGraph
from nash_ismcts_spiel.games.hand import Sight, sight
from nash_ismcts_spiel.games.tables import CHANCE

_TURN_BASED = re.compile(r"^turn_based_simultaneous_game\(game=(.*)\)$")


def short_title(game: str) -> str:
    """A game's name with the parameters that are not its default ones."""
    found = _TURN_BASED.match(game)
    name, _, rest = (found[1] if found else game).partition("(")
    parameters = dict(
        part.split("=", 1) for part in rest.removesuffix(")").split(",") if "=" in part
    )
    if "(" in rest or not parameters:  # a game in a game, whose commas are not ours
        return f"{name}({rest}" if rest not in ("", ")") else name
    usual = {key: str(value) for key, value in _defaults(name).items()}
    kept = [f"{key}={value}" for key, value in parameters.items() if usual.get(key) != value]
    return f"{name}({','.join(kept)})" if kept else name


def _defaults(name: str) -> dict[str, Any]:
    for kind in pyspiel.registered_games():
        if kind.short_name == name:
            return dict(kind.parameter_specification)
    return {}


_LISTED = 4
"""Whole actions that are named for a sub-action."""


def action_names(graph: GameGraph, information_set: int) -> list[str]:
    """Names of the legal actions of an information set, in the order of all rows."""
    player = graph.information_sets.player[information_set]
    state = graph.state(graph.information_sets.first_world[information_set])
    numbers = graph.legal_actions(information_set)
    if graph.splitting is not None:
        return _parts(graph, information_set, state, player, numbers)
    return [_name(state, player, action) for action in numbers]


def event_names(graph: GameGraph, world: int) -> list[str]:
    """Names of the moves or outcomes at a world, in the order of its edges."""
    state, numbers = graph.state(world), graph.edge_actions(world)
    if graph.worlds.kind[world] != CHANCE:
        mover, moves_at = graph.worlds.player[world], graph.worlds.information_set[world]
        if graph.splitting is not None:
            return _parts(graph, moves_at, state, mover, numbers)
        return [_name(state, mover, action) for action in numbers]
    if graph.splitting is not None:
        return [f"part {action}" for action in numbers]
    return [_name(state, int(pyspiel.PlayerId.CHANCE), action) for action in numbers]


def imagined_sight(graph: GameGraph, information_set: int) -> Sight:
    """What the player to move is shown, read from a world that agrees with what it has seen."""
    player = graph.information_sets.player[information_set]
    state = graph.state(graph.information_sets.first_world[information_set])
    return sight(graph.game, state, player)


def _parts(
    graph: GameGraph, information_set: int, state: Any, player: int, numbers: Sequence[int]
) -> list[str]:
    """Sub-actions by the whole actions that begin with them."""
    begun: dict[int, list[int]] = {number: [] for number in numbers}
    for action, rest in graph.whole_actions(information_set):
        begun[rest[0]].append(action)
    return [_together([_name(state, player, a) for a in begun[number]]) for number in numbers]


def _together(names: list[str]) -> str:
    more = len(names) - _LISTED
    return " / ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def _name(state: Any, mover: int, action: int) -> str:
    try:
        return str(state.action_to_string(mover, action))
    except (pyspiel.SpielError, ValueError):  # a card of a deal that is drawn hand by hand
        return f"event {action}"
