"""What a player believes of what is hidden from it: by the models' H, and by exact Bayes beside it.

Probabilities of hidden states, or of the next piece where there are too many states to list.
"""

from __future__ import annotations

from typing import Any

from nash_ismcts_spiel.games import CHANCE, InformationKey
from nash_ismcts_spiel.games.hand import CHANCE_MOVES
from nash_ismcts_spiel.games.names import event_names
from nash_ismcts_spiel.games.tables import DEAD
from nash_ismcts_spiel.page.bayes import pieces_of
from nash_ismcts_spiel.page.drawings import event_name
from nash_ismcts_spiel.page.inspection import Inspection

MOST_STATES = 60
"""Hidden states that are listed."""

_MOST_NODES = 200
"""SAMPLE nodes that are looked at for a list."""

Json = dict[str, Any]


def hidden_states(inspection: Inspection, information_set: int) -> Json:
    """Beliefs at an information set.

    Returns:
      kind: "states" (whole hidden states), "piece" (the first piece only), "pool" (draws only) or
        "none" (nothing is hidden); rows: name, h, and bayes or None.
    """
    graph = inspection.graph
    if graph.game.perfect_information:
        return {"kind": "none", "rows": []}
    if inspection.walk.pooled(information_set):
        return {"kind": "pool", "rows": []}
    target, key = graph.hidden(information_set), graph.key(information_set)
    if target >= 0:
        return {"kind": "none", "rows": []}
    rows = _all_states(inspection, key, target)
    if rows is not None:
        return {"kind": "states", "rows": rows}
    return {"kind": "piece", "rows": pieces(inspection, key, ~target, ())}


def pieces(
    inspection: Inspection, key: InformationKey, sample: int, drawn: tuple[int, ...]
) -> list[Json]:
    """Beliefs over the next piece at a SAMPLE node, dead pieces left out."""
    graph = inspection.graph
    numbers = pieces_of(graph, sample)
    if len(numbers) <= MOST_STATES:
        for branch in range(len(numbers)):
            graph.branch(sample, branch)  # finds out whether it is dead
    inspection.models.sample(sample)
    inspection.models.bury_new()
    beliefs = list(inspection.models.sample(sample).beliefs)
    exact = None if inspection.bayes is None else inspection.bayes.at(key, drawn)
    world = graph.samples.world[sample]
    named = dict(zip(graph.edge_actions(world), named_events(inspection, world), strict=True))
    first = graph.samples.first_branch[sample]
    targets = graph.samples.target[first : first + len(numbers)]
    return [
        {
            "number": number,
            "name": named[number],
            "h": belief,
            "bayes": None if exact is None else exact.get(number, 0.0),
        }
        for number, belief, below in zip(numbers, beliefs, targets, strict=True)
        if below != DEAD
    ]


def named_events(inspection: Inspection, world: int) -> list[str]:
    """Names of what may happen at a world, in the order of its edges."""
    graph = inspection.graph
    chance = graph.worlds.kind[world] == CHANCE
    mover = CHANCE_MOVES if chance else graph.worlds.player[world]
    return [
        event_name(graph.game.name, mover, action, name)
        for action, name in zip(graph.edge_actions(world), event_names(graph, world), strict=True)
    ]


def _all_states(inspection: Inspection, key: InformationKey, target: int) -> list[Json] | None:
    """All hidden states by the pieces they are made of, None if they are too many."""
    graph, found = inspection.graph, list[Json]()
    exact = inspection.bayes is not None
    pending: list[tuple[int, tuple[int, ...], str, float, float]] = [(target, (), "", 1.0, 1.0)]
    looked = 0
    while pending:
        at, drawn, name, h, bayes = pending.pop()
        if at >= 0:
            found.append({"name": name, "h": h, "bayes": bayes if exact else None})
            continue
        looked += 1
        offered = pieces(inspection, key, ~at, drawn)
        if looked > _MOST_NODES or len(found) + len(pending) + len(offered) > MOST_STATES:
            return None
        numbers = pieces_of(graph, ~at)
        for piece in reversed(offered):
            below = graph.branch(~at, numbers.index(piece["number"]))
            if below == DEAD:
                continue
            longer = f"{name}, {piece['name']}" if name else piece["name"]
            by_rule = bayes * (piece["bayes"] or 0.0)
            pending.append((below, (*drawn, piece["number"]), longer, h * piece["h"], by_rule))
    return found
