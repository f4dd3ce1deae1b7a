"""Hidden pieces: what a player has not seen of the history, drawn one piece at a time.

A piece is a chance outcome or another player's move, in the order in which they happened. A
partial world is a beginning of a history; it is *consistent* if it can still become a world of the
information set. Only consistent values of a piece are ever offered, so no draw runs into a dead
end and no game needs a resampler of its own. Worlds of one information set may differ in length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nash_ismcts_spiel.games.keys import NO_VIEW
from nash_ismcts_spiel.games.lookahead import Lookahead
from nash_ismcts_spiel.games.tables import CHANCE

if TYPE_CHECKING:
    from nash_ismcts_spiel.games.graph import GameGraph


class HiddenHistory(Protocol):
    """The consistent beginnings of the worlds of one information set."""

    def open_edges(self, graph: GameGraph, world: int) -> list[int]:
        """The edges of a consistent partial world after which it still is one."""
        ...


class EnumeratedHistory:
    """In an enumerated graph: all that lies on the way to a world of the information set."""

    def __init__(self, graph: GameGraph, complete: list[int]) -> None:
        """Marks everything on the way to the worlds in `complete`."""
        self._on_the_way: set[int] = set()
        for world in complete:
            while world >= 0 and world not in self._on_the_way:
                self._on_the_way.add(world)
                world = graph.worlds.parent[world]

    def open_edges(self, graph: GameGraph, world: int) -> list[int]:
        """The edges after which the partial world can still be completed."""
        first, count = graph.worlds.first_edge[world], graph.worlds.edge_count[world]
        children = graph.worlds.edge_child[first : first + count]
        return [edge for edge, child in enumerate(children) if child in self._on_the_way]


class GrownHistory:
    """In a graph that grows: found by looking ahead from each partial world.

    It does not hold the graph that holds it, so a graph that is dropped is freed at once.
    """

    def __init__(self, graph: GameGraph, player: int, view: int, lookahead: Lookahead) -> None:
        """Takes the lookahead that explains `view` of `player`."""
        self._player = player
        self.lookahead = lookahead
        beginnings: list[int] = []
        while view > NO_VIEW:
            beginnings.append(view)
            view = graph.views.parent[view]
        self._progress = {begun: count for count, begun in enumerate(reversed(beginnings))}

    def open_edges(self, graph: GameGraph, world: int) -> list[int]:
        """The edges after which the partial world can still be completed."""
        view = graph.worlds.view[world * graph.game.num_players + self._player]
        actions = self.lookahead.open_actions(graph.state(world), self._progress[view])
        first, count = graph.worlds.first_edge[world], graph.worlds.edge_count[world]
        edge_actions = graph.worlds.edge_action[first : first + count]
        return sorted(edge_actions.index(action) for action in actions)


def prior_weights(graph: GameGraph, sample_node: int) -> list[float]:
    """How likely each branch is before anything is known of the players: chance outcomes by the
    game's probabilities, other players' moves alike; normalised.
    """
    samples, worlds = graph.samples, graph.worlds
    first, world = samples.first_branch[sample_node], samples.world[sample_node]
    edges = samples.edge[first : first + samples.branch_count[sample_node]]
    if worlds.kind[world] == CHANCE:
        start = worlds.first_edge[world]
        weights = [worlds.edge_probability[start + edge] for edge in edges]
    else:
        weights = [1.0] * len(edges)
    total = sum(weights)
    return [weight / total for weight in weights]
