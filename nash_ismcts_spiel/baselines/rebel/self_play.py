"""Self-play: from belief state to belief state, and what each was worth (Brown et al. 2020, 4).

A playthrough solves a subgame, remembers its root with the values that the solver found, draws one
of the solver's iterations and follows that iteration's policy to a leaf, where the next subgame
begins. One player, drawn per subgame, explores; beliefs follow the policy as if nobody had.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from nash_ismcts_spiel.baselines.rebel.config import RebelConfig
from nash_ismcts_spiel.baselines.rebel.subgames import (
    PLAYERS,
    Floats,
    Ints,
    LeafValues,
    PublicTree,
    Solution,
    Subgames,
    iteration_weights,
)
from nash_ismcts_spiel.games import CHANCE, TERMINAL


@dataclasses.dataclass(frozen=True, slots=True)
class BeliefStates:
    """Public belief states, one per row.

    Attributes:
      states: public states. [R]
      beliefs: both players'. [R, 2, width]
      values: of both players' slots, in utility units. [R, 2, width]
      iterations: of all solvers that found the values.
    """

    states: Ints
    beliefs: Floats
    values: Floats
    iterations: int


class SelfPlay:
    """Plays games from the start, many side by side."""

    def __init__(self, subgames: Subgames, config: RebelConfig) -> None:
        """Plays with subgames that are cut off like these."""
        self._subgames = subgames
        self._tree = subgames.tree
        self._config = config
        self._weights = iteration_weights(config.method, config.iterations)
        self._walker = Walker(self._tree)

    def play(self, leaf_values: LeafValues, rng: np.random.Generator) -> BeliefStates:
        """A generation's games."""
        tree, config = self._tree, self._config
        counts = rng.multinomial(config.playthroughs, tree.root_chance / tree.root_chance.sum())
        here = {
            (int(root), tree.mass[root].tobytes()): int(count)
            for root, count in zip(tree.roots, counts, strict=True)
            if count > 0
        }
        states: list[Ints] = []
        beliefs: list[Floats] = []
        values: list[Floats] = []
        while here:
            rows = np.array([state for state, _ in here], dtype=np.int32)
            ranges = np.stack([self._unpacked(packed) for _, packed in here])
            solved, here = self._solve(rows, ranges, list(here.values()), leaf_values, rng)
            states.append(rows)
            beliefs.append(ranges)
            values.append(solved)
        total = sum(map(len, states))
        return BeliefStates(
            np.concatenate(states),
            np.concatenate(beliefs),
            np.concatenate(values),
            total * config.iterations,
        )

    def _solve(
        self,
        states: Ints,
        beliefs: Floats,
        counts: list[int],
        leaf_values: LeafValues,
        rng: np.random.Generator,
    ) -> tuple[Floats, dict[tuple[int, bytes], int]]:
        """Values of the roots, and at which belief states how many playthroughs arrive."""
        config, subgames = self._config, self._subgames
        values = np.zeros_like(beliefs)
        ends = np.array([subgames.at(int(state)).num_leaves == 0 for state in states])
        following: dict[tuple[int, bytes], int] = {}
        for rows in (np.flatnonzero(ends), np.flatnonzero(~ends)):
            if len(rows) == 0:
                continue
            drawn = [] if ends[rows[0]] else self._draw([counts[row] for row in rows], rng)
            solution = subgames.solve(
                states[rows].tolist(),
                beliefs[rows],
                config.iterations,
                config.method,
                leaf_values,
                drawn,
            )
            values[rows] = solution.batch.root_values()
            for index, iteration in drawn:
                place = int(states[rows[index]]), beliefs[rows[index]]
                arrived = self._walk(solution, index, iteration, *place, rng)
                if arrived is not None:
                    following[arrived] = following.get(arrived, 0) + 1
        return values, following

    def _draw(self, counts: list[int], rng: np.random.Generator) -> list[tuple[int, int]]:
        """A subgame and an iteration for each playthrough."""
        size = self._config.iterations
        return [
            (index, int(iteration))
            for index, count in enumerate(counts)
            for iteration in 1 + rng.choice(size, size=count, p=self._weights)
        ]

    def _walk(
        self,
        solution: Solution,
        index: int,
        iteration: int,
        state: int,
        beliefs: Floats,
        rng: np.random.Generator,
    ) -> tuple[int, bytes] | None:
        """The belief state in which a playthrough arrives, None if its game ends before."""
        snapshot, leaves = solution.snapshots[index, iteration], solution.leaf_states[index]
        actions, exploration = self._subgames.at(state).actions, self._config.exploration
        arrived = self._walker.walk(
            state, beliefs, actions, snapshot.policy, set(leaves), exploration, rng
        )
        if arrived < 0:
            return None
        return arrived, snapshot.leaf_beliefs[leaves.index(arrived)].tobytes()

    def _unpacked(self, packed: bytes) -> Floats:
        return np.frombuffer(packed).reshape(PLAYERS, self._tree.width)


class Walker:
    """Walks from a belief state through a subgame, world by world."""

    def __init__(self, tree: PublicTree) -> None:
        """Walks on the tree's graph."""
        self._tree = tree
        self._table = np.zeros(len(tree.graph.information_sets.action))

    def walk(
        self,
        state: int,
        beliefs: Floats,
        actions: Ints,
        policy: Floats,
        leaves: set[int],
        exploration: float,
        rng: np.random.Generator,
    ) -> int:
        """The leaf where a game arrives, -1 if it ends before.

        Args:
          state: where the subgame begins.
          beliefs: both players' there. [2, width]
          actions: of the subgame, as positions in policy tables.
          policy: their probabilities.
          leaves: public states at which to stop.
          exploration: share of uniform play of one of the players.
          rng: draws everything.
        """
        worlds, sets = self._tree.graph.worlds, self._tree.graph.information_sets
        self._table[actions] = policy
        explorer = int(rng.integers(PLAYERS))
        candidates, weights = self._tree.world_probabilities(state, beliefs)
        world = int(candidates[_draw(weights, rng)])
        while True:
            kind = worlds.kind[world]
            if kind == TERMINAL:
                return -1
            first, count = worlds.first_edge[world], worlds.edge_count[world]
            if kind == CHANCE:
                edge = _draw(np.array(worlds.edge_probability[first : first + count]), rng)
            else:
                here = int(self._tree.states[world])
                if here in leaves:
                    return here
                explores = worlds.player[world] == explorer and rng.random() < exploration
                begin = sets.first_action[worlds.information_set[world]]
                probabilities = self._table[begin : begin + count]
                edge = int(rng.integers(count)) if explores else _draw(probabilities, rng)
            world = worlds.edge_child[first + edge]


def _draw(weights: Floats, rng: np.random.Generator) -> int:
    """An index with probability in proportion to its weight."""
    ends = weights.cumsum()
    drawn = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
    return min(drawn, len(weights) - 1)
