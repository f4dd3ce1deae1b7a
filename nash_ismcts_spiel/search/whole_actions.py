"""What a search found, over whole actions: sub-actions along the chains from its root, multiplied.

Where actions are split, a search decides about the first sub-action at its root and about the
others at further ACT nodes of the root's tree. A whole action is played with the product of the
probabilities along its chain, each by the root's rule, or by P where a node was never visited.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Protocol

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.models.store import Models
from nash_ismcts_spiel.search.interval import Interval
from nash_ismcts_spiel.search.result import SearchResult


class Searched(Protocol):
    """An engine that remembers its last search."""

    def found_at(self, information_set: int) -> SearchResult | None:
        """What the last search found at an information set of its root's tree; None if it never
        came there.
        """
        ...


@dataclasses.dataclass(slots=True)
class _Way:
    """The sub-actions of a whole action up to some node, and what the search says of them."""

    action: int
    rest: list[int]
    prior: float = 1.0
    mean_mixing: float = 1.0
    before_filter: float = 1.0
    policy: float = 1.0
    visits: int = 0
    pure_visits: int = 0
    q: Interval = Interval(0.0, 0.0)

    def follow(self, index: int, found: SearchResult | None, prior: Sequence[float]) -> None:
        """Takes the next sub-action, number `index` of those at a node that was searched or not."""
        self.rest = self.rest[1:]
        self.prior *= prior[index]
        if found is None:
            self.mean_mixing *= prior[index]
            self.before_filter *= prior[index]
            self.policy *= prior[index]
            self.visits = self.pure_visits = 0
            return
        visited = any(found.visits)
        self.mean_mixing *= found.mean_mixing[index]
        self.before_filter *= found.policy_before_filter[index] if visited else prior[index]
        self.policy *= found.policy[index]
        self.visits, self.pure_visits = found.visits[index], found.pure_visits[index]
        self.q = found.q[index]


def over_whole_actions(
    result: SearchResult, information_set: int, models: Models, engine: Searched
) -> SearchResult:
    """A result over sub-actions as a result over pyspiel's actions, in the order of their numbers.

    Visits are those of the last sub-action; Q is that after the last one that was evaluated. A
    result over whole actions is returned as it is.

    Args:
      result: what the search found at its root.
      information_set: the root, before the first sub-action.
      models: P where the search has not been.
      engine: the one that searched, right after the search.
    """
    graph = models.graph
    if graph.splitting is None:
        return result
    ways = [_Way(action, rest) for action, rest in graph.whole_actions(information_set)]
    level: dict[int, list[_Way]] = {information_set: ways}
    while level:
        level = _next_level(graph, level, models, engine)
    return dataclasses.replace(
        result,
        actions=tuple(way.action for way in ways),
        prior=tuple(way.prior for way in ways),
        visits=tuple(way.visits for way in ways),
        pure_visits=tuple(way.pure_visits for way in ways),
        mean_mixing=tuple(way.mean_mixing for way in ways),
        q=tuple(way.q for way in ways),
        policy_before_filter=tuple(way.before_filter for way in ways),
        policy=tuple(way.policy for way in ways),
    )


def _next_level(
    graph: GameGraph, level: dict[int, list[_Way]], models: Models, engine: Searched
) -> dict[int, list[_Way]]:
    """Takes all ways of a level one sub-action further."""
    found = {number: engine.found_at(number) for number in level}
    unknown = [number for number, result in found.items() if result is None]
    priors = dict(zip(unknown, models.policies(unknown), strict=True))
    following: dict[int, list[_Way]] = {}
    for number, ways in level.items():
        result = found[number]
        prior = priors[number] if result is None else result.prior
        indices = {action: index for index, action in enumerate(graph.legal_actions(number))}
        for way in ways:
            index = indices[way.rest[0]]
            way.follow(index, result, prior)
            if way.rest:
                following.setdefault(graph.own_next(number, index), []).append(way)
    return following
