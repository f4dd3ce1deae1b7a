"""Hidden pieces: what a player has not seen of the history, drawn one piece at a time.

A piece is a chance outcome or another player's move, in the order in which they happened. A
partial world is a beginning of a history; it is *consistent* if it can still become a world of the
information set. Only consistent values of a piece are ever offered, so no draw runs into a dead
end and no game needs a resampler of its own. Worlds of one information set may differ in length.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from nash_ismcts_spiel.games._positions import Completions, Positions
from nash_ismcts_spiel.games.adapter import SupportedGame
from nash_ismcts_spiel.games.explanation import History
from nash_ismcts_spiel.games.keys import NO_ACTION, NO_VIEW, InformationKey
from nash_ismcts_spiel.games.lookahead import Effort, Lookahead
from nash_ismcts_spiel.games.tables import CHANCE, MISSING

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

    def __init__(self, graph: GameGraph, information_set: int, lookahead: Lookahead) -> None:
        """Takes the lookahead that explains what the player has seen."""
        self.lookahead = lookahead
        self._player = graph.information_sets.player[information_set]
        chain = graph.views.chain(graph.information_sets.view[information_set])
        self._progress = {view: count for count, view in enumerate(chain)}

    def open_edges(self, graph: GameGraph, world: int) -> list[int]:
        """The edges after which the partial world can still be completed."""
        view = graph.worlds.view[world * graph.game.num_players + self._player]
        actions = self.lookahead.open_actions(graph.state(world), self._progress[view])
        first, count = graph.worlds.first_edge[world], graph.worlds.edge_count[world]
        edge_actions = graph.worlds.edge_action[first : first + count]
        return sorted(edge_actions.index(action) for action in actions)


class SharedHistory:
    """In a graph that grows, of a game that forgets the order of moves."""

    def __init__(self, lookahead: Completions) -> None:
        """Takes the lookahead that explains what the player has seen."""
        self.lookahead = lookahead

    def open_edges(self, graph: GameGraph, world: int) -> list[int]:
        """The edges after which the partial world can still be completed."""
        return self.lookahead.open_edges(graph.history(world))


class HiddenHistories:
    """The hidden histories of a graph that grows, one per information set that was asked for."""

    def __init__(self, game: SupportedGame) -> None:
        """Knows none yet."""
        self._game = game
        self._effort = Effort()
        self._grown: dict[int, GrownHistory] = {}
        self._shared: dict[int, SharedHistory] = {}
        if game.forgets_order:
            self._positions = Positions(game.initial_state(), game.num_players, game.counts_moves)

    def of(self, graph: GameGraph, information_set: int) -> GrownHistory | SharedHistory:
        """The hidden history of an information set."""
        if self._game.forgets_order:
            return self._shared.get(information_set) or self._new_shared(graph, information_set)
        return self._grown.get(information_set) or self._new_grown(graph, information_set)

    def find(self, key: InformationKey) -> History:
        """The history of a world that agrees with a key.

        Raises:
          ValueError: no world of the game agrees with the key.
        """
        history = Lookahead(self._game, key, self._effort).find()
        if history is None:
            raise ValueError(f"found no world of {self._game.name} that agrees with {key}")
        return history

    def _new_grown(self, graph: GameGraph, information_set: int) -> GrownHistory:
        known = [i for i in _earlier(graph, information_set) if i in self._grown]
        earlier = self._grown[known[0]].lookahead if known else None
        lookahead = Lookahead(self._game, graph.key(information_set), self._effort, earlier)
        lookahead.learn(graph.history(graph.information_sets.first_world[information_set]))
        found = self._grown[information_set] = GrownHistory(graph, information_set, lookahead)
        return found

    def _new_shared(self, graph: GameGraph, information_set: int) -> SharedHistory:
        known = [i for i in _earlier(graph, information_set) if i in self._shared]
        earlier = self._shared[known[0]].lookahead if known else None
        sets = graph.information_sets
        world = graph.history(sets.first_world[information_set])
        player = sets.player[information_set]
        completions = Completions(self._positions, self._effort, player, world, earlier)
        # Sights have to change exactly when observations do.
        assert len(completions) == len(graph.views.chain(sets.view[information_set]))
        found = self._shared[information_set] = SharedHistory(completions)
        return found


def _earlier(graph: GameGraph, information_set: int) -> Iterator[int]:
    """The earlier decisions of the same player, latest first, as far as they are known.

    Only a view that the player left by an own action was a decision for sure: one and the same
    view may be a decision in one world and leave another player to move in the next.
    """
    views, view = graph.views, graph.information_sets.view[information_set]
    while view > NO_VIEW:
        acted = views.action[view] != NO_ACTION
        view = views.parent[view]
        if acted:
            earlier = graph.set_of_view(view)
            if earlier != MISSING:
                yield earlier


def hidden_path(graph: GameGraph, world: int) -> list[tuple[int, int]]:
    """The SAMPLE nodes and branches that lead to `world` in the prefix tree of its mover.

    This is what was hidden from the mover in that world, so it is a thing to learn from after a
    game and never a thing to act on.
    """
    target = graph.hidden(graph.worlds.information_set[world])
    history = graph.history(world)
    path: list[tuple[int, int]] = []
    while target < 0:
        node = ~target
        partial, first = graph.samples.world[node], graph.samples.first_branch[node]
        start = graph.worlds.first_edge[partial]
        piece = history[graph.worlds.depth[partial]]
        edges = graph.samples.edge[first : first + graph.samples.branch_count[node]]
        pieces = [graph.worlds.edge_action[start + edge] for edge in edges]
        branch = pieces.index(piece)
        path.append((node, branch))
        target = graph.branch(node, branch)
    return path


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
