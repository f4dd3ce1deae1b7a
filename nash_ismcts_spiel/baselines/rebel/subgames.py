"""Subgames that are solved side by side, with leaf values from a network or from an oracle.

Values are utilities of the player in question, in the game's units, one per slot, against the
opponent's belief (`native/subgame_solver.h`). Iterations count from 1, and one updates both
players. The policy of iteration t is the one that is played during it: in the first, uniform.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.baselines.rebel.public_tree import PLAYERS, Floats, Ints, PublicTree
from nash_ismcts_spiel.native import _core

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
