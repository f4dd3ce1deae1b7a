"""The columns of `ForestModels`, from three sources.

P of any evaluator with what follows from it in the enumerated game (H by Bayes' rule, V by
evaluation), which is what bots search with; all rows of an evaluator (V of a world is V of the
mover's information set), to see what errors of learned models cost; and random games where nothing
is known (P uniform).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import DECISION, TERMINAL, GameGraph
from nash_ismcts_spiel.games.policies import uniform_table
from nash_ismcts_spiel.models.exact import ExactEvaluator
from nash_ismcts_spiel.models.forest_models import ForestModels
from nash_ismcts_spiel.models.protocol import graph_of, native_rows_of
from nash_ismcts_spiel.models.sources import compiled_only
from nash_ismcts_spiel.models.store import Models
from nash_ismcts_spiel.native import _core, exact

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

Part = Literal["H", "V", "Vc"]
NOTHING: frozenset[Part] = frozenset()
ALL_PARTS: frozenset[Part] = frozenset({"H", "V", "Vc"})

_BATCH = 8192
_LEAST_REGRET = 1e-6
_UNTRAINED_REGRET = 0.4
"""g of the uniform policy, in value scales."""
_LEARNED_SHARE, _LEARNED_BLEND = 0.5, 0.5
"""Of P's own advantages, where they were learned; how far Vc then gives way to Q_P."""
_DOUBT, _OWN_DOUBT, _LEASH_DOUBT = 0.025, 0.03, 0.05
"""Of P's own advantages b = 1 / sqrt(1 + doubt / g) counts for others and, at first, between b^2
and b for the player that searches, half-way where g is the own doubt; g of the leash is at least
sqrt(leash doubt * g). Multiples of P's exploitability with b^2 and with b as the own share, search
seed 1, 1,000 and 10,000 visits: CFR's averages in Leduc poker of 40 iterations .74 .53 and .75 .44,
of 70 .79 .61 and .82 .56; of 1,000, with b^2 and b^1.5, 1.01 .93 and 1.05 1.07; Liar's Dice 1x4, P
learned 20 CPU seconds with training seed 50, 10,000 visits, .57 and .42. One share of
1 / (1 + sqrt(.006 / g)) for both, with the leash of g, had 1.20 at 1,000 visits around CFR's
average of 1,000 iterations; equal larger shares had more (docs/differences.md)."""
_LEARNED_REGRET = 2.0
"""g of a learned P is so many times what its values say, exact or learned: its errors are of
another kind than those of CFR's averages. Factors of 1 and 2, with a doubt of .03 and four times g
for the leash: Leduc poker, 1,000 visits, search seed 1, P learned 20 and 60 CPU seconds with
training seeds 50 and 51 .88 .86 .91 .91 and .80 .80 .85 .88 of P's exploitability; Liar's Dice 1x4,
20 seconds .77 .73 and .73 .74."""


def forest_models(
    graph: GameGraph, evaluator: Any, *, learned: frozenset[Part] = NOTHING
) -> ForestModels:
    """The models of an evaluator over a whole enumerated graph.

    Those of random games are kept, and those of evaluators that have a graph, which never change.

    Args:
      graph: the game.
      evaluator: what has P.
      learned: which of its own H, V and Vc count, in place of those that follow from P.
    """
    if compiled_only(evaluator) is not None:
        return _kept(graph, None, NOTHING)
    if graph_of(evaluator) is not None and isinstance(evaluator, Hashable):
        return _kept(graph, evaluator, learned)
    return _made(graph, evaluator, learned)


@functools.lru_cache(maxsize=4)
def _kept(graph: GameGraph, evaluator: Any, learned: frozenset[Part]) -> ForestModels:
    return _made(graph, evaluator, learned)


@functools.lru_cache(maxsize=4)
def _arena_of(graph: GameGraph) -> _core.TableArena:
    return _core.TableArena(graph)


def _made(graph: GameGraph, evaluator: Any, learned: frozenset[Part]) -> ForestModels:
    if evaluator is None:
        return _Tables(graph).untrained()
    if isinstance(evaluator, ExactEvaluator):
        return _Tables(graph).exact(evaluator.policy)
    if learned:
        return _Tables(graph).learned(evaluator, learned)
    return _Tables(graph).exact(_policy(graph, evaluator), _LEARNED_REGRET)


class _Tables:
    """Columns of a graph, and what follows from a policy."""

    def __init__(self, graph: GameGraph) -> None:
        worlds, sets = graph.worlds, graph.information_sets
        self._graph = graph
        self._arena = _arena_of(graph)
        self._players = graph.game.num_players
        self._views = self._arena.views.reshape(-1, self._players)
        self._kind = np.asarray(worlds.kind)
        self._mover = np.asarray(worlds.player)
        self._set = np.asarray(worlds.information_set)
        edge_count = np.asarray(worlds.edge_count)
        self._parent = np.repeat(np.arange(len(worlds)), edge_count)
        self._child = np.asarray(worlds.edge_child)
        position = np.arange(len(self._child)) - np.asarray(worlds.first_edge)[self._parent]
        first_action = np.asarray(sets.first_action)
        decides = self._kind[self._parent] == DECISION
        self._action = np.where(decides, first_action[self._set[self._parent]] + position, 0)
        self._decides = decides
        depth = np.asarray(worlds.depth)[self._parent]
        self._levels = [
            np.flatnonzero(depth == level) for level in range(int(depth.max(initial=-1)) + 1)
        ]

    def exact(self, policy: Floats, regret_factor: float = 1.0) -> ForestModels:
        """H by Bayes' rule and V by evaluation."""
        values = exact.compiled(self._graph).expected_utilities(policy)
        beliefs = self._exact_beliefs(policy)
        child_values = self._expected_children(values, beliefs)
        regret = self._regret(policy, child_values)
        return ForestModels(
            self._graph, self._arena, policy, child_values, values, beliefs, "exact",
            self._graph.value_scale, *_trusted(regret_factor * regret),
        )  # fmt: skip

    def untrained(self) -> ForestModels:
        """P uniform, beliefs accordingly, and no values."""
        policy = uniform_table(self._graph)
        nothing = np.zeros((len(self._kind), self._players))
        return ForestModels(
            self._graph, self._arena, policy, np.zeros_like(policy), nothing,
            self._exact_beliefs(policy), "rollouts", self._graph.value_scale, _UNTRAINED_REGRET,
        )  # fmt: skip

    def learned(self, evaluator: Any, parts: frozenset[Part]) -> ForestModels:
        """Some of the rows of any evaluator, the rest exact."""
        policy, set_values, child_values, pieces = _rows(self._graph, evaluator)
        found = self.exact(policy, _LEARNED_REGRET)
        if "H" in parts:
            found = dataclasses.replace(found, beliefs=self._learned_beliefs(policy, pieces))
        if "V" in parts:
            values = self._learned_values(policy, set_values)
            found = dataclasses.replace(found, values=values, first_values="learned")
        if "Vc" not in parts:
            return found
        regret = max(_LEARNED_REGRET * self._regret(policy, child_values), _LEAST_REGRET)
        trust = _trusted(regret)
        return dataclasses.replace(
            found, child_values=child_values, regret=trust.regret, blend=_LEARNED_BLEND,
            own_share=_LEARNED_SHARE * trust.own_share,
            others_share=_LEARNED_SHARE * trust.others_share,
        )  # fmt: skip

    def _chance(self, policy: Floats) -> Floats:
        """How likely each edge is if all play a policy. [E]"""
        probability = np.asarray(self._graph.worlds.edge_probability)
        return np.where(self._decides, policy[self._action], probability)

    def _exact_beliefs(self, policy: Floats) -> Floats:
        tools = exact.compiled(self._graph)
        found = np.zeros((len(self._kind), self._players))
        for player in range(self._players):
            weight, trembles = tools.reach(policy, player)
            found[:, player] = _given_view(self._views[:, player], weight, trembles)
        return found

    def _learned_beliefs(self, policy: Floats, pieces: Floats) -> Floats:
        """H where a player moves; between its moves, what H was there times what happened since."""
        own = _core.world_beliefs(self._graph, pieces)
        chance, found = self._chance(policy), np.ones((len(self._kind), self._players))
        for player in range(self._players):
            moves = self._mover == player
            column = found[:, player]
            for level in self._levels:
                parent, child = self._parent[level], self._child[level]
                before = np.where(moves[parent], own[parent], column[parent])
                column[child] = before * np.where(moves[parent], 1.0, chance[level])
            column[moves] = own[moves]
            found[:, player] = _given_view(self._views[:, player], column, None)
        return found

    def _learned_values(self, policy: Floats, set_values: Floats) -> Floats:
        """V of the mover's information set; for chance, the expectation.

        The others' share is the rest of a constant sum between two, and else what follows if all
        play P.
        """
        worlds = self._graph.worlds
        chance, found = self._chance(policy), np.zeros((len(self._kind), self._players))
        ends = np.flatnonzero(self._kind == TERMINAL)
        utilities = np.asarray(worlds.utilities).reshape(-1, self._players)
        found[ends] = utilities[np.asarray(worlds.utility_row)[ends]]
        utility_sum = self._graph.game.utility_sum
        two = self._players == 2 and utility_sum is not None
        for level in reversed(self._levels):
            parent, child = self._parent[level], self._child[level]
            for player in range(self._players):
                total = np.bincount(parent, chance[level] * found[child, player])
                at = np.unique(parent)
                mine = self._mover[at] == player
                value = np.where(mine, set_values[self._set[at]], total[at])
                if two and utility_sum is not None:
                    other = self._mover[at] == 1 - player
                    value = np.where(other, utility_sum - set_values[self._set[at]], value)
                found[at, player] = value
        return found

    def _expected_children(self, values: Floats, beliefs: Floats) -> Floats:
        """Vc: the value after each action, expected over the worlds of its set."""
        edges = np.flatnonzero(self._decides)
        parent, mover = self._parent[edges], self._mover[self._parent[edges]]
        weighted = beliefs[parent, mover] * values[self._child[edges], mover]
        count = len(self._graph.information_sets.action)
        return np.bincount(self._action[edges], weighted, minlength=count).astype(np.float64)

    def _regret(self, policy: Floats, child_values: Floats) -> float:
        """What the best action gains on P by its own values, summed along games of P; per player,
        in value scales.
        """
        first = np.asarray(self._graph.information_sets.first_action)
        value = np.add.reduceat(policy * child_values, first)
        gain = np.maximum.reduceat(child_values, first) - value
        reach, chance = np.ones(len(self._kind)), self._chance(policy)
        for level in self._levels:
            reach[self._child[level]] = reach[self._parent[level]] * chance[level]
        moves = self._kind == DECISION
        total = float(np.sum(reach[moves] * gain[self._set[moves]]))
        return max(total / self._players / self._graph.value_scale, _LEAST_REGRET)


class _Trust(NamedTuple):
    """How far a search may leave P: g of the leash, and the shares of P's own advantages."""

    regret: float
    own_share: float
    others_share: float


def _trusted(regret: float) -> _Trust:
    """By the regret of P.

    The player that searches gains by its own share on errors of the others' P, which they mend. By
    the others' share it finds its own errors, since they would gain on them.
    """
    others = (1.0 + _DOUBT / regret) ** -0.5
    own = others ** (2.0 - 1.0 / (1.0 + (_OWN_DOUBT / regret) ** 2))
    return _Trust(max(regret, (_LEASH_DOUBT * regret) ** 0.5), own, others)


def _given_view(view: npt.NDArray[np.int32], weight: Floats, trembles: Ints | None) -> Floats:
    """Weights of worlds, normalised within each view; only those with the fewest trembles count."""
    at = np.flatnonzero(view >= 0)
    numbers, weight = view[at], weight[at]
    if trembles is not None:
        fewest = np.full(int(numbers.max(initial=-1)) + 1, np.iinfo(np.int64).max)
        np.minimum.at(fewest, numbers, trembles[at])
        weight = np.where(trembles[at] == fewest[numbers], weight, 0.0)
    total = np.bincount(numbers, weight)
    count = np.bincount(numbers)
    # Where P never goes and trembles are not told, all worlds are alike.
    alike = total[numbers] <= 0.0
    found = np.zeros(len(view))
    found[at] = np.where(alike, 1.0 / count[numbers], weight / np.where(alike, 1.0, total[numbers]))
    return found


def _policy(graph: GameGraph, evaluator: Any) -> Floats:
    """P of an evaluator, checked. [A]"""
    ready = _ready(graph, evaluator)
    return _sets(graph, evaluator)[0] if ready is None else ready.policy


def _rows(graph: GameGraph, evaluator: Any) -> tuple[Floats, Floats, Floats, Floats]:
    """P [A], V [I], Vc [A] and beliefs over pieces [B] of an evaluator, checked."""
    ready = _ready(graph, evaluator)
    if ready is not None:
        return ready.policy, ready.value, ready.child_values, ready.beliefs
    policy, value, child_values = _sets(graph, evaluator)
    if len(graph.samples) == 0:
        return policy, value, child_values, np.zeros(0)
    flat_samples = Models(graph, evaluator).flat_samples
    return policy, value, child_values, _in_batches(len(graph.samples), flat_samples)[0]


def _ready(graph: GameGraph, evaluator: Any) -> _core.Rows | None:
    graph.resolve()
    rows = native_rows_of(evaluator)
    return None if rows is None else Models(graph, evaluator).checked_native(rows)


def _sets(graph: GameGraph, evaluator: Any) -> list[Floats]:
    flat_sets = Models(graph, evaluator).flat_information_sets
    return _in_batches(len(graph.information_sets), flat_sets)


def _in_batches(count: int, rows: Callable[[range], tuple[Floats, ...]]) -> list[Floats]:
    found = [rows(range(first, min(first + _BATCH, count))) for first in range(0, count, _BATCH)]
    return [np.concatenate(parts) for parts in zip(*found, strict=True)]
