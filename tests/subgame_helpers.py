"""What tests of ReBeL share: games, their public states, and solved subgames."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from nash_ismcts_spiel.baselines.rebel.subgames import (
    WHOLE_GAME,
    Method,
    PublicTree,
    Subgames,
    no_leaves,
)
from nash_ismcts_spiel.games import GameGraph
from nash_ismcts_spiel.native import exact

Floats = npt.NDArray[np.float64]

KUHN = "kuhn_poker"
LEDUC = "leduc_poker"
LIARS_DICE = "liars_dice(numdice=1,dice_sides=4)"
GOOFSPIEL = "goofspiel(imp_info=True,num_cards=4,points_order=descending)"
DARK_HEX = "dark_hex(board_size=2)"
NIM = "nim(pile_sizes=1;2;2)"
GAMES = [KUHN, LEDUC, "liars_dice(numdice=1,dice_sides=3)", GOOFSPIEL, DARK_HEX, NIM]
METHODS: list[Method] = ["cfr", "cfr_plus", "linear_cfr", "fictitious_play"]


@functools.cache
def tree_of(name: str) -> PublicTree:
    """The public states of a game, made once for all tests."""
    return PublicTree(GameGraph.enumerate(name))


def random_policy(graph: GameGraph, seed: int, sparse: bool = False) -> Floats:
    """Random probabilities; if sparse, a third of the information sets play one action only."""
    rng = np.random.default_rng(seed)
    rows = []
    for count in graph.information_sets.action_count:
        row = rng.dirichlet(np.ones(count))
        pure = sparse and rng.random() < 1 / 3
        rows.append(np.eye(count)[rng.integers(count)] if pure else row)
    return np.concatenate(rows)


def root_solution(
    tree: PublicTree, depth: int, iterations: int, method: Method, stop: bool = False, **kwargs: Any
) -> Any:
    """The subgame at the start of a game, solved."""
    subgames = Subgames(tree, depth, stop)
    leaves = kwargs.pop("leaf_values", no_leaves)
    return subgames.solve([0], tree.mass[:1], iterations, method, leaves, **kwargs)


def whole_policy(tree: PublicTree, local: Floats, depth: int = WHOLE_GAME) -> Floats:
    """A subgame's policy as a table."""
    table = np.zeros(len(tree.graph.information_sets.action))
    table[Subgames(tree, depth, False).at(0).actions] = local
    return table


class FixedLeaves:
    """Leaf values if both players follow a fixed policy from there on, by brute force."""

    def __init__(self, tree: PublicTree, policy: Floats) -> None:
        self.tree = tree
        self.utilities = exact.expected_utilities(tree.graph, policy)

    def __call__(self, player: int, states: Any, beliefs: Floats) -> Floats:
        tree = self.tree
        values = np.zeros((len(states), tree.width))
        chance = tree.native.chance
        for row, state in enumerate(states):
            worlds = np.flatnonzero(tree.states == state)
            own, other = tree.slots[worlds, player], tree.slots[worlds, 1 - player]
            reach = beliefs[row, 1 - player, other] / tree.mass[state, 1 - player, other]
            share = chance[worlds] / chance[worlds].sum()
            np.add.at(values[row], own, share * reach * self.utilities[worlds, player])
            dealt = tree.mass[state, player] > 0
            values[row, dealt] /= tree.mass[state, player, dealt]
        return values
