"""The way to an information set: which events of a game can still lead there.

Found as games are sampled, from the hidden pieces that a graph offers (`native/worlds/hidden.h`).
"""

from __future__ import annotations

from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.games.tables import DEAD, ROOT


class Target:
    """Which events still lead to an information set; found as games are sampled."""

    def __init__(self, graph: GameGraph, information_set: int) -> None:
        """Knows the way to the first fork."""
        self._graph = graph
        self._open: dict[int, list[int]] = {}
        self._fork: dict[int, int] = {}
        self._add_way(graph.hidden(information_set))

    def open_edges(self, world: int) -> list[int] | None:
        """The edges of a world on the way that stay on it; None where the way has ended."""
        return self._open.get(world)

    def take(self, world: int, edge: int) -> bool:
        """Follows an open edge, so that the way beyond it is known; False if it leads nowhere, as
        may turn out in a large game. Then it is open no more.
        """
        fork = self._fork.get(world)
        if fork is None:
            return True
        target = self._graph.branch(fork, self._edges(fork).index(edge))
        if target != DEAD:
            self._add_way(target)
            return True
        first, targets = self._graph.samples.first_branch[fork], self._graph.samples.target
        self._open[world] = [
            edge for branch, edge in enumerate(self._edges(fork)) if targets[first + branch] != DEAD
        ]
        return False

    def _edges(self, sample: int) -> list[int]:
        samples = self._graph.samples
        first = samples.first_branch[sample]
        return samples.edge[first : first + samples.branch_count[sample]]

    def _add_way(self, target: int) -> None:
        """All worlds before a fork (~s) or a complete world, up to what is known."""
        worlds, samples = self._graph.worlds, self._graph.samples
        world = samples.world[~target] if target < 0 else target
        if target < 0 and world not in self._open:
            self._open[world] = self._edges(~target)
            self._fork[world] = ~target
        while world != ROOT and worlds.parent[world] not in self._open:
            parent = worlds.parent[world]
            first, count = worlds.first_edge[parent], worlds.edge_count[parent]
            children = worlds.edge_child[first : first + count]
            self._open[parent] = [children.index(world)]
            world = parent
