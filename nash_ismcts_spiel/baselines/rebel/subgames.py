"""The tree of public states of a game, what players may have seen in each, and beliefs about it.

A *slot* numbers what a player may have seen at a public state. A slot is kept from one public state
to the next as long as nothing but public things happen, so that it goes on meaning the same card.
Two public states have the same *future* if the games that begin there are one and the same, slot by
slot, whatever happened before: a value depends on the future and on the beliefs alone.

A player's belief about a slot is the probability of its own moves times the share of chance
(*mass*) in that slot, normalised to one; the two players' beliefs and chance together give the
probability of every world of the public state (`native/solvers/subgame.h`).

Subgames are solved side by side, with leaf values from a network or from an oracle. Values are
utilities of the player in question, in the game's units, one per slot, against the opponent's
belief (`native/solvers/subgame_solver.h`). Iterations count from 1, and one updates both players.
The policy of iteration t is the one that is played during it: in the first, uniform.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.games import CHANCE, DECISION, TERMINAL, GameGraph, SupportedGame
from nash_ismcts_spiel.games.public import public_states
from nash_ismcts_spiel.games.tables import MISSING
from nash_ismcts_spiel.native import _core, exact

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

PLAYERS = 2
_DIGITS = 12
"""To which chance shares are compared."""


class PublicTree:
    """Public states of an enumerated two-player zero-sum game. S states, W worlds.

    Attributes:
      graph: the game.
      states: the public state of each decision world, -1 for other worlds. [W]
      slots: of both players at each decision world. [W, 2]
      native: the same for compiled code.
      width: slots of a player in a public state, at most.
      parent: the public state before, -1 at the start. [S]
      mass: share of chance in each slot, the belief about a player whose moves say nothing.
        [S, 2, width]
      future: number of the game that begins at each public state. [S]
      num_futures: how many different ones there are.
      roots: public states in which the game may start.
      root_chance: with which probability.
    """

    def __init__(self, graph: GameGraph) -> None:
        """Derives everything from the graph.

        Raises:
          ValueError: the game is not a two-player zero-sum one, or its public states do not form
            a tree.
        """
        refuse_unsuitable(graph.game)
        if not graph.enumerated:
            raise ValueError(f"ReBeL needs an enumerated graph of {graph.game.name}")
        self.graph = graph
        self.states = public_states(graph).astype(np.int32)
        self._before = _decisions_before(graph)
        self._worlds_of = self._group_worlds()
        self.slots = self._number_slots()
        try:
            self.native = _core.PublicGame(
                exact.compiled(graph), self.states, self.slots.reshape(-1)
            )
        except ValueError as error:
            raise ValueError(f"ReBeL cannot play {graph.game.name}: {error}") from error
        self.width = self.native.width
        self.parent = self.native.parent
        self.mass = self.native.mass
        self._chance = self.native.chance
        self.future, self.num_futures = self._number_futures()
        self.roots = np.flatnonzero(self.parent == MISSING)
        self.root_chance: Floats = np.array(
            [self._chance[self._worlds_of[root]].sum() for root in self.roots]
        )

    def __len__(self) -> int:
        """Number of public states."""
        return self.native.num_states

    def beliefs(self, policy: Floats) -> Floats:
        """Both players' beliefs at every public state if all follow `policy`. [S, 2, width]

        A player who never goes there is believed to be there by chance alone.
        """
        reach = own_reach_of_worlds(self.graph, policy)
        beliefs = np.zeros_like(self.mass)
        worlds = np.flatnonzero(self.states >= 0)
        for player in range(PLAYERS):
            where = self.states[worlds], player, self.slots[worlds, player]
            beliefs[where] = reach[worlds, player] * self.mass[where]
        totals = beliefs.sum(axis=2, keepdims=True)
        filled: Floats = np.where(totals > 0.0, beliefs, self.mass)
        filled /= filled.sum(axis=2, keepdims=True)
        return filled

    def world_probabilities(self, state: int, beliefs: Floats) -> tuple[Ints, Floats]:
        """The worlds of a public state and how likely each is under beliefs. [2, width]"""
        worlds = self._worlds_of[state]
        weights = self._chance[worlds]
        for player in range(PLAYERS):
            slots = self.slots[worlds, player]
            weights *= beliefs[player, slots] / self.mass[state, player, slots]
        total = weights.sum()
        if total == 0.0:  # what both are believed to hold excludes each other
            weights = self._chance[worlds]
            total = weights.sum()
        return worlds, weights / total

    def _group_worlds(self) -> list[Ints]:
        """The worlds of each public state."""
        worlds = np.flatnonzero(self.states >= 0).astype(np.int32)
        order = worlds[np.argsort(self.states[worlds], kind="stable")]
        return np.split(order, np.cumsum(np.bincount(self.states[worlds]))[:-1])

    def _number_slots(self) -> Ints:
        """Slots: those of the public state before if that tells them apart, else 0, 1, 2, ..."""
        views = self.graph.shown_views().reshape(-1, PLAYERS)
        slots = np.full((len(self.states), PLAYERS), MISSING, dtype=np.int32)
        for group in self._worlds_of:
            earlier = self._before[group]
            for player in range(PLAYERS):
                inherited = np.where(earlier >= 0, slots[earlier, player], MISSING)
                slots[group, player] = _slots_of_views(views[group, player], inherited)
        return slots

    def _number_futures(self) -> tuple[Ints, int]:
        """Numbers public states by the games that begin there, compared as trees."""
        worlds, chance = self.graph.worlds, self._chance
        names: dict[Hashable, int] = {}
        name = [0] * len(worlds)

        def number(what: Hashable) -> int:
            return names.setdefault(what, len(names))

        for world in range(len(worlds) - 1, -1, -1):
            kind = worlds.kind[world]
            first, count = worlds.first_edge[world], worlds.edge_count[world]
            if kind == TERMINAL:
                name[world] = number(("end", worlds.utilities[worlds.utility_row[world] * PLAYERS]))
                continue
            children = tuple(name[child] for child in worlds.edge_child[first : first + count])
            if kind == CHANCE:
                chances = tuple(worlds.edge_probability[first : first + count])
                name[world] = number((chances, children))
            else:
                slots = (int(self.slots[world, 0]), int(self.slots[world, 1]))
                name[world] = number((worlds.player[world], slots, children))
        contents: list[list[tuple[int, float]]] = [[] for _ in range(len(self))]
        totals = np.bincount(
            self.states[self.states >= 0], weights=chance[self.states >= 0], minlength=len(self)
        )
        for place in np.flatnonzero(self.states >= 0).tolist():
            state = int(self.states[place])
            share = round(float(chance[place] / totals[state]), _DIGITS)
            contents[state].append((name[place], share))
        futures: dict[Hashable, int] = {}
        numbers = [futures.setdefault(tuple(sorted(c)), len(futures)) for c in contents]
        return np.array(numbers, dtype=np.int32), len(futures)


def refuse_unsuitable(game: SupportedGame) -> None:
    """Raises ValueError unless a game is a two-player zero-sum one."""
    if game.num_players != PLAYERS or game.utility_sum != 0.0:
        kind = "zero-sum" if game.utility_sum == 0.0 else "not zero-sum"
        raise ValueError(
            f"ReBeL is for two-player zero-sum games; {game.name} has {game.num_players} players "
            f"and is {kind}"
        )


def own_reach_of_worlds(graph: GameGraph, policy: Floats) -> Floats:
    """How likely each player's own moves towards each world are. [W, n]"""
    worlds = graph.worlds
    parent, depth = np.asarray(worlds.parent), np.asarray(worlds.depth)
    kind, player = np.asarray(worlds.kind), np.asarray(worlds.player)
    first_edge = np.asarray(worlds.first_edge)
    first_action = np.asarray(graph.information_sets.first_action)
    information_set = np.asarray(worlds.information_set)
    reach = np.ones((len(worlds), graph.game.num_players))
    for level in range(1, int(depth.max(initial=0)) + 1):
        children = np.flatnonzero(depth == level)
        before = parent[children]
        reach[children] = reach[before]
        moved = kind[before] == DECISION
        children, before = children[moved], before[moved]
        edge = children - 1 - first_edge[before]  # breadth-first: edge e leads to world e + 1
        action = first_action[information_set[before]] + edge
        reach[children, player[before]] *= policy[action]
    return reach


def _decisions_before(graph: GameGraph) -> npt.NDArray[np.int64]:
    """The last decision world before each world, -1 if there is none. [W]"""
    worlds = graph.worlds
    before = [MISSING] * len(worlds)
    for world in range(1, len(worlds)):
        parent = worlds.parent[world]
        before[world] = parent if worlds.kind[parent] == DECISION else before[parent]
    return np.array(before, dtype=np.int64)


def _slots_of_views(views: npt.NDArray[np.int32], inherited: Ints) -> Ints:
    """A slot per row, the same for equal views: inherited if no two views inherit the same."""
    of_view: dict[int, int] = {}
    for view, slot in zip(views.tolist(), inherited.tolist(), strict=True):
        of_view.setdefault(view, slot)
    taken = list(of_view.values())
    if MISSING in taken or len(set(taken)) < len(taken):
        ordered = sorted(of_view, key=lambda view: of_view[view])  # stable: then as they came
        of_view = {view: slot for slot, view in enumerate(ordered)}
    return np.array([of_view[view] for view in views.tolist()], dtype=np.int32)


Method = Literal["linear_cfr", "cfr_plus", "cfr", "fictitious_play"]

WHOLE_GAME = 2**31 - 1
"""A depth that no game has."""
USUAL_DEPTH = 2
"""What the paper takes in Liar's Dice."""


class LeafValues(Protocol):
    """Where the values of leaves come from."""

    def __call__(self, player: int, states: Ints, beliefs: Floats) -> Floats:
        """Values of the player's slots at public states [R] with beliefs [R, 2, width]. [R, width]

        It is asked for player 0 and player 1 in turn.
        """
        ...


@dataclasses.dataclass(frozen=True, slots=True)
class Snapshot:
    """The policy of one iteration of a subgame, and where it leads.

    Attributes:
      policy: one probability per entry of the subgame's `actions`.
      leaf_beliefs: both players' beliefs at each leaf if they follow it. [leaves, 2, width]
    """

    policy: Floats
    leaf_beliefs: Floats


@dataclasses.dataclass(frozen=True, slots=True)
class Solution:
    """What is known of a batch of subgames after its last iteration.

    Attributes:
      batch: the solvers.
      snapshots: the requested iterations, by subgame and iteration.
      leaf_states: public states at the leaves of each subgame.
    """

    batch: _core.SubgameBatch
    snapshots: Mapping[tuple[int, int], Snapshot]
    leaf_states: Sequence[Sequence[int]]


class Subgames:
    """The subgames of a game that one kind of search meets, each made on first use.

    Attributes:
      tree: the public states.
      in_a_row: subgames that follow each other until the game ends, at most.
    """

    def __init__(self, tree: PublicTree, depth: int, stop_at_chance: bool) -> None:
        """Cuts subgames off after `depth` public states, or where chance has moved.

        With a depth of 0 it is where chance has moved if it ever does, else after 2.
        """
        self.tree = tree
        in_rounds = stop_at_chance and bool(tree.native.after_chance[tree.parent >= 0].any())
        self._depth = depth or (WHOLE_GAME if in_rounds else USUAL_DEPTH)
        self._stop_at_chance = stop_at_chance
        self.in_a_row = 1 + max(self._subgames_before())
        self._made: dict[int, _core.Subgame] = {}

    def at(self, state: int) -> _core.Subgame:
        """The subgame that begins at a public state."""
        if state not in self._made:
            self._made[state] = _core.Subgame(
                self.tree.native, state, self._depth, self._stop_at_chance
            )
        return self._made[state]

    def _subgames_before(self) -> list[int]:
        """How many subgames end before the one that each public state belongs to. [S]"""
        native = self.tree.native
        root, before = list(range(len(self.tree))), [0] * len(self.tree)
        for state in np.argsort(native.depth, kind="stable").tolist():
            parent = int(self.tree.parent[state])
            if parent < 0:
                continue
            deep = native.depth[state] - native.depth[root[parent]] >= self._depth
            leaf = deep or (self._stop_at_chance and bool(native.after_chance[state]))
            root[state] = state if leaf else root[parent]
            before[state] = before[parent] + leaf
        return before

    def solve(
        self,
        states: Sequence[int],
        beliefs: Floats,
        iterations: int,
        method: Method,
        leaf_values: LeafValues,
        wanted: Iterable[tuple[int, int]] = (),
    ) -> Solution:
        """Solves subgames for some iterations.

        Args:
          states: public states in which they begin. [B]
          beliefs: both players' there. [B, 2, width]
          iterations: of each.
          method: how.
          leaf_values: asked twice per iteration.
          wanted: subgames (by their place in `states`) and iterations whose policies are kept; the
            last such iteration may be one more than `iterations`.
        """
        batch = _core.SubgameBatch([self.at(int(state)) for state in states], beliefs, method)
        indices: dict[int, list[int]] = {}
        for index, iteration in sorted(set(wanted)):
            indices.setdefault(iteration, []).append(index)
        snapshots: dict[tuple[int, int], Snapshot] = {}
        leaf_states = batch.leaf_states
        for iteration in range(1, iterations + 2):
            here = indices.get(iteration, [])
            leaf_beliefs = np.split(batch.leaf_beliefs(), batch.first_leaf[1:-1]) if here else []
            for index in here:
                snapshots[index, iteration] = Snapshot(
                    batch.current_policy(index), leaf_beliefs[index].copy()
                )
            if iteration > iterations:
                break
            if batch.num_leaves == 0 and not indices:
                batch.run(iterations)
                break
            for player in range(PLAYERS):
                values = leaf_values(player, leaf_states, batch.leaf_beliefs())
                batch.update(player, values)
        per_subgame = np.split(leaf_states, batch.first_leaf[1:-1])
        return Solution(batch, snapshots, [part.tolist() for part in per_subgame])


def no_leaves(player: int, states: Ints, beliefs: Floats) -> Floats:
    """For subgames that reach to the end of the game."""
    return np.zeros((0, beliefs.shape[-1]))


def iteration_weights(method: Method, iterations: int) -> Floats:
    """How much each iteration counts in a method's average, as probabilities. [iterations]

    Policies that are played with these probabilities are the average policy in expectation.
    """
    numbers: npt.NDArray[np.float64] = np.arange(1.0, iterations + 1.0)
    weights = np.ones(iterations) if method == "cfr" else numbers
    probabilities: Floats = weights / weights.sum()
    return probabilities
