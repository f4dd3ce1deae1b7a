"""Leaf values of subgames by solving the rest of the game: ReBeL without a network's errors."""

from __future__ import annotations

from nash_ismcts_spiel.baselines.rebel.subgames import (
    WHOLE_GAME,
    Floats,
    Ints,
    Method,
    PublicTree,
    Subgames,
    no_leaves,
)


class OracleLeaves:
    """Leaf values by solving the rest of the game from the current beliefs, each time anew."""

    def __init__(self, tree: PublicTree, iterations: int, method: Method = "cfr_plus") -> None:
        """Solves with so many iterations; more are more exact."""
        self._subgames = Subgames(tree, WHOLE_GAME, stop_at_chance=False)
        self._iterations = iterations
        self._method: Method = method

    def __call__(self, player: int, states: Ints, beliefs: Floats) -> Floats:
        """Values of the player's slots. [R, width]"""
        solved = self._subgames.solve(
            states.tolist(), beliefs, self._iterations, self._method, no_leaves
        )
        values: Floats = solved.batch.root_values()[:, player]
        return values
