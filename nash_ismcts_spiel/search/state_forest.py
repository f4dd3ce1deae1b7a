"""The search where nothing was trained and nothing can be enumerated, to be read: one forest.

A simulation begins in one of the worlds that its player cannot tell apart and passes through every
player's tree on the way: a node for each information set, keyed by its player and by what that
player knows. It adds one node, plays on from there, and backs up at every mover's node. A move in
the trees is the one with the largest

    q(a) + 2 scale sqrt(ln(max(1, N) + 1) / (n(a) + 2)),    q(a) = (W(a) + 2 q0(a)) / (n(a) + 2)

ties drawn at random; N and n(a) are visits of the node and of the action, W(a) sums of values, q0
the mean of the action in tables that forget the hand. Games are played out by pi(a) ~
exp(q0(a) / (.1 scale)). The value of a simulation is its return less a baseline, what its world is
worth anyway:

    baseline = (sum of the world's returns + 2 * mean of all returns) / (the world's games + 2)

The most visited action is played. Worlds are drawn before simulations 1 to 32, which then take
turns. Nothing is kept from move to move, so a search is a function of what its player knows, of the
scale and of the seed. Values are utilities in the game's units. `native/forest/state_forest.h` is
the same in C++.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Hashable, Sequence

from nash_ismcts_spiel.games import CHANCE, TERMINAL, GameGraph
from nash_ismcts_spiel.native import _core
from nash_ismcts_spiel.search.splitmix import SplitMix

WORLDS = 32
"""Worlds that simulations of one move begin in."""
PRIOR_VISITS = 2.0
"""Visits that q0 counts for, and games that the mean of all counts for in a world's baseline."""
EXPLORATION = 2.0
TEMPERATURE = 0.1
"""Of play-outs, in value scales."""
RENEWAL = 1.5
"""Growth of N after which q0 is looked up anew."""
SHRINKAGE = 3.0
"""Visits that the wider table counts for in the narrower one, and 0 in the wider one."""
_LONGEST = 20_000

_Key = tuple[Hashable, ...]


@dataclasses.dataclass(slots=True)
class _Root:
    """A world that was drawn.

    Attributes:
      row: of the graph.
      logs: by player, what it has done, where the game only has observations.
      last: the last action of a player.
      total: of returns, by player.
      games: how many.
    """

    row: int
    logs: list[_Key]
    last: int
    total: list[float]
    games: float = 0.0


@dataclasses.dataclass(slots=True)
class _Node:
    """An information set in the trees.

    Attributes:
      visits: n(a). [actions]
      sums: W(a). [actions]
      priors: q0(a). [actions]
      count: N.
      renewed: N when q0 was looked up.
    """

    visits: list[int]
    sums: list[float]
    priors: list[float]
    count: int = 0
    renewed: int = 0


class _ActionTables:
    """Sums and counts of values by player and action (T1), and by the action before, too (T2)."""

    def __init__(self) -> None:
        self._entries: dict[_Key, tuple[float, float]] = {}

    def mean(self, player: int, previous: int, action: int) -> float:
        """The mean of T2, shrunk towards that of T1, which is shrunk towards 0."""
        alone, count = self._entries.get((player, action), (0.0, 0.0))
        alone /= count + SHRINKAGE
        total, count = self._entries.get((player, previous, action), (0.0, 0.0))
        return (total + SHRINKAGE * alone) / (count + SHRINKAGE)

    def add(self, player: int, previous: int, action: int, value: float) -> None:
        for key in ((player, action), (player, previous, action)):
            total, count = self._entries.get(key, (0.0, 0.0))
            self._entries[key] = (total + value, count + 1.0)


class ReferenceStateForest:
    """One search of one information set."""

    def __init__(self, graph: GameGraph, information_set: int, scale: float, seed: int) -> None:
        """Takes the graph in which the set was found; it is asked for worlds alone.

        What is played goes into another one: rows of a graph have a say in what is drawn from it.
        """
        self._draws = _core.WorldDraws(graph, information_set, seed)
        self._graph = GameGraph(graph.game, graph.split_actions, graph.hidden_order)
        self._scale = scale
        self._random = SplitMix.stream(seed, 1)
        self._players = graph.game.num_players
        self._remembers = graph.game.has_information_states
        self._tables = _ActionTables()
        self._nodes: dict[_Key, _Node] = {}
        self._root_key: _Key | None = None
        self._roots: list[_Root] = []
        self._total = [0.0] * self._players
        self._games = 0.0

    def run(self, visits: int, seconds: float | None = None) -> int:
        """Simulates until there were `visits` simulations or time is up; returns how many."""
        ends = math.inf if seconds is None else time.perf_counter() + seconds
        count = 0
        while count < visits and time.perf_counter() < ends:
            if len(self._roots) < WORLDS:
                self._roots.append(self._drawn_root())
            self._simulate(self._roots[count % len(self._roots)])
            count += 1
        return count

    def found(self, actions: Sequence[int] = ()) -> tuple[list[int], list[float]] | None:
        """Visits of each action and its value to the mover, after own actions from the root on;
        None where the forest has not been.
        """
        if self._root_key is None:
            return None
        row, key = self._roots[0].row, self._root_key
        for action in actions:
            log = (*key, action) if not self._remembers else ()
            row = self._after(row, action)
            key = self._key(row, log)
        node = self._nodes.get(key)
        if node is None:
            return None
        mean = self._total[self._graph.worlds.player[row]] / self._games
        pairs = zip(node.visits, self._values(node), strict=True)
        visits, values = zip(*pairs, strict=True)
        return list(visits), [mean + value for value in values]

    def _drawn_root(self) -> _Root:
        history, worlds = self._draws.next(), self._graph.worlds
        root = _Root(0, [() for _ in range(self._players)], -1, [0.0] * self._players)
        for event in history:
            player = worlds.player[root.row]
            if player >= 0:
                root.last = event
                root.logs[player] = (*root.logs[player], event)
            root.row = self._after(root.row, event)
        return root

    def _simulate(self, root: _Root) -> None:
        """One pass through the trees, out to the end of the game, and back."""
        worlds, row, last, logs = self._graph.worlds, root.row, root.last, list(root.logs)
        steps: list[tuple[int, int, int, _Node | None, int]] = []
        grown = False
        for _ in range(_LONGEST):
            if worlds.kind[row] == TERMINAL:
                break
            if worlds.kind[row] == CHANCE:
                row = self._graph.child(row, self._random.index(self._weights(row)))
                continue
            player, actions = worlds.player[row], self._graph.edge_actions(row)
            edge, node = 0, None
            if len(actions) > 1:
                if not grown:
                    key = self._key(row, logs[player])
                    node = self._nodes.get(key)
                    logs[player] = key
                    if node is None:
                        node = self._nodes[key] = _new_node(len(actions))
                        grown = row != root.row
                    if row == root.row:
                        self._root_key = key
                    edge = self._choose(node, player, last, actions)
                else:
                    edge = self._draw_by_tables(row, player, last, actions)
                steps.append((player, last, actions[edge], node, edge))
            last = actions[edge]
            if not grown:
                logs[player] = (*logs[player], last)
            row = self._graph.child(row, edge)
        first = worlds.utility_row[row] * self._players
        self._back_up(root, worlds.utilities[first : first + self._players], steps)

    def _back_up(
        self,
        root: _Root,
        returns: Sequence[float],
        steps: Sequence[tuple[int, int, int, _Node | None, int]],
    ) -> None:
        for player, previous, action, node, edge in steps:
            mean = self._total[player] / self._games if self._games else returns[player]
            baseline = (root.total[player] + PRIOR_VISITS * mean) / (root.games + PRIOR_VISITS)
            value = returns[player] - baseline
            self._tables.add(player, previous, action, value)
            if node is not None:
                node.count += 1
                node.visits[edge] += 1
                node.sums[edge] += value
        for player, value in enumerate(returns):
            root.total[player] += value
            self._total[player] += value
        root.games += 1.0
        self._games += 1.0

    def _choose(self, node: _Node, player: int, previous: int, actions: Sequence[int]) -> int:
        if node.count >= RENEWAL * node.renewed:
            node.priors = [self._tables.mean(player, previous, action) for action in actions]
            node.renewed = node.count
        evidence = math.log(max(1.0, node.count) + 1.0)
        best, chosen, ties = -math.inf, 0, 0
        for edge, value in enumerate(self._values(node)):
            n = node.visits[edge] + PRIOR_VISITS
            value += EXPLORATION * self._scale * math.sqrt(evidence / n)
            if value > best:
                best, chosen, ties = value, edge, 1
            elif value == best:
                ties += 1
                if self._random.below(ties) == 0:
                    chosen = edge
        return chosen

    def _values(self, node: _Node) -> list[float]:
        """q(a)."""
        triples = zip(node.visits, node.sums, node.priors, strict=True)
        return [(w + PRIOR_VISITS * q0) / (n + PRIOR_VISITS) for n, w, q0 in triples]

    def _draw_by_tables(self, row: int, player: int, previous: int, actions: Sequence[int]) -> int:
        """Whole actions count alike where a legal one is a part of several."""
        means = [self._tables.mean(player, previous, action) for action in actions]
        largest, temperature = max(means), TEMPERATURE * self._scale
        # Whole actions behind each action; 0 where actions are whole.
        wholes = [count or 1.0 for count in self._weights(row)]
        weights = [
            count * math.exp((mean - largest) / temperature)
            for count, mean in zip(wholes, means, strict=True)
        ]
        total = 0.0
        for weight in weights:
            total += weight
        left = self._random.uniform() * total
        for edge in range(len(weights) - 1):
            left -= weights[edge]
            if left < 0.0:
                return edge
        return len(weights) - 1

    def _key(self, row: int, log: _Key) -> _Key:
        """What the mover knows: its information state, or where the game only has observations, its
        own actions and what it saw when it had a choice; and its legal actions.
        """
        worlds, sets = self._graph.worlds, self._graph.information_sets
        view = sets.view[worlds.information_set[row]]
        shown = self._graph.log(view)[-1][1]
        return (worlds.player[row], shown) if self._remembers else (*log, worlds.player[row], shown)

    def _after(self, row: int, event: int) -> int:
        return self._graph.child(row, list(self._graph.edge_actions(row)).index(event))

    def _weights(self, row: int) -> Sequence[float]:
        first = self._graph.worlds.first_edge[row]
        return self._graph.worlds.edge_probability[
            first : first + self._graph.worlds.edge_count[row]
        ]


def _new_node(count: int) -> _Node:
    return _Node([0] * count, [0.0] * count, [0.0] * count)
