"""The search with soft ties, to be read: one forest, in which every tree on the path learns.

The policy of an information set J is pi(a) ~ P(a) exp(Q(a) / alpha): differences of Q well below
the temperature alpha are ties and broken by P, larger ones are decisive. Q is P's value of the
action, corrected by the worlds w of J that the forest has seen:

    Q(a) = Vc(J, a) + sum over seen w of H(w | J) [ rho(w) / R * v(wa) - v_P(wa) ]
    rho(w) = product of pi(K, b) / P(K, b) over the others' earlier moves b on the way to w
    R = sum over seen w of H(w | J) rho(w) / sum over seen w of H(w | J)

So beliefs follow what is played, and a world that was not seen counts at its value under P. v is
the value of a world if all play pi, v_P if they play P, both backed up in this forest; utilities in
the game's units, one per player. Without models of values, first values are mean returns of random
games and Q is the mean of v over seen worlds alone, each weighted by H rho.

A search walks the decision points of its player's log from the first one on. At each it runs n
simulations from worlds that its player cannot tell apart, and freezes what is played there. So it
is a function of the log, the models and the seed. `native/forest/forest.h` is the same in C++.
"""

from __future__ import annotations

import bisect
import itertools
import math
import time
from collections.abc import Iterable, Sequence

from nash_ismcts_spiel.games import CHANCE, TERMINAL
from nash_ismcts_spiel.games.tables import MISSING
from nash_ismcts_spiel.models.forest_models import ForestModels
from nash_ismcts_spiel.search.met_worlds import MetSet, MetWorld, MetWorlds
from nash_ismcts_spiel.search.splitmix import SplitMix

LEARNING_POWER = 0.7
"""The running mean of Q moves by N^-power."""
EXPLORATION = 0.2
"""Share of uniform moves in simulations."""
BLEND_VISITS = 200.0  # of an information set, at which half of the blend is reached
ROLLOUTS = 4  # random games from a new world
HANDFUL = 5  # simulations; with fewer P is played
LEASH_WEIGHT, UNTRAINED_LEASH_WEIGHT = 1.4, 0.4
EVIDENCE_WEIGHT, EVIDENCE_VISITS = 3.0, 600.0
"""A simulation is worth up to 1 + weight where sets were met often, half-way at so many each; so
grows the searching player's share of P's own advantages to that for others."""


def leash(visits: float, regret: float, weight: float = LEASH_WEIGHT) -> float:
    """The temperature x in value scales: n x^2 = weight (1 / g + 1 / x).

    It is high, so that play stays close to P, where there is little evidence and where P is good. n
    is the number of simulations at a decision point, g the regret of P as its own models see it, in
    value scales. The weight is less where nothing is trained: there is less in P to stay close to.
    """
    low, high = 1e-12, 1e12
    for _ in range(100):
        middle = math.sqrt(low * high)
        if visits * middle * middle < weight * (1.0 / regret + 1.0 / middle):
            low = middle
        else:
            high = middle
    return high


class ReferenceForest:
    """One forest. `simulations` is how many it has run, `temperature` the last alpha."""

    def __init__(self, models: ForestModels, seed: int) -> None:
        """Starts with nothing thought about."""
        self.simulations, self.temperature = 0, 0.0
        self._models = models
        self._graph = models.graph
        self._arena = models.arena
        self._seed = seed
        self._players = models.graph.game.num_players
        self._view = models.arena.views.reshape(-1, self._players)
        self._rollouts = models.first_values == "rollouts"
        self._learned = models.first_values == "learned"
        self._met = MetWorlds(models)
        self._roots: dict[int, list[float]] = {}
        # Whose log is walked, its share of P's advantages; whether the last point had a handful.
        self._player, self._own_share, self._few = 0, 1.0, True

    def think(
        self, view: int, player: int, visits: int | None, seconds: float | None = None
    ) -> int:
        """Runs simulations from a decision point of a player's log, and freezes what is played.

        Returns how many there were: `visits`, or as many as there was time for.
        """
        ends = math.inf if seconds is None else time.perf_counter() + seconds
        random = SplitMix.stream(self._seed, self._arena.view_hash(view))
        moving: list[MetSet] = []
        self._player, self._roots, count = player, {}, 0
        while (visits is None or count < visits) and time.perf_counter() < ends:
            if count & (count - 1) == 0:  # where a clock ends the search, n is a guess
                self._set_temperature(2 * count + 2 if visits is None else visits, count)
            world = self._draw_root(view, player, random)
            if self._players > 1 and random.uniform() < 0.5:
                # What another player takes for possible there, and what ours would then.
                other = (player + 1 + count % (self._players - 1)) % self._players
                world = self._draw_root(int(self._view[world, other]), other, random)
                world = self._draw_root(int(self._view[world, player]), player, random)
            root = self._met.world(world)
            self._simulate(root, random)
            if root.node is not None and not root.node.frozen:
                moving.append(root.node)
                _add_to_mean(root.node, float(count + 1))
            count += 1
        self.simulations += count
        self._few = count < HANDFUL
        for node in moving:
            if not node.frozen:
                mean = [total / node.mean_weight for total in node.mean]
                node.play(list(node.prior) if self._few else mean)
                node.frozen = True
        return count

    def found(self, information_set: int) -> tuple[list[float], list[float], list[int]]:
        """Policy (P where there is nothing better), advantages and simulations of each action."""
        node = self._met.sets.get(information_set) or self._met.new_set(information_set)
        unknown = self._few and not node.frozen
        return list(node.prior) if unknown else node.policy, node.advantage, node.tried

    def _set_temperature(self, visits: int, count: int) -> None:
        done, sets = float(self.simulations + count), 1.0 + len(self._met.sets)
        known = done / (done + EVIDENCE_VISITS * sets)
        own, others = self._models.own_share, self._models.others_share
        self._own_share = others * (own / others) ** (1.0 - known)
        worth = visits * (1.0 if self._rollouts else 1.0 + EVIDENCE_WEIGHT * known)
        weight = UNTRAINED_LEASH_WEIGHT if self._rollouts else LEASH_WEIGHT
        length = leash(worth, self._models.regret, weight)
        self.temperature = self._models.value_scale * length

    def _draw_root(self, view: int, player: int, random: SplitMix) -> int:
        """A world of a view, as likely as what is played makes it."""
        worlds = self._arena.worlds_of(view)
        if view not in self._roots:
            beliefs = [self._belief(world, player) for world in worlds]
            weights = [h * self._rho(w, player) for w, h in zip(worlds, beliefs, strict=True)]
            possible = any(weight > 0.0 for weight in weights)
            self._roots[view] = list(itertools.accumulate(weights if possible else beliefs))
        ends = self._roots[view]
        return worlds[bisect.bisect_right(ends, random.uniform() * ends[-1], 0, len(ends) - 1)]

    def _simulate(self, world: MetWorld, random: SplitMix) -> None:
        """One pass from a world to the end of the game, and back."""
        path: list[MetWorld] = []
        while self._graph.worlds.kind[world.row] != TERMINAL:
            path.append(world)
            if world.node is None:
                edge = random.index(self._chances(world.row))
            else:
                self._see(world, world.node, random)
                edge = self._choose(world.node, random)
                world.node.tried[edge] += 1
            world = self._met.child(world, edge)
        for visited in reversed(path):
            if visited.node is None:
                self._expect_outcomes(visited)
            else:
                self._update(visited.node)

    def _choose(self, node: MetSet, random: SplitMix) -> int:
        if random.uniform() < EXPLORATION:
            return random.below(len(node.policy))
        return random.index(node.policy)

    def _see(self, world: MetWorld, node: MetSet, random: SplitMix) -> None:
        """The mover comes to a world: its information set counts it from now on."""
        if world.seen:
            return
        world.seen = True
        node.worlds.append(world)
        node.beliefs.append(self._belief(world.row, node.player))
        if self._rollouts:
            for edge in range(len(world.children)):
                child = self._met.child(world, edge)
                child.v = self._play_out(child.row, random)

    def _play_out(self, start: int, random: SplitMix) -> list[float]:
        """The mean return of random games from a world."""
        worlds, total = self._graph.worlds, [0.0] * self._players
        for _ in range(ROLLOUTS):
            row = start
            while worlds.kind[row] != TERMINAL:
                chance = worlds.kind[row] == CHANCE
                edge_count = worlds.edge_count[row]
                edge = random.index(self._chances(row)) if chance else random.below(edge_count)
                row = self._met.row_after(row, edge)
            first = worlds.utility_row[row] * self._players
            for player in range(self._players):
                total[player] += worlds.utilities[first + player] / ROLLOUTS
        return total

    def _update(self, node: MetSet) -> None:
        """N, Q, pi, and the values of all worlds that the set has seen."""
        node.updates += 1
        if not node.frozen:
            step = float(node.updates) ** -LEARNING_POWER
            for action, estimate in enumerate(self._estimate(node)):
                node.advantage[action] += step * (estimate - node.advantage[action])
            largest = max(node.advantage)
            pairs = zip(node.prior, node.advantage, strict=True)
            weights = [p * math.exp((q - largest) / self.temperature) for p, q in pairs]
            total = _sum(weights)
            node.play([weight / total for weight in weights])
        actions = range(len(node.prior))
        for world in node.worlds:
            world.v = self._mean(node.policy, [self._v(world, a) for a in actions])
            if self._learned:
                world.v_prior = self._mean(node.prior, [self._v_prior(world, a) for a in actions])

    def _estimate(self, node: MetSet) -> list[float]:
        """Q of each action."""
        me, actions = node.player, range(len(node.prior))
        weights = [h * self._rho(w.row, me) for w, h in zip(node.worlds, node.beliefs, strict=True)]
        played = _sum(weights)
        values = [[self._v(world, a)[me] for world in node.worlds] for a in actions]
        if self._rollouts:
            return [_dot(weights, v) / played if played > 0.0 else 0.0 for v in values]
        seen = _sum(node.beliefs)
        scale = seen / played if played > 0.0 else 0.0
        scaled = [scale * weight for weight in weights]
        priors = [[self._v_prior(world, a)[me] for world in node.worlds] for a in actions]
        under_prior = [_dot(node.beliefs, v) for v in priors]
        gained = [_dot(scaled, values[a]) - under_prior[a] for a in actions]
        # What P's own values say: Vc, which gives way to Q_P, and a share of it.
        blend = self._models.blend * node.updates / (node.updates + BLEND_VISITS)
        own = [
            (1.0 - blend) * vc + blend * (q + (1.0 - seen) * vc)
            for vc, q in zip(node.child_values, under_prior, strict=True)
        ]
        mean = _dot(node.prior, own)
        share = self._own_share if me == self._player else self._models.others_share
        return [gained[a] + share * (own[a] - mean) for a in actions]

    def _expect_outcomes(self, world: MetWorld) -> None:
        """Outcomes never met count at their value under P, or not at all without models."""
        chances = self._chances(world.row)
        edges = [
            e for e, child in enumerate(world.children) if child is not None or not self._rollouts
        ]
        weights = [chances[edge] for edge in edges]
        met = _sum(weights)
        world.v = [v / met for v in self._mean(weights, [self._v(world, e) for e in edges])]
        if self._learned:
            priors = [self._v_prior(world, edge) for edge in edges]
            world.v_prior = [v / met for v in self._mean(weights, priors)]

    def _mean(self, weights: Sequence[float], rows: Sequence[Sequence[float]]) -> list[float]:
        """The weighted sum of rows with one value per player."""
        return [_dot(weights, [row[player] for row in rows]) for player in range(self._players)]

    def _v(self, world: MetWorld, edge: int) -> Sequence[float]:
        child = world.children[edge]
        return self._model_v(world, edge) if child is None else child.v

    def _v_prior(self, world: MetWorld, edge: int) -> Sequence[float]:
        child = world.children[edge]
        kept = child is not None and self._learned
        return child.v_prior if child is not None and kept else self._model_v(world, edge)

    def _model_v(self, world: MetWorld, edge: int) -> Sequence[float]:
        return self._models.values_of(self._met.row_after(world.row, edge))

    def _rho(self, row: int, player: int) -> float:
        """How much likelier the others' moves on the way to a world are than under P."""
        worlds, ratio = self._graph.worlds, 1.0
        while (parent := worlds.parent[row]) != MISSING:
            node = self._met.sets.get(worlds.information_set[parent])
            if node is not None and node.player != player:
                ratio *= node.ratio[row - self._met.row_after(parent, 0)]
            row = parent
        return ratio

    def _chances(self, row: int) -> Sequence[float]:
        worlds, first = self._graph.worlds, self._graph.worlds.first_edge[row]
        return worlds.edge_probability[first : first + worlds.edge_count[row]]

    def _belief(self, row: int, player: int) -> float:
        return float(self._models.beliefs[row, player])


def _add_to_mean(node: MetSet, weight: float) -> None:
    pairs = zip(node.mean, node.policy, strict=True)
    node.mean_weight += weight
    node.mean = [total + weight * probability for total, probability in pairs]


def _dot(weights: Iterable[float], values: Iterable[float]) -> float:
    return _sum(weight * value for weight, value in zip(weights, values, strict=True))


def _sum(values: Iterable[float]) -> float:
    """In order, as C++ adds; Python's own sum compensates rounding errors from 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total
