"""The search with soft ties over the views of a merged game, to be read.

As `search/forest.py`, where histories merge: pi(a) ~ P(a) exp(Q(a) / alpha). A node has several
parents, and V and beliefs are exact under P at every node. So a view counts all its nodes w from
the first visit on:

    Q(a) = sum over w of r(w) v(wa) / sum over w of r(w)
    r(w) = sum over parents x of r(x) pi(xw)

r is how likely a node is by what is played, by P where nobody has been. It multiplies the moves of
all players, the own ones too: a view forgets in which order its player's own moves came. The
temperature alpha is bounded below, since without perfect recall soft ties need not settle at lower
ones. What was visited often is updated at some visits only.

A search walks the decision points of the likeliest way to its view: what its player saw there each
time somebody moved (its *looks*). Where the game has symmetries and P respects them, all views
here are standard ones. `native/forest/view_forest.h` is the same in C++.
"""

from __future__ import annotations

import bisect
import itertools
import math
import time
from collections.abc import Sequence

import numpy as np

from nash_ismcts_spiel.models.view_models import ViewModels
from nash_ismcts_spiel.search.forest import EXPLORATION, HANDFUL, LEARNING_POWER, leash
from nash_ismcts_spiel.search.splitmix import SplitMix

LEAST_TEMPERATURE = 0.1
"""In value scales."""
TREMBLE = 1e-9
"""A move that is never made counts as made this rarely."""


def visits_an_update(visits: int) -> int:
    """Simulations through a view for one update of it."""
    return 1 if visits < 64 else 2 if visits < 256 else 4 if visits < 1024 else 8


class _View:
    """What a forest found at one view; tuples and lists have one entry per action.

    Attributes:
      nodes: all of them.
      alike: the first of the actions that a symmetry makes alike.
      policy: pi.
      value: Qbar.
      tried: how often simulations took an action.
      visits: N.
      mean, mean_weight: weighted sum of pi, and of the weights.
      frozen: what is played here is settled.
      weighed: a simulation of this decision point began here.
    """

    def __init__(self, models: ViewModels, number: int) -> None:
        self.player = models.player(number)
        self.nodes = models.arena.nodes_of_look(models.arena.look_of_view(number))
        first, end = map(int, models.first_action[number : number + 2])
        self.alike = [int(action) - first for action in models.arena.alike[first:end]]
        self.prior = models.policy_at(number)
        count = len(self.prior)
        self.policy = self.prior
        self.value, self.tried = [0.0] * count, [0] * count
        self.visits, self.frozen, self.weighed = 0, False, False
        self.mean, self.mean_weight = [0.0] * count, 0.0

    def is_due(self) -> bool:
        """Whether this visit brings an update."""
        return self.visits % visits_an_update(self.visits) == 0


class ReferenceViewForest:
    """One forest. `simulations` is how many it has run, `temperature` the last alpha."""

    def __init__(self, models: ViewModels, seed: int) -> None:
        """Starts with nothing thought about."""
        self.simulations = 0
        self.temperature = 0.0
        self._models, self._arena, self._seed = models, models.arena, seed
        self._players = models.merged.game.num_players
        self._view = models.arena.view
        self._first_edge, self._child = models.arena.first_edge, models.arena.child
        self._first_parent, self._parent = models.arena.first_parent, models.arena.parent
        self._parent_action = models.arena.parent_action
        self._values = models.native.values.reshape(-1, self._players)
        self._reach = np.array(models.native.reach)
        self._views: dict[int, _View] = {}
        self._roots: dict[int, list[float]] = {}
        self._root_reach: dict[int, float] = {0: 1.0}
        self._few = True  # the last decision point had a handful of simulations

    def think(
        self, look: int, player: int, visits: int | None, seconds: float | None = None
    ) -> int:
        """Runs simulations from a decision point of a player's log, and freezes what is played.

        Returns how many there were: `visits`, or as many as there was time for.
        """
        ends = math.inf if seconds is None else time.perf_counter() + seconds
        random = SplitMix.stream(self._seed, look)
        moving: dict[int, _View] = {}
        self._roots, self._root_reach = {}, {0: 1.0}
        for view in self._views.values():
            view.weighed = False
        count = 0
        while (visits is None or count < visits) and time.perf_counter() < ends:
            if count & (count - 1) == 0:  # where a clock ends the search, n is a guess
                expected = 2 * count + 2 if visits is None else visits
                length = max(leash(expected, self._models.regret), LEAST_TEMPERATURE)
                self.temperature = self._models.value_scale * length
            node = self._draw_root(look, random)
            if self._players > 1 and random.uniform() < 0.5:
                # What another player takes for possible there, and what ours would then.
                other = (player + 1 + count % (self._players - 1)) % self._players
                node = self._draw_root(self._arena.look(node, other), random)
                node = self._draw_root(self._arena.look(node, player), random)
            self._simulate(node, random)
            root = self._views[int(self._view[node])]
            if not root.frozen:
                moving[int(self._view[node])] = root
                root.mean_weight += count + 1.0
                pairs = zip(root.mean, root.policy, strict=True)
                root.mean = [total + (count + 1.0) * p for total, p in pairs]
            count += 1
        self.simulations += count
        self._few = count < HANDFUL
        for view in moving.values():
            mean = [total / view.mean_weight for total in view.mean]
            view.policy = list(view.prior) if self._few else mean
            view.frozen = True
        return count

    def found(self, number: int) -> tuple[list[float], list[float], list[int]]:
        """Policy (P where there is nothing better), advantages and simulations of each action."""
        view = self._views.get(number) or _View(self._models, number)
        child_values = self._models.child_values_at(number)
        base = _dot(view.prior, child_values)
        advantages = [value - base if view.visits else 0.0 for value in view.value]
        unknown = self._few and not view.frozen
        return list(view.prior) if unknown else view.policy, advantages, view.tried

    def _draw_root(self, look: int, random: SplitMix) -> int:
        """A node of a look, as likely as what is played makes it."""
        nodes = self._arena.nodes_of_look(look)
        if look not in self._roots:
            self._roots[look] = list(itertools.accumulate(map(self._reach_of_root, nodes)))
        ends = self._roots[look]
        return nodes[bisect.bisect_right(ends, random.uniform() * ends[-1], 0, len(ends) - 1)]

    def _reach_of_root(self, node: int) -> float:
        """r by all ways from the start of the game, kept while a decision point lasts."""
        if node not in self._root_reach:
            total = 0.0
            for at in range(self._first_parent[node], self._first_parent[node + 1]):
                total += self._reach_of_root(int(self._parent[at])) * self._chance_of(at)
            self._root_reach[node] = total
        return self._root_reach[node]

    def _chance_of(self, at: int) -> float:
        """pi of the move over an edge; P where nobody has been."""
        number = int(self._view[self._parent[at]])
        action = int(self._parent_action[at])
        if number not in self._views:
            return max(float(self._models.policy[action]), TREMBLE)
        first = int(self._models.first_action[number])
        return max(self._views[number].policy[action - first], TREMBLE)

    def _weigh(self, view: _View, is_root: bool) -> None:
        """r of all nodes by those of their parents; of a root by all ways, and once."""
        if is_root and view.weighed:
            return
        view.weighed |= is_root
        for node in view.nodes:
            if is_root:
                self._reach[node] = self._reach_of_root(node)
                continue
            total = 0.0
            for at in range(self._first_parent[node], self._first_parent[node + 1]):
                total += float(self._reach[self._parent[at]]) * self._chance_of(at)
            self._reach[node] = total

    def _simulate(self, node: int, random: SplitMix) -> None:
        """One pass from a node to the end of the game, and back."""
        path: list[_View] = []
        while (number := int(self._view[node])) >= 0:
            if number not in self._views:
                self._views[number] = _View(self._models, number)
            view = self._views[number]
            view.visits += 1
            if view.is_due():
                self._weigh(view, not path)
            path.append(view)
            if random.uniform() < EXPLORATION:
                action = random.below(len(view.policy))
            else:
                action = random.index(view.policy)
            view.tried[action] += 1
            node = int(self._child[self._first_edge[node] + action])
        for view in reversed(path):
            if view.is_due():
                self._update(view)

    def _update(self, view: _View) -> None:
        """Qbar, pi, and the values of all nodes of a view."""
        if not view.frozen:
            kept, left = 1.0 - float(view.visits) ** -LEARNING_POWER, 1.0
            for _ in range(visits_an_update(view.visits)):  # the steps since the last update
                left *= kept
            step = 1.0 - left
            for action, estimate in enumerate(self._estimate(view)):
                view.value[action] += step * (estimate - view.value[action])
            largest = max(view.value)
            pairs = zip(view.prior, view.value, strict=True)
            weights = [p * math.exp((q - largest) / self.temperature) for p, q in pairs]
            total = _sum(weights)
            view.policy = [weight / total for weight in weights]
        for player in range(self._players):
            for node, after in zip(view.nodes, self._after(view, player), strict=True):
                self._values[node, player] = _dot(view.policy, after)

    def _estimate(self, view: _View) -> list[float]:
        """Q of each action."""
        weights = [float(self._reach[node]) for node in view.nodes]
        actions = zip(*self._after(view, view.player), strict=True)
        total = _sum(weights)
        return _evened([_dot(weights, after) / total for after in actions], view.alike)

    def _after(self, view: _View, player: int) -> list[list[float]]:
        """Values after each action at each node."""
        count, found = len(view.prior), []
        for node in view.nodes:
            children = self._child[self._first_edge[node] : self._first_edge[node] + count]
            found.append([float(self._values[child, player]) for child in children])
        return found


def _evened(values: list[float], alike: list[int]) -> list[float]:
    """The means over actions that a symmetry makes alike, given the first of these for each."""
    sums, counts = [0.0] * len(values), [0.0] * len(values)
    for value, first in zip(values, alike, strict=True):
        sums[first] += value
        counts[first] += 1.0
    return [sums[first] / counts[first] for first in alike]


def _dot(weights: Sequence[float], values: Sequence[float]) -> float:
    return _sum([weight * value for weight, value in zip(weights, values, strict=True)])


def _sum(values: list[float]) -> float:
    """In order, as C++ adds."""
    total = 0.0
    for value in values:
        total += value
    return total
