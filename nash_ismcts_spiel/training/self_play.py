"""Games played on an enumerated graph, many at once, and what may be learned from them.

In every game one player explores, and only its information sets give rows:
- *search games*: the explorer follows the search policy, mixed with uniform play; the others play
  uniformly, so that every reply is met. Rows: where the search policy is a target for P.
- *policy games*: the others follow P. The explorer's own moves cancel in its beliefs, so what was
  hidden from it is an unbiased target for H, however it explored. Of the other players that is not
  true, since the explorer's moves were not drawn from P; they give no rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import CHANCE, DECISION, TERMINAL, GameGraph

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Visits(NamedTuple):
    """How often explorers came by.

    Attributes:
      sets: visits of each information set. [I]
      branches: how often the hidden state went through each branch of each SAMPLE node. [B]
    """

    sets: Ints
    branches: Ints


class SelfPlay:
    """Plays games on one graph."""

    def __init__(self, graph: GameGraph) -> None:
        """Prepares an enumerated graph whose prefix trees are resolved."""
        worlds, sets = graph.worlds, graph.information_sets
        self._players = graph.game.num_players
        self._kind = np.asarray(worlds.kind)
        self._mover = np.asarray(worlds.player)
        self._set = np.asarray(worlds.information_set, dtype=np.int64)
        self._first = np.asarray(worlds.first_edge, dtype=np.int64)
        self._count = np.asarray(worlds.edge_count, dtype=np.int64)
        self._child = np.asarray(worlds.edge_child, dtype=np.int64)
        parent = np.repeat(np.arange(len(worlds)), self._count)
        self._chance_weight = np.asarray(worlds.edge_probability)
        self._of_chance = self._kind[parent] == CHANCE
        self._edge_mover = self._mover[parent]
        within = np.arange(len(parent)) - self._first[parent]
        first_action = np.asarray(sets.first_action, dtype=np.int64)
        # Entries of a policy table beside the edges; those of chance are not used.
        self._action = np.where(self._of_chance, 0, first_action[self._set[parent]] + within)
        counts = np.asarray(sets.action_count)
        self._uniform = np.repeat(1.0 / counts, counts)
        self._num_sets = len(sets)
        self._index_branches(graph)

    def search_games(
        self, found: Floats, games: int, explore: float, rng: np.random.Generator
    ) -> Visits:
        """Games for P's targets, an equal share for each exploring player."""
        return self._play(found, self._uniform, games, explore, rng)

    def policy_games(
        self, policy: Floats, games: int, explore: float, rng: np.random.Generator
    ) -> Visits:
        """Games for H's targets."""
        return self._play(policy, policy, games, explore, rng)

    def _play(
        self, own: Floats, others: Floats, games: int, explore: float, rng: np.random.Generator
    ) -> Visits:
        sets = np.zeros(self._num_sets, dtype=np.int64)
        branches = np.zeros(self._num_branches, dtype=np.int64)
        exploring = (1.0 - explore) * own + explore * self._uniform
        for explorer in range(self._players):
            moves = np.where(
                self._edge_mover == explorer, exploring[self._action], others[self._action]
            )
            weights = np.where(self._of_chance, self._chance_weight, moves)
            met = self._walk(weights, explorer, max(1, games // self._players), rng)
            np.add.at(sets, self._set[met], 1)
            self._count_branches(met, branches)
        return Visits(sets, branches)

    def _walk(
        self, weights: Floats, explorer: int, games: int, rng: np.random.Generator
    ) -> Ints:
        """Plays games by the weights of the edges; the worlds in which the explorer moved."""
        ends = np.cumsum(weights)
        worlds = np.zeros(games, dtype=np.int64)
        met: list[Ints] = []
        while len(worlds) > 0:
            kind = self._kind[worlds]
            met.append(worlds[(kind == DECISION) & (self._mover[worlds] == explorer)])
            worlds = worlds[kind != TERMINAL]
            first = self._first[worlds]
            last = first + self._count[worlds] - 1
            low = ends[first] - weights[first]
            drawn = low + rng.random(len(worlds)) * (ends[last] - low)
            edges = np.clip(np.searchsorted(ends, drawn, side="right"), first, last)
            worlds = self._child[edges]
        return np.concatenate(met)

    def _index_branches(self, graph: GameGraph) -> None:
        """From a world up its prefix tree: the branch that leads to it, and the one before."""
        samples = graph.samples
        self._num_branches = len(samples.edge)
        target = np.asarray(samples.target, dtype=np.int64)
        branch = np.arange(len(target))
        node = np.repeat(np.arange(len(samples)), np.asarray(samples.branch_count))
        self._last_branch = np.full(len(graph.worlds), -1)
        complete = target >= 0
        self._last_branch[target[complete]] = branch[complete]
        before_node = np.full(len(samples), -1)
        before_node[~target[~complete]] = branch[~complete]
        self._branch_before = before_node[node]

    def _count_branches(self, met: Ints, branches: Ints) -> None:
        here = self._last_branch[met]
        while len(here) > 0:
            here = here[here >= 0]
            np.add.at(branches, here, 1)
            here = self._branch_before[here]
