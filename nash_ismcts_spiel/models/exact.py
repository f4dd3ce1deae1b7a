"""Exact models of a tabular policy in an enumerable game: H by Bayes' rule, V by evaluation.

Everything is computed for the profile in which all players follow the given policy. Beliefs of a
player weigh each world by chance and by the *other* players' probabilities; its own cancel. Where
the others never go, beliefs are the limit of trembles: each player plays a uniformly random action
with probability tending to 0, so the worlds that need the fewest trembles count, and only they.

Values are utilities in the game's units, for the player who owns the information set. A search
forgets the imagined world whenever its player acts again, and goes on from V of the information set
there. So that worlds which were looked into and worlds which were not can be averaged, the value of
a world is by default *forgetful* too: what the player's next information sets are worth, expected
over what happens before. Valuing worlds by their own expected utility is as right on average, but a
search that has seen one good world and not yet the bad ones would take the mean for the good one.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import CHANCE, DECISION, TERMINAL, GameGraph
from nash_ismcts_spiel.games.policies import policy_table
from nash_ismcts_spiel.models.protocol import InformationSetRow, SampleRow

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, slots=True)
class _Mass:
    """What lies below a branch of the prefix tree.

    Attributes:
      trembles: fewest trembles of other players with which a world below is reached.
      weight: probability of reaching those worlds, own moves left out.
      values: mean utility after each own action over those worlds. [actions]
    """

    trembles: int
    weight: float
    values: Floats


class ExactEvaluator:
    """H, V and Vc of a policy, exactly.

    Attributes:
      graph: the enumerated graph that the rows belong to.
      policy: the probabilities, one per legal action of each information set. [A]
      forgetful: whether a world is worth what the player's next information sets are worth.
    """

    def __init__(self, game: Any, policy: Any, forgetful: bool = True) -> None:
        """Enumerates the game and evaluates the policy.

        Args:
          game: a pyspiel game, its name, or an enumerated GameGraph to share.
          policy: an OpenSpiel policy, {information state string: {action: probability}}, or an
            array with one probability per legal action of each information set of the graph.
          forgetful: False values worlds by their own expected utility.
        """
        if isinstance(game, GameGraph) and not game.enumerated:
            raise ValueError(f"exact models need an enumerated graph of {game.game.name}")
        self.graph = game if isinstance(game, GameGraph) else GameGraph.enumerate(game)
        self.policy = policy_table(self.graph, policy)
        self.forgetful = forgetful
        self._arrays = _Arrays(self.graph, self.policy)
        self._utilities = self._arrays.expected_utilities()
        self._reaches = [self._arrays.reach(p) for p in range(self.graph.game.num_players)]

    @functools.cached_property
    def world_values(self) -> Floats:
        """What each world is worth to each player, as `forgetful` says. [W, n]"""
        if not self.forgetful:
            return self._utilities
        masses = _Masses(self.graph, self._reaches, self._utilities)
        known = np.array([
            _expected(self._policy_at(information_set), masses.of(information_set).values)
            for information_set in range(len(self.graph.information_sets))
        ])  # fmt: skip
        return self._arrays.forgetful_values(self._utilities, known)

    @functools.cached_property
    def _masses(self) -> _Masses:
        return _Masses(self.graph, self._reaches, self.world_values)

    def information_set_rows(
        self, graph: GameGraph, information_sets: Sequence[int]
    ) -> list[InformationSetRow]:
        """One row per information set."""
        self._check(graph)
        return [self._row(information_set) for information_set in information_sets]

    def sample_rows(self, graph: GameGraph, sample_nodes: Sequence[int]) -> list[SampleRow]:
        """One row per SAMPLE node."""
        self._check(graph)
        rows: list[SampleRow] = []
        for node in sample_nodes:
            masses = self._masses.of_branches(node)
            values = np.stack([mass.values for mass in masses], axis=1)
            rows.append(SampleRow(_beliefs(masses), values.tolist()))
        return rows

    def value(self, player: int) -> float:
        """Expected utility of a player from the start of the game."""
        return float(self._utilities[0, player])

    def _check(self, graph: GameGraph) -> None:
        if graph is not self.graph:
            raise ValueError("exact models belong to their own graph: search on evaluator.graph")

    def _policy_at(self, information_set: int) -> Floats:
        first = self.graph.information_sets.first_action[information_set]
        count = self.graph.information_sets.action_count[information_set]
        return self.policy[first : first + count]

    def _row(self, information_set: int) -> InformationSetRow:
        policy, values = self._policy_at(information_set), self._masses.of(information_set).values
        return InformationSetRow(policy.tolist(), _expected(policy, values), values.tolist())


class _Masses:
    """What lies below the branches of all prefix trees, for given values of worlds [W, n]."""

    def __init__(
        self, graph: GameGraph, reaches: Sequence[tuple[Floats, Longs]], values: Floats
    ) -> None:
        self._graph = graph
        self._reaches = reaches
        self._values = values
        self._known: dict[int, list[_Mass]] = {}

    def of(self, information_set: int) -> _Mass:
        """All of an information set."""
        return self._below(self._graph.hidden(information_set))

    def of_branches(self, node: int) -> list[_Mass]:
        """Each branch of a SAMPLE node."""
        masses = self._known.get(node)
        if masses is None:
            count = self._graph.samples.branch_count[node]
            targets = [self._graph.branch(node, branch) for branch in range(count)]
            masses = self._known[node] = [self._below(target) for target in targets]
        return masses

    def _below(self, target: int) -> _Mass:
        if target < 0:
            return _together(self.of_branches(~target))
        worlds = self._graph.worlds
        player = worlds.player[target]
        weight, trembles = self._reaches[player]
        first, count = worlds.first_edge[target], worlds.edge_count[target]
        children = worlds.edge_child[first : first + count]
        values = self._values[children, player]
        return _Mass(int(trembles[target]), float(weight[target]), values)


# Sums below run from first to last, as in compiled code: symmetric games have values that are equal
# but for rounding, and ties should fall alike.


def _together(masses: Sequence[_Mass]) -> _Mass:
    """What lies below a SAMPLE node, from what lies below its branches."""
    fewest = min(mass.trembles for mass in masses)
    weight = _total([mass.weight for mass in masses if mass.trembles == fewest])
    values = np.zeros(len(masses[0].values))
    for belief, mass in zip(_beliefs(masses), masses, strict=True):
        values += belief * mass.values
    return _Mass(fewest, weight, values)


def _beliefs(masses: Sequence[_Mass]) -> list[float]:
    """Bayes' rule over branches: those that need the fewest trembles, by weight."""
    fewest = min(mass.trembles for mass in masses)
    weights = [mass.weight if mass.trembles == fewest else 0.0 for mass in masses]
    total = _total(weights)
    return [weight / total for weight in weights]


def _expected(weights: Floats, values: Floats) -> float:
    return _total((weights * values).tolist())


def _total(numbers: Sequence[float]) -> float:
    total = 0.0
    for number in numbers:
        total += number
    return total


class _Arrays:
    """The graph's edges as numpy arrays, level by level (rows are ordered by depth)."""

    def __init__(self, graph: GameGraph, policy: Floats) -> None:
        worlds = graph.worlds
        self._players = graph.game.num_players
        self._kind = np.array(worlds.kind)
        self._mover = np.array(worlds.player)
        self._child = np.array(worlds.edge_child)
        self._count = np.array(worlds.edge_count)
        self._first = np.array(worlds.first_edge)
        self._parent = np.repeat(np.arange(len(worlds)), self._count)
        self._utilities = np.array(worlds.utilities).reshape(-1, self._players)
        self._utility_row = np.array(worlds.utility_row)
        self._information_set = np.array(worlds.information_set)
        self._weight = self._edge_weights(graph, policy)
        depth = np.array(worlds.depth)
        starts = np.searchsorted(depth, np.arange(depth[-1] + 2))
        self._levels = [slice(a, b) for a, b in zip(starts[:-1], starts[1:], strict=True)]

    def expected_utilities(self) -> Floats:
        """Expected utility of each player at each world. [W, n]"""
        values = np.zeros((len(self._kind), self._players))
        terminal = self._utility_row >= 0
        values[terminal] = self._utilities[self._utility_row[terminal]]
        for level in reversed(self._levels):
            edges = self._edges(level)
            backed_up = self._weight[edges, None] * values[self._child[edges]]
            np.add.at(values, self._parent[edges], backed_up)
        return values

    def forgetful_values(self, utilities: Floats, known: Floats) -> Floats:
        """What each world is worth to each player who forgets it at its next move. [W, n]

        `known` is V of each information set [I], for the player who moves there.
        """
        values = utilities.copy()
        for player in range(self._players):
            own = np.flatnonzero((self._kind == DECISION) & (self._mover == player))
            values[own, player] = known[self._information_set[own]]
            happens = (self._kind != TERMINAL) & (self._mover != player)
            for level in reversed(self._levels):
                edges = self._edges(level)
                mean = np.zeros(level.stop - level.start)
                backed_up = self._weight[edges] * values[self._child[edges], player]
                np.add.at(mean, self._parent[edges] - level.start, backed_up)
                values[level, player] = np.where(happens[level], mean, values[level, player])
        return values

    def reach(self, player: int) -> tuple[Floats, Longs]:
        """Probability of each world without `player`'s own moves, and the trembles it needs. [W]"""
        weight = np.ones(len(self._kind))
        trembles = np.zeros(len(self._kind), dtype=np.int64)
        others = (self._kind[self._parent] == DECISION) & (self._mover[self._parent] != player)
        own = self._mover[self._parent] == player
        tremble = others & (self._weight == 0.0)
        factor = np.where(tremble, 1.0 / np.maximum(self._count[self._parent], 1), self._weight)
        factor[own] = 1.0
        for level in self._levels:
            edges = self._edges(level)
            child, parent = self._child[edges], self._parent[edges]
            weight[child] = weight[parent] * factor[edges]
            trembles[child] = trembles[parent] + tremble[edges]
        return weight, trembles

    def _edges(self, level: slice) -> slice:
        last = level.stop - 1
        return slice(self._first[level.start], self._first[last] + self._count[last])

    def _edge_weights(self, graph: GameGraph, policy: Floats) -> Floats:
        """Probability of each edge: chance by the game, moves by the policy. [E]"""
        weights = np.array(graph.worlds.edge_probability)
        information_set = self._information_set[self._parent]
        within = np.arange(len(weights)) - self._first[self._parent]
        moves = self._kind[self._parent] == DECISION
        first_action = np.array(graph.information_sets.first_action)
        weights[moves] = policy[first_action[information_set[moves]] + within[moves]]
        assert bool(np.all(moves | (self._kind[self._parent] == CHANCE)))
        return weights
