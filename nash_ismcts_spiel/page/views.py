"""What the page shows of a search, as plain data: numbers and texts, ready for JSON.

Intervals are [low, high], in the game's utility units, of the player who acts; what is infinite
(UCB where nothing was tried) is None.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games.hand import Hand
from nash_ismcts_spiel.games.names import action_names, imagined_sight
from nash_ismcts_spiel.games.tables import MISSING
from nash_ismcts_spiel.page.bayes import pieces_of
from nash_ismcts_spiel.page.beliefs import hidden_states, named_events, pieces
from nash_ismcts_spiel.page.drawings import draw, event_name
from nash_ismcts_spiel.page.inspection import Asked, Inspection, Searched
from nash_ismcts_spiel.page.walk import Place, Step
from nash_ismcts_spiel.search import SearchResult
from nash_ismcts_spiel.search.act_node import ActNode, Choices, bonuses, exploration_prior
from nash_ismcts_spiel.search.root_policy import kept_actions

Json = dict[str, Any]

SWEPT = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
"""Radii of a sweep."""


def position_view(hand: Hand) -> Json:
    """How a position came about and what may happen next, for who sets it up."""
    name = hand.game.name
    return {
        "game": name,
        "events": [
            {**event._asdict(), "name": event_name(name, event.mover, event.action, event.name)}
            for event in hand.events()
        ],
        "options": [
            {**each._asdict(), "name": event_name(name, hand.mover, each.action, each.name)}
            for each in hand.options()
        ],
        "mover": hand.mover,
        "over": hand.over,
        "returns": hand.returns if hand.over else None,
    }


def search_view(inspection: Inspection, hand: Hand, asked: Asked, steps: Sequence[Step]) -> Json:
    """A search of a position, seen from where `steps` lead.

    Steps that cannot be taken any more are left out, and `left_out` says why.
    """
    searched = inspection.search(hand, asked)
    places, left_out = _walked(inspection, searched.root, steps)
    result = searched.result
    return {
        "visits": sum(result.visits),
        "radius": searched.config.radius,
        "simulations": result.simulations,
        "stopped_by": result.stopped_by,
        "trees": searched.trees,
        "value_scale": searched.value_scale,
        "rule": searched.config.root_rule,
        "way": [_crumb(inspection, place) for place in places],
        "steps": [list(step) for step in steps[: len(places) - 1]],
        "left_out": left_out,
        "place": place_view(inspection, searched, places[-1]),
    }


def sweep_view(inspection: Inspection, hand: Hand, asked: Asked) -> Json:
    """The root's policy by radius: where choices collapse, and where they stay mixed."""
    found = [
        inspection.search(hand, Asked(asked.visits, radius, asked.seed)).result for radius in SWEPT
    ]
    root = hand.observe(inspection.graph)
    return {
        "names": action_names(inspection.graph, root),
        "prior": list(found[0].prior),
        "rows": [
            {
                "radius": radius,
                "policy": list(result.policy),
                "mixed": result.mixed_count,
                "pure": result.pure_count,
            }
            for radius, result in zip(SWEPT, found, strict=True)
        ],
    }


def place_view(inspection: Inspection, searched: Searched, place: Place) -> Json:
    """What there is to see at a place of a tree."""
    common = {"kind": place.kind, "owner": place.owner}
    if place.kind == "act":
        return {**common, **_act_view(inspection, searched, place)}
    if place.kind == "sample":
        return {**common, **_sample_view(inspection, place)}
    if place.kind == "over":
        return {**common, **_over_view(inspection, place)}
    return {**common, **_world_view(inspection, searched, place)}


def _walked(
    inspection: Inspection, root: int, steps: Sequence[Step]
) -> tuple[list[Place], str | None]:
    left_out: str | None = None
    for count in range(len(steps), 0, -1):
        try:
            return inspection.walk.along(root, steps[:count]), left_out
        except ValueError as error:
            left_out = str(error)
    return inspection.walk.along(root, ()), left_out


def _crumb(inspection: Inspection, place: Place) -> Json:
    player = place.owner
    if place.kind in ("act", "opponent"):
        player = inspection.graph.information_sets.player[place.information_set]
    return {"kind": place.kind, "owner": place.owner, "player": player}


def _act_view(inspection: Inspection, searched: Searched, place: Place) -> Json:
    graph, number = inspection.graph, place.information_set
    names = action_names(graph, number)
    player = graph.information_sets.player[number]
    seen = imagined_sight(graph, number)
    own = {} if graph.game.perfect_information else _own_moves(inspection, number)
    at_root = (place.tree, number) == (searched.root, searched.root)
    result = searched.result if at_root else searched.engine.found_in(place.tree, number)
    return {
        "player": player,
        "drawing": draw(graph.game.name, seen),
        "text": seen.text,
        "log": [
            {"did": own.get(index), "shown": shown}
            for index, (_, shown) in enumerate(graph.key(number).log)
            if shown
        ],
        "beliefs": hidden_states(inspection, number),
        "numbers": graph.legal_actions(number),
        "names": names,
        "prior": list(inspection.models.policy(number)),
        "found": None
        if result is None
        else found_view(searched.config, searched.value_scale, result),
    }


def _own_moves(inspection: Inspection, number: int) -> dict[int, str]:
    """The player's own earlier moves, by their place in its log."""
    log = inspection.graph.key(number).log
    return {index: f"own move {action}" for index, (action, _) in enumerate(log) if action >= 0}


def found_view(config: SearchConfig, value_scale: float, result: SearchResult) -> Json:
    """What a search found at a node, action by action."""
    q, visits = result.q, result.visits
    width = config.lcb_width * value_scale
    bonus = _bonuses(config, value_scale, result)
    filters = config.root_rule != "quantal_step" and sum(visits) > 0
    kept = kept_actions(visits, q, width) if filters else [True] * len(visits)
    sigmas = [width / math.sqrt(n) if n else None for n in visits]
    return {
        "value": list(result.value),
        "pure_count": result.pure_count,
        "mixed_count": result.mixed_count,
        "visits": list(visits),
        "pure_visits": list(result.pure_visits),
        "mean_mixing": list(result.mean_mixing),
        "q": [list(each) for each in q],
        "puct": [
            None if math.isinf(b) else [each.low + b, each.high + b]
            for each, b in zip(q, bonus, strict=True)
        ],
        "sigma": sigmas,
        "kept": kept,
        "filters": filters,
        "before_filter": list(result.policy_before_filter),
        "policy": list(result.policy),
    }


def _bonuses(config: SearchConfig, value_scale: float, result: SearchResult) -> list[float]:
    """What is added to Q(a) to choose, at the end of the search."""
    if config.selection == "ucb" and sum(result.visits) == 0:
        return [math.inf] * len(result.visits)
    node = ActNode(MISSING, result.key.player)
    node.exploration_prior = exploration_prior(result.prior, config)
    node.choices = Choices(list(result.visits), list(result.pure_visits), list(result.mean_mixing))
    return bonuses(node, config, value_scale)


def _sample_view(inspection: Inspection, place: Place) -> Json:
    graph = inspection.graph
    action = action_names(graph, place.information_set)[place.action]
    rows: list[Json] = []
    pool = place.sample == MISSING
    if not pool:
        key = graph.key(place.information_set)
        values = inspection.models.sample(place.sample).child_values[place.action]
        value_of = dict(zip(pieces_of(graph, place.sample), values, strict=True))
        rows = [
            {**row, "value": value_of[row["number"]]}
            for row in pieces(inspection, key, place.sample, place.drawn)
        ]
    return {"action": action, "pieces": rows, "pool": pool}


def _world_view(inspection: Inspection, searched: Searched, place: Place) -> Json:
    graph, world = inspection.graph, place.world
    numbers, names = list(graph.edge_actions(world)), named_events(inspection, world)
    if place.kind == "chance":
        first = graph.worlds.first_edge[world]
        chances = graph.worlds.edge_probability[first : first + len(numbers)]
        return {"numbers": numbers, "names": names, "chances": list(chances)}
    mover = place.information_set
    result = searched.engine.found_in(mover, mover)
    return {
        "mover": graph.information_sets.player[mover],
        "numbers": numbers,
        "names": names,
        "prior": list(inspection.models.policy(mover)),
        "policy": None if result is None else list(result.policy_before_filter),
        "visits": None if result is None else sum(result.visits),
    }


def _over_view(inspection: Inspection, place: Place) -> Json:
    worlds, players = inspection.graph.worlds, inspection.game.num_players
    row = worlds.utility_row[place.world] * players
    return {"utilities": list(worlds.utilities[row : row + players])}
