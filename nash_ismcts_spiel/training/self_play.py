"""Games played on an enumerated graph, many at once, and what may be learned from them.

In every game one player explores, and only its information sets give rows:
- *search games*: the explorer follows the search policy, mixed with uniform play; the others play
  uniformly, so that every reply is met. Rows: where the search policy is a target for P.
- *policy games*: the others follow P, or P mixed with uniform play; then each game counts by how
  much likelier P alone was to play the others' moves in it. The explorer's own moves cancel in its
  beliefs, so what was hidden from it is an unbiased target for H, however it explored. Of the other
  players that is not true, since the explorer's moves were not drawn from P; they give no rows.

Games are not played one by one: at each world, those that came there are split among its children
by binomial draws. The counts have the very distribution that single games would give.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import CHANCE, DECISION, GameGraph
from nash_ismcts_spiel.games.policies import uniform_table

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Visits(NamedTuple):
    """How often explorers came by.

    Attributes:
      sets: visits of each information set. [I]
      branches: how often the hidden state went through each branch of each SAMPLE node, games
        counting by the others' part in them. [B]
    """

    sets: Ints
    branches: Floats


class SelfPlay:
    """Plays games on one graph."""

    def __init__(self, graph: GameGraph) -> None:
        """Prepares an enumerated graph whose prefix trees are resolved."""
        worlds, sets = graph.worlds, graph.information_sets
        self._players = graph.game.num_players
        self._kind = np.asarray(worlds.kind)
        self._mover = np.asarray(worlds.player)
        decides = self._kind == DECISION
        self._moves_of = [decides & (self._mover == player) for player in range(self._players)]
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
        self._uniform = uniform_table(graph)
        self._num_sets = len(sets)
        self._splits = list(self._plan_splits())
        self._index_branches(graph)

    def search_games(
        self, found: Floats, games: int, explore: float, rng: np.random.Generator
    ) -> Visits:
        """Games for P's targets, an equal share for each exploring player."""
        return self._play(found, self._uniform, self._uniform, games, explore, rng)

    def policy_games(
        self,
        policy: Floats,
        games: int,
        explore: float,
        rng: np.random.Generator,
        others_explore: float = 0.0,
    ) -> Visits:
        """Games for H's targets, an equal share for each exploring player."""
        others = (1.0 - others_explore) * policy + others_explore * self._uniform
        return self._play(policy, others, policy, games, explore, rng)

    def _play(
        self,
        own: Floats,
        others: Floats,
        counted: Floats,
        games: int,
        explore: float,
        rng: np.random.Generator,
    ) -> Visits:
        """Games in which others play `others`, counted as if they had played `counted`."""
        sets = np.zeros(self._num_sets, dtype=np.int64)
        branches = np.zeros(self._num_branches)
        exploring = (1.0 - explore) * own + explore * self._uniform
        likelier = (counted / np.where(others > 0.0, others, 1.0))[self._action]
        for explorer in range(self._players):
            is_own = self._edge_mover == explorer
            moves = np.where(is_own, exploring[self._action], others[self._action])
            weights = np.where(self._of_chance, self._chance_weight, moves)
            ratios = np.where(is_own | self._of_chance, 1.0, likelier)
            counts, ratio = self._split(weights, ratios, games // self._players, rng)
            met = np.flatnonzero(self._moves_of[explorer] & (counts > 0))
            sets += np.bincount(self._set[met], counts[met], self._num_sets).astype(np.int64)
            self._count_branches(met, counts[met] * ratio[met], branches)
        return Visits(sets, branches)

    def _plan_splits(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """In which order games are split: worlds, their k-th edges, and their last edges.

        Worlds of one depth come together, first with their first edges, then their second ones.
        """
        worlds = np.zeros(1, dtype=np.int64)
        while len(worlds) > 0:
            children: list[Ints] = []
            for k in range(int(self._count[worlds].max())):
                here = worlds[self._count[worlds] > k]
                first = self._first[here]
                children.append(self._child[first + k])
                yield here, first + k, first + self._count[here] - 1
            worlds = np.concatenate(children) if children else worlds[:0]

    def _split(
        self, weights: Floats, ratios: Floats, games: int, rng: np.random.Generator
    ) -> tuple[Ints, Floats]:
        """Plays games by the weights of the edges.

        Returns:
          How many came by each world, and the product of the ratios on the way to it.
        """
        ends = np.cumsum(weights)
        counts = np.zeros(len(self._kind), dtype=np.int64)
        ratio = np.ones(len(self._kind))
        counts[0] = max(1, games)
        left = counts.copy()
        for worlds, edges, last in self._splits:
            rest = ends[last] - ends[edges] + weights[edges]
            share = weights[edges] / np.where(rest > 0.0, rest, 1.0)
            share = np.where(edges == last, 1.0, share.clip(0.0, 1.0))
            children = self._child[edges]
            drawn = rng.binomial(left[worlds], share)
            left[worlds] -= drawn
            counts[children] = left[children] = drawn
            ratio[children] = ratio[worlds] * ratios[edges]
        return counts, ratio

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

    def _count_branches(self, met: Ints, counts: Floats, branches: Floats) -> None:
        here = self._last_branch[met]
        while len(here) > 0:
            counts, here = counts[here >= 0], here[here >= 0]
            branches += np.bincount(here, counts, self._num_branches)
            here = self._branch_before[here]
