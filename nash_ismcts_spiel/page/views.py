"""What the page shows of a search, as plain data: numbers and texts, ready for JSON.

Intervals are [low, high], in the game's utility units, of the player who acts; what is infinite
(UCB where nothing was tried) is None. Beliefs are probabilities of hidden states, or of the next
piece where there are too many states to list: by the models' H, and by exact Bayes beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nash_ismcts_spiel.config import SearchConfig
from nash_ismcts_spiel.games import CHANCE, InformationKey
from nash_ismcts_spiel.games.hand import CHANCE_MOVES, Hand
from nash_ismcts_spiel.games.names import action_names, event_names, imagined_sight
from nash_ismcts_spiel.games.tables import DEAD, MISSING
from nash_ismcts_spiel.page.drawings import draw, event_name
from nash_ismcts_spiel.page.inspection import Asked, Inspection, Place, Searched, Step, pieces_of
from nash_ismcts_spiel.search import SearchResult
from nash_ismcts_spiel.search.act_node import ActNode, Choices, bonuses, exploration_prior
from nash_ismcts_spiel.search.root_policy import kept_actions

Json = dict[str, Any]

SWEPT = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
"""Radii of a sweep."""

MOST_STATES = 60
"""Hidden states that are listed."""

_MOST_NODES = 200
"""SAMPLE nodes that are looked at for a list."""


def position_view(hand: Hand) -> Json:
    """How a position came about and what may happen next, for who sets it up."""
    game = hand.game.name

    def named(mover: int, event: Any) -> Json:
        return {**event._asdict(), "name": event_name(game, mover, event.action, event.name)}

    return {
        "game": game,
        "events": [named(event.mover, event) for event in hand.events()],
        "options": [named(hand.mover, each) for each in hand.options()],
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
    views = {"act": _act_view, "sample": _sample_view, "over": _over_view}
    seen = views.get(place.kind, _world_view)(inspection, searched, place)
    return {"kind": place.kind, "owner": place.owner, **seen}


def _walked(
    inspection: Inspection, root: int, steps: Sequence[Step]
) -> tuple[list[Place], str | None]:
    left_out: str | None = None
    for count in range(len(steps), -1, -1):
        try:
            return inspection.walk.along(root, steps[:count]), left_out
        except ValueError as error:
            left_out = str(error)
    raise ValueError(left_out)


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
    log = graph.key(number).log
    own = not graph.game.perfect_information  # whose log are the events of the history
    at_root = (place.tree, number) == (searched.root, searched.root)
    result = searched.result if at_root else searched.engine.found_in(place.tree, number)
    return {
        "player": player,
        "drawing": draw(graph.game.name, seen),
        "text": seen.text,
        "log": [
            {"did": f"own move {action}" if own and action >= 0 else None, "shown": shown}
            for action, shown in log
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


def _sample_view(inspection: Inspection, searched: Searched, place: Place) -> Json:
    graph = inspection.graph
    action = action_names(graph, place.information_set)[place.action]
    rows, pool = list[Json](), place.sample == MISSING
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


def _over_view(inspection: Inspection, searched: Searched, place: Place) -> Json:
    worlds, players = inspection.graph.worlds, inspection.game.num_players
    row = worlds.utility_row[place.world] * players
    return {"utilities": list(worlds.utilities[row : row + players])}


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
